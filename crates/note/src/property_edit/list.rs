//! Lists that change: items that stay keep their bytes.

use std::ops::Range;

use super::write::{dash_indent, flow, in_list};
use crate::edit::Edit;
use crate::frontmatter::{Property, Value};
use crate::text::lines;

/// The edits that turn a list into another one; `None` if it must be written anew.
pub(super) fn edits(source: &str, entry: &Property, value: &Value, eol: &str) -> Option<Vec<Edit>> {
    let (Value::List(old), Value::List(new)) = (&entry.value, value) else { return None };
    if old.is_empty() || new.is_empty() {
        return None;
    }
    let n_head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let n_tail = old[n_head..].iter().rev().zip(new[n_head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let gone = n_head..old.len() - n_tail;
    let come = &new[n_head..new.len() - n_tail];
    match dash_indent(source, entry) {
        Some(indent) => {
            let items = lines_of_items(source, entry, &indent).filter(|items| items.len() == old.len())?;
            on_lines(source, entry, &items, gone, come, eol)
        }
        None => {
            let items = items_between_brackets(source, entry).filter(|items| items.len() == old.len())?;
            between_brackets(&items, gone, come)
        }
    }
    .map(|edit| vec![edit])
}

fn on_lines(
    source: &str,
    entry: &Property,
    items: &[Range<usize>],
    gone: Range<usize>,
    come: &[Value],
    eol: &str,
) -> Option<Edit> {
    let first = items.first()?;
    let line_start = first.start;
    let blanks = source[line_start..].len() - source[line_start..].trim_start_matches(' ').len();
    let indent = &source[line_start..line_start + blanks];
    let mut new = String::new();
    for item in come {
        new += &format!("{indent}- {}{eol}", in_list(item).ok()?);
    }
    let range = match (gone.is_empty(), gone.start) {
        (false, start) => items[start].start..items[gone.end - 1].end,
        (true, 0) => line_start..line_start,
        (true, start) => items[start - 1].end..items[start - 1].end,
    };
    (range.end <= entry.span.end).then_some(Edit { range, new })
}

/// The lines of each item. Comments between two items belong to neither.
fn lines_of_items(source: &str, entry: &Property, indent: &str) -> Option<Vec<Range<usize>>> {
    let margin = entry.key_span.start - entry.span.start;
    let dash = margin + indent.len();
    let mut items: Vec<Range<usize>> = Vec::new();
    let start = lines(source, entry.key_span.end).next()?.eol.end;
    for line in lines(&source[..entry.span.end], start) {
        let content = &source[line.content.clone()];
        let n_blanks = content.len() - content.trim_start_matches(' ').len();
        let rest = &content[n_blanks..];
        let is_item = n_blanks == dash && (rest == "-" || rest.starts_with("- "));
        let is_comment = rest.is_empty() || rest.starts_with('#');
        if is_item {
            if rest.trim_start_matches(['-', ' ']).starts_with(['|', '>']) {
                return None;
            }
            items.push(line.content.start..line.eol.end);
        } else if !is_comment {
            items.last_mut()?.end = line.eol.end;
        }
    }
    Some(items)
}

fn between_brackets(items: &[Range<usize>], gone: Range<usize>, come: &[Value]) -> Option<Edit> {
    let new: Result<Vec<String>, String> = come.iter().map(flow).collect();
    let new = new.ok()?.join(", ");
    Some(match (gone.is_empty(), come.is_empty()) {
        (false, false) => Edit { range: items[gone.start].start..items[gone.end - 1].end, new },
        (false, true) if gone.end < items.len() => Edit { range: items[gone.start].start..items[gone.end].start, new },
        (false, true) => Edit { range: items[gone.start.checked_sub(1)?].end..items[gone.end - 1].end, new },
        (true, _) if gone.start == 0 => {
            let at = items.first()?.start;
            Edit { range: at..at, new: format!("{new}, ") }
        }
        (true, _) => {
            let at = items[gone.start - 1].end;
            Edit { range: at..at, new: format!(", {new}") }
        }
    })
}

/// The bytes of each item between brackets.
fn items_between_brackets(source: &str, entry: &Property) -> Option<Vec<Range<usize>>> {
    let span = entry.value_span.clone();
    let bytes = source.as_bytes();
    let open = span.start + source[span.clone()].find('[')?;
    let mut items = Vec::new();
    let (mut depth, mut start, mut quote) = (0usize, open + 1, None);
    let mut at = open;
    while at < span.end {
        match (bytes[at], quote) {
            (b'\\', Some(b'"')) => at += 1,
            (byte, Some(open)) if byte == open => quote = None,
            (_, Some(_)) => {}
            (byte @ (b'"' | b'\''), None) if source[start..at].trim().is_empty() || depth > 1 => quote = Some(byte),
            (b'#', None) if bytes[at - 1].is_ascii_whitespace() => return None,
            (b'[' | b'{', None) => depth += 1,
            (byte @ (b']' | b'}' | b','), None) => {
                if depth == 1 && byte != b'}' {
                    let slice = &source[start..at];
                    if !slice.trim().is_empty() {
                        let from = start + slice.len() - slice.trim_start().len();
                        items.push(from..from + slice.trim().len());
                    }
                    start = at + 1;
                }
                if byte != b',' {
                    depth = depth.checked_sub(1)?;
                }
            }
            _ => {}
        }
        at += 1;
    }
    (depth == 0).then_some(items)
}
