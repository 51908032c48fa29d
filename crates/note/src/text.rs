//! The text of a note: exact bytes, with what must be known to write them back.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::hash::ContentHash;

const BOM: &str = "\u{feff}";

/// The exact text of a note. Clones are cheap.
#[derive(Clone)]
pub struct NoteText(Arc<Inner>);

struct Inner {
    text: String,
    hash: ContentHash,
    eol: Eol,
    is_exact: bool,
    has_cr: bool,
    line_starts: OnceLock<Vec<usize>>,
}

/// How lines end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum Eol {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
    /// `\r`
    Cr,
}

impl Eol {
    /// The characters themselves.
    pub fn as_str(self) -> &'static str {
        match self {
            Eol::Lf => "\n",
            Eol::CrLf => "\r\n",
            Eol::Cr => "\r",
        }
    }
}

/// Bytes that are not UTF-8, handed back to the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("text is not UTF-8: first wrong byte at {valid_up_to}")]
pub struct NotUtf8 {
    /// The bytes as they came.
    pub bytes: Vec<u8>,
    /// Where the first wrong byte is.
    pub valid_up_to: usize,
}

impl NoteText {
    /// Takes bytes that must be UTF-8.
    pub fn new(bytes: Vec<u8>) -> Result<NoteText, NotUtf8> {
        match String::from_utf8(bytes) {
            Ok(text) => {
                let hash = ContentHash::of(text.as_bytes());
                Ok(NoteText::with(text, hash, true))
            }
            Err(error) => {
                let valid_up_to = error.utf8_error().valid_up_to();
                Err(NotUtf8 { bytes: error.into_bytes(), valid_up_to })
            }
        }
    }

    /// Takes any bytes, for reading only: what is not UTF-8 becomes replacement characters.
    ///
    /// The hash is that of the real bytes, and no edit applies to such a text.
    pub fn lossy(bytes: Vec<u8>) -> NoteText {
        NoteText::new(bytes).unwrap_or_else(|not_utf8| {
            let hash = ContentHash::of(&not_utf8.bytes);
            let text = String::from_utf8_lossy(&not_utf8.bytes).into_owned();
            NoteText::with(text, hash, false)
        })
    }

    /// Takes a text.
    // Not the trait: this cannot fail.
    #[allow(clippy::should_implement_trait)]
    pub fn from_str(text: &str) -> NoteText {
        NoteText::with(text.to_owned(), ContentHash::of(text.as_bytes()), true)
    }

    fn with(text: String, hash: ContentHash, is_exact: bool) -> NoteText {
        let has_cr = memchr::memchr(b'\r', text.as_bytes()).is_some();
        let eol = if has_cr { habit(&text) } else { Eol::Lf };
        NoteText(Arc::new(Inner { text, hash, eol, is_exact, has_cr, line_starts: OnceLock::new() }))
    }

    /// The whole text, byte order mark included.
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// The bytes of [`NoteText::as_str`].
    pub fn bytes(&self) -> &[u8] {
        self.0.text.as_bytes()
    }

    /// The hash of the bytes on disk.
    pub fn hash(&self) -> ContentHash {
        self.0.hash
    }

    /// How most lines end; `\n` if no line ends.
    pub fn eol(&self) -> Eol {
        self.0.eol
    }

    /// Whether the text is exactly the bytes that were read.
    pub fn is_exact(&self) -> bool {
        self.0.is_exact
    }

    /// Whether the text starts with a byte order mark.
    pub fn has_bom(&self) -> bool {
        self.0.text.starts_with(BOM)
    }

    /// Where the text starts behind a byte order mark.
    pub fn content_start(&self) -> usize {
        if self.has_bom() { BOM.len() } else { 0 }
    }

    /// What an editor sees: no byte order mark, every line ending `\n`.
    pub fn lf(&self) -> String {
        to_lf(&self.0.text[self.content_start()..])
    }

    /// The number of lines; a last line without an ending counts, an empty one does not.
    pub fn n_lines(&self) -> u32 {
        LineCount::new(self).n_lines()
    }

