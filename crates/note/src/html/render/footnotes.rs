//! Footnotes: numbered as they are referred to, written behind everything else.

use std::collections::HashMap;
use std::ops::Range;

use pulldown_cmark::{Event, Tag};

use super::super::writer::Attributes;
use super::Page;
use crate::path::fold;

/// The footnotes of a page.
#[derive(Default)]
pub(super) struct Footnotes {
    /// The events of each definition.
    definitions: HashMap<String, Range<usize>>,
    numbers: HashMap<String, usize>,
    /// In the order of their numbers.
    pub used: Vec<Footnote>,
    /// How often each was referred to.
    n_references: Vec<usize>,
}

/// The text of a footnote.
pub(super) enum Footnote {
    Defined(Range<usize>),
    /// The first event and the source of the text.
    Inline(usize, Range<usize>),
}

impl<'p> Page<'p> {
    pub(super) fn find_footnotes(&mut self) {
        for (at, (event, _)) in self.events.iter().enumerate() {
            if let Event::Start(Tag::FootnoteDefinition(label)) = event {
                self.footnotes.definitions.entry(fold(label)).or_insert(at + 1..self.pairs.ends[at]);
            }
        }
    }

    pub(super) fn footnote_reference(&mut self, label: &str) {
        let key = fold(label);
        let Some(events) = self.footnotes.definitions.get(&key).cloned() else {
            self.writer.text(&format!("[^{label}]"));
            return;
        };
        let number = match self.footnotes.numbers.get(&key) {
            Some(number) => *number,
            None => {
                self.footnotes.used.push(Footnote::Defined(events));
                let number = self.footnotes.used.len();
                self.footnotes.numbers.insert(key, number);
                number
            }
        };
        self.reference(number);
    }

    pub(super) fn reference(&mut self, number: usize) {
        let prefix = &self.prefix;
        let n_references = &mut self.footnotes.n_references;
        n_references.resize(n_references.len().max(number), 0);
        n_references[number - 1] += 1;
        let id = match n_references[number - 1] {
            1 => format!("{prefix}fnref-{number}"),
            nth => format!("{prefix}fnref-{number}-{nth}"),
        };
        self.writer.open("sup", &Attributes::class("footnote-ref").with("id", &id));
        if self.in_link() {
            self.writer.text(&number.to_string());
        } else {
            let attributes = Attributes::class("footnote-link").with("href", &format!("#{}fn-{number}", self.prefix));
            self.writer.open("a", &attributes.with("data-footnote", &number.to_string()));
            self.writer.text(&number.to_string());
            self.writer.close();
        }
        self.writer.close();
    }

    /// Writes the footnotes that were referred to; those may refer to more.
    pub(super) fn write_footnotes(&mut self) {
        if self.footnotes.used.is_empty() {
            return;
        }
        self.writer.newline();
        self.writer.open("section", &Attributes::class("footnotes"));
        self.writer.open("ol", &Attributes::new());
        self.part = 0..self.source.len();
        let mut at = 0;
        while let Some(footnote) = self.footnotes.used.get(at) {
            at += 1;
            let id = format!("{}fn-{at}", self.prefix);
            let depth = self.writer.depth();
            let (events, source) = match footnote {
                Footnote::Defined(events) => (events.clone(), 0..usize::MAX),
                Footnote::Inline(first, source) => (*first..self.events.len(), source.clone()),
            };
            let byte = match &self.events[events.start.min(self.events.len() - 1)] {
                _ if source.start > 0 => source.start,
                (_, range) => range.start,
            };
            let attributes = self.line(Attributes::new().with("id", &id).with("data-footnote", &at.to_string()), byte);
            self.writer.open("li", &attributes);
            self.hidden_to = source.start;
            self.n_links = 0;
            self.phrase_link = None;
            self.phrases.clear();
            self.walk(events, source.end);
            self.writer.close_to(depth + 1);
            let back = Attributes::class("footnote-backref").with("href", &format!("#{}fnref-{at}", self.prefix));
            self.writer.end_paragraph_with("a", &back, "↩");
            self.writer.close_to(depth);
            self.writer.newline();
        }
    }
}
