//! Writes nested elements so that what comes out is always balanced and never too deep.

use super::raw;

/// Elements nested deeper than this are left out; their content stays.
///
/// A sanitiser walks its stack of open elements for every tag, so depth without a limit would
/// make hostile text slow.
const MAX_DEPTH: usize = 96;

/// More elements than this are not closed and opened again around a block.
const MAX_AGAIN: usize = 24;

/// HTML as it grows, with the elements that are open.
#[derive(Default)]
pub(super) struct Writer {
    out: String,
    open: Vec<Open>,
    shows: bool,
    pending_break: bool,
}

/// An element that was closed and will be opened again.
pub(super) struct Again {
    name: &'static str,
    tag: String,
}

/// An element that is open.
struct Open {
    name: &'static str,
    /// What stands between `<` and `>`, to open it again.
    tag: String,
    /// Where the tag was written.
    start: usize,
    /// Where its content begins.
    inside: usize,
    written: bool,
    /// What [`Writer::shows`] said before it was opened.
    shown_before: bool,
}

impl Writer {
    /// How many elements are open.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Whether a list item may stand here.
    pub fn is_in_list(&self) -> bool {
        self.open.last().is_some_and(|open| matches!(open.name, "ul" | "ol"))
    }

    /// Opens an element.
    pub fn open(&mut self, name: &'static str, attributes: &Attributes) {
        self.flush_break();
        self.open_tag(name, format!("{name}{}", attributes.0));
    }

    fn open_tag(&mut self, name: &'static str, tag: String) {
        let start = self.out.len();
        let written = self.open.len() < MAX_DEPTH;
        if written {
            self.out.push('<');
            self.out.push_str(&tag);
            self.out.push('>');
        }
        let inside = self.out.len();
        self.open.push(Open { name, tag, start, inside, written, shown_before: self.shows });
        self.shows = false;
    }

    /// Closes elements until `depth` of them are left.
    pub fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            self.close();
        }
    }

    /// Closes the innermost element.
    pub fn close(&mut self) {
        let Some(open) = self.open.pop() else { return };
        if is_block(open.name) {
            self.pending_break = false;
        }
        if open.written {
            self.out.push_str("</");
            self.out.push_str(open.name);
            self.out.push('>');
        }
        self.shows |= open.shown_before;
    }

    /// Closes the innermost element, or takes its tag back if nothing in it can be seen.
    pub fn close_or_drop(&mut self) {
        let Some(open) = self.open.last() else { return };
        if self.shows {
            return self.close();
        }
        self.pending_break = false;
        self.out.replace_range(open.start..open.inside, "");
        let shown_before = open.shown_before;
        self.open.pop();
        self.shows = shown_before;
    }

    /// Whether the innermost element has content that can be seen.
    pub fn shows(&self) -> bool {
        self.shows
    }

    /// Runs `write` outside the paragraph that is open, if one is, and goes on in it after.
    ///
    /// A paragraph cannot hold blocks: an HTML parser would end it at the first one.
    pub fn beside_paragraph(&mut self, write: impl FnOnce(&mut Writer)) {
        let paragraph = self.open.iter().rev().take(MAX_AGAIN).position(|open| open.name == "p");
        let Some(n_inside) = paragraph else {
            self.flush_break();
            write(self);
            self.shows = true;
            return;
        };
        let again = self.close_remembering(self.open.len() - n_inside - 1);
        write(self);
        self.shows = true;
        self.open_again(again);
    }

    /// Closes elements down to `depth`, and remembers how to open them again.
    pub fn close_remembering(&mut self, depth: usize) -> Vec<Again> {
        let mut again = Vec::new();
        while self.open.len() > depth {
            if let Some(open) = self.open.last() {
                again.push(Again { name: open.name, tag: open.tag.clone() });
            }
            self.close_or_drop();
        }
        again
    }

    /// Opens what [`Writer::close_remembering`] closed.
    pub fn open_again(&mut self, again: Vec<Again>) {
        for Again { name, tag } in again.into_iter().rev() {
            self.open_tag(name, tag);
        }
    }

    /// Closes the innermost element if it is of this name.
    pub fn close_if(&mut self, name: &str) {
        if self.open.last().is_some_and(|open| open.name == name) {
            self.close();
        }
    }

    /// Adds an element to the end of the paragraph that was just closed, or here.
    pub fn end_paragraph_with(&mut self, name: &'static str, attributes: &Attributes, text: &str) {
        self.pending_break = false;
        let kept = self.out.trim_end().len();
        let ends_paragraph = self.out[..kept].ends_with("</p>");
        if ends_paragraph {
            self.out.truncate(kept - "</p>".len());
        }
        self.out.push(' ');
        self.open(name, attributes);
        self.text(text);
        self.close();
        if ends_paragraph {
            self.out.push_str("</p>");
        }
    }

    /// Writes an element without content.
    pub fn void(&mut self, name: &str, attributes: &Attributes) {
        self.flush_break();
        self.out.push('<');
        self.out.push_str(name);
        self.out.push_str(&attributes.0);
        self.out.push('>');
        self.shows = true;
    }

    /// Writes an element that nobody sees: a place to jump to.
    pub fn anchor(&mut self, attributes: &Attributes) {
        self.out.push_str("<span");
        self.out.push_str(&attributes.0);
        self.out.push_str("></span>");
    }

    /// Writes text. Blanks at the start of a block are left out; a no-break space is none.
    pub fn text(&mut self, text: &str) {
        let is_blank = |c: char| c.is_ascii_whitespace();
        let starts_block = !self.shows && self.open.last().is_none_or(|open| is_block(open.name));
        let text = if starts_block { text.trim_start_matches(is_blank) } else { text };
        if text.is_empty() || (!self.shows && text.chars().all(is_blank)) {
            return;
        }
        self.flush_break();
        escape(&mut self.out, text);
        self.shows = true;
    }

    /// Writes text in which spaces count.
    pub fn verbatim(&mut self, text: &str) {
        self.flush_break();
        escape(&mut self.out, text);
        self.shows = true;
    }

    /// Writes HTML that is balanced already.
    pub fn html(&mut self, html: &str) {
        if html.is_empty() {
            return;
        }
        self.flush_break();
        self.out.push_str(html);
        self.shows = true;
    }

    /// Writes a line ending of the markup, for people who read it.
    pub fn newline(&mut self) {
        if !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    /// Breaks the line before whatever is written next, unless nothing was written before.
    pub fn break_line(&mut self) {
        self.pending_break = true;
    }

    fn flush_break(&mut self) {
        if std::mem::take(&mut self.pending_break) && self.any_shown() {
            self.out.push_str("<br>\n");
        }
    }

    /// Whether the block that is open has shown anything.
    fn any_shown(&self) -> bool {
        let mut shows = self.shows;
        for open in self.open.iter().rev() {
            if shows || is_block(open.name) {
                break;
            }
            shows |= open.shown_before;
        }
        shows
    }

    /// Takes what was written, with everything closed.
    pub fn finish(mut self) -> String {
        self.close_to(0);
        self.out
    }
}

