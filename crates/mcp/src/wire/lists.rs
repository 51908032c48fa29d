//! The answers of the tools that list notes: search, backlinks, folders, history.

use schemars::JsonSchema;
use serde::Serialize;

/// A page of search results.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct SearchResults {
    pub results: Vec<SearchResult>,
    pub total: usize,
    pub returned: usize,
    pub offset: usize,
    pub next_offset: Option<usize>,
    pub truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query_note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexing: Option<bool>,
}

/// One section that matches.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct SearchResult {
    pub rel_path: String,
    pub id: String,
    pub title: String,
    pub heading_path: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_id: Option<String>,
    pub line_start: u32,
    pub line_end: u32,
    pub snippet: String,
    pub score: f32,
}

/// A page of links to a note.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Backlinks {
    pub resolved_rel_path: String,
    pub backlinks: Vec<Backlink>,
    pub total: usize,
    pub returned: usize,
    pub offset: usize,
    pub next_offset: Option<usize>,
    pub truncated: bool,
}

/// One link to a note.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Backlink {
    pub rel_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub title: String,
    pub line: u32,
    pub text: String,
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_heading: Option<String>,
    pub snippet: String,
}

/// A page of notes.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct NoteList {
    pub notes: Vec<ListedNote>,
    pub folders: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folders_truncated: Option<bool>,
    pub total: usize,
    pub returned: usize,
    pub offset: usize,
    pub next_offset: Option<usize>,
    pub truncated: bool,
}

/// One note of a list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ListedNote {
    pub id: String,
    pub rel_path: String,
    pub title: String,
    pub tags: Vec<String>,
    pub updated_at: String,
    pub content_hash: String,
    pub chars: usize,
    pub writable: bool,
}

/// A page of a note's past, or one version with its text.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub(crate) struct History {
    pub rel_path: String,
    pub id: String,
    pub content_hash: String,
    pub versions: Vec<PastVersion>,
    pub total: usize,
    pub returned: usize,
    pub offset: usize,
    pub next_offset: Option<usize>,
    pub truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_chars: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returned_chars: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff_truncated: Option<bool>,
}

/// One past text of a note.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct PastVersion {
    pub version_id: String,
    pub at: String,
    pub kind: String,
    pub actor: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    pub operation_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_hash: Option<String>,
    pub chars_added: u32,
    pub chars_removed: u32,
    pub restorable: bool,
    pub is_link_repair: bool,
}
