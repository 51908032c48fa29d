//! Links, tags and pictures as HTML.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use pulldown_cmark::{Event, LinkType};

use super::Resolved;
use super::external::{self, Destination};
use super::render::Page;
use super::writer::Attributes;
use crate::link::{Link, LinkEncoding, LinkKind};
use crate::path::RelPath;

/// What may stand in the path of a URL as it is.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

impl<'p> Page<'p> {
    /// Writes a wikilink, or what it embeds.
    pub fn wikilink(&mut self, index: usize) {
        let link = &self.place.note.links[index];
        if link.embed {
            return self.embed(link, link.alias.as_deref());
        }
        let shown = link.alias.clone().filter(|alias| !alias.is_empty()).unwrap_or_else(|| display(link));
        if self.in_link() {
            return self.writer.text(&shown);
        }
        let attributes = self.internal(link);
        self.writer.open("a", &attributes);
        self.writer.text(&shown);
        self.writer.close();
    }

    /// The attributes of a link to a note or file.
    pub fn internal(&self, link: &Link) -> Attributes {
        let resolved = (self.world.options.resolve)(self.place.path, link);
        let class = if resolved == Resolved::Missing { "internal-link is-unresolved" } else { "internal-link" };
        let attributes = Attributes::class(class).with("data-href", &link_text(link));
        match resolved {
            Resolved::Note { path } | Resolved::Attachment { path } => attributes.with("data-path", path.as_str()),
            Resolved::Missing => attributes,
        }
        .with("href", "#")
    }

    /// Writes a tag.
    pub fn tag(&mut self, index: usize) {
        let name = &self.place.note.tags[index].name;
        if self.in_link() {
            return self.writer.text(&format!("#{name}"));
        }
        self.writer.open("a", &Attributes::class("tag").with("data-tag", name).with("href", "#"));
        self.writer.text(&format!("#{name}"));
        self.writer.close();
    }

    /// Opens a Markdown link.
    pub fn link(&mut self, kind: LinkType, url: &str, at: usize) -> usize {
        let start = self.events_in(at).0[at].1.start;
        if self.in_link() {
            self.open_nothing();
            return at + 1;
        }
        if let Some(link) = self.link_at(start).filter(|link| link.kind == LinkKind::Markdown) {
            let attributes = self.internal(link);
            self.open_link("a", &attributes);
            return at + 1;
        }
        let destination = match kind {
            LinkType::Email => Destination::External(format!("mailto:{url}")),
            _ => external::destination(url),
        };
        match destination {
            Destination::External(url) => self.open_link("a", &external::link(Attributes::new(), &url)),
            Destination::Internal(to) if !to.is_empty() => {
                let link = self.referred(&to, start, false);
                let attributes = self.internal(&link);
                self.open_link("a", &attributes);
            }
            Destination::Internal(_) => self.open_nothing(),
            Destination::Refused => self.open_link("span", &Attributes::class("refused-link")),
        }
        at + 1
    }

    /// Writes a Markdown picture, or the note it embeds.
    pub fn image(&mut self, url: &str, at: usize) -> usize {
        let (events, end) = self.events_in(at);
        let start = events[at].1.start;
        let label = plain_text(self.source, &events[at + 1..end]);
        match external::destination(url) {
            _ if external::is_inline_image(url) => {
                let (alt, width, height) = measured(&label);
                let attributes = sized(Attributes::class("inline-image").with("src", url), &alt, width, height);
                self.writer.void("img", &attributes);
            }
            Destination::External(url) if external::is_remote(&url) => {
                let (alt, width, height) = measured(&label);
                let html = external::placeholder("remote-image", &url, &alt, width.as_deref(), height.as_deref());
                self.writer.html(&html);
            }
            Destination::Internal(to) if !to.is_empty() => match self.link_at(start) {
                Some(link) => self.embed(link, Some(&label)),
                None => {
                    let link = self.referred(&to, start, true);
                    self.embed(&link, Some(&label));
                }
            },
            _ => self.writer.text(&label),
        }
        end + 1
    }

