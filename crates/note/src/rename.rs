//! Renaming a heading: one title changes, and nothing else.

use std::ops::Range;

use crate::edit::{Edit, Edits};
use crate::heading::{Heading, HeadingStyle, strip_heading, trailing_block_id};
use crate::parse::{Note, parse};
use crate::section::{SectionError, SectionRef};
use crate::text::NoteText;

/// A heading with its new title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenamedHeading {
    /// The edit of the title; none if it already reads so.
    pub edits: Edits,
    /// The heading's place among the headings, before and after.
    pub index: usize,
    /// The rendered title before.
    pub old: String,
    /// The rendered title after.
    pub new: String,
    /// The level.
    pub level: u8,
    /// The 1-based line.
    pub line: u32,
    /// Which one it was among the headings of the old title and level.
    pub occurrence: u32,
    /// What the person should know.
    pub warnings: Vec<String>,
}

/// Why a heading cannot take a title.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenameError {
    /// The section was not found.
    #[error(transparent)]
    Section(#[from] SectionError),
    /// It is the note's title.
    #[error("heading of level 1 is the note's title: `{text}` (line {line})")]
    HeadingLevel1 {
        /// The rendered title.
        text: String,
        /// The 1-based line.
        line: u32,
    },
    /// Another heading has that title, or one that links cannot tell from it.
    #[error("the new heading could not be told from `{text}` (level {level}, line {line})")]
    Collision {
        /// The other heading's rendered title.
        text: String,
        /// Its level.
        level: u8,
        /// Its 1-based line.
        line: u32,
    },
    /// The title cannot be a heading.
    #[error("`{title}` cannot be a heading: {reason}")]
    Invalid {
        /// The title as given, shortened.
        title: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// Longer titles are refused; they would be paragraphs.
const MAX_CHARS: usize = 1000;

/// Plans a new title for a heading. The title is Markdown; what would be read as other Markdown at
/// that place is escaped if that keeps what it shows.
///
/// The result is read again before it is returned: one title differs, and every other heading,
/// link, tag and block is what it was.
pub fn rename_heading(
    text: &NoteText,
    note: &Note,
    at: &SectionRef,
    title: &str,
    allow_h1: bool,
) -> Result<RenamedHeading, RenameError> {
    let section = note.section(at)?;
    let (heading, index) = (section.heading, section.index);
    if heading.level == 1 && !allow_h1 {
        return Err(RenameError::HeadingLevel1 { text: heading.text.clone(), line: heading.line });
    }
    let title = without_own_block_id(title.trim(), heading);
    if let Some(reason) = unfit(title) {
        return Err(invalid(title, reason));
    }
    let shown = shown(title);
    if shown.is_empty() {
        return Err(invalid(title, "it shows nothing when rendered".to_owned()));
    }
    if let Some(other) = collision(note, index, &shown, title) {
        return Err(RenameError::Collision { text: other.text.clone(), level: other.level, line: other.line });
    }
    let edits = spellings(title, heading)
        .into_iter()
        .map(|spelling| {
            let edit = Edit { range: heading.title.clone(), new: spelling };
            let is_new = text.as_str().get(edit.range.clone()) != Some(&edit.new);
            Edits::new(text, if is_new { vec![edit] } else { Vec::new() })
        })
        .find(|edits| changes_only(text, note, index, edits, &shown));
    let Some(edits) = edits else {
        let style = match heading.style {
            HeadingStyle::Atx => "a heading",
            HeadingStyle::Setext => "a setext heading (one with an underline)",
        };
        return Err(invalid(title, format!("it does not read back as {style} of that text")));
    };
    Ok(RenamedHeading {
        edits,
        index,
        old: heading.text.clone(),
        new: shown,
        level: heading.level,
        line: heading.line,
        occurrence: heading.same_text.nth,
        warnings: warnings(title),
    })
}

fn invalid(title: &str, reason: String) -> RenameError {
    let mut short: String = title.chars().take(80).flat_map(char::escape_debug).collect();
    if title.chars().nth(80).is_some() {
        short.push('…');
    }
    RenameError::Invalid { title: short, reason }
}

/// A caller who copies the whole heading line means its block id to stay, not to be there twice.
fn without_own_block_id<'t>(title: &'t str, heading: &Heading) -> &'t str {
    match (trailing_block_id(title), &heading.block_id) {
        (Some((before, id)), Some(own)) if id == own => before.trim_end(),
        _ => title,
    }
}

