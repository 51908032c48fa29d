//! The language of the search box, after Obsidian's.
//!
//! Words are joined by AND; `OR`, `-`, `"phrase"`, `( )` and `/regex/` as usual; operators narrow
//! where a word may stand; `[property:value]` asks for properties.

use note::fold;
use regex::{Regex, RegexBuilder};

use crate::needle::Needle;
use crate::query::{Expr, PropertyTest, Span, ValueTest};

/// A query that was read.
#[derive(Debug, Clone)]
pub(crate) struct Parsed {
    pub(crate) expr: Expr,
    /// Why the query was not taken as it is written.
    pub(crate) note: Option<String>,
}

/// Longer than anybody types; every word costs a look-up.
const MAX_BYTES: usize = 4000;

/// Reads a query. What cannot be read is taken as plain words, and a note says so.
pub(crate) fn parse(text: &str) -> Parsed {
    if text.len() > MAX_BYTES {
        let note = Some(format!("only the first {MAX_BYTES} bytes were read, as plain words"));
        return Parsed { expr: plain(&text[..text.floor_char_boundary(MAX_BYTES)]), note };
    }
    let mut reader = Reader { text, at: 0, match_case: false, depth: 0 };
    let expr = reader.any().and_then(|expr| match reader.peek() {
        Some(')') => Err(format!("`)` without `(` at character {}", reader.column())),
        _ => Ok(expr),
    });
    match expr {
        Ok(expr) => Parsed { expr, note: None },
        Err(reason) => Parsed { expr: plain(text), note: Some(format!("taken as plain words: {reason}")) },
    }
}

/// The query as words and nothing else.
fn plain(text: &str) -> Expr {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '"' | '[' | ']'));
    let mut words: Vec<&str> = words.filter(|word| *word != "OR" && !word.is_empty()).collect();
    let last = words.pop();
    let needles = words.into_iter().map(|word| (word, false)).chain(last.map(|word| (word, true)));
    and(needles.filter_map(|(word, prefix)| Needle::new(word, prefix)).map(Expr::Needle).collect())
}

fn needle(text: &str, prefix: bool) -> Expr {
    match Needle::new(text, prefix) {
        Some(needle) => Expr::Needle(needle),
        // Marks only, such as `->`: there is no word to look up, so the texts are read.
        None => match RegexBuilder::new(&regex::escape(text.trim())).build() {
            Ok(pattern) if !text.trim().is_empty() => Expr::Pattern(pattern),
            _ => Expr::All,
        },
    }
}

fn and(mut all: Vec<Expr>) -> Expr {
    all.retain(|expr| !matches!(expr, Expr::All));
    match all.len() {
        0 => Expr::All,
        1 => all.remove(0),
        _ => Expr::And(all),
    }
}

/// Deeper nesting than anybody types.
const MAX_DEPTH: u32 = 64;

struct Reader<'t> {
    text: &'t str,
    at: usize,
    match_case: bool,
    depth: u32,
}

impl<'t> Reader<'t> {
    /// Reads up to the end or an unmatched `)`.
    fn any(&mut self) -> Result<Expr, String> {
        self.enter()?;
        let mut any = Vec::new();
        loop {
            let all = self.all()?;
            let more = self.take_or();
            if all.is_empty() && (more || !any.is_empty()) {
                return Err(format!("`OR` has nothing on one side at character {}", self.column()));
            }
            any.push(and(all));
            if !more {
                break;
            }
        }
        self.depth -= 1;
        Ok(if any.len() == 1 { any.remove(0) } else { Expr::Or(any) })
    }

