//! `search_text`: the sections of the vault that hold certain words.

use super::remembered::{get_acquainted, refresh};
use super::resolve::secrets;
use super::search_sieve::{Sieve, place};
use super::sections::chunk_at_line;
use super::{Call, answer};
use crate::limits::boundary::wrap;
use crate::limits::secrets::{Secrets, plain, words};
use crate::limits::window::{cut, json_chars};
use crate::wire::args::{Arg, Args, Kind, Problems, optional, required};
use crate::wire::error::{Code, ToolError};
use crate::wire::lists::{SearchResult, SearchResults};
use crate::wire::nearest::nearest;
use engine::{DeskView, NoteRef, OpenNote, Query, SearchHit};
use serde_json::Value;
use std::cell::RefCell;
use std::mem::take;

/// What the tool takes.
pub(crate) const ARGS: &[Arg] = &[
    required(
        "query",
        Kind::Text { max: 1000 },
        "Words that must all occur; the last may be unfinished; case and accents do not count. Operators: OR -word \"phrase\" ( ) /regex/ path: file: tag: line: section: task: [property:value]",
    ),
    optional("folder", Kind::Text { max: 4096 }, "Only in this folder and below."),
    optional("tags", Kind::Words, "Only with all of these; `a` finds `a/b`."),
    optional("properties", Kind::Pairs, "Only with these properties."),
    optional("group_by_note", Kind::Flag { default: false }, "One result for each note."),
    optional("limit", Kind::Integer { min: 1, max: 100, default: Some(20) }, "At most so many results."),
    optional(
        "offset",
        Kind::Integer { min: 0, max: 100_000, default: Some(0) },
        "Results to skip; pass back next_offset.",
    ),
];

/// Checks what the arguments say together.
pub(crate) fn check(args: &Args, problems: &mut Problems) {
    if args.text("query").is_some_and(|query| query.trim().is_empty()) {
        problems.add("query", "must not be empty");
    }
}

/// Carries it out.
pub(crate) fn run(call: &Call<'_>) -> Result<Value, ToolError> {
    let ready = refresh(call);
    let view = call.desk.view();
    let query = call.args.text("query").unwrap_or_default();
    let folder = folder(call)?;
    let (limit, offset) = (call.args.size("limit", 20), call.args.size("offset", 0));
    let asked = Query {
        text: query.to_owned(),
        folder,
        tags: call
            .args
            .words("tags")
            .unwrap_or_default()
            .iter()
            .map(|tag| tag.trim().trim_start_matches('#').to_owned())
            .collect(),
        properties: call.args.pairs("properties"),
        group_by_note: call.args.flag("group_by_note", false),
        limit,
        offset,
    };
    let sieve = Sieve::new(call, &asked);
    get_acquainted(call, &view);
    let matched: RefCell<Vec<String>> = RefCell::default();
    let mut page = view.search(&asked, &|path, hash| {
        // A canvas is no note to read, so that no result can be shown of it.
        let is_note = !path.to_lowercase().ends_with(".canvas");
        if is_note && sieve.may_stop(hash) {
            matched.borrow_mut().push(path.to_owned());
        }
        is_note
    });
    // What matched hidden text counts as little, neither as a result nor as a place among them, be it on this page or not.
    let stopped = sieve.stopped(&view, matched.into_inner());
    if !stopped.is_empty() {
        let first =
            Query { limit: offset.saturating_add(limit).saturating_add(stopped.len()), offset: 0, ..asked.clone() };
        let total = page.total;
        page = view.search(&first, &|path, _| !path.to_lowercase().ends_with(".canvas"));
        page.hits.retain(|hit| !stopped.contains(&place(hit)));
        page.hits = page.hits.into_iter().skip(offset).take(limit).collect();
        page.total = total.saturating_sub(u32::try_from(stopped.len()).unwrap_or(u32::MAX));
    }
    let (total, hits) = (page.total as usize, page.hits);
    let mut spent = 400;
    let mut results: Vec<SearchResult> = Vec::new();
    let mut next_offset = Some(offset + hits.len()).filter(|next| *next < total && !hits.is_empty());
    for (at, hit) in hits.into_iter().enumerate() {
        if call.is_cancelled() {
            break;
        }
        let Some(result) = result(call, &view, &sieve, hit)? else { continue };
        spent += json_chars(&result) + 1;
        if spent > call.settings.max_response_chars && !results.is_empty() {
            next_offset = Some(offset + at);
            break;
        }
        results.push(result);
    }
    answer(&SearchResults {
        total,
        returned: results.len(),
        results,
        offset,
        next_offset,
        truncated: next_offset.is_some(),
        query_note: page.query_note.or_else(|| sieve.remark()),
        indexing: (!ready).then_some(true),
    })
}

