//! What the product does: snapshots to read, intents to change, operations to review, events to follow.
//!
//! Both doors (the window and MCP) see only this crate. Everything here is synchronous; async stops at the doors.
//! The way in is `reconcile`, the way out is `Vault::commit`, and both run on the one writer thread.

mod add_file;
mod allowance;
mod bookmark_list;
mod carry_out;
mod conflict_copy;
mod dated;
mod decision;
mod desk;
mod diff;
mod edit;
mod engine;
mod event;
mod find;
mod folders;
mod follow;
mod history;
mod identity;
mod intent;
mod keeping;
mod labels;
mod ledger;
mod listing;
mod look;
mod lost;
mod mentions;
mod merge;
mod moment;
mod new_link;
mod operation;
mod outgoing;
mod outline;
mod outside_moves;
mod plan;
mod properties;
mod proposals;
mod rebase;
mod reconcile;
mod relocate;
mod remove;
mod rename;
mod review;
mod room;
mod scope;
mod stillness;
mod subscribers;
mod told;
mod view;
mod wish;
mod writer;

#[cfg(test)]
mod case_tests;

#[cfg(test)]
mod under_way_tests;

pub use add_file::{AddedFile, MOST_ADDED_BYTES};
pub use bookmark_list::{BookmarkKind, BookmarkView};
pub use dated::{DatedError, DatedNote, TemplateEdit, TemplateView, Templates};
pub use decision::{AmendError, DecideError, Decision, SaveError, Saved, WriteError};
pub use desk::{Desk, ProposeError, Proposed};
pub use diff::{DiffLine, DiffSpan, Hunk, LineKind, hunks as compare_texts};
pub use engine::{Engine, IndexProgress, OpenError, OpenVault, VaultInfo};
pub use event::{Event, HealthNotice, NoteChange, Origin};
pub use find::{BacklinkView, Backlinks, HeadingView, LinkTarget, QuickHit, SearchHit, SearchPage, headings, outline};
pub use history::HistoryError;
pub use index::Query;
pub use intent::{Actor, Intent, Request, SectionEdit, Writes};
pub use labels::{PropertyView, TagView};
pub use listing::{EntryKind, NoteListItem, NotePage, NoteQuery, NoteSort, TreeEntry, TreeError};
pub use look::{Hotkey, Look, Snippet, VaultTheme};
pub use mentions::{LinkMentionError, MentionView, Mentions};
pub use new_link::LinkOffer;
pub use note::html::PropertyKind;
pub use note::{ContentHash, NoteId, PathError, RelPath};
pub use operation::{ChangedFile, OpState, Operation, PlanDigest, Summary};
pub use outgoing::OutgoingLink;
pub use outline::{HeadingLinks, OutlineEdit, OutlineError, OutlineMove, TextChange, move_section};
pub use plan::{Carried, Plan, PlanError, PlannedFile, plan};
pub use properties::{
    PropertiesShown, PropertyChange, PropertyChangeError, PropertyEdit, PropertyInput, PropertyRow, PropertyRows,
};
pub use review::{FileReview, OperationView, Readiness, Review, ReviewError, Version};
pub use scope::DeskView;
pub use vault::OpId;
pub use view::{NoteError, NoteRef, OpenNote, PendingMark, TitleCandidate, View};
pub use wish::{OutsideMove, OutsideMoves, Wish, WishPreview};
