//! `get_note`: a note's text, outline, properties, or one piece of it.

use super::links::linked_notes;
use super::resolve::{Naming, check_id, note_id, open, restore, section_error, told};
use super::sections::{chunk, map, outline};
use super::selectors::{Selectors, by_path, find};
use super::{Call, answer};
use crate::limits::boundary::{wrap, wrap_cost};
use crate::limits::chunks::ChunkName;
use crate::limits::secrets::Secrets;
use crate::limits::window::{cut, estimated_tokens, fitting, json_chars, window};
use crate::wire::args::{Arg, Args, Kind, Problems, optional};
use crate::wire::error::ToolError;
use crate::wire::notes::{Format, FullNote, HASH_CONTRACT, Identity, NoteMetadata, Pending, SectionSpan};
use engine::{NoteRef, OpenNote};
use note::{Section, SectionRef, Value as Yaml};
use serde_json::{Map, Value, json};
use std::ops::Range;

const OFFSET: &str = "Where to begin, in characters or (map) headings.";

/// What the tool takes.
pub(crate) const ARGS: &[Arg] = &[
    optional("id_or_path", Kind::Text { max: 4096 }, "Note id, chunk id or path. Exactly one of this, id, title."),
    optional("id", Kind::Text { max: 64 }, "Note id."),
    optional("title", Kind::Text { max: 1000 }, "File name, title, first H1 or alias, or a unique part."),
    optional(
        "format",
        Kind::Choice(&["full", "map", "chunk", "metadata"]),
        "full: text; map: all headings and what selects them; metadata: properties as JSON text.",
    ),
    optional("offset", Kind::Integer { min: 0, max: u64::MAX, default: Some(0) }, OFFSET),
    optional(
        "limit",
        Kind::Integer { min: 1, max: u64::MAX, default: None },
        "At most so many characters (20000) or headings.",
    ),
    optional("heading_path", Kind::HeadingPath, "One section: titles from the top; a unique end will do."),
    optional(
        "heading_occurrence",
        Kind::Integer { min: 1, max: u32::MAX as u64, default: None },
        "Which of equal paths, from 1.",
    ),
    optional("section", Kind::Text { max: 10_000 }, "Or its title or slug, any case; the first of several."),
    optional("include_children", Kind::Flag { default: true }, "false: without the subsections below."),
    optional("resolve_links", Kind::Flag { default: false }, "Also list the notes it links to."),
    optional("include_content", Kind::Flag { default: false }, "With resolve_links: their text, too."),
];

/// Checks what the arguments say together.
pub(crate) fn check(args: &Args, problems: &mut Problems) {
    let names: Vec<&str> = ["id_or_path", "id", "title"].into_iter().filter(|name| args.has(name)).collect();
    match names.as_slice() {
        [_] => {}
        [] => problems.add("id_or_path", "is required unless id or title is given"),
        [_, others @ ..] => {
            for other in others {
                problems.add(other, format!("cannot stand together with {}: name the note in one way", names[0]));
            }
        }
    }
    check_id(args, problems);
    let format = args.text("format").unwrap_or("full");
    let chunk_id = args.text("id_or_path").is_some_and(|text| ChunkName::parse(text).is_some());
    for name in ["heading_path", "section"].into_iter().filter(|name| args.has(name)) {
        if format != "full" || chunk_id {
            problems.add(name, "needs format full and a note, not a chunk");
        }
    }
    if args.has("heading_path") && args.has("section") {
        problems.add("section", "cannot stand together with heading_path");
    }
    if args.has("heading_occurrence") && !args.has("heading_path") {
        problems.add("heading_occurrence", "needs heading_path");
    }
    if format == "chunk" && !chunk_id && args.has("id_or_path") {
        problems.add("id_or_path", "must be a chunk id when format is chunk; format map lists the chunk ids");
    }
    if format == "chunk" && !args.has("id_or_path") {
        problems.add("format", "chunk needs a chunk id in id_or_path");
    }
    // Without resolve_links, include_content has nothing to add to; clients that always send it are not refused for that.
    if args.flag("resolve_links", false) && (format != "full" || chunk_id) {
        problems.add("resolve_links", "needs format full and a note, not a chunk");
    }
}

/// Carries it out.
pub(crate) fn run(call: &Call<'_>) -> Result<Value, ToolError> {
    let args = &call.args;
    let at = match (args.text("id_or_path"), args.text("id"), args.text("title")) {
        (Some(text), _, _) => match ChunkName::parse(text) {
            Some(name) => return chunk(call, &name),
            None => NoteRef::PathOrId(text.to_owned()),
        },
        (None, Some(id), _) => note_id(id),
        (None, None, title) => NoteRef::Title(title.unwrap_or_default().to_owned()),
    };
    let (note, secrets) = open(call, &at)?;
    match args.text("format") {
        Some("map") => map(call, &note, &secrets),
        Some("metadata") => metadata(call, &note, &secrets),
        _ => full(call, &note, &secrets),
    }
}

