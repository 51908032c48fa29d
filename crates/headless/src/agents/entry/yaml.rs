//! Settings in YAML: only files whose extensions stand below each other are changed, a line at a time.

use super::{leads_there, names};
use crate::agents::configs::{ClientKind, Way};
use serde_json::{Value, json};
use std::ops::Range;

const SERVERS: &str = "extensions:";
const OTHER_FORM: &str = "lists its extensions in another way";
const TOO_MANY: &str = "lists too many extensions of this name";

pub(super) fn put(kind: ClientKind, way: &Way, old: &str) -> Result<String, &'static str> {
    let lines: Vec<&str> = old.split_inclusive('\n').collect();
    let eol = if old.contains("\r\n") { "\r\n" } else { "\n" };
    let text = |name: &str, indent: usize, skip: usize| -> String {
        let block = kind.text(name, way);
        let lines = block.lines().skip(skip).map(|line| match line.strip_prefix("  ") {
            Some(rest) => format!("{:indent$}{rest}{eol}", ""),
            None => format!("{line}{eol}"),
        });
        lines.collect()
    };
    let Some(list) = list(&lines)? else {
        let gap = if old.ends_with('\n') { "" } else { eol };
        return Ok(format!("{old}{gap}{}", text(super::SERVER, 2, 0)));
    };
    let name = names(way)
        .find(|name| list.entry(&lines, name).is_none_or(|there| leads_there(way, &values(&lines[there]))))
        .ok_or(TOO_MANY)?;
    let ours = text(&name, list.indent, 1);
    let (before, after) = match list.entry(&lines, &name) {
        Some(there) if lines[there.clone()].concat().trim_end() == ours.trim_end() => return Ok(old.to_owned()),
        Some(there) => (lines[..there.start].concat(), lines[there.end..].concat()),
        None => (lines[..list.lines.start].concat(), lines[list.lines.start..].concat()),
    };
    let gap = if before.ends_with('\n') { "" } else { eol };
    Ok(format!("{before}{gap}{ours}{after}"))
}

pub(super) fn take_out(way: &Way, old: &str) -> Result<String, &'static str> {
    let lines: Vec<&str> = old.split_inclusive('\n').collect();
    let Some(list) = list(&lines)? else { return Ok(old.to_owned()) };
    let ours = names(way)
        .find_map(|name| list.entry(&lines, &name).filter(|there| leads_there(way, &values(&lines[there.clone()]))));
    let Some(there) = ours else { return Ok(old.to_owned()) };
    Ok([&lines[..there.start], &lines[there.end..]].concat().concat())
}

/// The extensions of a file: the lines below the key, and how far each is indented.
struct List {
    lines: Range<usize>,
    indent: usize,
}

fn list(lines: &[&str]) -> Result<Option<List>, &'static str> {
    let starts = |word: &str| lines.iter().position(|line| line.starts_with(word));
    // Several documents, other spellings of the key, a list in its place, or tabs that YAML forbids: nothing that we would
    // understand.
    let is_mark = |line: &&&str| line.starts_with("---");
    let is_other = |line: &&str| {
        ["\t", "...", "{", "[", "?", "\"", "'", "-"].iter().any(|sign| line.starts_with(sign)) && !is_mark(&line)
    };
    if lines.iter().any(is_other) || lines.iter().filter(is_mark).count() > 1 {
        return Err(OTHER_FORM);
    }
    let Some(key) = starts("extensions") else { return Ok(None) };
    if lines[key].trim_end() != SERVERS {
        return Err(OTHER_FORM);
    }
    let n_below = lines[key + 1..].iter().take_while(|line| is_blank(line) || indent(line) > 0).count();
    let below = key + 1..key + 1 + n_below;
    let indent = lines[below.clone()].iter().find(|line| !is_blank(line)).map_or(2, |line| indent(line));
    Ok(Some(List { lines: below, indent }))
}

impl List {
    fn entry(&self, lines: &[&str], name: &str) -> Option<Range<usize>> {
        let is_head = |line: &str| indent(line) == self.indent && line.trim() == format!("{name}:");
        let head = self.lines.clone().find(|&at| is_head(lines[at]))?;
        let inside = |line: &&&str| is_blank(line) || indent(line) > self.indent;
        let n_below = lines[head + 1..self.lines.end].iter().take_while(inside).count();
        // Blank lines behind it belong to whatever comes next.
        let n_blank = lines[head + 1..head + 1 + n_below].iter().rev().take_while(|line| is_blank(line)).count();
        Some(head..head + 1 + n_below - n_blank)
    }
}

/// The fields that say where an entry leads; we write their values as JSON, which is YAML.
fn values(lines: &[&str]) -> Value {
    let fields = lines.iter().filter_map(|line| line.trim().split_once(": "));
    fields.map(|(key, value)| (key.to_owned(), serde_json::from_str(value).unwrap_or_else(|_| json!(value)))).collect()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with('#')
}
