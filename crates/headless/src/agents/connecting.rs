//! Connecting a client: what its settings file would become, the writing of it, and the way back.

use super::bundle::BundleError;
use super::configs::{ClientKind, Way};
use super::entry::{self, Change};
use crate::fault::Fault;
use crate::store::{backup_of, read_foreign, remove_foreign, write_foreign};
use engine::{ContentHash, Hunk, compare_texts};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// What connecting a client would do to its settings file. Nothing is written yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct Connecting {
    /// The settings file.
    pub file: String,
    /// What connecting comes to.
    pub outcome: Outcome,
    /// The lines that would change.
    pub hunks: Vec<Hunk>,
    /// Why the person has to write the entry themselves; the rest of a sentence about the file.
    pub by_hand: Option<String>,
    /// Names the text that the hunks were made for; writing asks for it.
    pub seen: String,
    /// Whether the last writing of ours can be taken back.
    pub can_undo: bool,
}

/// What connecting comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The file says so already.
    Connected,
    /// The file would be written.
    Write,
    /// The person has to do it.
    ByHand,
}

/// Why a settings file was not written.
#[derive(Debug, Error)]
pub enum ConnectError {
    /// The client has no settings file that is ours to write.
    #[error("{title} keeps no settings file that another program may write")]
    NoFile {
        /// The client.
        title: &'static str,
    },
    /// The system refused.
    #[error("`{}` cannot be {what}: {source}", .file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What was tried.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// Another program has written the file since it was shown.
    #[error("`{}` has changed since it was shown", .file.display())]
    Changed {
        /// The file.
        file: PathBuf,
    },
    /// The entry cannot be put in, or taken out, without touching more.
    #[error("`{}` {why}", .file.display())]
    ByHand {
        /// The file.
        file: PathBuf,
        /// The rest of the sentence.
        why: &'static str,
    },
}

impl ConnectError {
    /// Says what to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            ConnectError::NoFile { .. } => "run the command that is shown in a terminal",
            ConnectError::Io { .. } => {
                "check the permissions of the file and its folder, or paste the settings by hand"
            }
            ConnectError::Changed { .. } => "look at the change again",
            ConnectError::ByHand { .. } => "change the entry by hand",
        }
    }
}

/// A client's settings file under a home folder, as it is now.
pub struct SettingsFile {
    kind: ClientKind,
    way: Way,
    path: PathBuf,
    old: Option<Vec<u8>>,
}