fn full(call: &Call<'_>, open: &OpenNote, secrets: &Secrets) -> Result<Value, ToolError> {
    let section = section(call, open, secrets)?;
    let span = match &section {
        None => body(open),
        Some(section) if call.args.flag("include_children", true) => section.span.clone(),
        Some(section) => section.span.start..section.own_end,
    };
    let shown = secrets.hide(&open.text.as_str()[span.clone()]);
    let budget = call.settings.max_response_chars;
    let file_time = |name: &str, file: &str| {
        let own = open.note.frontmatter.as_ref().and_then(|front| front.entries.iter().find(|entry| entry.key == name));
        match own.map(|entry| &entry.value) {
            Some(Yaml::Text(text)) if !text.trim().is_empty() => cut(&secrets.hide(text).text, 100).to_owned(),
            _ => file.to_owned(),
        }
    };
    let limit = call.args.size("limit", DEFAULT_LIMIT);
    let mut out = FullNote {
        format: Format::Full,
        identity: identity(call, open, secrets),
        tags: Vec::new(),
        aliases: Vec::new(),
        frontmatter: Map::new(),
        metadata_truncated: None,
        created: file_time("created", &open.created),
        updated: file_time("updated", &open.updated),
        updated_at: open.updated.clone(),
        content_updated_at: open.content_updated.clone(),
        content: String::new(),
        offset: 0,
        limit_applied: 0,
        total_chars: 0,
        returned_chars: 0,
        next_offset: None,
        truncated: false,
        content_truncated: false,
        content_total_length: 0,
        estimated_tokens: 0,
        returned_estimated_tokens: 0,
        headings: Vec::new(),
        headings_truncated: None,
        section: section.map(|section| SectionSpan {
            heading_path: Selectors::new(call, open, secrets).path(section.index),
            heading_occurrence: section.occurrence,
            matching_headings: section.matching,
            line_start: section.line_start,
            line_end: match call.args.flag("include_children", true) {
                true => section.line_end,
                false => last_line(open, &span).max(section.line_start),
            },
        }),
        pending_operations: pending(call, open, secrets),
        links: None,
        unresolved_links: None,
        links_truncated: None,
    };
    let path = open.path.as_str();
    // Properties, outline and links take at most a quarter each of what the rest leaves, so that text always comes along.
    let fixed = json_chars(&out) + wrap_cost(path) + NUMBERS;
    let share = budget.saturating_sub(fixed) / 4;
    let (tags, aliases, frontmatter) = properties(open, secrets);
    match json_chars(&(&tags, &aliases, &frontmatter)) <= share {
        true => (out.tags, out.aliases, out.frontmatter) = (tags, aliases, frontmatter),
        false => out.metadata_truncated = Some(true),
    }
    let (headings, left_out) = outline(call, open, secrets, &shown, &span, share);
    (out.headings, out.headings_truncated) = (headings, left_out.then_some(true));
    if call.args.flag("resolve_links", false) {
        let links = linked_notes(call, open, secrets, &span, share)?;
        (out.links, out.unresolved_links) = (Some(links.notes), Some(links.unresolved));
        out.links_truncated = links.truncated.then_some(true);
    }
    let spent = json_chars(&out) + wrap_cost(path) + NUMBERS;
    let window = window(&shown.text, call.args.size("offset", 0), limit, budget.saturating_sub(spent));
    out.content = wrap(path, window.text)?;
    out.offset = window.offset;
    out.limit_applied = limit.min(budget);
    out.total_chars = window.total_chars;
    out.returned_chars = window.n_chars;
    out.next_offset = window.next_offset;
    out.truncated = window.next_offset.is_some();
    out.content_truncated = out.truncated;
    out.content_total_length = window.total_chars;
    out.estimated_tokens = estimated_tokens(window.total_chars);
    out.returned_estimated_tokens = estimated_tokens(window.n_chars);
    answer(&out)
}

/// The seed systems give so much of a note at once.
const DEFAULT_LIMIT: usize = 20_000;
/// Room for the digits of the numbers that are known only once the window is cut.
const NUMBERS: usize = 160;
/// A title longer than this is cut; the text itself is never.
const TITLE_CHARS: usize = 500;

fn metadata(call: &Call<'_>, open: &OpenNote, secrets: &Secrets) -> Result<Value, ToolError> {
    let (tags, aliases, frontmatter) = properties(open, secrets);
    let title = secrets.hide(&open.title).text.into_owned();
    let text = json!({"title": title, "tags": tags, "aliases": aliases, "frontmatter": frontmatter}).to_string();
    let limit = call.args.size("limit", DEFAULT_LIMIT);
    let mut out = NoteMetadata {
        format: Format::Metadata,
        identity: identity(call, open, secrets),
        metadata_json: String::new(),
        offset: 0,
        limit_applied: 0,
        total: 0,
        returned: 0,
        total_chars: 0,
        returned_chars: 0,
        next_offset: None,
        truncated: false,
        returned_estimated_tokens: 0,
    };
    let budget = call.settings.max_response_chars.saturating_sub(json_chars(&out) + NUMBERS);
    let window = window(&text, call.args.size("offset", 0), limit, budget);
    out.metadata_json = window.text.to_owned();
    out.offset = window.offset;
    out.limit_applied = limit.min(call.settings.max_response_chars);
    (out.total, out.returned) = (window.total_chars, window.n_chars);
    (out.total_chars, out.returned_chars) = (window.total_chars, window.n_chars);
    out.next_offset = window.next_offset;
    out.truncated = window.next_offset.is_some();
    out.returned_estimated_tokens = estimated_tokens(window.n_chars);
    answer(&out)
}

