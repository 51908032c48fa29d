//! What each agent may do in a vault, as the person set it.

use super::clients::{Book, Client};
use super::scope::{self, Scope};
use crate::fault::Fault;
use engine::{Desk, Engine, Writes};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// What an agent may do in a vault.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Policy {
    /// Nothing: it is refused at the door.
    Off,
    /// It reads.
    ReadOnly,
    /// It reads, and what it wants to change waits for the person.
    #[default]
    Ask,
    /// What stays within these folders is carried out at once, and everything else waits.
    Allow {
        /// Paths of folders; an empty one is the whole vault.
        folders: Vec<String>,
    },
}

impl Policy {
    /// Makes the desk of a client; none for one that is refused.
    pub fn desk(&self, engine: &Engine, client: &str) -> Option<Desk> {
        match self {
            Policy::Off => None,
            Policy::ReadOnly => Some(engine.desk(client, Writes::Off)),
            Policy::Ask => Some(engine.desk(client, Writes::Review)),
            Policy::Allow { folders } => {
                let desk = engine.desk(client, Writes::Allow);
                if folders.iter().any(String::is_empty) {
                    return Some(desk);
                }
                Some(desk.within(&scope::paths(folders)))
            }
        }
    }

    /// Brings the folders into one form and refuses those that are not there.
    pub fn checked(self, engine: &Engine) -> Result<Policy, Fault> {
        let Policy::Allow { folders } = self else { return Ok(self) };
        let kept = scope::there(engine, folders)?;
        if kept.is_empty() {
            let hint = "choose a folder, or let it ask each time";
            return Err(Fault::new("invalid_arguments", "no folder is named in which it may write", hint));
        }
        Ok(Policy::Allow { folders: kept })
    }
}

/// The policies and scopes of the vault that is open, by the name of the agent; shared with the door, which asks at each
/// call.
#[derive(Debug, Clone, Default)]
pub struct Policies(Arc<RwLock<HashMap<String, (Policy, Scope)>>>);

impl Policies {
    /// Takes over what is kept for a vault.
    pub fn replace(&self, book: &Book, vault: Option<&str>) {
        let policies =
            book.clients.iter().map(|client| (client.name.clone(), (of(client, vault), scope::of(client, vault))));
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = policies.collect();
    }

    /// Makes the desk of a client; none for one that is refused.
    pub fn desk(&self, engine: &Engine, client: &str) -> Option<Desk> {
        let (policy, scope) = self.get(client);
        Some(scope.limit(policy.desk(engine, client)?))
    }

    /// Returns what a client may do and see.
    pub fn get(&self, client: &str) -> (Policy, Scope) {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(client).cloned().unwrap_or_default()
    }

    /// Whether any agent may change something without being asked about.
    pub fn allow_something(&self) -> bool {
        let policies = self.0.read().unwrap_or_else(PoisonError::into_inner);
        policies.values().any(|(policy, _)| matches!(policy, Policy::Allow { .. }))
    }
}

/// The policy of an agent in a vault; it asks where nothing else was said.
pub fn of(client: &Client, vault: Option<&str>) -> Policy {
    vault.and_then(|vault| client.policies.get(vault)).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Intent, OpState, OpenVault, RelPath, Request};
    use std::time::Duration;

    fn open(dir: &std::path::Path) -> Engine {
        let root = dir.join("vault");
        std::fs::create_dir_all(root.join("Drafts")).unwrap();
        std::fs::write(root.join("Drafts/a.md"), "a\n").unwrap();
        let (state, name) = (dir.join("state"), "v".to_owned());
        let engine =
            Engine::open(OpenVault { root, state, name, vault_key: "k".to_owned(), system_trash: None }).unwrap();
        assert!(engine.wait_indexed(Duration::from_secs(20)));
        engine
    }

    fn outcome(engine: &Engine, policy: &Policy, path: &str) -> Option<OpState> {
        let desk = policy.desk(engine, "A")?;
        let intent = Intent::CreateNote { path: RelPath::new(path).unwrap(), text: "x\n".to_owned() };
        let proposed = desk.propose(intent, Request::default()).ok()?;
        Some(engine.operation(proposed.id)?.state)
    }

    #[test]
    fn an_agent_may_do_what_its_policy_says_and_no_more() {
        let dir = tempfile::tempdir().unwrap();
        let engine = open(dir.path());
        let allow =
            |folders: &[&str]| Policy::Allow { folders: folders.iter().map(|folder| (*folder).to_owned()).collect() };
        for (n, (policy, inside, outside)) in [
            (Policy::Off, None, None),
            (Policy::ReadOnly, None, None),
            (Policy::Ask, Some(OpState::Proposed), Some(OpState::Proposed)),
            (allow(&["Drafts"]), Some(OpState::Done), Some(OpState::Proposed)),
            (allow(&[""]), Some(OpState::Done), Some(OpState::Done)),
            (allow(&["../v"]), Some(OpState::Proposed), Some(OpState::Proposed)),
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!(outcome(&engine, &policy, &format!("Drafts/{n}.md")), inside, "{policy:?}");
            assert_eq!(outcome(&engine, &policy, &format!("{n}.md")), outside, "{policy:?}");
        }
        engine.close();
    }

    #[test]
    fn folders_are_checked_before_anything_is_allowed_in_them() {
        let dir = tempfile::tempdir().unwrap();
        let engine = open(dir.path());
        let checked = |folders: &[&str]| {
            Policy::Allow { folders: folders.iter().map(|folder| (*folder).to_owned()).collect() }.checked(&engine)
        };
        assert_eq!(checked(&["Drafts/", " Drafts"]), Ok(Policy::Allow { folders: vec!["Drafts".to_owned()] }));
        assert_eq!(checked(&[]).unwrap_err().code, "invalid_arguments");
        assert_eq!(checked(&["Nowhere"]).unwrap_err().code, "not_found");
        engine.close();
    }
}