fn is_block(name: &str) -> bool {
    !raw::is_phrase(name)
}

/// The attributes of one tag.
#[derive(Default, Clone)]
pub(super) struct Attributes(String);

impl Attributes {
    /// None yet.
    pub fn new() -> Attributes {
        Attributes::default()
    }

    /// A class, and whatever else follows.
    pub fn class(class: &str) -> Attributes {
        Attributes::new().with("class", class)
    }

    /// Adds an attribute; a value that is a script or a page of its own is left out.
    pub fn with(mut self, name: &str, value: &str) -> Attributes {
        if !is_active(value) {
            self.0.push(' ');
            self.0.push_str(name);
            self.0.push_str("=\"");
            escape(&mut self.0, value);
            self.0.push('"');
        }
        self
    }

    /// Adds an attribute if there is a value.
    pub fn maybe(self, name: &str, value: Option<&str>) -> Attributes {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// The attributes as they stand in a tag.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Adds a number.
    pub fn number(self, name: &str, value: u32) -> Attributes {
        self.with(name, &value.to_string())
    }

    /// Adds an attribute that needs no value.
    pub fn flag(mut self, name: &str) -> Attributes {
        self.0.push(' ');
        self.0.push_str(name);
        self.0.push_str("=\"\"");
        self
    }
}

/// Whether a value would run or show a page if somebody took it for a URL.
pub(super) fn is_active(value: &str) -> bool {
    let bare: String =
        value.chars().filter(|c| !c.is_whitespace() && !c.is_control()).take(32).flat_map(char::to_lowercase).collect();
    ["javascript:", "vbscript:", "data:text", "data:application", "data:image/svg"]
        .iter()
        .any(|scheme| bare.starts_with(scheme))
}

/// Escapes text for content and for attribute values alike.
pub(super) fn escape(out: &mut String, text: &str) {
    out.reserve(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>', '"', '\'']) {
        out.push_str(&rest[..at]);
        out.push_str(match rest.as_bytes()[at] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            _ => "&#39;",
        });
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_inside_a_paragraph_stands_beside_it() {
        let mut writer = Writer::default();
        writer.open("p", &Attributes::new());
        writer.text("a ");
        writer.open("em", &Attributes::new());
        writer.text("b");
        writer.beside_paragraph(|writer| writer.html("<div></div>"));
        writer.text("c");
        assert_eq!(writer.finish(), "<p>a <em>b</em></p><div></div><p><em>c</em></p>");
    }

    #[test]
    fn what_shows_nothing_is_taken_back() {
        let mut writer = Writer::default();
        writer.open("p", &Attributes::new());
        writer.break_line();
        writer.text("  ");
        writer.close_or_drop();
        assert_eq!(writer.finish(), "");
    }

    #[test]
    fn breaks_stand_only_between_what_shows() {
        let mut writer = Writer::default();
        writer.open("p", &Attributes::new());
        writer.break_line();
        writer.text("a");
        writer.break_line();
        writer.break_line();
        writer.text("b");
        writer.break_line();
        writer.close();
        assert_eq!(writer.finish(), "<p>a<br>\nb</p>");
    }

    #[test]
    fn values_that_act_are_known_through_their_disguises() {
        for value in ["javascript:1", " JaVa\tScript:1", "\u{1}vbscript:1", "data:text/html,x", "DATA:image/svg+xml,x"]
        {
            assert!(is_active(value), "{value:?}");
        }
        for value in ["Java", "notes/javascript.md", "data:image/png;base64,AA", "#javascript"] {
            assert!(!is_active(value), "{value:?}");
        }
    }
}
