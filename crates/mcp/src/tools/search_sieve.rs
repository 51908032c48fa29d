//! Which results of a search may leave. The index knows the whole text, for the person's own window; what matched hidden
//! text only is stopped here, and so that neither a result nor its absence tells what is hidden.

use super::Call;
use super::resolve::secrets;
use super::sections::Pieces;
use crate::limits::secrets::{Secrets, plain};
use engine::{ContentHash, DeskView, OpenNote, Query, SearchHit};
use note::NoteText;
use regex::{Regex, RegexBuilder};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// A search, and what has been looked at for it.
pub(crate) struct Sieve<'a> {
    call: &'a Call<'a>,
    asked: &'a Query,
    patterns: Vec<Regex>,
    /// Whether more than one thing can make a result of a note, or keep it from being one: then stopping those that
    /// match hidden text would tell which they are, and no note with secrets comes out.
    is_intricate: bool,
    /// The notes with secrets among the results.
    notes: RefCell<HashMap<String, Option<Opened>>>,
    /// Whether what the index says is what is on disk.
    is_current: bool,
    /// Texts without, as they were read for this search.
    texts: RefCell<HashMap<String, NoteText>>,
}

/// How many texts are held until their results are made; a page has no more.
const MAX_TEXTS: usize = 100;

/// Where a result is: its file and its first line.
pub(crate) type Place = (String, u32);

/// Returns where a result is.
pub(crate) fn place(hit: &SearchHit) -> Place {
    (hit.path.clone(), hit.line_start)
}

/// A note and its secrets.
type Opened = Rc<(OpenNote, Secrets)>;

