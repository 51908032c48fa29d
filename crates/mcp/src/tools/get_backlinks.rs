//! `get_backlinks`: who links to a note, or to one of its sections.

use super::remembered::refresh;
use super::resolve::{Naming, note, note_error, open, restore, secrets, section_error};
use super::selectors::by_path;
use super::{Call, answer};
use crate::limits::boundary::wrap;
use crate::limits::secrets::Secrets;
use crate::limits::window::{cut, json_chars, page};
use crate::wire::args::{Arg, Args, Kind, Problems, optional, required};
use crate::wire::error::{Code, ToolError};
use crate::wire::lists::{Backlink, Backlinks};
use engine::{BacklinkView, NoteError, NoteRef, OpenNote};
use serde_json::Value;
use std::collections::HashMap;

/// What the tool takes.
pub(crate) const ARGS: &[Arg] = &[
    required("target", Kind::Text { max: 4096 }, "The note: path, id or title."),
    optional("heading_path", Kind::HeadingPath, "Only links to this section: titles from the top."),
    optional("limit", Kind::Integer { min: 1, max: 200, default: Some(50) }, "At most so many links."),
    optional(
        "offset",
        Kind::Integer { min: 0, max: u64::MAX, default: Some(0) },
        "Links to skip; pass back next_offset.",
    ),
];

/// Checks what the arguments say together.
pub(crate) fn check(args: &Args, problems: &mut Problems) {
    if args.text("target").is_some_and(|target| target.trim().is_empty()) {
        problems.add("target", "must not be empty");
    }
}

/// Carries it out.
pub(crate) fn run(call: &Call<'_>) -> Result<Value, ToolError> {
    refresh(call);
    let (open, secrets) = target(call, call.args.text("target").unwrap_or_default())?;
    let mut links = call.desk.view().backlinks(&open.path);
    if let Some(path) = call.args.words("heading_path") {
        path.iter().try_for_each(|title| restore(&secrets, "heading_path", title).map(drop))?;
        let found = open.note.section(&by_path(call, &open, &secrets, path, None)?);
        let section = found.map_err(|error| section_error(call, &error, Naming::Path, &open, &secrets))?;
        links.retain(|link| {
            let chain = link.subpath.as_deref().and_then(|subpath| open.note.find_heading(subpath));
            chain.is_some_and(|chain| chain.last() == Some(&section.index))
        });
    }
    let mut page = page(links.len(), call.args.size("offset", 0), call.args.size("limit", 50));
    let (mut sources, mut backlinks, mut spent) = (HashMap::new(), Vec::new(), 300);
    for (at, link) in links.iter().enumerate().take(page.range.end).skip(page.range.start) {
        let source = sources.entry(link.path.as_str()).or_insert_with(|| source(call, &link.path));
        let item = backlink(link, source.as_ref())?;
        spent += json_chars(&item) + 1;
        if spent > call.settings.max_response_chars && !backlinks.is_empty() {
            page.next_offset = Some(at);
            break;
        }
        backlinks.push(item);
    }
    answer(&Backlinks {
        resolved_rel_path: open.path.as_str().to_owned(),
        returned: backlinks.len(),
        backlinks,
        total: links.len(),
        offset: page.range.start,
        next_offset: page.next_offset,
        truncated: page.next_offset.is_some(),
    })
}

/// Opens a note by whatever it is called: path or id first, then title.
fn target(call: &Call<'_>, wanted: &str) -> Result<(OpenNote, Secrets), ToolError> {
    match open(call, &NoteRef::PathOrId(wanted.to_owned())) {
        Err(error) if error.code == Code::NotFound => {}
        other => return other,
    }
    match note(call, &NoteRef::Title(wanted.to_owned())) {
        Ok(open) => {
            let secrets = secrets(call, open.text.as_str());
            Ok((open, secrets))
        }
        Err(NoteError::NotFound { suggestions, .. }) => {
            Err(note_error(call, NoteError::NotFound { wanted: wanted.to_owned(), suggestions }))
        }
        Err(error) => Err(note_error(call, error)),
    }
}

type Source = (OpenNote, Secrets);

/// Opens the note that holds a link; `None` for a canvas.
fn source(call: &Call<'_>, path: &str) -> Option<Source> {
    let open = call.desk.view().open(path)?;
    let secrets = secrets(call, open.text.as_str());
    Some((open, secrets))
}

fn backlink(link: &BacklinkView, source: Option<&Source>) -> Result<Backlink, ToolError> {
    let own;
    let secrets = match source {
        Some((_, secrets)) => secrets,
        None => {
            own = Secrets::of(&link.snippet);
            &own
        }
    };
    // The view's snippet is shortened and could cut a secret in two; the line itself cannot.
    let line = source.filter(|_| !secrets.is_empty()).map(|(open, _)| {
        let (start, end) = (open.text.line_start(link.line), open.text.line_start(link.line + 1));
        open.text.as_str().get(start..end).unwrap_or_default().trim().to_owned()
    });
    let shown = secrets.hide(line.as_deref().unwrap_or(&link.snippet)).text.into_owned();
    let written = source.and_then(|(open, _)| {
        let note_link = open.note.links.iter().find(|other| {
            other.line == link.line && other.subpath.as_deref() == link.subpath.as_deref() && !other.target.is_empty()
        })?;
        Some(secrets.hide(&open.text.as_str()[note_link.span.clone()]).text.into_owned())
    });
    Ok(Backlink {
        rel_path: link.path.clone(),
        id: Some(link.id.clone()).filter(|id| !id.is_empty()),
        title: cut(&secrets.hide(&link.title).text, 300).to_owned(),
        line: link.line,
        text: cut(&written.unwrap_or_else(|| link.subpath.clone().unwrap_or_default()), 300).to_owned(),
        kind: link.kind.clone(),
        target_heading: link
            .subpath
            .as_deref()
            .filter(|subpath| !subpath.is_empty())
            .map(|subpath| cut(&secrets.hide(subpath).text, 300).to_owned()),
        snippet: wrap(&link.path, cut(&shown, 300))?,
    })
}