    /// The 1-based line that holds a byte. `\n`, `\r\n` and `\r` each end a line.
    pub fn line_of(&self, byte: usize) -> u32 {
        self.line_starts().partition_point(|&start| start <= byte) as u32
    }

    /// Where a 1-based line starts; the end of the text past the last line.
    pub fn line_start(&self, line: u32) -> usize {
        let index = (line as usize).saturating_sub(1);
        self.line_starts().get(index).copied().unwrap_or(self.0.text.len())
    }

    fn line_starts(&self) -> &[usize] {
        self.0.line_starts.get_or_init(|| {
            let mut starts = Vec::with_capacity(self.0.text.len() / 32 + 1);
            starts.push(0);
            let bytes = self.bytes();
            if self.0.has_cr {
                let ends = memchr::memchr2_iter(b'\n', b'\r', bytes);
                let is_end = |&at: &usize| bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n');
                starts.extend(ends.filter(is_end).map(|at| at + 1));
            } else {
                starts.extend(memchr::memchr_iter(b'\n', bytes).map(|at| at + 1));
            }
            starts
        })
    }
}

/// Counts lines on the way through a text, which is faster than to look where each line starts.
pub(crate) struct LineCount<'t> {
    text: &'t NoteText,
    at: usize,
    line: u32,
}

/// Whoever goes back further is no longer on the way.
const MAX_BACK: usize = 1 << 12;

impl LineCount<'_> {
    pub fn new(text: &NoteText) -> LineCount<'_> {
        LineCount { text, at: 0, line: 1 }
    }

    /// The 1-based line that holds a byte, as [`NoteText::line_of`] tells it.
    pub fn line_of(&mut self, byte: usize) -> u32 {
        let bytes = self.text.bytes();
        // Only line feeds are counted here.
        if self.text.0.has_cr || byte > bytes.len() || byte + MAX_BACK < self.at {
            return self.text.line_of(byte);
        }
        if byte < self.at {
            self.line -= n_line_feeds(&bytes[byte..self.at]);
        } else {
            self.line += n_line_feeds(&bytes[self.at..byte]);
        }
        self.at = byte;
        self.line
    }

    /// The number of lines, as [`NoteText::n_lines`] tells it.
    pub fn n_lines(&mut self) -> u32 {
        let bytes = self.text.bytes();
        let is_last_empty = matches!(bytes.last(), Some(b'\n' | b'\r'));
        self.line_of(bytes.len()) - u32::from(is_last_empty)
    }
}

/// Counts in bytes, which the compiler turns into few instructions; no count of a piece overflows.
fn n_line_feeds(bytes: &[u8]) -> u32 {
    let of_piece = |piece: &[u8]| piece.iter().map(|&byte| u8::from(byte == b'\n')).sum::<u8>();
    bytes.chunks(128).map(|piece| u32::from(of_piece(piece))).sum()
}

impl std::fmt::Debug for NoteText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(&self.0.text, f)
    }
}

impl PartialEq for NoteText {
    fn eq(&self, other: &Self) -> bool {
        self.0.hash == other.0.hash
    }
}

impl Eq for NoteText {}

/// One line: its content and its ending, as byte ranges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub content: Range<usize>,
    pub eol: Range<usize>,
}

/// The lines of a text from a byte on. The last one may have an empty ending; a text that ends
/// with a line ending has no empty line after it.
pub(crate) fn lines(text: &str, from: usize) -> impl Iterator<Item = Line> + '_ {
    let bytes = text.as_bytes();
    let mut at = from;
    std::iter::from_fn(move || {
        if at >= bytes.len() {
            return None;
        }
        let start = at;
        let end = memchr::memchr2(b'\n', b'\r', &bytes[at..]).map_or(bytes.len(), |n| at + n);
        let next = match bytes.get(end) {
            None => end,
            Some(b'\r') if bytes.get(end + 1) == Some(&b'\n') => end + 2,
            Some(_) => end + 1,
        };
        at = next;
        Some(Line { content: start..end, eol: end..next })
    })
}

