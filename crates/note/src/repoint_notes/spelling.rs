//! How a path is spelled inside each kind of link.

use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, percent_encode};

use crate::link::LinkEncoding;
use crate::repoint::spelling::encode;

/// What a URL's path cannot hold, or what Markdown would take for its own.
const UNSAFE: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');
const UNSAFE_AND_PARENTHESES: &AsciiSet = &UNSAFE.add(b'(').add(b')');
const UNSAFE_IN_ANGLES: &AsciiSet = &CONTROLS.add(b'#').add(b'%').add(b'<').add(b'>').add(b'\\');
const ALL_BUT_PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'/');

/// How much a spelling avoids, should a plainer one not read back as the link it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Care {
    /// As Obsidian writes it.
    Usual,
    /// Percent-encoding all but letters and digits, where there is such a thing.
    Encoded,
}

impl Care {
    /// The next one to try.
    pub fn more(self) -> Option<Care> {
        match self {
            Care::Usual => Some(Care::Encoded),
            Care::Encoded => None,
        }
    }
}

/// Writes a path as the target of a link. `written` is the target that was there, whose habits are
/// kept.
pub(super) fn spell(path: &str, encoding: LinkEncoding, written: &str, care: Care) -> String {
    match encoding {
        LinkEncoding::Percent | LinkEncoding::Angle if care == Care::Encoded => {
            percent_encode(path.as_bytes(), ALL_BUT_PLAIN).to_string()
        }
        LinkEncoding::Percent => {
            let set = if written.contains("%28") || written.contains("%29") { UNSAFE_AND_PARENTHESES } else { UNSAFE };
            let set = if path.matches('(').count() == path.matches(')').count() { set } else { UNSAFE_AND_PARENTHESES };
            encode(path, set, written)
        }
        LinkEncoding::Angle if written.contains('%') => encode(path, UNSAFE, written),
        LinkEncoding::Angle => encode(path, UNSAFE_IN_ANGLES, written),
        LinkEncoding::Brackets | LinkEncoding::BracketsInTable | LinkEncoding::Plain => path.to_owned(),
        LinkEncoding::SingleQuoted => path.replace('\'', "''"),
        LinkEncoding::DoubleQuoted => path.replace('\\', "\\\\").replace('"', "\\\""),
    }
}
