//! The agents that a person let in, each with a token of its own.
//!
//! A token is shown once, when it is made. Kept is only its hash, so that whoever reads the file cannot speak as the
//! agent.

use super::policy::Policy;
use super::scope::Scope;
use crate::store::{Store, StoreError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::SystemTime;

const FILE: &str = "agents.json";
const LONGEST_NAME: usize = 60;

/// The switch, the port and the agents, as they are kept.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Book {
    pub on: bool,
    /// The port of the last time: addresses already given to agents stay true.
    pub port: Option<u16>,
    /// The ports of vaults that were open in a window beside another, by the vault's key.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub ports: BTreeMap<String, u16>,
    pub clients: Vec<Client>,
}

/// One agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Client {
    pub id: String,
    pub name: String,
    pub token_hash: String,
    /// RFC 3339, UTC.
    pub created_at: String,
    pub last_seen_at: Option<String>,
    /// What it may do in each vault, by the vault's key; where nothing is said, it asks.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub policies: BTreeMap<String, Policy>,
    /// What it may see of each vault, and with which tools, by the vault's key; where nothing is said, all.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scopes: BTreeMap<String, Scope>,
}

/// Why an agent was not let in.
#[derive(Debug, thiserror::Error)]
pub enum AddClientError {
    #[error("an agent needs a name")]
    Unnamed,
    #[error("the name is longer than {LONGEST_NAME} characters or holds a control character: `{name}`")]
    BadName { name: String },
    #[error("there is an agent of that name already: `{name}`")]
    Taken { name: String },
    #[error("this computer gave no random numbers: {reason}")]
    NoRandomness { reason: String },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl AddClientError {
    /// Returns the next step for a person.
    pub fn hint(&self) -> &'static str {
        match self {
            AddClientError::Unnamed | AddClientError::BadName { .. } => "give it a short name, such as Claude Code",
            AddClientError::Taken { .. } => "choose another name, or remove the old one first",
            AddClientError::NoRandomness { .. } => "try again",
            AddClientError::Store(error) => error.hint(),
        }
    }
}

impl Book {
    /// Reads what is kept.
    pub fn load(store: &Store) -> Result<Book, StoreError> {
        store.read(FILE)
    }
}

/// Changes what is kept and returns all of it.
pub fn change(store: &Store, change: impl FnOnce(&mut Book)) -> Result<Book, StoreError> {
    store.update(FILE, |book: &mut Book| {
        change(book);
        book.clone()
    })
}

/// Lets an agent in and returns it with its token, which nobody can be told again.
pub fn add(store: &Store, name: &str) -> Result<(Book, Client, String), AddClientError> {
    let name = checked_name(name)?;
    let token = mcp::new_token().map_err(|error| AddClientError::NoRandomness { reason: error.to_string() })?;
    let client = Client {
        id: ulid::Ulid::generate().to_string(),
        name: name.clone(),
        token_hash: mcp::token_hash(&token),
        created_at: time(SystemTime::now()),
        last_seen_at: None,
        policies: BTreeMap::new(),
        scopes: BTreeMap::new(),
    };
    let book = store.update(FILE, |book: &mut Book| {
        let taken = book.clients.iter().any(|known| known.name.to_lowercase() == name.to_lowercase());
        (!taken).then(|| {
            book.clients.push(client.clone());
            book.clone()
        })
    })?;
    match book {
        Some(book) => Ok((book, client, token)),
        None => Err(AddClientError::Taken { name }),
    }
}

/// Trims a name, and refuses what could not be shown in one line.
pub fn checked_name(name: &str) -> Result<String, AddClientError> {
    let name = name.trim();
    if name.is_empty() {
        return Err(AddClientError::Unnamed);
    }
    if name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) {
        return Err(AddClientError::BadName { name: name.chars().filter(|c| !c.is_control()).take(80).collect() });
    }
    Ok(name.to_owned())
}

/// Writes a time as it is kept: RFC 3339, UTC.
pub fn time(at: SystemTime) -> String {
    let at = jiff::Timestamp::try_from(at).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, Store) {
        let root = tempfile::tempdir().unwrap();
        let store = Store::at(root.path().into(), root.path().into());
        (root, store)
    }

    #[test]
    fn a_token_is_kept_nowhere() {
        let (root, store) = store();
        let (book, client, token) = add(&store, " Claude Code ").unwrap();
        assert_eq!((client.name.as_str(), book.clients.len()), ("Claude Code", 1));
        let kept = std::fs::read_to_string(root.path().join(FILE)).unwrap();
        assert!(kept.contains(&mcp::token_hash(&token)) && !kept.contains(&token));
    }

    #[test]
    fn names_are_told_apart() {
        let (_root, store) = store();
        add(&store, "Cursor").unwrap();
        assert!(matches!(add(&store, "cursor"), Err(AddClientError::Taken { .. })));
        assert!(matches!(add(&store, "  "), Err(AddClientError::Unnamed)));
        assert!(matches!(add(&store, "a\nb"), Err(AddClientError::BadName { .. })));
    }
}