/// Returns the folder to stay in, if one is named.
pub(crate) fn folder(call: &Call<'_>) -> Result<Option<String>, ToolError> {
    let Some(wanted) = call.args.text("folder").map(|folder| folder.trim().trim_matches('/')) else { return Ok(None) };
    if wanted.is_empty() || wanted == "." {
        return Ok(None);
    }
    let folders = call.desk.view().folders();
    if let Some(known) = folders.iter().find(|known| *known == wanted) {
        return Ok(Some(known.clone()));
    }
    let folded = note::fold(wanted);
    if let Some(known) = folders.iter().find(|known| note::fold(known) == folded) {
        return Ok(Some(known.clone()));
    }
    let mut suggestions: Vec<String> =
        folders.iter().filter(|known| note::fold(known).contains(&folded)).take(5).cloned().collect();
    if suggestions.is_empty() {
        suggestions.extend(nearest(wanted, folders.iter().map(String::as_str)).map(str::to_owned));
    }
    Err(ToolError::new(
        Code::NotFound,
        format!("there is no folder `{wanted}`"),
        "name a folder of the vault by its path, or leave it out for the whole vault",
    )
    .with("suggestions", suggestions))
}

/// Makes one result; `None` when the note is gone.
fn result(
    call: &Call<'_>,
    view: &DeskView,
    sieve: &Sieve<'_>,
    mut hit: SearchHit,
) -> Result<Option<SearchResult>, ToolError> {
    // Where the index is what is on disk, and nothing has to be hidden, the hit says it all.
    let pieces = match call.desk.flush(&hit.path) {
        true => None,
        false => sieve.pieces(view, &hit.path),
    };
    match pieces {
        Some(pieces) => {
            let chunk_id = pieces.at_line(&hit.id, hit.line_start);
            let (title, titles, snippet) = (take(&mut hit.title), take(&mut hit.heading_path), take(&mut hit.snippet));
            shown(call, hit, title, titles, &snippet, chunk_id).map(Some)
        }
        None => opened(call, &sieve.asked().text, hit),
    }
}

/// Makes a result from the note as it is now.
fn opened(call: &Call<'_>, query: &str, mut hit: SearchHit) -> Result<Option<SearchResult>, ToolError> {
    let Ok(open) = call.desk.note(&NoteRef::Path(hit.path.clone())) else { return Ok(None) };
    let secrets = secrets(call, open.text.as_str());
    let Some(snippet) = snippet(query, &hit, &open, &secrets) else { return Ok(None) };
    let titles: Vec<String> = hit.heading_path.iter().map(|title| secrets.hide(title).text.into_owned()).collect();
    let chunk_id = chunk_at_line(&open, &secrets, hit.line_start);
    let title = secrets.hide(&open.title).text.into_owned();
    hit.id = open.id.to_string();
    shown(call, hit, title, titles, &snippet, chunk_id).map(Some)
}

/// Puts a result together of what may leave.
fn shown(
    call: &Call<'_>,
    hit: SearchHit,
    title: String,
    titles: Vec<String>,
    snippet: &str,
    chunk_id: Option<String>,
) -> Result<SearchResult, ToolError> {
    Ok(SearchResult {
        snippet: wrap(&hit.path, snippet)?,
        rel_path: hit.path,
        id: hit.id,
        title: call.title(&title),
        heading_path: match (&chunk_id, titles.iter().any(|title| call.title(title) != *title)) {
            (Some(chunk_id), true) => vec![chunk_id.clone()],
            _ => titles,
        },
        chunk_id,
        line_start: hit.line_start,
        line_end: hit.line_end,
        score: hit.score,
    })
}

/// Returns what to show of a hit. Where the section holds secrets, the index's own snippet may cut one in two, so it is
/// made anew from what may be shown.
fn snippet(query: &str, hit: &SearchHit, open: &OpenNote, secrets: &Secrets) -> Option<String> {
    let shown = secrets.hide(section(hit, open)?);
    if !shown.hides() && !secrets.hide(&hit.snippet).hides() {
        return Some(hit.snippet.clone());
    }
    let folded = plain(query);
    let line = shown.text.lines().find(|line| {
        let line = plain(line);
        words(&folded).any(|word| line.contains(word))
    });
    let line = line.or_else(|| shown.text.lines().find(|line| !line.trim().is_empty()));
    Some(cut(line.unwrap_or_default(), 240).to_owned())
}

fn section<'o>(hit: &SearchHit, open: &'o OpenNote) -> Option<&'o str> {
    let (start, end) = (open.text.line_start(hit.line_start), open.text.line_start(hit.line_end.saturating_add(1)));
    open.text.as_str().get(start..end.max(start))
}