/// Turns every line ending into `\n`.
pub(crate) fn to_lf(text: &str) -> String {
    if !text.contains('\r') {
        return text.to_owned();
    }
    let mut lf = String::with_capacity(text.len());
    for line in lines(text, 0) {
        lf.push_str(&text[line.content]);
        if !line.eol.is_empty() {
            lf.push('\n');
        }
    }
    lf
}

fn habit(text: &str) -> Eol {
    let (mut n_lf, mut n_crlf, mut n_cr) = (0usize, 0usize, 0usize);
    let mut before = 0u8;
    for &byte in text.as_bytes() {
        match (before, byte) {
            (b'\r', b'\n') => {
                n_crlf += 1;
                n_cr -= 1;
            }
            (_, b'\n') => n_lf += 1,
            (_, b'\r') => n_cr += 1,
            _ => {}
        }
        before = byte;
    }
    if n_crlf > n_lf && n_crlf >= n_cr {
        Eol::CrLf
    } else if n_cr > n_lf {
        Eol::Cr
    } else {
        Eol::Lf
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_ending_ends_a_line() {
        let text = NoteText::from_str("a\r\nb\rc\n\nd");
        let starts: Vec<usize> = (1..=5).map(|line| text.line_start(line)).collect();
        assert_eq!(starts, [0, 3, 5, 7, 8]);
        assert_eq!(text.n_lines(), 5);
        assert_eq!([text.line_of(0), text.line_of(2), text.line_of(3), text.line_of(9)], [1, 1, 2, 5]);
        assert_eq!(text.lf(), "a\nb\nc\n\nd");
        assert_eq!(text.line_start(99), 9);
        assert_eq!(NoteText::from_str("a\n").n_lines(), 1);
        assert_eq!(NoteText::from_str("").n_lines(), 1);
    }

    #[test]
    fn counting_tells_what_the_table_tells() {
        for text in ["", "\n", "a", "a\n", "\na\n\nbc\nd", "a\r\nb\rc\n\nd\r"] {
            let (counted, looked_up) = (NoteText::from_str(text), NoteText::from_str(text));
            looked_up.line_start(1);
            assert_eq!(counted.n_lines(), looked_up.n_lines(), "{text:?}");
            let mut count = LineCount::new(&counted);
            for byte in (0..=text.len()).chain((0..text.len()).rev()).chain([text.len(), 0, text.len()]) {
                assert_eq!(count.line_of(byte), looked_up.line_of(byte), "{byte} of {text:?}");
            }
        }
        let long = NoteText::from_str(&"a\n".repeat(MAX_BACK));
        let mut count = LineCount::new(&long);
        assert_eq!([2 * MAX_BACK - 1, 2, 4].map(|byte| count.line_of(byte)), [MAX_BACK as u32, 2, 3]);
    }

    #[test]
    fn the_habit_is_the_majority() {
        for (text, eol) in [
            ("", Eol::Lf),
            ("a\r\nb\r\nc\n", Eol::CrLf),
            ("a\rb\r", Eol::Cr),
            ("a\nb\r\n", Eol::Lf),
            ("a\r\nb\rc\r\n", Eol::CrLf),
        ] {
            assert_eq!(NoteText::from_str(text).eol(), eol, "{text:?}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_stay_known_by_their_own_hash() {
        let bytes = b"Caf\xe9".to_vec();
        let error = NoteText::new(bytes.clone()).unwrap_err();
        assert_eq!((error.bytes, error.valid_up_to), (bytes.clone(), 3));
        let text = NoteText::lossy(bytes.clone());
        assert!(!text.is_exact());
        assert_eq!(text.as_str(), "Caf\u{fffd}");
        assert_eq!(text.hash(), ContentHash::of(&bytes));
    }

    #[test]
    fn an_editor_sees_no_byte_order_mark() {
        let text = NoteText::from_str("\u{feff}a\r");
        assert_eq!(text.lf(), "a\n");
        assert_eq!(text.as_str().len(), 5);
    }
}
