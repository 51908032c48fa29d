//! Settings in TOML.

use super::{leads_there, names};
use crate::agents::configs::{ClientKind, Way};
use serde_json::{Value, json};
use toml_edit::{DocumentMut, Item, Table};

const SERVERS: &str = "mcp_servers";
const UNREADABLE: &str = "cannot be read as TOML";
const NO_SERVERS: &str = "lists its servers in another way";
const TOO_MANY: &str = "lists too many servers of this name";

pub(super) fn put(kind: ClientKind, way: &Way, old: &str) -> Result<String, &'static str> {
    let mut whole: DocumentMut = old.parse().map_err(|_| UNREADABLE)?;
    let servers = whole.entry(SERVERS).or_insert_with(|| {
        let mut servers = Table::new();
        servers.set_implicit(true);
        Item::Table(servers)
    });
    let servers = servers.as_table_mut().ok_or(NO_SERVERS)?;
    let name = names(way)
        .find(|name| servers.get(name).is_none_or(|there| leads_there(way, &values(there))))
        .ok_or(TOO_MANY)?;
    let ours: DocumentMut = kind.text(&name, way).parse().map_err(|_| UNREADABLE)?;
    let entry = ours.get(SERVERS).and_then(|servers| servers.get(&name)).ok_or(UNREADABLE)?;
    if servers.get(&name).is_some_and(|there| values(there) == values(entry)) {
        return Ok(old.to_owned());
    }
    let replaced = servers.get(&name).and_then(Item::as_table).map(|there| there.decor().clone());
    let mut entry = entry.as_table().ok_or(UNREADABLE)?.clone();
    match replaced {
        Some(decor) => *entry.decor_mut() = decor,
        None => {
            // A table may stand last whatever comes before it.
            entry.set_position(None);
            entry.decor_mut().set_prefix("\n");
        }
    }
    servers.insert(&name, Item::Table(entry));
    Ok(ended(old, whole.to_string()))
}

pub(super) fn take_out(way: &Way, old: &str) -> Result<String, &'static str> {
    let mut whole: DocumentMut = old.parse().map_err(|_| UNREADABLE)?;
    let Some(servers) = whole.get_mut(SERVERS).and_then(Item::as_table_mut) else { return Ok(old.to_owned()) };
    let ours = |name: &String| servers.get(name).is_some_and(|there| leads_there(way, &values(there)));
    let Some(name) = names(way).find(ours) else { return Ok(old.to_owned()) };
    servers.remove(&name);
    if servers.is_empty() && servers.is_implicit() {
        whole.remove(SERVERS);
    }
    Ok(whole.to_string())
}

/// What was the last line of the file without an ending has to get one.
fn ended(old: &str, new: String) -> String {
    if old.ends_with('\n') || new.starts_with(&format!("{old}\n")) {
        new
    } else {
        new.replacen(old, &format!("{old}\n"), 1)
    }
}

fn values(item: &Item) -> Value {
    let Some(table) = item.as_table_like() else { return Value::Null };
    Value::Object(table.iter().map(|(key, item)| (key.to_owned(), value(item))).collect())
}

fn value(item: &Item) -> Value {
    match item {
        Item::Value(toml_edit::Value::String(text)) => json!(text.value()),
        Item::Value(toml_edit::Value::Array(elements)) => {
            elements.iter().map(|one| value(&Item::Value(one.clone()))).collect()
        }
        Item::Value(toml_edit::Value::InlineTable(fields)) => {
            fields.iter().map(|(key, one)| (key.to_owned(), value(&Item::Value(one.clone())))).collect()
        }
        other => json!(other.to_string().trim()),
    }
}
