//! The answers of `get_note`, one type for each format.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// The name of the way in which content hashes are computed.
pub(crate) const HASH_CONTRACT: &str = "blake3-bytes-v1";

/// How `get_note` shows a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Format {
    Full,
    Map,
    Chunk,
    Metadata,
}

/// What every format says about the note.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Identity {
    pub rel_path: String,
    pub folder_path: String,
    pub id: String,
    pub title: String,
    pub content_hash: String,
    pub note_content_hash: String,
    pub content_hash_contract: String,
    pub source_vault: String,
    pub writable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_utf8: Option<bool>,
}

/// The text, or a window or section of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct FullNote {
    pub format: Format,
    #[serde(flatten)]
    pub identity: Identity,
    pub tags: Vec<String>,
    pub aliases: Vec<String>,
    pub frontmatter: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata_truncated: Option<bool>,
    pub created: String,
    pub updated: String,
    pub updated_at: String,
    pub content_updated_at: String,
    pub content: String,
    pub offset: usize,
    pub limit_applied: usize,
    pub total_chars: usize,
    pub returned_chars: usize,
    pub next_offset: Option<usize>,
    pub truncated: bool,
    pub content_truncated: bool,
    pub content_total_length: usize,
    pub estimated_tokens: usize,
    pub returned_estimated_tokens: usize,
    pub headings: Vec<OutlineHeading>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headings_truncated: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<SectionSpan>,
    pub pending_operations: Vec<Pending>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<LinkedNote>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unresolved_links: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links_truncated: Option<bool>,
}

/// A heading of the outline; `offset` counts in the text that is being paged.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct OutlineHeading {
    pub level: u8,
    pub text: String,
    pub offset: usize,
}

/// The section that was asked for; lines are those of the file, both inclusive.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct SectionSpan {
    pub heading_path: Vec<String>,
    pub heading_occurrence: u32,
    pub matching_headings: u32,
    pub line_start: u32,
    pub line_end: u32,
}

/// A proposal about this note that waits for a person.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Pending {
    pub operation_id: String,
    pub kind: String,
    pub client: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heading: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_heading: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// A note that the text links to.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct LinkedNote {
    pub id: String,
    pub title: String,
    pub folder_path: String,
    pub rel_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_truncated: Option<bool>,
}

/// The outline with everything that later calls need to name a section.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct NoteMap {
    pub format: Format,
    #[serde(flatten)]
    pub identity: Identity,
    pub headings: Vec<MapHeading>,
    pub chunk_count: usize,
    pub total: usize,
    pub returned: usize,
    pub offset: usize,
    pub limit_applied: usize,
    pub next_offset: Option<usize>,
    pub truncated: bool,
}

/// One heading of the map.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct MapHeading {
    pub level: u8,
    pub text: String,
    pub raw: String,
    pub path: String,
    pub heading_path: Vec<String>,
    pub heading_occurrence: u32,
    pub select: Select,
    pub line: u32,
    pub line_start: u32,
    pub line_end: u32,
    pub offset: usize,
    pub chars: usize,
    pub chunk_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_id: Option<String>,
}

/// What a section tool takes to mean this heading; the occurrence is there when the title alone would not do.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Select {
    pub heading: String,
    pub heading_level: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heading_occurrence: Option<u32>,
}

/// A piece of a note.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct NoteChunk {
    pub format: Format,
    #[serde(flatten)]
    pub identity: Identity,
    pub chunk_id: String,
    pub note_id: String,
    pub header_path: String,
    pub heading_path: Vec<String>,
    pub line_start: u32,
    pub line_end: u32,
    pub content: String,
    pub returned_chars: usize,
    pub truncated: bool,
    pub estimated_tokens: usize,
    pub chunk_content_hash: String,
    pub prev_chunk_id: Option<String>,
    pub next_chunk_id: Option<String>,
    pub chunk_count: usize,
}

/// The properties as JSON text, in pages. `total` and `returned` say the same as `total_chars` and `returned_chars`: they
/// count what `offset` and `limit` count, as in every paged answer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct NoteMetadata {
    pub format: Format,
    #[serde(flatten)]
    pub identity: Identity,
    pub metadata_json: String,
    pub offset: usize,
    pub limit_applied: usize,
    pub total: usize,
    pub returned: usize,
    pub total_chars: usize,
    pub returned_chars: usize,
    pub next_offset: Option<usize>,
    pub truncated: bool,
    pub returned_estimated_tokens: usize,
}
