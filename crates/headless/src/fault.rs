//! How every refusal reaches the window and the terminal: a code, a sentence, and the next step.

use engine::{
    AmendError, DatedError, DecideError, HistoryError, LinkMentionError, NoteError, OpenError, OutlineError, PlanError,
    PropertyChangeError, ReviewError, SaveError, TreeError, WriteError,
};
use serde::{Deserialize, Serialize};

use crate::agents::clients::AddClientError;
use crate::store::StoreError;
use crate::vaults::FolderError;

/// What was refused, why, and what to do next. Codes exist where a caller branches on them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, specta::Type, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    pub code: String,
    pub message: String,
    pub hint: String,
    /// Whether the same call may succeed later without a change.
    pub retryable: bool,
}

impl Fault {
    /// Says that something was refused for good.
    pub fn new(code: &str, message: impl Into<String>, hint: impl Into<String>) -> Fault {
        Fault { code: code.into(), message: message.into(), hint: hint.into(), retryable: false }
    }

    /// Says that the same call may succeed later.
    pub fn retryable(mut self) -> Fault {
        self.retryable = true;
        self
    }

    /// No vault is open in the window.
    pub fn no_vault() -> Fault {
        Fault::new("no_vault", "no vault is open", "open a folder of notes first")
    }

    /// A command stumbled over a fault of the program itself.
    pub fn internal() -> Fault {
        Fault::new(
            "internal",
            "the program stumbled over a fault of its own",
            "try again; your notes are as they were. If it stays, start Vidimus anew",
        )
    }

    /// The argument is no id of an operation.
    pub fn no_operation(id: &str) -> Fault {
        Fault::new("not_found", format!("no operation has the id `{id}`"), "look at the list of operations again")
    }
}

impl From<OpenError> for Fault {
    fn from(error: OpenError) -> Fault {
        let code = if error.is_locked() { "vault_busy" } else { "cannot_open" };
        let hint = error.hint();
        let fault = Fault::new(code, error.to_string(), hint);
        if code == "vault_busy" { fault.retryable() } else { fault }
    }
}

