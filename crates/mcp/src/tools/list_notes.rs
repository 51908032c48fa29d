//! `list_notes`: the notes of a folder.

use super::remembered::refresh;
use super::search_text::folder;
use super::{Call, answer};
use crate::limits::secrets::{Secrets, plain};
use crate::limits::window::{fitting, json_chars, page};
use crate::wire::args::{Arg, Args, Kind, Problems, optional};
use crate::wire::error::ToolError;
use crate::wire::lists::{ListedNote, NoteList};
use engine::{DeskView, NoteListItem, NoteQuery, NoteSort, OpenNote, Writes};
use jiff::Timestamp;
use serde_json::Value;

/// What the tool takes.
pub(crate) const ARGS: &[Arg] = &[
    optional("folder", Kind::Text { max: 4096 }, "Only in this folder and below."),
    optional("tags", Kind::Words, "Only with all of these; `a` finds `a/b`."),
    optional("properties", Kind::Pairs, "Only with these properties."),
    optional("modified_since", Kind::Text { max: 64 }, "Only changed since this time (RFC 3339) or date (UTC)."),
    optional(
        "sort",
        Kind::Choice(&["path", "updated", "created", "title"]),
        "path unless given; updated and created newest first.",
    ),
    optional("limit", Kind::Integer { min: 1, max: 200, default: Some(50) }, "At most so many notes."),
    optional(
        "offset",
        Kind::Integer { min: 0, max: u64::MAX, default: Some(0) },
        "Notes to skip; pass back next_offset.",
    ),
];

/// Checks what the arguments say together.
pub(crate) fn check(args: &Args, problems: &mut Problems) {
    if args.text("modified_since").is_some_and(|time| moment(time).is_none()) {
        problems.add("modified_since", "must be a time like 2026-01-31T12:00:00Z or a date like 2026-01-31");
    }
}

/// Carries it out.
pub(crate) fn run(call: &Call<'_>) -> Result<Value, ToolError> {
    refresh(call);
    let folder = folder(call)?.unwrap_or_default();
    let view = call.desk.view();
    let is_current = call.desk.is_current();
    let offset = call.args.size("offset", 0);
    let found = view.list_notes(&NoteQuery {
        folder: folder.clone(),
        tags: call.args.words("tags").unwrap_or_default().iter().map(|tag| tag.trim().to_owned()).collect(),
        properties: call.args.pairs("properties"),
        updated_since: call.args.text("modified_since").and_then(moment).map(|time| time.as_millisecond()),
        sort: match call.args.text("sort") {
            Some("updated") => NoteSort::Updated,
            Some("created") => NoteSort::Created,
            Some("title") => NoteSort::Title,
            _ => NoteSort::Path,
        },
        offset,
        limit: call.args.size("limit", 50),
    });
    let (folders, left_out) = fitting(view.subfolders(&folder), call.settings.max_response_chars / 4);
    let mut page = page(found.total, offset, call.args.size("limit", 50));
    let (mut notes, mut n_hidden, mut spent) = (Vec::new(), 0, json_chars(&folders) + 300);
    for (at, item) in found.notes.iter().enumerate() {
        if is_hidden(call, &view, item) {
            n_hidden += 1;
            continue;
        }
        let listed = listed(call, &view, is_current, item);
        spent += json_chars(&listed) + 1;
        if spent > call.settings.max_response_chars && !notes.is_empty() {
            page.next_offset = Some(page.range.start + at);
            break;
        }
        notes.push(listed);
    }
    answer(&NoteList {
        returned: notes.len(),
        notes,
        folders,
        folders_truncated: left_out.then_some(true),
        total: found.total.saturating_sub(n_hidden),
        offset: page.range.start,
        next_offset: page.next_offset,
        truncated: page.next_offset.is_some(),
    })
}

/// Whether a note has what is asked for in a secret only.
fn is_hidden(call: &Call<'_>, view: &DeskView, item: &NoteListItem) -> bool {
    let wanted = call.args.words("tags").unwrap_or_default().into_iter();
    let pairs = call.args.pairs("properties").into_iter();
    let wanted: Vec<String> = wanted.chain(pairs.flat_map(|(name, value)| [name, value])).collect();
    if wanted.is_empty() || !call.settings.redact_secrets {
        return false;
    }
    let Some(open) = view.open(&item.path) else { return false };
    let secrets = Secrets::of(open.text.as_str());
    let visible = plain(&secrets.hide(open.text.as_str()).text);
    wanted.iter().any(|wanted| secrets.alone_hold(&plain(wanted), &visible))
}

/// Describes a note by its bytes of now; by the index's last look if it has just gone, or if that is what is on disk and
/// nothing in it has to be hidden.
fn listed(call: &Call<'_>, view: &DeskView, is_current: bool, item: &NoteListItem) -> ListedNote {
    let is_known = item.content_hash.parse().is_ok_and(|hash| call.remembered.is_clean(&hash));
    let writes = call.desk.writes() != Writes::Off;
    if is_known && is_current {
        let writable = writes && view.is_writable(&item.path);
        return described(call, item, &Secrets::none(), None, writable);
    }
    let open = view.open(&item.path);
    let secrets = match (&open, call.settings.redact_secrets) {
        (Some(open), true) => Secrets::of(open.text.as_str()),
        _ => Secrets::none(),
    };
    if let Some(open) = open.as_ref().filter(|_| secrets.is_empty()) {
        call.remembered.found_clean(&open.text);
    }
    let writable = writes && open.as_ref().is_some_and(|open| open.writable.is_ok());
    described(call, item, &secrets, open.as_ref(), writable)
}

fn described(
    call: &Call<'_>,
    item: &NoteListItem,
    secrets: &Secrets,
    open: Option<&OpenNote>,
    writable: bool,
) -> ListedNote {
    let hide = |text: &str| call.title(&secrets.hide(text).text);
    ListedNote {
        id: item.id.clone(),
        rel_path: item.path.clone(),
        title: hide(&item.title),
        tags: fitting(item.tags.iter().map(|tag| hide(tag)), call.settings.max_response_chars / 8).0,
        updated_at: open.map_or_else(|| item.updated.clone(), |open| open.updated.clone()),
        content_hash: open.map_or_else(|| item.content_hash.clone(), |open| open.text.hash().to_string()),
        chars: open.map_or(item.n_chars as usize, |open| open.text.as_str().chars().count()),
        writable,
    }
}

/// Reads a time, or a date as its first moment in UTC.
fn moment(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    text.parse().ok().or_else(|| format!("{text}T00:00:00Z").parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_dates_are_read() {
        for (text, seconds) in [
            ("1970-01-02", Some(86_400)),
            ("1970-01-01T00:00:10Z", Some(10)),
            ("1970-01-01T02:00:00+02:00", Some(0)),
            ("yesterday", None),
            ("", None),
        ] {
            assert_eq!(moment(text).map(|time| time.as_second()), seconds, "{text}");
        }
    }
}