impl SettingsFile {
    /// Reads the file, if it is there.
    ///
    /// # Errors
    /// The client has none, or it cannot be read.
    pub fn read(kind: ClientKind, way: Way, home: &Path) -> Result<SettingsFile, ConnectError> {
        let path = kind.file(home).ok_or(ConnectError::NoFile { title: kind.title() })?;
        let old = read_foreign(&path).map_err(|source| refused(&path, "read", source))?;
        Ok(SettingsFile { kind, way, path, old })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What connecting would do to it.
    pub fn connecting(&self) -> Connecting {
        let can_undo = self.way_back().is_ok_and(|back| back.is_some());
        let (outcome, hunks, by_hand) = match self.put() {
            // An entry with a token that was shown once and is known no more is as good as one that we could write.
            _ if can_undo && self.lacks_token() => (Outcome::Connected, Vec::new(), None),
            Change::None => (Outcome::Connected, Vec::new(), None),
            Change::Write(text) => (Outcome::Write, compare_texts(&self.shown(), &text.replace("\r\n", "\n")), None),
            Change::ByHand(why) => (Outcome::ByHand, Vec::new(), Some(why.to_owned())),
        };
        Connecting { file: self.path.display().to_string(), outcome, hunks, by_hand, seen: self.seen(), can_undo }
    }

    /// Writes the entry, and says where the old text was put, if there was one.
    ///
    /// # Errors
    /// The file is another than was `seen`, the entry cannot be put in, or the system refuses.
    pub fn connect(&self, seen: &str) -> Result<Option<PathBuf>, ConnectError> {
        if self.seen() != seen {
            return Err(ConnectError::Changed { file: self.path.clone() });
        }
        match self.put() {
            Change::None => Ok(None),
            Change::Write(text) => {
                write_foreign(&self.path, text.as_bytes()).map_err(|source| refused(&self.path, "written", source))
            }
            Change::ByHand(why) => Err(ConnectError::ByHand { file: self.path.clone(), why }),
        }
    }

    /// Takes the entry out again: the old text comes back whole if nothing else has changed since. Says whether
    /// there was anything to take out.
    ///
    /// # Errors
    /// The entry cannot be taken out without touching more, or the system refuses.
    pub fn disconnect(&self) -> Result<bool, ConnectError> {
        let written = match self.way_back()? {
            None => return Ok(false),
            Some(Back::Remove) => remove_foreign(&self.path),
            Some(Back::Write(text)) => write_foreign(&self.path, &text).map(drop),
        };
        written.map_err(|source| refused(&self.path, "written", source))?;
        Ok(true)
    }

    /// Tells whether the entry would hold a token that was shown once and is known no more.
    pub fn lacks_token(&self) -> bool {
        matches!(self.way, Way::Http { token: None, .. })
    }

    fn put(&self) -> Change {
        entry::put(self.kind, &self.way, self.old.as_deref())
    }

    fn way_back(&self) -> Result<Option<Back>, ConnectError> {
        let Some(now) = &self.old else { return Ok(None) };
        let is_ours = |before: Option<&[u8]>| matches!(entry::put(self.kind, &self.way, before), Change::Write(text) if text.as_bytes() == now);
        if let Ok(Some(before)) = read_foreign(&backup_of(&self.path))
            && is_ours(Some(&before))
        {
            return Ok(Some(Back::Write(before)));
        }
        if is_ours(None) {
            return Ok(Some(Back::Remove));
        }
        match entry::take_out(self.kind, &self.way, now) {
            Change::None => Ok(None),
            Change::Write(text) => Ok(Some(Back::Write(text.into_bytes()))),
            Change::ByHand(why) => Err(ConnectError::ByHand { file: self.path.clone(), why }),
        }
    }

    fn shown(&self) -> String {
        String::from_utf8_lossy(self.old.as_deref().unwrap_or_default()).replace("\r\n", "\n")
    }

    fn seen(&self) -> String {
        self.old.as_ref().map_or("none".to_owned(), |old| ContentHash::of(old).to_string())
    }
}

/// Finds a client by its id on the wire.
pub fn known(program: &str) -> Result<ClientKind, Fault> {
    let kind = ClientKind::ALL.into_iter().find(|kind| kind.id() == program);
    kind.ok_or_else(|| {
        let hint = "pick one of the programs of the list";
        Fault::new("invalid_arguments", format!("`{program}` is no program that we know"), hint)
    })
}

impl From<BundleError> for Fault {
    fn from(error: BundleError) -> Fault {
        Fault::new("no_bundle", error.to_string(), error.hint())
    }
}

impl From<ConnectError> for Fault {
    fn from(error: ConnectError) -> Fault {
        let code = match &error {
            ConnectError::NoFile { .. } => "no_file",
            ConnectError::Io { .. } => "unreadable",
            ConnectError::Changed { .. } => "conflict",
            ConnectError::ByHand { .. } => "by_hand",
        };
        Fault::new(code, error.to_string(), error.hint())
    }
}

/// How a settings file becomes what it was.
enum Back {
    Remove,
    Write(Vec<u8>),
}

fn refused(file: &Path, what: &'static str, source: io::Error) -> ConnectError {
    ConnectError::Io { file: file.to_path_buf(), what, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(home: &Path, kind: ClientKind) -> SettingsFile {
        let way = Way::Stdio {
            program: "/bin/vidimus".into(),
            vault: "/n/My notes".into(),
            client: "C".into(),
            leave: Vec::new(),
        };
        SettingsFile::read(kind, way, home).unwrap()
    }

    const WITH_FILE: [ClientKind; 9] = [
        ClientKind::ClaudeDesktop,
        ClientKind::Cursor,
        ClientKind::VsCode,
        ClientKind::Codex,
        ClientKind::Gemini,
        ClientKind::Windsurf,
        ClientKind::LmStudio,
        ClientKind::Zed,
        ClientKind::Goose,
    ];

    #[test]
    fn connecting_and_taking_it_back_leaves_every_file_as_it_was() {
        let json = "// mine\n{\n\t\"a\": [1,  2], // two\n\t\"theme\": {\"x\":1},\n}\n";
        let toml = "model = \"x\" # mine\n\n[mcp_servers.other]\ncommand = \"y\"\n\n[last]\nb=1";
        let yaml = "# mine\nextensions:\n    memory:\n        enabled: true\n\n# more\nGOOSE_MODEL: x";
        for kind in WITH_FILE {
            for old in [None, Some(json), Some(toml), Some(yaml)] {
                let home = tempfile::tempdir().unwrap();
                let path = kind.file(home.path()).unwrap();
                if let Some(old) = old {
                    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                    std::fs::write(&path, old).unwrap();
                }
                let before = file(home.path(), kind);
                let shown = before.connecting();
                if shown.outcome == Outcome::ByHand {
                    before.connect(&shown.seen).unwrap_err();
                } else {
                    assert_eq!((shown.outcome, shown.can_undo), (Outcome::Write, false), "{kind:?} {old:?}");
                    assert_eq!(before.connect(&shown.seen).unwrap().is_some(), old.is_some());
                    let after = file(home.path(), kind);
                    let again = after.connecting();
                    assert_eq!((again.outcome, again.can_undo), (Outcome::Connected, true), "{kind:?} {old:?}");
                    before.connect(&again.seen).unwrap_err();
                    assert!(after.disconnect().unwrap());
                }
                assert_eq!(std::fs::read_to_string(&path).ok().as_deref(), old, "{kind:?}");
            }
        }
    }

    #[test]
    fn what_came_in_between_stays_when_the_entry_is_taken_out() {
        let home = tempfile::tempdir().unwrap();
        let path = ClientKind::Cursor.file(home.path()).unwrap();
        let before = file(home.path(), ClientKind::Cursor);
        before.connect(&before.connecting().seen).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replacen('{', "{\n  \"new\": true,", 1)).unwrap();
        assert!(file(home.path(), ClientKind::Cursor).disconnect().unwrap());
        let left = std::fs::read_to_string(&path).unwrap();
        assert!(left.contains("\"new\": true") && !left.contains("vidimus"), "{left}");
        assert!(!file(home.path(), ClientKind::Cursor).disconnect().unwrap());
    }

    #[test]
    fn a_file_that_changed_since_it_was_shown_is_not_written() {
        let home = tempfile::tempdir().unwrap();
        let path = ClientKind::Cursor.file(home.path()).unwrap();
        let seen = file(home.path(), ClientKind::Cursor).connecting().seen;
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "{}").unwrap();
        let error = file(home.path(), ClientKind::Cursor).connect(&seen).unwrap_err();
        assert!(matches!(error, ConnectError::Changed { .. }));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{}");
    }
}
