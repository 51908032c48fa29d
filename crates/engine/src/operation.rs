//! An intent's whole life under one id: proposed, decided, begun, done.

use crate::{Actor, Intent};
use note::{ContentHash, RelPath};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use vault::{LinkMove, OpId};

/// One operation, as the journal tells it.
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    pub id: OpId,
    pub actor: Actor,
    pub intent: Intent,
    pub state: OpState,
    /// The note it is about.
    pub lead: RelPath,
    /// The lead note's hash when the operation was proposed or begun.
    pub base: Option<ContentHash>,
    /// The digest of the plan as it was proposed.
    pub digest: Option<PlanDigest>,
    pub summary: Summary,
    pub reason: Option<String>,
    pub request_id: Option<String>,
    pub fingerprint: String,
    /// Milliseconds since 1970, UTC.
    pub proposed_at: i64,
    pub decided_at: Option<i64>,
    pub decided_by: Option<String>,
    pub comment: Option<String>,
    /// Whether a person changed the new heading before approving.
    pub amended: bool,
    /// What it did on disk, once begun.
    pub files: Vec<ChangedFile>,
    /// Folders that it made, the outermost of each.
    pub made_folders: Vec<RelPath>,
    /// Folders below the one that it deleted: they come back with it, whether or not there are files in them.
    pub deleted_folders: Vec<RelPath>,
    /// Symbolic links that it moved.
    pub links: Vec<LinkMove>,
    /// The operation that took this one back.
    pub undone_by: Option<OpId>,
    /// It is old, or what is left of several: a version to read and restore, no longer a change to take back.
    pub folded: bool,
}

/// Where an operation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum OpState {
    /// Waits for a person.
    Proposed,
    /// A person said no.
    Declined,
    /// Its own agent took it back.
    Withdrawn,
    /// Being written.
    Begun,
    /// On disk.
    Done,
    /// A crash or an outside write stopped it half-way; a person finishes or undoes it.
    Interrupted,
    /// Done once, taken back since.
    Undone,
}

/// One file of a finished operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ChangedFile {
    #[cfg_attr(feature = "specta", specta(type = String))]
    pub path: RelPath,
    #[cfg_attr(feature = "specta", specta(type = Option<String>))]
    pub before: Option<ContentHash>,
    #[cfg_attr(feature = "specta", specta(type = Option<String>))]
    pub after: Option<ContentHash>,
    /// Links in it that were repointed.
    pub n_links: u32,
    /// Whether the file changed only because a link in it was repaired.
    pub link_repair: bool,
}

impl ChangedFile {
    /// Whether the two are the steps of one move: what goes away here comes back there, unchanged.
    pub(crate) fn is_other_half_of(&self, other: &ChangedFile) -> bool {
        let moved = |from: &ChangedFile, to: &ChangedFile| {
            from.after.is_none() && to.before.is_none() && from.before.is_some() && from.before == to.after
        };
        moved(self, other) || moved(other, self)
    }
}

/// What an operation does, in the few facts a list shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Summary {
    pub old_heading: Option<String>,
    pub new_heading: Option<String>,
    pub level: Option<u8>,
    /// 1-based line of the heading in the lead note.
    pub line: Option<u32>,
    pub heading_occurrence: Option<u32>,
    /// Where a moved note goes.
    pub new_path: Option<String>,
    /// Links that follow, but for bookmarks.
    pub n_links: u32,
    /// Notes that those links are in.
    pub n_linking_notes: u32,
    /// Canvases that those links are in.
    pub n_linking_canvases: u32,
    /// Notes that change, be it in their links alone.
    pub n_notes: u32,
    /// Canvases that change.
    pub n_canvases: u32,
    /// Files that go along with a folder.
    pub n_moved: u32,
    /// Bookmarks that follow; they are not among the links.
    pub n_bookmarks: u32,
    /// What the plan could not carry along, one sentence each.
    pub warnings: Vec<String>,
}

/// A digest over everything that a plan would write: what a person approves is what the person saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlanDigest(pub String);

/// The journal record of an operation's steps before and beside the commit. Opaque to `vault`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", rename_all = "snake_case")]
pub(crate) enum OpRecord {
    Proposed {
        intent: Intent,
        actor: Actor,
        lead: RelPath,
        base: Option<ContentHash>,
        digest: PlanDigest,
        summary: Summary,
        reason: Option<String>,
        request_id: Option<String>,
        fingerprint: String,
    },
    Amended {
        intent: Intent,
        digest: PlanDigest,
        summary: Summary,
    },
    Declined {
        comment: Option<String>,
    },
    Withdrawn,
    /// Another program changed a note; both texts are blobs.
    Outside {
        path: RelPath,
        before: Option<ContentHash>,
        after: Option<ContentHash>,
    },
    /// A note is known under an id that its path alone would not give.
    Identity {
        path: RelPath,
        id: note::NoteId,
        /// Where the note was before it came here.
        #[serde(default)]
        from: Option<RelPath>,
    },
    /// An operation that was carried out and touched no file, only folders.
    Folders {
        label: Box<CommitLabel>,
    },
}

/// The label that a commit carries in the journal. Opaque to `vault`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CommitLabel {
    pub actor: Actor,
    pub intent: Intent,
    pub lead: RelPath,
    pub summary: Summary,
    pub files: Vec<ChangedFile>,
    pub comment: Option<String>,
    /// Folders that it made, the outermost of each: they go with it when it is taken back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made_folders: Vec<RelPath>,
    /// Folders below the one that it deletes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deleted_folders: Vec<RelPath>,
    /// Symbolic links that went along with a folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkMove>,
    /// Whether nobody saw it: the person had allowed this client's writes beforehand.
    #[serde(default)]
    pub allowed_beforehand: bool,
    /// When each file that changes in its links alone was last edited itself (milliseconds since 1970, UTC): the file
    /// system forgets that with this commit.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub own_edits: BTreeMap<RelPath, i64>,
}