    /// Counts what is open, for the stack's sake.
    fn enter(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err("nested too deeply".to_owned()) } else { Ok(()) }
    }

    /// Reads terms up to `OR`, `)` or the end.
    fn all(&mut self) -> Result<Vec<Expr>, String> {
        let mut all = Vec::new();
        loop {
            self.skip_blanks();
            if matches!(self.peek(), None | Some(')')) || self.is_or() {
                return Ok(all);
            }
            all.push(self.term()?);
        }
    }

    fn term(&mut self) -> Result<Expr, String> {
        let is_negated =
            |after: &str| after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '"' | '(' | '[' | '/' | '#'));
        if self.rest().strip_prefix('-').is_some_and(is_negated) {
            self.at += 1;
            return Ok(Expr::Not(Box::new(self.term()?)));
        }
        match self.peek() {
            Some('[') if !self.rest().starts_with("[[") => self.property(),
            _ => match self.operator() {
                Some(name) => self.operand_of(name),
                None => self.primary(),
            },
        }
    }

    /// A group, a phrase, an expression or a word.
    fn primary(&mut self) -> Result<Expr, String> {
        match self.peek() {
            Some('(') => {
                let column = self.column();
                self.at += 1;
                let inner = self.any()?;
                if self.peek() != Some(')') {
                    return Err(format!("`(` is not closed at character {column}"));
                }
                self.at += 1;
                Ok(inner)
            }
            Some('"') => {
                let phrase = self.quoted()?;
                Ok(self.exactly(&phrase, false))
            }
            Some('/') => match self.pattern_end() {
                Some(end) => {
                    let pattern = &self.text[self.at + 1..end];
                    self.at = end + 1;
                    let built = RegexBuilder::new(pattern).case_insensitive(!self.match_case).multi_line(true).build();
                    built.map(Expr::Pattern).map_err(|_| format!("not a valid regular expression: `/{pattern}/`"))
                }
                None => Ok(self.word()),
            },
            _ => Ok(self.word()),
        }
    }

    fn word(&mut self) -> Expr {
        let start = self.at;
        let mut open = 0usize;
        let mut end = self.text.len();
        for (offset, c) in self.rest().char_indices() {
            match c {
                '(' => open += 1,
                ')' if open > 0 => open -= 1,
                ')' => {
                    end = start + offset;
                    break;
                }
                c if c.is_whitespace() => {
                    end = start + offset;
                    break;
                }
                _ => {}
            }
        }
        self.at = end;
        let last = self.rest().trim_matches(|c: char| c.is_whitespace() || c == ')').is_empty();
        self.exactly(&self.text[start..end], last)
    }

    fn exactly(&self, text: &str, prefix: bool) -> Expr {
        if self.match_case
            && !text.trim().is_empty()
            && let Ok(pattern) = Regex::new(&regex::escape(text.trim()))
        {
            return Expr::Pattern(pattern);
        }
        needle(text, prefix)
    }

    /// The operator before the next colon, if there is one that we know.
    fn operator(&mut self) -> Option<&'static str> {
        const NAMES: [&str; 12] = [
            "file",
            "path",
            "content",
            "match-case",
            "ignore-case",
            "tag",
            "line",
            "block",
            "section",
            "task",
            "task-todo",
            "task-done",
        ];
        let (name, after) = self.rest().split_once(':')?;
        let name = NAMES.into_iter().find(|known| known.eq_ignore_ascii_case(name))?;
        if after.starts_with(|c: char| c.is_whitespace() || c == ')') || after.is_empty() {
            return None;
        }
        self.at += name.len() + 1;
        Some(name)
    }

    fn operand_of(&mut self, name: &'static str) -> Result<Expr, String> {
        self.enter()?;
        let operand = self.operand_within(name);
        self.depth -= 1;
        operand
    }

    fn operand_within(&mut self, name: &'static str) -> Result<Expr, String> {
        match name {
            "file" | "path" | "tag" => {
                let make: fn(String) -> Expr = match name {
                    "file" => Expr::File,
                    "path" => Expr::Path,
                    _ => Expr::Tag,
                };
                self.texts(make)
            }
            "match-case" | "ignore-case" => {
                let before = std::mem::replace(&mut self.match_case, name == "match-case");
                let inner = self.primary();
                self.match_case = before;
                inner
            }
            "content" => Ok(Expr::Content(Box::new(self.primary()?))),
            _ => {
                let span = match name {
                    "line" => Span::Line,
                    "block" => Span::Block,
                    "section" => Span::Section,
                    "task-todo" => Span::Task(Some(false)),
                    "task-done" => Span::Task(Some(true)),
                    _ => Span::Task(None),
                };
                Ok(Expr::Within(span, Box::new(self.operand()?)))
            }
        }
    }

    /// The operand of an operator for spans: an empty phrase stands for any text.
    fn operand(&mut self) -> Result<Expr, String> {
        if self.rest().starts_with("\"\"") {
            self.at += 2;
            return Ok(Expr::All);
        }
        match self.operator() {
            Some(name) => self.operand_of(name),
            None => self.primary(),
        }
    }

    /// The operand of `file:`, `path:` or `tag:`: a text, or texts joined in parentheses.
    fn texts(&mut self, make: fn(String) -> Expr) -> Result<Expr, String> {
        match self.peek() {
            Some('"') => Ok(make(fold(self.quoted()?.trim()))),
            Some('(') => {
                let column = self.column();
                self.enter()?;
                self.at += 1;
                let (mut any, mut all) = (Vec::new(), Vec::new());
                loop {
                    self.skip_blanks();
                    if self.take_or() {
                        any.push(and(std::mem::take(&mut all)));
                        continue;
                    }
                    match self.peek() {
                        None => return Err(format!("`(` is not closed at character {column}")),
                        Some(')') => break,
                        Some('-') => {
                            self.at += 1;
                            all.push(Expr::Not(Box::new(self.texts(make)?)));
                        }
                        Some(_) => all.push(self.texts(make)?),
                    }
                }
                self.at += 1;
                self.depth -= 1;
                any.push(and(all));
                Ok(if any.len() == 1 { any.remove(0) } else { Expr::Or(any) })
            }
            _ => {
                let end = self.rest().find(|c: char| c.is_whitespace() || c == ')').unwrap_or(self.rest().len());
                let word = &self.rest()[..end];
                self.at += end;
                Ok(make(fold(word)))
            }
        }
    }

    fn property(&mut self) -> Result<Expr, String> {
        let column = self.column();
        let Some(end) = self.rest().find(']') else {
            return Err(format!("`[` is not closed at character {column}"));
        };
        let inside = &self.rest()[1..end];
        self.at += end + 1;
        let (key, value) = inside.split_once(':').map_or((inside, None), |(key, value)| (key, Some(value)));
        let key = fold(key.trim().trim_matches('"'));
        if key.is_empty() {
            return Err(format!("`[ ]` names no property at character {column}"));
        }
        let tests = value.map(|value| value.split(" OR ").map(value_test).collect()).unwrap_or_default();
        Ok(Expr::Property(PropertyTest { key, any: tests }))
    }

    fn quoted(&mut self) -> Result<String, String> {
        let column = self.column();
        let mut phrase = String::new();
        let mut escaped = false;
        for (offset, c) in self.rest().char_indices().skip(1) {
            match c {
                '"' if !escaped => {
                    self.at += offset + 1;
                    return Ok(phrase);
                }
                '\\' if !escaped => {
                    escaped = true;
                    continue;
                }
                c => phrase.push(c),
            }
            escaped = false;
        }
        Err(format!("`\"` is not closed at character {column}"))
    }

    /// Where the expression that begins here ends: at a slash with a blank or nothing behind it.
    fn pattern_end(&self) -> Option<usize> {
        let mut escaped = false;
        for (offset, c) in self.rest().char_indices().skip(1) {
            let behind = &self.rest()[offset + c.len_utf8()..];
            if c == '/' && !escaped && offset > 1 && !behind.starts_with(|c: char| !c.is_whitespace() && c != ')') {
                return Some(self.at + offset);
            }
            escaped = c == '\\' && !escaped;
        }
        None
    }

    fn take_or(&mut self) -> bool {
        self.skip_blanks();
        let is_or = self.is_or();
        if is_or {
            self.at += 2;
        }
        is_or
    }

    fn is_or(&self) -> bool {
        self.rest().strip_prefix("OR").is_some_and(|after| {
            after.is_empty() || after.starts_with(|c: char| c.is_whitespace() || c == '(' || c == ')')
        })
    }

    fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn column(&self) -> usize {
        self.text[..self.at].chars().count() + 1
    }
}

fn value_test(value: &str) -> ValueTest {
    let value = value.trim().trim_matches(['(', ')']);
    let quoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    if let Some(value) = quoted {
        return ValueTest::Has(fold(value));
    }
    if value.is_empty() || value.eq_ignore_ascii_case("null") || value == "EMPTY" {
        return ValueTest::Empty;
    }
    let number = |text: &str| text.trim().parse::<f64>().ok();
    if let Some(limit) = value.strip_prefix('<').and_then(number) {
        return ValueTest::Less(limit);
    }
    if let Some(limit) = value.strip_prefix('>').and_then(number) {
        return ValueTest::Greater(limit);
    }
    ValueTest::Has(fold(value))
}
