//! The answers of the write tools and of `get_operation`.

use schemars::JsonSchema;
use serde::Serialize;

/// Where an operation stands, for an agent; `planned` is a dry run, of which nothing is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    Planned,
    Proposed,
    Approved,
    Committed,
    Declined,
    Withdrawn,
    Stale,
    Interrupted,
    Undone,
}

/// What a write tool answers.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Written {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<String>,
    pub status: Status,
    pub committed: bool,
    pub replayed: bool,
    pub indexed: bool,
    pub rel_path: String,
    /// Where a note that moves goes.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_rel_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub projected_hash: Option<String>,
    pub diff: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff_truncated: Option<bool>,
    pub files: Vec<WrittenFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_truncated: Option<bool>,
    pub warnings: Vec<String>,
    pub review: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed: Option<Renamed>,
}

/// One file that an operation changes.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct WrittenFile {
    pub rel_path: String,
    pub kind: String,
    pub links_changed: u32,
}

/// What a section rename did, or would do.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Renamed {
    pub rel_path: String,
    pub old_heading: String,
    pub new_heading: String,
    pub level: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heading_occurrence: Option<u32>,
    pub links_updated: u32,
    pub notes_touched: u32,
}

/// The caller's open operations.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct OwnOperations {
    pub operations: Vec<OpenOperation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operations_truncated: Option<bool>,
}

/// Where one operation stands.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct OperationStatus {
    pub operation_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// One of the words that the write tools' schema lists.
    #[schemars(with = "String")]
    pub status: Status,
    pub kind: String,
    pub rel_path: String,
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_rel_path: Option<String>,
    pub committed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    pub proposed_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amended: Option<bool>,
    pub files: Vec<OperationFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_truncated: Option<bool>,
    pub diff: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff_truncated: Option<bool>,
    pub warnings: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed: Option<Renamed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// One file of an operation, with what it held and holds.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct OperationFile {
    pub rel_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_hash: Option<String>,
    pub links_changed: u32,
}

/// An open operation in a list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct OpenOperation {
    pub operation_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// One of the words that the write tools' schema lists.
    #[schemars(with = "String")]
    pub status: Status,
    pub kind: String,
    pub rel_path: String,
    pub proposed_at: String,
}