    /// The link that a reference such as `[text][label]` makes.
    fn referred(&self, to: &str, start: usize, embed: bool) -> Link {
        let (target, subpath) = match to.split_once('#') {
            Some((target, subpath)) => (target, Some(subpath.to_owned())),
            None => (to, None),
        };
        Link {
            kind: LinkKind::Markdown,
            embed,
            span: start..start,
            target: target.to_owned(),
            target_span: start..start,
            subpath,
            subpath_span: None,
            alias: None,
            line: self.place.text.line_of(start),
            encoding: LinkEncoding::Percent,
        }
    }

    /// Writes a picture of the vault.
    pub fn picture(&mut self, path: &RelPath, label: Option<&str>) {
        let (alt, width, height) = measured(label.unwrap_or_default());
        let alt = if alt.is_empty() { path.file_name() } else { &alt };
        let attributes = Attributes::class("vault-image").with("data-vault-src", path.as_str());
        let attributes = match self.world.options.asset_base {
            Some(base) => attributes.with("src", &format!("{base}{}", utf8_percent_encode(path.as_str(), PATH))),
            None => attributes,
        };
        self.writer.void("img", &sized(attributes, alt, width, height));
    }
}

/// The link as it would stand between double brackets.
pub(super) fn link_text(link: &Link) -> String {
    match &link.subpath {
        Some(subpath) => format!("{}#{subpath}", link.target),
        None => link.target.clone(),
    }
}

/// What is shown for a link without an alias.
pub(super) fn display(link: &Link) -> String {
    let target = Some(link.target.as_str()).filter(|target| !target.is_empty());
    let parts =
        link.subpath.iter().flat_map(|subpath| subpath.split('#')).map(str::trim).filter(|part| !part.is_empty());
    target.into_iter().chain(parts).collect::<Vec<_>>().join(" > ")
}

/// Parts the size from a label: `300`, `640x480`, `label|300`.
fn measured(label: &str) -> (String, Option<String>, Option<String>) {
    let (alt, size) = match label.rsplit_once('|') {
        Some((alt, size)) => (alt, size),
        None => ("", label),
    };
    let number = |text: &str| {
        let text = text.trim();
        ((1..=5).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.to_owned())
    };
    let alt = alt.trim().to_owned();
    match size.split_once(['x', 'X']) {
        Some((width, height)) => match (number(width), number(height)) {
            (Some(width), Some(height)) => (alt, Some(width), Some(height)),
            _ => (label.trim().to_owned(), None, None),
        },
        None => match number(size) {
            Some(width) => (alt, Some(width), None),
            None => (label.trim().to_owned(), None, None),
        },
    }
}

fn sized(attributes: Attributes, alt: &str, width: Option<String>, height: Option<String>) -> Attributes {
    attributes.with("alt", alt).maybe("width", width.as_deref()).maybe("height", height.as_deref())
}

/// The text of some inline events.
fn plain_text(source: &str, events: &[(Event<'_>, std::ops::Range<usize>)]) -> String {
    let mut out = String::new();
    for (event, range) in events {
        match event {
            // What was covered up is read as it stands.
            Event::Text(text) if text.len() == range.len() => out.push_str(source.get(range.clone()).unwrap_or("")),
            Event::Text(text) | Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                out.push_str(text)
            }
            Event::SoftBreak | Event::HardBreak => out.push(' '),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_may_end_with_a_size() {
        for (label, expected) in [
            ("300", ("", Some("300"), None)),
            ("640x480", ("", Some("640"), Some("480"))),
            ("Engelbart|100x145", ("Engelbart", Some("100"), Some("145"))),
            ("a|b|100", ("a|b", Some("100"), None)),
            ("a|b", ("a|b", None, None)),
            ("2024x", ("2024x", None, None)),
            ("1234567", ("1234567", None, None)),
        ] {
            let (alt, width, height) = measured(label);
            assert_eq!((alt.as_str(), width.as_deref(), height.as_deref()), expected, "{label:?}");
        }
    }
}
