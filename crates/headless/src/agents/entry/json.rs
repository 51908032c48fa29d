//! Settings in JSON, which many programs let their users write comments into.

use super::{leads_there, names, same_but_for};
use crate::agents::configs::{ClientKind, Way};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;

const NOT_AN_OBJECT: &str = "holds something else than settings";
const UNREADABLE: &str = "cannot be read as JSON";
const NO_SERVERS: &str = "lists its servers in another way";
const TOO_MANY: &str = "lists too many servers of this name";
const OTHER_SETTINGS: &str = "would read otherwise afterwards";

pub(super) fn put(kind: ClientKind, way: &Way, old: &str) -> Result<String, &'static str> {
    let root = read(old)?;
    let before = root.to_serde_value().ok_or(UNREADABLE)?;
    let whole = root.object_value_or_create().ok_or(NOT_AN_OBJECT)?;
    let servers = whole.object_value_or_create(kind.servers_key()).ok_or(NO_SERVERS)?;
    let entry = kind.entry(way);
    let name =
        names(way).find(|name| values(&servers, name).is_none_or(|there| leads_there(way, &there))).ok_or(TOO_MANY)?;
    match servers.get(&name) {
        Some(_) if values(&servers, &name).as_ref() == Some(&entry) => return Ok(old.to_owned()),
        Some(there) => there.set_value(input(&entry)),
        None => drop(servers.append(&name, input(&entry))),
    }
    checked(kind, &root, &before, &name)
}

pub(super) fn take_out(kind: ClientKind, way: &Way, old: &str) -> Result<String, &'static str> {
    let root = read(old)?;
    let before = root.to_serde_value().ok_or(UNREADABLE)?;
    let Some(servers) = root.object_value().and_then(|whole| whole.object_value(kind.servers_key())) else {
        return Ok(old.to_owned());
    };
    let ours = |name: &String| values(&servers, name).is_some_and(|there| leads_there(way, &there));
    let Some(name) = names(way).find(ours) else { return Ok(old.to_owned()) };
    if let Some(there) = servers.get(&name) {
        there.remove();
    }
    checked(kind, &root, &before, &name)
}

fn read(text: &str) -> Result<CstRootNode, &'static str> {
    CstRootNode::parse(text, &ParseOptions::default()).map_err(|_| UNREADABLE)
}

fn values(servers: &CstObject, name: &str) -> Option<Value> {
    servers.get(name)?.value()?.to_serde_value()
}

/// Reads the new text once more: nothing but our own entry may have changed its meaning.
fn checked(kind: ClientKind, root: &CstRootNode, before: &Value, name: &str) -> Result<String, &'static str> {
    let text = root.to_string();
    let after = read(&text)?.to_serde_value().ok_or(OTHER_SETTINGS)?;
    same_but_for(before, &after, kind.servers_key(), name).then_some(text).ok_or(OTHER_SETTINGS)
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(yes) => CstInputValue::Bool(*yes),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(elements) => CstInputValue::Array(elements.iter().map(input).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}