impl<'a> Sieve<'a> {
    pub fn new(call: &'a Call<'a>, asked: &'a Query) -> Sieve<'a> {
        Sieve {
            call,
            asked,
            is_intricate: is_intricate(&asked.text),
            patterns: patterns(&asked.text),
            notes: RefCell::default(),
            is_current: call.desk.is_current(),
            texts: RefCell::default(),
        }
    }

    /// Returns what is searched for.
    pub fn asked(&self) -> &Query {
        self.asked
    }

    /// Says what the query leaves out because of how it is made. That is said whether or not there is such a note.
    pub fn remark(&self) -> Option<String> {
        let left_out = self.is_intricate && self.call.settings.redact_secrets;
        left_out.then(|| "notes that have hidden secrets are left out where a query has OR or -".to_owned())
    }

    /// Whether a file with this text may have results that are stopped, as far as that is known without reading it.
    pub fn may_stop(&self, hash: Option<&ContentHash>) -> bool {
        self.call.settings.redact_secrets && hash.is_none_or(|hash| !self.call.remembered.is_clean(hash))
    }

    /// Returns the places of all results in these files that are stopped.
    pub fn stopped(&self, view: &DeskView, files: Vec<String>) -> HashSet<Place> {
        let secretive: HashSet<String> =
            files.into_iter().filter(|path| !self.call.is_cancelled() && self.note(path).is_some()).collect();
        if secretive.is_empty() {
            return HashSet::new();
        }
        let all = Query { limit: usize::MAX, offset: 0, ..self.asked.clone() };
        let found = view.search(&all, &|path, _| secretive.contains(path));
        found.hits.iter().filter(|hit| self.stops(hit)).map(place).collect()
    }

    /// Returns the pieces of the note at a path, if its text is the one that the index knows and holds nothing that must
    /// be hidden.
    pub fn pieces(&self, view: &DeskView, path: &str) -> Option<Arc<Pieces>> {
        let remembered = &self.call.remembered;
        let hash = view.known_hash(path).filter(|_| self.is_current)?;
        if let Some(known) = remembered.pieces(&hash) {
            return Some(known);
        }
        let text = self.texts.borrow_mut().remove(path).or_else(|| view.text(path))?;
        let none = secrets(self.call, text.as_str());
        if text.hash() != hash || !none.is_empty() {
            return None;
        }
        let pieces = Arc::new(Pieces::of(&text, &note::parse(&text), &none));
        remembered.found_pieces(hash, pieces.clone());
        Some(pieces)
    }

    /// Whether a result is there for hidden text only, or could tell of it.
    fn stops(&self, hit: &SearchHit) -> bool {
        let Some(note) = self.note(&hit.path) else { return false };
        let (open, secrets) = &*note;
        if self.is_intricate || self.asks_for_secret_property(open, secrets) {
            return true;
        }
        let (start, end) = (open.text.line_start(hit.line_start), open.text.line_start(hit.line_end.saturating_add(1)));
        let section = open.text.as_str().get(start..end.max(start)).unwrap_or_default();
        // What is looked through besides the section itself: the note's names and properties.
        let front = open.text.as_str().get(..open.note.body).unwrap_or_default();
        let more = format!("{}\n{}\n{front}", hit.path, open.title);
        let (shown, shown_more) = (secrets.hide(section).text, secrets.hide(&more).text);
        let visible = plain(&format!("{shown}\n{shown_more}"));
        let matches = |pattern: &Regex| {
            (pattern.is_match(&shown) || pattern.is_match(&shown_more))
                || !(pattern.is_match(section) || pattern.is_match(&more))
        };
        if !self.patterns.iter().all(matches) {
            return true;
        }
        let pairs = self.asked.properties.iter().flat_map(|(name, value)| [name, value]);
        let wanted = self.asked.tags.iter().chain(pairs).chain([&self.asked.text]);
        wanted.into_iter().any(|wanted| secrets.alone_hold(&plain(wanted), &visible))
    }

    /// Whether the query compares a property that has a secret in it: which notes come out would narrow it down.
    fn asks_for_secret_property(&self, open: &OpenNote, secrets: &Secrets) -> bool {
        if !self.asked.text.contains('[') {
            return false;
        }
        let query = plain(&self.asked.text);
        let front = open.note.frontmatter.iter().flat_map(|front| &front.entries);
        front.filter(|entry| entry.value.texts().iter().any(|text| secrets.hide(text).hides())).any(|entry| {
            let key = plain(&entry.key);
            query
                .match_indices(&key)
                .any(|(at, _)| query[at + key.len()..].trim_start_matches(['"', ' ']).starts_with(':'))
        })
    }

    fn note(&self, path: &str) -> Option<Opened> {
        if !self.call.settings.redact_secrets {
            return None;
        }
        let mut notes = self.notes.borrow_mut();
        let opened = notes.entry(path.to_owned()).or_insert_with(|| {
            let view = self.call.desk.view();
            // Most notes hold none, and what they mean is then of no interest.
            let text = view.text(path)?;
            if secrets(self.call, text.as_str()).is_empty() {
                self.call.remembered.found_clean(&text);
                let mut texts = self.texts.borrow_mut();
                if texts.len() < MAX_TEXTS {
                    texts.insert(path.to_owned(), text);
                }
                return None;
            }
            let open = view.open(path)?;
            let secrets = secrets(self.call, open.text.as_str());
            (!secrets.is_empty()).then(|| Rc::new((open, secrets)))
        });
        opened.clone()
    }
}

/// Whether a query has alternatives, or leaves out what has something in it.
fn is_intricate(query: &str) -> bool {
    let mut before = ' ';
    let mut chars = query.chars().peekable();
    while let Some(c) = chars.next() {
        let begins = chars.peek().is_some_and(|next| next.is_alphanumeric() || "\"([/#".contains(*next));
        if c == '-' && begins && !before.is_alphanumeric() && before != '_' {
            return true;
        }
        before = c;
    }
    query.split(|c: char| !c.is_alphanumeric()).any(|word| word == "OR")
}

/// Returns the expressions between strokes in a query, whatever else is in it.
fn patterns(query: &str) -> Vec<Regex> {
    let strokes: Vec<usize> = query.match_indices('/').map(|(at, _)| at).collect();
    let build = |body: &str| RegexBuilder::new(body).case_insensitive(true).size_limit(1 << 20).build().ok();
    let pairs =
        strokes.iter().flat_map(|start| strokes.iter().filter(|end| *end > start).map(|end| (*start + 1, *end)));
    pairs.take(64).filter(|(start, end)| start < end).filter_map(|(start, end)| build(&query[start..end])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_with_alternatives_or_exceptions_is_known() {
        for (query, is_so) in [
            ("a -b", true),
            ("-b", true),
            ("(-b)", true),
            ("a -/b/", true),
            ("-\"a b\"", true),
            ("path:-x", true),
            ("well-known", false),
            ("a - b", false),
            ("sk_-x", false),
            ("->", false),
            ("a OR b", true),
            ("(a)OR b", true),
            ("a or b", false),
            ("ORDER", false),
        ] {
            assert_eq!(is_intricate(query), is_so, "{query}");
        }
    }
}
