//! Chunks: a note cut at its headings, and long sections at their paragraphs. A chunk's name is
//! `<note id>::<slug path>::<n>`, which no edit elsewhere in the note moves. After an `@` the first digits of two hashes
//! follow: the note's, so that a name from an older text is noticed, and the chunk's own, so that it is found again in the
//! text of now.

use super::secrets::Secrets;
use note::{ContentHash, Note, NoteText};
use std::collections::HashMap;
use std::ops::Range;

/// A piece of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// The heading that covers it, as an index into the note's headings; `None` before the first one.
    pub heading: Option<usize>,
    /// Bytes of the note.
    pub span: Range<usize>,
    pub slugs: String,
    /// Counts the chunks of equal slug path.
    pub n: usize,
}

/// A chunk's name, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChunkName {
    pub note_id: String,
    pub slugs: String,
    pub n: usize,
    /// The first digits of the hash of the text that it was cut from.
    pub hash_start: Option<String>,
    /// The first digits of the chunk's own hash.
    pub own_start: Option<String>,
}

/// What became of a chunk whose note has another text now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It stands in the note as it was, here.
    Unchanged(usize),
    /// There is a chunk of its name, this one, with another text.
    Changed(usize),
    /// It is gone; this one is the first of the nearest heading that is left of its path.
    Gone(Option<usize>),
}

/// How many characters a chunk aims to stay under.
const CHUNK_CHARS: usize = 4000;
/// How many characters of a title its slug is made of. Names stay short, and titles that begin alike count on.
const SLUG_CHARS: usize = 48;
/// How many digits of the note's hash a name carries.
const HASH_DIGITS: usize = 12;
/// How many digits of its own.
const OWN_DIGITS: usize = 8;

/// Cuts a note into chunks, in document order. Together they are the whole body. Names are made of what may be shown of
/// the titles.
pub(crate) fn chunks(text: &NoteText, note: &Note, secrets: &Secrets) -> Vec<Chunk> {
    let all = text.as_str();
    let first = note.headings.first().map_or(note.len, |heading| heading.span.start);
    let (mut out, mut known) = (Vec::new(), HashMap::new());
    let body = note.body.min(first);
    if !all[body..first].trim().is_empty() || note.headings.is_empty() {
        cut_up(all, body..first, None, String::new(), &mut known, &mut out);
    }
    for (index, heading) in note.headings.iter().enumerate() {
        let end = note.headings.get(index + 1).map_or(note.len, |next| next.span.start);
        let slugs: Vec<String> = note.heading_path(index).iter().map(|title| slug(&secrets.hide(title).text)).collect();
        cut_up(all, heading.span.start..end, Some(index), slugs.join("/"), &mut known, &mut out);
    }
    out
}

impl Chunk {
    /// Returns the chunk's name.
    pub fn name(&self, note_id: &str, text: &NoteText) -> String {
        let (hash, own) = (text.hash().to_string(), self.hash(text).to_string());
        format!("{note_id}::{}::{}@{}.{}", self.slugs, self.n, &hash[..HASH_DIGITS], &own[..OWN_DIGITS])
    }

    /// Returns the hash of the chunk's own bytes.
    pub fn hash(&self, text: &NoteText) -> ContentHash {
        ContentHash::of(&text.bytes()[self.span.clone()])
    }
}