impl From<FolderError> for Fault {
    fn from(error: FolderError) -> Fault {
        Fault::new("cannot_open", error.to_string(), error.hint())
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Fault {
        Fault::new("store", error.to_string(), error.hint())
    }
}

impl From<AddClientError> for Fault {
    fn from(error: AddClientError) -> Fault {
        Fault::new("invalid_arguments", error.to_string(), error.hint())
    }
}

impl From<NoteError> for Fault {
    fn from(error: NoteError) -> Fault {
        let (code, hint) = match &error {
            NoteError::NotFound { suggestions, .. } if suggestions.is_empty() => {
                ("not_found", "it may have been moved or deleted".to_owned())
            }
            NoteError::NotFound { suggestions, .. } => ("not_found", format!("near it: {}", suggestions.join(", "))),
            NoteError::Ambiguous { candidates, .. } => {
                let paths: Vec<&str> = candidates.iter().map(|candidate| candidate.rel_path.as_str()).collect();
                ("ambiguous_title", format!("name one by its path: {}", paths.join(", ")))
            }
            NoteError::OutsideVault { .. } | NoteError::Hidden { .. } => {
                ("path_not_allowed", "name a note inside the vault".to_owned())
            }
            NoteError::NotANote { .. } => ("not_a_note", "only Markdown files open as notes".to_owned()),
            NoteError::TooLarge { .. } => ("too_large", "split the note with another editor".to_owned()),
            NoteError::Unreadable { .. } => ("unreadable", "check the file's permissions".to_owned()),
        };
        Fault::new(code, error.to_string(), hint)
    }
}

impl From<TreeError> for Fault {
    fn from(error: TreeError) -> Fault {
        Fault::new("not_found", error.to_string(), "it may have been moved or deleted")
    }
}

impl From<WriteError> for Fault {
    fn from(error: WriteError) -> Fault {
        let (code, hint) = match &error {
            WriteError::Stale { .. } => ("conflict", "look at the text of now and try again"),
            WriteError::ReadOnly { .. } => ("read_only", "make the file writable, then try again"),
            WriteError::NoSpace => ("no_space", "free some space on the disk, then try again"),
            WriteError::Interrupted { .. } | WriteError::Held { .. } => {
                ("interrupted", "open the operation in the review to finish it or take it back")
            }
            WriteError::Failed { .. } => ("write_failed", "check the disk and the file's permissions, then try again"),
        };
        Fault::new(code, error.to_string(), hint).retryable()
    }
}

impl From<PlanError> for Fault {
    fn from(error: PlanError) -> Fault {
        let message = error.to_string();
        let (code, hint) = match error {
            PlanError::Note(error) => return error.into(),
            PlanError::Rename { .. } => ("invalid_heading", "compare it with the headings that the note has now"),
            PlanError::Section { .. } | PlanError::Text { .. } | PlanError::Properties { .. } => {
                ("no_longer_fits", "compare it with the text that the note has now")
            }
            PlanError::NotUtf8 { .. } => ("not_utf8", "save it as UTF-8 with another editor first"),
            PlanError::ReadOnly { .. } => ("read_only", "make the file writable, then try again"),
            PlanError::PathTaken { .. } => ("path_taken", "choose another name"),
            PlanError::InTheWay { .. } => ("path_taken", "choose another path, or take it away with the file manager"),
            PlanError::PathTooLong { .. } => ("invalid_arguments", "choose a shorter name, or a folder further up"),
            PlanError::IsLink { .. } => {
                ("path_not_allowed", "move that note itself, or the link with the file manager")
            }
            PlanError::ChangedSince { .. } => ("conflict", "open the note's history and restore the version you want"),
            PlanError::VersionGone => ("version_gone", "choose another version"),
            PlanError::UnknownFolder { .. } => {
                ("not_found", "look at the tree again; another program may have moved it")
            }
            PlanError::IntoItself { .. } => ("path_taken", "choose a folder outside of it"),
            PlanError::NothingMoved => {
                ("invalid_arguments", "name each moved file in `moves`, with where it was and where it is now")
            }
            PlanError::NotAFileName { .. } => ("path_not_allowed", "give the file another name, then put it in again"),
            PlanError::FileTooLarge { .. } => {
                ("too_large", "copy it into the vault with the file manager, then link to it")
            }
            PlanError::AttachmentFolder { .. } => (
                "path_not_allowed",
                "choose another folder for attachments in Obsidian's own settings (Files and links)",
            ),
            PlanError::NotDone | PlanError::UnknownOperation => ("not_found", "look at the list of operations again"),
        };
        Fault::new(code, message, hint)
    }
}

impl From<SaveError> for Fault {
    fn from(error: SaveError) -> Fault {
        match error {
            SaveError::Gone { .. } => {
                Fault::new("gone", error.to_string(), "your text is still here: create the note again to keep it")
            }
            SaveError::Plan(error) => error.into(),
            SaveError::Write(error) => error.into(),
            SaveError::Closed => Fault::no_vault(),
        }
    }
}

impl From<DecideError> for Fault {
    fn from(error: DecideError) -> Fault {
        match error {
            DecideError::Unknown => Fault::new("not_found", error.to_string(), "look at the list of operations again"),
            DecideError::NotOpen { .. } => {
                Fault::new("not_open", error.to_string(), "look at the list of operations again")
            }
            DecideError::Changed => {
                Fault::new("changed", error.to_string(), "look at the new diff, then decide again").retryable()
            }
            DecideError::Blocked(error) => error.into(),
            DecideError::Write(error) => error.into(),
            DecideError::Closed => Fault::no_vault(),
        }
    }
}

impl From<AmendError> for Fault {
    fn from(error: AmendError) -> Fault {
        match error {
            AmendError::NotARename => {
                Fault::new("invalid_arguments", error.to_string(), "approve or decline it as it is")
            }
            AmendError::Decide(error) => error.into(),
        }
    }
}

impl From<ReviewError> for Fault {
    fn from(error: ReviewError) -> Fault {
        Fault::new("not_found", error.to_string(), "look at the list of operations again")
    }
}

impl From<HistoryError> for Fault {
    fn from(error: HistoryError) -> Fault {
        let code = match error {
            HistoryError::UnknownVersion { .. } => "not_found",
            HistoryError::Gone => "version_gone",
        };
        Fault::new(code, error.to_string(), "choose another version")
    }
}

impl From<OutlineError> for Fault {
    fn from(error: OutlineError) -> Fault {
        let code = match error {
            OutlineError::First { .. } | OutlineError::Last { .. } => "at_the_end",
            OutlineError::Section(_) => "no_such_place",
        };
        Fault::new(code, error.to_string(), "choose another place or level, or move the text by hand")
    }
}

impl From<LinkMentionError> for Fault {
    fn from(error: LinkMentionError) -> Fault {
        let message = error.to_string();
        match error {
            LinkMentionError::Note(error) => error.into(),
            LinkMentionError::Gone { .. } => Fault::new("changed", message, "look at the list again").retryable(),
            LinkMentionError::Unlinkable { .. } => {
                Fault::new("no_longer_fits", message, "write the link by hand, or give the note another name")
            }
        }
    }
}

impl From<PropertyChangeError> for Fault {
    fn from(error: PropertyChangeError) -> Fault {
        let message = error.to_string();
        match error {
            PropertyChangeError::Taken { .. } => Fault::new("path_taken", message, "give it another name"),
            PropertyChangeError::Edit(_) => {
                Fault::new("no_longer_fits", message, "write it by hand: show the source of the note from the palette")
            }
        }
    }
}

impl From<DatedError> for Fault {
    fn from(error: DatedError) -> Fault {
        let message = error.to_string();
        match error {
            DatedError::NotATime { .. } => Fault::new("invalid_arguments", message, "look at this computer's clock"),
            DatedError::NoName { .. } => {
                Fault::new("invalid_arguments", message, "give another date format in the vault's own settings")
            }
            DatedError::Template(error) => error.into(),
        }
    }
}
