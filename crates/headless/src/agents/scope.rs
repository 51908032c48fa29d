//! What of a vault each agent may see, and with which tools, as the person set it.

use super::clients::Client;
use crate::fault::Fault;
use engine::{Desk, Engine, RelPath};
use serde::{Deserialize, Serialize};

/// What of a vault an agent may see, and with which tools; where nothing is said, all of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct Scope {
    /// Paths of folders; what lies elsewhere is not there for it.
    pub folders: Option<Vec<String>>,
    /// Names of tools; the others are not there for it.
    pub tools: Option<Vec<String>>,
}

/// A tool that an agent can be given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct AgentTool {
    /// The name by which agents call it.
    pub name: String,
    /// The name that people read.
    pub title: String,
    /// Whether it proposes changes.
    pub writes: bool,
}

/// Lists all tools, as agents are told of them.
pub fn all_tools() -> Vec<AgentTool> {
    let one = |(name, title, writes): (&str, &str, bool)| AgentTool { name: name.into(), title: title.into(), writes };
    mcp::tools().map(one).collect()
}

impl Scope {
    /// Leaves of a desk what lies in the scope.
    pub fn limit(&self, mut desk: Desk) -> Desk {
        if let Some(folders) = &self.folders {
            desk = desk.seeing(&paths(folders));
        }
        match &self.tools {
            Some(tools) => desk.using(tools),
            None => desk,
        }
    }

    /// Brings folders and tools into one form and refuses those that are not there.
    pub fn checked(self, engine: &Engine) -> Result<Scope, Fault> {
        Ok(Scope {
            folders: self.folders.map(|folders| checked_folders(engine, folders)).transpose()?.flatten(),
            tools: self.tools.map(checked_tools).transpose()?.flatten(),
        })
    }
}

/// The folders as paths. One whose name is no path is none in which anything could lie.
pub(super) fn paths(folders: &[String]) -> Vec<RelPath> {
    folders.iter().filter_map(|folder| RelPath::new(folder).ok()).collect()
}

/// Brings the names of folders into one form, each once; refuses one that is not there.
pub(super) fn there(engine: &Engine, folders: Vec<String>) -> Result<Vec<String>, Fault> {
    let view = engine.view();
    let mut kept: Vec<String> = Vec::new();
    for folder in folders {
        let folder = folder.trim().trim_matches('/').to_owned();
        view.tree(&folder)?;
        if !kept.contains(&folder) {
            kept.push(folder);
        }
    }
    Ok(kept)
}

/// `None` when the whole vault is among them.
fn checked_folders(engine: &Engine, folders: Vec<String>) -> Result<Option<Vec<String>>, Fault> {
    let kept = there(engine, folders)?;
    if kept.iter().any(String::is_empty) {
        return Ok(None);
    }
    if kept.is_empty() {
        let hint = "choose a folder, or keep it out of this vault";
        return Err(Fault::new("invalid_arguments", "no folder is named that it may see", hint));
    }
    Ok(Some(kept))
}

/// In the order in which agents are told of them; `None` when all are among them.
fn checked_tools(tools: Vec<String>) -> Result<Option<Vec<String>>, Fault> {
    let all: Vec<&str> = mcp::tools().map(|(name, ..)| name).collect();
    if let Some(unknown) = tools.iter().find(|tool| !all.contains(&tool.as_str())) {
        let hint = "choose from the tools that are there";
        return Err(Fault::new("invalid_arguments", format!("there is no tool `{unknown}`"), hint));
    }
    let kept: Vec<String> =
        all.iter().filter(|name| tools.iter().any(|tool| tool == *name)).map(|name| (*name).to_owned()).collect();
    match kept.len() {
        0 => Err(Fault::new(
            "invalid_arguments",
            "no tool is left that it may use",
            "leave it one, or keep it out of this vault",
        )),
        n if n == all.len() => Ok(None),
        _ => Ok(Some(kept)),
    }
}

/// The scope of an agent in a vault; all of it where nothing else was said.
pub(super) fn of(client: &Client, vault: Option<&str>) -> Scope {
    vault.and_then(|vault| client.scopes.get(vault)).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{NoteRef, OpenVault, Writes};
    use std::time::Duration;

    fn open(dir: &std::path::Path) -> Engine {
        let root = dir.join("vault");
        for folder in ["Open/Deep", "Closed"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
            std::fs::write(root.join(folder).join("a.md"), "a\n").unwrap();
        }
        let (state, name) = (dir.join("state"), "v".to_owned());
        let engine =
            Engine::open(OpenVault { root, state, name, vault_key: "k".to_owned(), system_trash: None }).unwrap();
        assert!(engine.wait_indexed(Duration::from_secs(20)));
        engine
    }

    fn named(names: &[&str]) -> Option<Vec<String>> {
        Some(names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn an_agent_sees_and_uses_what_its_scope_says() {
        let dir = tempfile::tempdir().unwrap();
        let engine = open(dir.path());
        for (scope, open, closed, may_search) in [
            (Scope::default(), true, true, true),
            (Scope { folders: named(&["Open"]), tools: None }, true, false, true),
            (Scope { folders: named(&["../v"]), tools: None }, false, false, true),
            (Scope { folders: None, tools: named(&["get_note"]) }, true, true, false),
        ] {
            let desk = scope.limit(engine.desk("A", Writes::Review));
            let reads = |path: &str| desk.note(&NoteRef::Path(path.to_owned())).is_ok();
            assert_eq!((reads("Open/Deep/a.md"), reads("Closed/a.md")), (open, closed), "{scope:?}");
            assert_eq!(desk.may_use("search_text"), may_search, "{scope:?}");
        }
        engine.close();
    }

    #[test]
    fn folders_and_tools_are_checked_before_they_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let engine = open(dir.path());
        let folders = |names: &[&str]| Scope { folders: named(names), tools: None }.checked(&engine);
        assert_eq!(folders(&["Open/", " Open"]), Ok(Scope { folders: named(&["Open"]), tools: None }));
        assert_eq!(folders(&["Open", ""]), Ok(Scope::default()));
        assert_eq!(folders(&[]).unwrap_err().code, "invalid_arguments");
        assert_eq!(folders(&["Nowhere"]).unwrap_err().code, "not_found");
        let tools = |names: &[&str]| Scope { folders: None, tools: named(names) }.checked(&engine);
        assert_eq!(
            tools(&["search_text", "get_note"]),
            Ok(Scope { folders: None, tools: named(&["get_note", "search_text"]) })
        );
        assert_eq!(tools(&["approve"]).unwrap_err().code, "invalid_arguments");
        assert_eq!(tools(&[]).unwrap_err().code, "invalid_arguments");
        let all: Vec<&str> = mcp::tools().map(|(name, ..)| name).collect();
        assert_eq!(tools(&all), Ok(Scope::default()));
        engine.close();
    }
}
