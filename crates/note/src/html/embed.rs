//! What stands in the place of `![[…]]`.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag};

use super::links::{display, link_text};
use super::render::{Page, Place};
use super::writer::Attributes;
use super::{Embedded, Resolved, source};
use crate::link::Link;
use crate::opaque;
use crate::parse::Note;
use crate::path::{RelPath, fold};
use crate::text::NoteText;

/// Embeds inside embeds end here, as in Obsidian.
const MAX_DEPTH: usize = 5;

/// More embeds than this are links.
const MAX_EMBEDS: u32 = 256;

/// Embeds are links once this much text was read for them.
const MAX_BYTES: usize = 4 << 20;

impl<'p> Page<'p> {
    /// Writes what a link embeds. The label holds the size of a picture.
    pub fn embed(&mut self, link: &Link, label: Option<&str>) {
        match (self.world.options.resolve)(self.place.path, link) {
            Resolved::Missing => self.no_embed(link, "is-missing", "not found"),
            Resolved::Attachment { path } => self.attachment(link, &path, label),
            Resolved::Note { path } => self.embedded_note(link, &path),
        }
    }

    fn attachment(&mut self, link: &Link, path: &RelPath, label: Option<&str>) {
        let kind = kind(path);
        if kind == "image" {
            return self.picture(path, label);
        }
        let attributes = Attributes::class("attachment-embed")
            .with("data-kind", kind)
            .with("data-vault-src", path.as_str())
            .maybe("data-subpath", link.subpath.as_deref());
        self.writer.open("span", &attributes);
        if self.in_link() {
            self.writer.text(path.file_name());
        } else {
            let attributes = self.internal(link);
            self.writer.open("a", &attributes);
            self.writer.text(path.file_name());
            self.writer.close();
        }
        self.writer.close();
    }

    fn embedded_note(&mut self, link: &Link, path: &RelPath) {
        let world = self.world;
        if self.place.depth() >= MAX_DEPTH || world.n_embeds.get() >= MAX_EMBEDS || world.n_bytes.get() >= MAX_BYTES {
            return self.no_embed(link, "is-too-deep", "not shown: too many embeds inside each other");
        }
        let Some(embedded) = (world.options.embed)(path) else {
            return self.no_embed(link, "is-missing", "cannot be read");
        };
        let Some((part, is_block)) = part(&embedded, link) else {
            return self.no_embed(link, "is-missing", "not found in the note");
        };
        if self.is_inside(path, &part, link) {
            return self.no_embed(link, "is-loop", "not shown: it embeds itself");
        }
        world.n_embeds.set(world.n_embeds.get() + 1);
        world.n_bytes.set(world.n_bytes.get() + embedded.text.as_str().len());
        let place = Place { text: &embedded.text, note: &embedded.note, path, part, is_block, outer: Some(self.place) };
        let html = world.render(&place);
        let attributes = Attributes::class("internal-embed markdown-embed")
            .with("data-href", &link_text(link))
            .with("data-path", path.as_str());
        let attributes = self.line(attributes, link.span.start);
        let internal = (!self.in_link()).then(|| self.internal(link));
        let title = match &link.subpath {
            Some(_) => display(link),
            None => embedded.note.title(path),
        };
        self.writer.beside_paragraph(|writer| {
            writer.open("div", &attributes);
            writer.open("div", &Attributes::class("embed-title"));
            if let Some(internal) = &internal {
                writer.open("a", internal);
            }
            writer.text(&title);
            writer.close_if("a");
            writer.close();
            writer.open("div", &Attributes::class("embed-content"));
            writer.html(&html);
            writer.close();
            writer.close();
            writer.newline();
        });
    }

    /// A box that says why nothing is shown.
    fn no_embed(&mut self, link: &Link, class: &str, reason: &str) {
        let attributes = Attributes::class(&format!("internal-embed {class}"));
        self.writer.open("span", &attributes);
        if self.in_link() {
            self.writer.text(&display(link));
        } else {
            let attributes = self.internal(link);
            self.writer.open("a", &attributes);
            self.writer.text(&display(link));
            self.writer.close();
        }
        self.writer.text(&format!(" {reason}"));
        self.writer.close();
    }

    /// Whether a part of a note is being written already, or holds the link that embeds it.
    fn is_inside(&self, path: &RelPath, part: &Range<usize>, link: &Link) -> bool {
        let holds_link = self.place.path == path && part.contains(&link.span.start);
        let places = std::iter::successors(Some(self.place), |place| place.outer);
        holds_link || places.into_iter().any(|place| place.path == path && place.part == *part)
    }
}

/// The part of a note that a link points at, and whether it is one block.
fn part(embedded: &Embedded, link: &Link) -> Option<(Range<usize>, bool)> {
    let Embedded { text, note } = embedded;
    let Some(subpath) = link.subpath.as_deref().filter(|subpath| !subpath.trim().is_empty()) else {
        return Some((note.body..text.as_str().len(), false));
    };
    if let Some(label) = link.footnote() {
        return Some((footnote(text, note, label)?, false));
    }
    if let Some(id) = link.block_id() {
        let id = fold(id.trim());
        let block = note.blocks.iter().find(|block| fold(&block.id) == id)?;
        // The id of a heading names its whole section.
        let heading = note.headings.iter().position(|heading| heading.span.contains(&block.span.start));
        return Some(match heading {
            Some(index) => (note.section_at(index).span, false),
            None => (block.block.clone(), true),
        });
    }
    let heading = note.find_heading(subpath)?.last().copied()?;
    Some((note.section_at(heading).span, false))
}

/// What a footnote says.
fn footnote(text: &NoteText, note: &Note, label: &str) -> Option<Range<usize>> {
    let (covered, _) = source::covered(text, note);
    let label = fold(label);
    let mut events = Parser::new_ext(&covered[note.body..], opaque::options()).into_offset_iter();
    let is_it = |event: &Event<'_>| matches!(event, Event::Start(Tag::FootnoteDefinition(name)) if fold(name) == label);
    let (_, definition) = events.find(|(event, _)| is_it(event))?;
    let (_, first) = events.next()?;
    Some(note.body + first.start..note.body + definition.end)
}

/// What a file is, by its extension.
fn kind(path: &RelPath) -> &'static str {
    let extension = path.extension().unwrap_or_default().to_lowercase();
    match extension.as_str() {
        "png" | "jpg" | "jpeg" | "gif" | "svg" | "webp" | "bmp" | "avif" | "ico" => "image",
        "mp3" | "wav" | "m4a" | "3gp" | "flac" | "ogg" | "oga" | "opus" => "audio",
        "mp4" | "webm" | "ogv" | "mov" | "mkv" => "video",
        "pdf" => "pdf",
        "canvas" => "canvas",
        "base" => "base",
        _ => "file",
    }
}