impl ChunkName {
    /// Takes a name apart; `None` when the text is not one.
    pub fn parse(text: &str) -> Option<ChunkName> {
        let (note_id, rest) = text.split_once("::")?;
        let (slugs, end) = rest.rsplit_once("::")?;
        let (n, hashes) = match end.split_once('@') {
            Some((n, hashes)) => (n, Some(hashes)),
            None => (end, None),
        };
        let (hash, own) = match hashes.and_then(|hashes| hashes.split_once('.')) {
            Some((hash, own)) => (Some(hash), Some(own)),
            None => (hashes, None),
        };
        let known = |text: &str| (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let fits = hash.is_none_or(known) && own.is_none_or(known);
        let id_fits = note_id.len() == 26 && note_id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        (fits && id_fits).then_some(())?;
        Some(ChunkName {
            note_id: note_id.to_uppercase(),
            slugs: slugs.to_owned(),
            n: n.parse().ok()?,
            hash_start: hash.map(str::to_lowercase),
            own_start: own.map(str::to_lowercase),
        })
    }

    /// Whether the note still has the text that the name was made from.
    pub fn fits(&self, hash: &ContentHash) -> bool {
        self.hash_start.as_ref().is_none_or(|start| hash.to_string().starts_with(start.as_str()))
    }

    /// Returns the index of the chunk that has this name without its hashes.
    pub fn find(&self, chunks: &[Chunk]) -> Option<usize> {
        chunks.iter().position(|chunk| chunk.slugs == self.slugs && chunk.n == self.n)
    }

    /// Works out what became of the chunk in another text of its note.
    pub fn fate(&self, chunks: &[Chunk], text: &NoteText) -> Fate {
        let named = self.find(chunks);
        let is_it = |chunk: &Chunk| {
            let own = self.own_start.as_ref();
            own.is_some_and(|start| chunk.hash(text).to_string().starts_with(start.as_str()))
        };
        let same: Vec<usize> = (0..chunks.len()).filter(|at| is_it(&chunks[*at])).collect();
        // Among equal texts the one of its own name is the likeliest, then one below the same headings.
        let likeness = |at: &usize| match chunks[*at].slugs == self.slugs {
            true => 1 + usize::from(chunks[*at].n == self.n),
            false => 0,
        };
        if let Some(at) = same.into_iter().rev().max_by_key(likeness) {
            return Fate::Unchanged(at);
        }
        if let Some(at) = named {
            return Fate::Changed(at);
        }
        let mut slugs = self.slugs.as_str();
        loop {
            if let Some(at) = chunks.iter().position(|chunk| chunk.slugs == slugs) {
                return Fate::Gone(Some(at));
            }
            match slugs.rsplit_once('/') {
                Some((above, _)) => slugs = above,
                None => return Fate::Gone(None),
            }
        }
    }
}

/// `known` counts the chunks of each slug path so far.
fn cut_up(
    all: &str,
    span: Range<usize>,
    heading: Option<usize>,
    slugs: String,
    known: &mut HashMap<String, usize>,
    out: &mut Vec<Chunk>,
) {
    let n = known.entry(slugs.clone()).or_default();
    let mut rest = span;
    loop {
        let end = rest.start + paragraphs(&all[rest.clone()]);
        out.push(Chunk { heading, span: rest.start..end, slugs: slugs.clone(), n: *n });
        *n += 1;
        if end == rest.end {
            return;
        }
        rest.start = end;
    }
}

/// Returns how many bytes the first chunk of a text takes: up to the last blank line within the limit, else the last
/// line within it, else one line.
fn paragraphs(text: &str) -> usize {
    let (mut chars, mut at) = (0, 0);
    let (mut line_end, mut blank_end) = (None, None);
    for line in text.split_inclusive('\n') {
        chars += line.chars().count();
        if chars > CHUNK_CHARS && at > 0 {
            return blank_end.or(line_end).unwrap_or(at);
        }
        at += line.len();
        line_end = Some(at);
        if line.trim().is_empty() {
            blank_end = Some(at);
        }
    }
    text.len()
}

/// Makes a title's slug: its first letters and digits in lower case, whatever their script, everything else as one dash.
fn slug(title: &str) -> String {
    let mut out = String::new();
    for c in title.chars().take(SLUG_CHARS) {
        if c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    out.truncate(out.trim_end_matches('-').len());
    match out.is_empty() {
        true => "-".to_owned(),
        false => out,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: Expect) {
        let text = NoteText::new(text.as_bytes().to_vec()).unwrap();
        let note = note::parse(&text);
        let chunks = chunks(&text, &note, &Secrets::none());
        let whole: String = chunks.iter().map(|chunk| &text.as_str()[chunk.span.clone()]).collect();
        assert!(text.as_str().ends_with(&whole));
        let listed: String = chunks
            .iter()
            .map(|chunk| {
                format!("{}::{} [{}]\n", chunk.slugs, chunk.n, text.as_str()[chunk.span.clone()].escape_debug())
            })
            .collect();
        expected.assert_eq(&listed);
    }

    #[test]
    fn a_note_is_cut_at_its_headings() {
        check(
            "---\na: 1\n---\nintro\n# Über & uns\none\n## 漢字 🚀\ntwo\n## 漢字 🚀\nthree\n## ***\n",
            expect![[r#"
                ::0 [intro\n]
                über-uns::0 [# Über & uns\none\n]
                über-uns/漢字::0 [## 漢字 🚀\ntwo\n]
                über-uns/漢字::1 [## 漢字 🚀\nthree\n]
                über-uns/-::0 [## ***\n]
            "#]],
        );
        check(
            "",
            expect![[r#"
            ::0 []
        "#]],
        );
    }

    #[test]
    fn a_long_section_is_cut_between_paragraphs() {
        let text = format!("# A\n\n{}\n\n{}\n", "x".repeat(2500), "y".repeat(2500));
        let text = NoteText::new(text.into_bytes()).unwrap();
        let chunks = chunks(&text, &note::parse(&text), &Secrets::none());
        let cut: Vec<usize> = chunks.iter().map(|chunk| chunk.span.len()).collect();
        assert_eq!(cut, [2507, 2501]);
    }

    #[test]
    fn names_are_taken_apart_as_they_were_made() {
        let text = NoteText::from_str("x");
        let hash = text.hash();
        let chunk = Chunk { heading: None, span: 0..0, slugs: "a/b::c".to_owned(), n: 3 };
        let name = ChunkName::parse(&chunk.name("01ARZ3NDEKTSV4RRFFQ69G5FAV", &text)).unwrap();
        assert_eq!((name.slugs.as_str(), name.n), ("a/b::c", 3));
        assert!(name.fits(&hash) && !name.fits(&ContentHash::of(b"y")));
        assert_eq!(name.own_start.as_deref(), Some(&ContentHash::of(b"").to_string()[..OWN_DIGITS]));
        let older = ChunkName::parse("01ARZ3NDEKTSV4RRFFQ69G5FAV::a::1@00ff").unwrap();
        assert_eq!((older.hash_start.as_deref(), older.own_start), (Some("00ff"), None));
        assert!(ChunkName::parse("01ARZ3NDEKTSV4RRFFQ69G5FAV::a::1").unwrap().fits(&hash));
        for wrong in [
            "a::b::1",
            "01ARZ3NDEKTSV4RRFFQ69G5FAV::1",
            "01ARZ3NDEKTSV4RRFFQ69G5FAV::a::x",
            "01ARZ3NDEKTSV4RRFFQ69G5FAV::a::1@00ff.",
            "notes/a::b.md",
        ] {
            assert_eq!(ChunkName::parse(wrong), None, "{wrong}");
        }
    }
}