/// Finds the section that the arguments name, if they name one.
fn section<'n>(call: &Call<'_>, open: &'n OpenNote, secrets: &Secrets) -> Result<Option<Section<'n>>, ToolError> {
    let found = match (call.args.words("heading_path"), call.args.text("section")) {
        (Some(path), _) => {
            let nth = call.args.integer("heading_occurrence").and_then(|n| u32::try_from(n).ok());
            path.iter().try_for_each(|title| restore(secrets, "heading_path", title).map(drop))?;
            let at = by_path(call, open, secrets, path, nth)?;
            open.note.section(&at).map_err(|error| section_error(call, &error, Naming::Path, open, secrets))
        }
        (None, Some(text)) => {
            restore(secrets, "section", text)?;
            find(open, secrets, &SectionRef::Loose { text: text.to_owned() })
                .map_err(|error| section_error(call, &error, Naming::Loose, open, secrets))
        }
        (None, None) => return Ok(None),
    };
    found.map(Some)
}

/// Returns where the text lies that a reader pages through: everything after the properties.
pub(crate) fn body(open: &OpenNote) -> Range<usize> {
    open.note.body.max(open.text.content_start())..open.text.as_str().len()
}

/// Returns the last line of a stretch of the file.
pub(crate) fn last_line(open: &OpenNote, span: &Range<usize>) -> u32 {
    open.text.line_of(span.end.saturating_sub(1).max(span.start))
}

/// Fills in what every format says about the note.
pub(crate) fn identity(call: &Call<'_>, open: &OpenNote, secrets: &Secrets) -> Identity {
    let hash = open.text.hash().to_string();
    Identity {
        rel_path: open.path.as_str().to_owned(),
        folder_path: open.path.parent().to_owned(),
        id: open.id.to_string(),
        title: cut(&call.title(&secrets.hide(&open.title).text), TITLE_CHARS).to_owned(),
        content_hash: hash.clone(),
        note_content_hash: hash,
        content_hash_contract: HASH_CONTRACT.to_owned(),
        source_vault: call.desk.vault_name(),
        writable: open.writable.is_ok() && call.desk.writes() != engine::Writes::Off,
        not_utf8: open.not_utf8.then_some(true),
    }
}

fn pending(call: &Call<'_>, open: &OpenNote, secrets: &Secrets) -> Vec<Pending> {
    let hide = |text: &Option<String>| text.as_ref().map(|text| call.title(&told(call, secrets, text)));
    let marks = open.pending.iter().take(20).map(|mark| Pending {
        operation_id: mark.operation.clone(),
        kind: mark.kind.clone(),
        client: mark.client.clone(),
        heading: hide(&mark.heading),
        new_heading: hide(&mark.new_heading),
        line: mark.line,
    });
    fitting(marks, call.settings.max_response_chars / 16).0
}

/// Returns tags, aliases and properties as they may leave.
fn properties(open: &OpenNote, secrets: &Secrets) -> (Vec<String>, Vec<String>, Map<String, Value>) {
    let hide = |text: String| secrets.hide(&text).text.into_owned();
    let entries = open.note.frontmatter.iter().flat_map(|front| &front.entries);
    let frontmatter = entries.map(|entry| (hide(entry.key.clone()), property(&entry.value, secrets))).collect();
    let tags = open.note.all_tags().into_iter().map(hide).collect();
    let aliases = open.note.aliases().into_iter().map(hide).collect();
    (tags, aliases, frontmatter)
}

/// Writes a property's value as JSON. A number whose notation JSON would change stays the text it is.
fn property(value: &Yaml, secrets: &Secrets) -> Value {
    match value {
        Yaml::Null => Value::Null,
        Yaml::Bool(value) => Value::Bool(*value),
        Yaml::Int(text) | Yaml::Float(text) => match text.parse::<serde_json::Number>() {
            Ok(number) if number.to_string() == *text => Value::Number(number),
            _ => Value::String(text.clone()),
        },
        Yaml::Text(text) => Value::String(secrets.hide(text).text.into_owned()),
        Yaml::List(items) => items.iter().map(|item| property(item, secrets)).collect(),
        Yaml::Map(entries) => entries
            .iter()
            .map(|(key, value)| (secrets.hide(key).text.into_owned(), property(value, secrets)))
            .collect::<Map<String, Value>>()
            .into(),
    }
}