fn unfit(title: &str) -> Option<String> {
    let is_invisible = |c: char| c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}');
    if title.chars().all(is_invisible) {
        return Some("it is empty".to_owned());
    }
    let is_break = |c: &char| matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
    if title.chars().any(|c| is_break(&c)) {
        return Some("it holds a line break".to_owned());
    }
    if let Some(c) = title.chars().find(|c| c.is_control()) {
        return Some(format!("it holds a control character (U+{:04X})", u32::from(c)));
    }
    let n_chars = title.chars().count();
    if n_chars > MAX_CHARS {
        return Some(format!("it has {n_chars} characters, more than {MAX_CHARS}"));
    }
    let hashes = title.len() - title.trim_start_matches('#').len();
    let rest = &title[hashes..];
    if hashes > 0 && (rest.is_empty() || rest.starts_with(char::is_whitespace)) {
        return Some(format!("it starts with heading marks (`{}`); give the text only", &title[..hashes.min(7)]));
    }
    None
}

/// What a title's Markdown shows, read where nothing around it can change its meaning.
fn shown(title: &str) -> String {
    let note = parse(&NoteText::from_str(&format!("# A {title} A\n")));
    let shown = note
        .headings
        .first()
        .and_then(|heading| heading.text.strip_prefix('A')?.strip_suffix('A').map(|shown| shown.trim().to_owned()));
    shown.unwrap_or_else(|| title.to_owned())
}

/// The heading that the new title could not be told from, unless it could not be told before.
fn collision<'n>(note: &'n Note, index: usize, shown: &str, title: &str) -> Option<&'n Heading> {
    let heading = &note.headings[index];
    let key = strip_heading(title);
    let is_same_link = |other: &Heading| match key.as_str() {
        "" => strip_heading(&other.raw).is_empty() && !strip_heading(&heading.raw).is_empty(),
        _ => other.key == key && other.key != heading.key,
    };
    note.headings
        .iter()
        .enumerate()
        .filter(|&(other, _)| other != index)
        .map(|(_, other)| other)
        .find(|other| (other.text == shown && other.text != heading.text) || is_same_link(other))
}

/// The ways to write a title, the plainest first. In a line of its own, a mark that is left open would take whatever
/// closes it later, and the heading with it; such spellings come last.
fn spellings(title: &str, heading: &Heading) -> Vec<String> {
    let mut spellings = vec![title.to_owned()];
    let mut add = |spelling: Option<String>| {
        if let Some(spelling) = spelling
            && !spellings.contains(&spelling)
        {
            spellings.push(spelling);
        }
    };
    let end = escape_closing_hashes(title);
    let start = escape_start(title);
    add(end.clone());
    add(start.clone());
    add(start.as_deref().and_then(escape_closing_hashes));
    add(escape_block_id(title));
    let all: String = title
        .chars()
        .enumerate()
        .flat_map(|(nth, c)| {
            let is_mark = matches!(c, '|' | '[' | '<' | '%' | '$' | '^' | '#') || nth == 0 && c.is_ascii_punctuation();
            is_mark.then_some('\\').into_iter().chain([c])
        })
        .collect();
    add(Some(all));
    if heading.style == HeadingStyle::Setext {
        spellings.sort_by_key(|spelling| leaves_open(spelling));
    }
    if !heading.title.is_empty() {
        return spellings;
    }
    // A heading without a title may lack the blanks around it.
    let padded =
        |(before, after): (&str, &str)| spellings.iter().map(|s| format!("{before}{s}{after}")).collect::<Vec<_>>();
    [("", ""), (" ", ""), ("", " "), (" ", " ")].into_iter().flat_map(padded).collect()
}

/// Whether a title opens math or a comment without closing it.
fn leaves_open(title: &str) -> bool {
    let unescaped = title.replace("\\$", "").replace("\\%", "");
    ["$$", "%%"].iter().any(|mark| unescaped.matches(mark).count() % 2 == 1)
}

