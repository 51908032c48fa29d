//! What somebody wants done, before anything is decided about it.

use note::{AppendAt, ContentHash, FindReplace, MoveTo, RelPath, SectionRef};
use serde::{Deserialize, Serialize};
use vault::OpId;

/// A wish that `plan` turns into exact edits. It names meaning (a section, a version), never bytes, so it can be
/// planned again on the text that is there when a person decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Intent {
    /// A person's typing: the whole text as the editor has it (line feeds only), typed on top of `base`.
    SaveText { path: RelPath, base: ContentHash, text: String },
    /// A new note. The path must be free, compared case-folded.
    CreateNote { path: RelPath, text: String },
    /// A heading gets another title; links to it follow when `update_links` is set.
    RenameSection { path: RelPath, at: SectionRef, new_heading: String, update_links: bool, allow_h1: bool },
    /// What a section holds, where it stands, or whether it is there changes.
    EditSection { path: RelPath, at: SectionRef, edit: SectionEdit },
    /// Quoted pieces of a note are replaced, all or none.
    EditText { path: RelPath, edits: Vec<FindReplace> },
    /// Properties get values or go away, by key; nothing else in the note changes.
    SetProperties { path: RelPath, set: serde_json::Map<String, serde_json::Value>, remove: Vec<String> },
    /// A note gets another path, and every link to it follows.
    MoveNote { path: RelPath, to: RelPath },
    /// A note goes away, by the vault's own setting: into `.trash`, or altogether. Its text stays in the history.
    DeleteNote { path: RelPath },
    /// A folder gets another path with all that is in it, and every link into it follows.
    MoveFolder { path: RelPath, to: RelPath },
    /// A folder goes away with all that is in it, as a note does.
    DeleteFolder { path: RelPath },
    /// A file that is no text of ours goes where the vault keeps the attachments of a note, under this name or the next
    /// one that is free. Its bytes are kept already.
    AddFile { note: RelPath, name: String, content: ContentHash },
    /// Links follow notes that another program moved; each pair is an old path and a new one.
    RepairLinks { moves: Vec<(RelPath, RelPath)> },
    /// A note gets the text of an earlier version back.
    Restore { path: RelPath, to: ContentHash },
    /// Every file of a finished operation gets back what it held before it.
    Undo { op: OpId },
}

impl Intent {
    /// Returns all that is said in it, as one text.
    pub(crate) fn said(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Returns the stable name that journals, agents and the window use.
    pub fn kind(&self) -> &'static str {
        match self {
            Intent::SaveText { .. } => "save_text",
            Intent::CreateNote { .. } => "create_note",
            Intent::RenameSection { .. } => "rename_section",
            Intent::EditSection { edit, .. } => edit.kind(),
            Intent::EditText { .. } => "edit_note",
            Intent::SetProperties { .. } => "set_properties",
            Intent::MoveNote { .. } => "move_note",
            Intent::DeleteNote { .. } => "delete_note",
            Intent::MoveFolder { .. } => "move_folder",
            Intent::DeleteFolder { .. } => "delete_folder",
            Intent::AddFile { .. } => "add_file",
            Intent::RepairLinks { .. } => "repair_links",
            Intent::Restore { .. } => "restore",
            Intent::Undo { .. } => "undo",
        }
    }
}

/// What happens to a section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SectionEdit {
    /// Its own text is replaced; with `include_children` everything below its heading.
    Patch { content: String, include_children: bool },
    /// Text is added in front of or behind its own text.
    Append { content: String, position: AppendAt },
    /// The whole section goes elsewhere in the note; `relevel` fits its headings to the new place.
    Move { destination: SectionRef, position: MoveTo, relevel: bool },
    /// The whole section goes away.
    Delete,
}

impl SectionEdit {
    fn kind(&self) -> &'static str {
        match self {
            SectionEdit::Patch { .. } => "patch_section",
            SectionEdit::Append { .. } => "append_to_section",
            SectionEdit::Move { .. } => "move_section",
            SectionEdit::Delete => "delete_section",
        }
    }
}

/// Who wants it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum Actor {
    /// The person at the window or the terminal.
    Person,
    /// A program that speaks MCP, by the name it was given when it was let in.
    Agent { client: String },
    /// Another program that wrote the file without us.
    Disk,
}

impl Actor {
    /// Returns the name shown to people.
    pub fn name(&self) -> &str {
        match self {
            Actor::Person => "You",
            Actor::Agent { client } => client,
            Actor::Disk => "On disk",
        }
    }
}

/// What an agent sends along with an intent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// The hash of the lead note that the agent read; a different one on disk is a conflict.
    pub expect: Option<ContentHash>,
    /// A retry token of the caller, 1 to 128 of `A-Za-z0-9_.-`.
    pub request_id: Option<String>,
    /// A digest of the call's arguments, to tell a retry from another call under the same token.
    pub fingerprint: String,
    /// Why, in the agent's words, for the person.
    pub reason: Option<String>,
}

/// What happens to an agent's writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum Writes {
    /// Read tools only.
    Off,
    /// Proposals wait for a person.
    Review,
    /// The person approved in advance by starting the program so.
    Allow,
}
