//! Changes as unified diffs, as far as they may leave.

use super::Call;
use super::resolve::{secrets, with_secrets};
use crate::limits::boundary::{wrap, wrap_cost};
use crate::limits::secrets::Secrets;
use crate::limits::window::window;
use crate::wire::error::ToolError;
use engine::{FileReview, Hunk, LineKind, NoteRef};
use std::fmt::Write as _;

/// A diff is for looking over; the whole of it is in the person's review.
const DIFF_CHARS: usize = 16_000;

/// Writes the files' changes as a unified diff between marks, as far as an answer that is `spent` characters long has room,
/// and says whether it had to be cut. Where the notes changed since the change was proposed (`is_changed`), nobody has
/// looked whether it cuts a secret, and what touches one is left out.
pub(crate) fn diff(
    call: &Call<'_>,
    rel_path: &str,
    files: &[FileReview],
    spent: usize,
    is_changed: bool,
) -> Result<(String, Option<bool>), ToolError> {
    const FLAG: usize = 30;
    let limit = DIFF_CHARS.min(call.settings.max_response_chars.saturating_sub(spent + wrap_cost(rel_path) + FLAG));
    let mut text = String::new();
    for file in files {
        if text.chars().count() > limit {
            break;
        }
        let own = call.desk.view().note(&NoteRef::Path(file.path.clone())).ok();
        let known = own.as_ref().map(|open| secrets(call, open.text.as_str())).unwrap_or_default();
        let untouching = match own.filter(|_| is_changed && !known.is_empty()) {
            Some(open) => untouching(&known, &open.text.lf(), &file.hunks),
            None => file.hunks.clone(),
        };
        let mut unified = unified(&file.path, file.creates, file.deletes, &untouching);
        if untouching.len() < file.hunks.len() {
            unified.push_str("@@ what touches a secret is shown to the person only @@\n");
        }
        text.push_str(&with_secrets(call, known, &unified).hide(&unified).text);
    }
    if text.is_empty() {
        return Ok((String::new(), None));
    }
    let window = window(&text, 0, limit, limit);
    Ok((wrap(rel_path, window.text)?, window.next_offset.map(|_| true)))
}

/// Keeps the hunks that change no line with a secret in it. Which these are hangs on nothing that a caller could guess at.
fn untouching(secrets: &Secrets, before: &str, hunks: &[Hunk]) -> Vec<Hunk> {
    let line_of = |at: usize| u32::try_from(before[..at].matches('\n').count() + 1).unwrap_or(u32::MAX);
    let shown = secrets.hide(before);
    let held: Vec<(u32, u32)> =
        shown.hidden().iter().map(|(range, _)| (line_of(range.start), line_of(range.end))).collect();
    let touches = |hunk: &Hunk| {
        let mut last = hunk.lines.iter().find_map(|line| line.old_line).unwrap_or(1).saturating_sub(1);
        hunk.lines.iter().any(|line| {
            last = line.old_line.unwrap_or(last);
            match line.kind {
                LineKind::Context => false,
                LineKind::Removed => held.iter().any(|(start, end)| (*start..=*end).contains(&last)),
                LineKind::Added => held.iter().any(|(start, end)| (*start..*end).contains(&last)),
            }
        })
    };
    hunks.iter().filter(|hunk| !touches(hunk)).cloned().collect()
}

/// Writes hunks as a unified diff.
pub(crate) fn unified(path: &str, creates: bool, deletes: bool, hunks: &[Hunk]) -> String {
    let name = |absent: bool, side: &str| match absent {
        true => "/dev/null".to_owned(),
        false => format!("{side}/{path}"),
    };
    let mut out = format!("--- {}\n+++ {}\n", name(creates, "a"), name(deletes, "b"));
    for hunk in hunks {
        let first = |side: fn(&engine::DiffLine) -> Option<u32>| hunk.lines.iter().find_map(side).unwrap_or(0);
        let count = |not: LineKind| hunk.lines.iter().filter(|line| line.kind != not).count();
        // Writing into a string cannot fail.
        let _ = writeln!(
            out,
            "@@ -{},{} +{},{} @@",
            first(|line| line.old_line),
            count(LineKind::Added),
            first(|line| line.new_line),
            count(LineKind::Removed)
        );
        for line in &hunk.lines {
            out.push(match line.kind {
                LineKind::Context => ' ',
                LineKind::Removed => '-',
                LineKind::Added => '+',
            });
            line.spans.iter().for_each(|span| out.push_str(span.text.trim_end_matches(['\n', '\r'])));
            out.push('\n');
        }
    }
    out
}