fn escape_closing_hashes(title: &str) -> Option<String> {
    let before = title.trim_end_matches('#');
    (before.len() < title.len()).then(|| format!("{before}\\{}", &title[before.len()..]))
}

fn escape_start(title: &str) -> Option<String> {
    let first = title.chars().next()?;
    if first.is_ascii_punctuation() {
        return Some(format!("\\{title}"));
    }
    let n_digits = title.bytes().take_while(u8::is_ascii_digit).count();
    let is_marker = n_digits > 0 && title[n_digits..].starts_with(['.', ')']);
    is_marker.then(|| format!("{}\\{}", &title[..n_digits], &title[n_digits..]))
}

fn escape_block_id(title: &str) -> Option<String> {
    let (before, id) = trailing_block_id(title)?;
    Some(format!("{before}\\^{id}"))
}

/// Whether the edits change the title of one heading and no other node of the note.
fn changes_only(text: &NoteText, note: &Note, index: usize, edits: &Edits, shown: &str) -> bool {
    let Ok(after_text) = edits.apply(text) else { return false };
    let after = parse(&after_text);
    let title = note.headings[index].title.clone();
    let n_new = title.len() + after_text.as_str().len() - text.as_str().len();
    let new_title = title.start..title.start + n_new;
    let map = |at: usize| if at >= title.end { at - title.end + new_title.end } else { at };
    let moved = |range: &Range<usize>| {
        // An empty title is an insertion: what ends there does not move.
        let end = if range.end <= title.start { range.end } else { map(range.end) };
        (if range.start <= title.start { range.start } else { map(range.start) })..end
    };
    let outside = |range: &Range<usize>, title: &Range<usize>| range.end <= title.start || range.start >= title.end;

    let headings = note.headings.len() == after.headings.len()
        && note.headings.iter().zip(&after.headings).enumerate().all(|(at, (old, new))| {
            let same = old.level == new.level && old.style == new.style && old.block_id == new.block_id;
            let title_is_right = if at == index {
                new.text == shown
            } else {
                old.text == new.text && old.raw == new.raw && moved(&old.span) == new.span
            };
            same && title_is_right
        });
    let links = {
        let old = note.links.iter().filter(|link| outside(&link.span, &title));
        let new = after.links.iter().filter(|link| outside(&link.span, &new_title));
        old.map(|link| (moved(&link.span), link.kind, &link.target, &link.subpath))
            .eq(new.map(|link| (link.span.clone(), link.kind, &link.target, &link.subpath)))
    };
    let tags = {
        let old = note.tags.iter().map(|tag| &tag.span).filter(|span| outside(span, &title));
        let new = after.tags.iter().map(|tag| &tag.span).filter(|span| outside(span, &new_title));
        old.map(moved).eq(new.cloned())
    };
    let blocks = {
        let old = note.blocks.iter().filter(|block| outside(&block.span, &title));
        let new = after.blocks.iter().filter(|block| outside(&block.span, &new_title));
        old.map(|block| (&block.id, moved(&block.span))).eq(new.map(|block| (&block.id, block.span.clone())))
    };
    let hidden = {
        let old = note.hidden.iter().filter(|range| outside(range, &title));
        let new = after.hidden.iter().filter(|range| outside(range, &new_title));
        old.map(moved).eq(new.cloned())
    };
    let problems = note.problems.iter().map(|p| &p.kind).eq(after.problems.iter().map(|p| &p.kind));
    headings && links && tags && blocks && hidden && problems && note.frontmatter == after.frontmatter
}

fn warnings(title: &str) -> Vec<String> {
    let mut warnings = Vec::new();
    let hostile: Vec<String> = [":", "#", "|", "^", "[[", "]]", "%%", "\\"]
        .into_iter()
        .filter(|mark| title.contains(mark))
        .map(|mark| format!("`{mark}`"))
        .collect();
    if !hostile.is_empty() {
        warnings.push(format!("links cannot hold {}; they name the heading without", hostile.join(" ")));
    }
    if strip_heading(title).is_empty() {
        warnings.push("links cannot name a heading of punctuation only".to_owned());
    }
    warnings
}

#[cfg(test)]
mod tests;
