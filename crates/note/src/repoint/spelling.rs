//! How a title is spelled inside each kind of link.

use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, percent_decode_str, percent_encode};

use crate::heading::strip_heading_for_link;
use crate::link::LinkEncoding;

/// What a URL's fragment cannot hold, or what Markdown would take for its own.
const UNSAFE: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');
const UNSAFE_AND_PARENTHESES: &AsciiSet = &UNSAFE.add(b'(').add(b')');
const ALL_BUT_PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');
const UNSAFE_IN_ANGLES: &AsciiSet = &CONTROLS.add(b'%').add(b'<').add(b'>').add(b'\\');

/// How much a spelling avoids, should a plainer one not read back as the link it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Care {
    /// As Obsidian writes it.
    Usual,
    /// Percent-encoding all but letters and digits, where there is such a thing.
    Encoded,
    /// Without the punctuation that Obsidian ignores when it compares.
    Bare,
}

impl Care {
    /// The next one to try.
    pub fn more(self) -> Option<Care> {
        match self {
            Care::Usual => Some(Care::Encoded),
            Care::Encoded => Some(Care::Bare),
            Care::Bare => None,
        }
    }
}

/// Writes a title as a segment of a link. `written` is the subpath that was there, whose habits
/// are kept.
pub(super) fn spell(title: &str, encoding: LinkEncoding, written: &str, care: Care) -> String {
    let mut title = strip_heading_for_link(title);
    if care == Care::Bare {
        title = without_punctuation(&title);
    }
    match encoding {
        LinkEncoding::Percent => percent(&title, written, care),
        LinkEncoding::Angle if written.contains('%') || care > Care::Usual => percent(&title, written, care),
        LinkEncoding::Angle => encode(&title, UNSAFE_IN_ANGLES, ""),
        LinkEncoding::Brackets | LinkEncoding::BracketsInTable => brackets(title),
        LinkEncoding::Plain => brackets(title),
        LinkEncoding::SingleQuoted => brackets(title).replace('\'', "''"),
        LinkEncoding::DoubleQuoted => brackets(title).replace('"', "\\\""),
    }
}

/// Whether a segment of a link spells a title already, be it with other characters encoded than we would encode.
pub(super) fn says(written: &str, title: &str, encoding: LinkEncoding) -> bool {
    let is_encoded = matches!(encoding, LinkEncoding::Percent | LinkEncoding::Angle) && written.contains('%');
    is_encoded && percent_decode_str(written).decode_utf8().is_ok_and(|text| text == strip_heading_for_link(title))
}

/// A bracket before the closing ones would end the link early.
fn brackets(title: String) -> String {
    if title.ends_with(']') { without(&title, |c| matches!(c, '[' | ']')) } else { title }
}

fn percent(title: &str, written: &str, care: Care) -> String {
    let set = if care > Care::Usual {
        ALL_BUT_PLAIN
    } else if is_balanced(title) {
        UNSAFE
    } else {
        UNSAFE_AND_PARENTHESES
    };
    encode(title, set, written)
}

/// Percent-encodes ASCII by the set, and the rest only if that is the habit of what was written.
pub(crate) fn encode(title: &str, set: &'static AsciiSet, written: &str) -> String {
    let with_unicode = has_encoded_unicode(written);
    let mut encoded = String::with_capacity(title.len());
    let mut buffer = [0; 4];
    for c in title.chars() {
        if c.is_ascii() || with_unicode {
            encoded.extend(percent_encode(c.encode_utf8(&mut buffer).as_bytes(), set));
        } else {
            encoded.push(c);
        }
    }
    encoded
}

fn has_encoded_unicode(written: &str) -> bool {
    let is_high = |digit: u8| matches!(digit, b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F');
    written.as_bytes().windows(3).any(|w| w[0] == b'%' && is_high(w[1]) && w[2].is_ascii_hexdigit())
}

fn is_balanced(title: &str) -> bool {
    let mut depth = 0usize;
    for byte in title.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => return false,
            b')' => depth -= 1,
            _ => {}
        }
    }
    depth == 0
}

fn without_punctuation(title: &str) -> String {
    without(title, |c| c.is_ascii_punctuation() && !matches!(c, '-' | '_' | '\''))
}

fn without(title: &str, is_left_out: impl Fn(char) -> bool) -> String {
    let blanked: String = title.chars().map(|c| if is_left_out(c) { ' ' } else { c }).collect();
    blanked.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_has_its_own_spelling() {
        use LinkEncoding::*;
        for (title, encoding, written, spelled) in [
            ("a) first, b", Percent, "Old", "a%29%20first,%20b"),
            ("Plan (b)", Percent, "Old", "Plan%20(b)"),
            ("a) b", Angle, "Old", "a) b"),
            ("a <b>", Angle, "Old", "a %3Cb%3E"),
            ("a b", Angle, "Old%20x", "a%20b"),
            ("Größe", Percent, "Alt", "Größe"),
            ("Größe", Percent, "%C3%84lter", "Gr%C3%B6%C3%9Fe"),
            ("50 % `x`", Percent, "Old", "50%20%25%20%60x%60"),
            ("C: a|b", BracketsInTable, "Old", "C a b"),
            ("What [now]", Brackets, "Old", "What now"),
            ("[x] y", Brackets, "Old", "[x] y"),
            ("it's", SingleQuoted, "Old", "it''s"),
            ("say \"a\\b\"", DoubleQuoted, "Old", "say \\\"a b\\\""),
        ] {
            assert_eq!(spell(title, encoding, written, Care::Usual), spelled, "{title:?} {encoding:?}");
        }
        assert_eq!(spell("R&amp;D (x", Percent, "Old", Care::Encoded), "R%26amp%3BD%20%28x");
        assert_eq!(spell("R&amp;D (x", Percent, "Old", Care::Bare), "R%20amp%20D%20x");
    }
}
