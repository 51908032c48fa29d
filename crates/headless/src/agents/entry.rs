//! Our entry in the settings of another program: put in, renewed or taken out, and every other byte as it was.

use super::configs::{ClientKind, Language, SERVER, Way};
use serde_json::Value;
use std::path::Path;

mod json;
mod toml;
mod yaml;

/// What becomes of a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It says so already.
    None,
    /// The whole new text.
    Write(String),
    /// It cannot be changed without touching more than our own entry; the rest of a sentence about the file says why.
    ByHand(&'static str),
}

/// Puts the entry in; an older one for the same vault is replaced.
pub fn put(kind: ClientKind, way: &Way, old: Option<&[u8]>) -> Change {
    let Some(old) = old.filter(|old| !old.trim_ascii().is_empty()) else {
        return Change::Write(kind.text(SERVER, way));
    };
    let Ok(old) = std::str::from_utf8(old) else { return Change::ByHand("is not UTF-8") };
    let changed = match kind.language() {
        Language::Json => json::put(kind, way, old),
        Language::Toml => toml::put(kind, way, old),
        Language::Yaml => yaml::put(kind, way, old),
        Language::Shell => Err("is written by a command of its own"),
    };
    told(old, changed)
}

/// Takes the entry out again.
pub fn take_out(kind: ClientKind, way: &Way, old: &[u8]) -> Change {
    let Ok(old) = std::str::from_utf8(old) else { return Change::ByHand("is not UTF-8") };
    let changed = match kind.language() {
        Language::Json => json::take_out(kind, way, old),
        Language::Toml => toml::take_out(way, old),
        Language::Yaml => yaml::take_out(way, old),
        Language::Shell => Err("is written by a command of its own"),
    };
    told(old, changed)
}

fn told(old: &str, changed: Result<String, &'static str>) -> Change {
    match changed {
        Ok(text) if text == old => Change::None,
        Ok(text) => Change::Write(text),
        Err(why) => Change::ByHand(why),
    }
}

/// Names under which servers may be listed: the program's own, then with the vault's folder behind it, then numbered.
fn names(way: &Way) -> impl Iterator<Item = String> {
    let folder = match way {
        Way::Stdio { vault, .. } => slug(vault),
        Way::Http { .. } => String::new(),
    };
    let with_folder = (!folder.is_empty()).then(|| format!("{SERVER}-{folder}"));
    let numbered = with_folder.clone().unwrap_or_else(|| SERVER.to_owned());
    let numbered = (2..100).map(move |n| format!("{numbered}-{n}"));
    [SERVER.to_owned()].into_iter().chain(with_folder).chain(numbered)
}

/// Clients take few characters in a name, and put it before the names of the tools.
pub(super) fn slug(vault: &Path) -> String {
    let name = vault.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let words: Vec<&str> = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join("-").chars().take(24).collect::<String>().trim_end_matches('-').to_owned()
}

/// Whether an entry, as the values that it holds, leads to where ours leads.
fn leads_there(way: &Way, values: &Value) -> bool {
    let texts = |key: &str| values.get(key).and_then(Value::as_str);
    match way {
        Way::Stdio { vault, .. } => {
            let args: Vec<&str> =
                values.get("args").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
            let at = args.iter().position(|arg| *arg == "--vault");
            args.first() == Some(&"mcp")
                && at.and_then(|at| args.get(at + 1)).is_some_and(|there| Path::new(there) == vault)
        }
        // The window has one address, whichever vault it shows.
        Way::Http { .. } => ["url", "httpUrl", "serverUrl", "uri"]
            .iter()
            .filter_map(|key| texts(key))
            .any(|url| url.starts_with("http://127.0.0.1:") && url.ends_with("/mcp")),
    }
}

/// Whether two settings say the same but for one server.
fn same_but_for(one: &Value, other: &Value, servers_key: &str, name: &str) -> bool {
    let without = |whole: &Value| {
        let mut whole = whole.clone();
        if let Some(fields) = whole.as_object_mut() {
            let servers = fields.get_mut(servers_key).and_then(Value::as_object_mut);
            if let Some(servers) = servers {
                servers.shift_remove(name);
                if servers.is_empty() {
                    fields.shift_remove(servers_key);
                }
            }
        }
        whole
    };
    without(one) == without(other)
}

#[cfg(test)]
mod tests;
