//! The marks of quotes and list items before a text, and where those end.

/// What stands before a byte on its line, if it is only indentation, quote marks and list markers.
#[derive(Clone, Copy)]
pub(super) struct Lead {
    pub n_quotes: usize,
    /// How far the text of a list item is indented behind the marks of the quotes around it.
    pub n_indent: usize,
    /// Whether it is indented so far that the text may be code.
    pub is_deep: bool,
}

/// Looks back no further than `before`, where the last mark ends.
pub(super) fn lead(bytes: &[u8], before: usize, at: usize) -> Option<Lead> {
    let start = match bytes[before..at].iter().rposition(|&b| is_eol(b)) {
        Some(eol) => before + eol + 1,
        None if before == 0 => 0,
        None => return None,
    };
    let lead = &bytes[start..at];
    let lead = lead.strip_prefix("\u{feff}".as_bytes()).unwrap_or(lead);
    let behind_quotes = lead.iter().rposition(|&b| b == b'>').map_or(0, |quote| quote + 1);
    let n_quotes = lead.iter().filter(|&&b| b == b'>').count();
    let is_deep = is_deep(lead, behind_quotes);
    let mut n_indent = 0;
    let mut rest = lead;
    loop {
        rest = &rest[rest.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'>')).count()..];
        if rest.is_empty() {
            return Some(Lead { n_quotes, n_indent, is_deep });
        }
        rest = behind_marker(rest).filter(|behind| !behind.is_empty())?;
        if lead.len() - rest.len() > behind_quotes {
            n_indent = lead.len() - behind_quotes;
        }
    }
}

/// Whether a block that begins at a byte ends the lists above unless it is indented into them: the line
/// before it holds no paragraph that it could go on with.
pub(super) fn stands_apart(bytes: &[u8], body: usize, at: usize) -> bool {
    let Some(eol) = bytes[body..at].iter().rposition(|&b| is_eol(b)) else { return false };
    let lead = &bytes[body + eol + 1..at];
    let behind_quotes = lead.iter().rposition(|&b| b == b'>').map_or(0, |quote| quote + 1);
    if is_deep(lead, behind_quotes) {
        return false;
    }
    let before = &bytes[body..start_of_ending(bytes, body + eol)];
    let line = &before[before.iter().rposition(|&b| is_eol(b)).map_or(0, |eol| eol + 1)..];
    !before.is_empty() && !may_go_on(line)
}

/// Whether what follows a lead may be indented code; a blank behind the mark of a quote belongs to that mark.
fn is_deep(lead: &[u8], behind_quotes: usize) -> bool {
    let n_most = 3 + usize::from(behind_quotes > 0);
    lead.len() - behind_quotes > n_most || lead[behind_quotes..].contains(&b'\t')
}

/// More marks of quotes and items stand on no line; each is looked at with all that follows it.
const MAX_MARKERS: usize = 64;

/// Whether a line may belong to a paragraph that the next one goes on with.
fn may_go_on(line: &[u8]) -> bool {
    let mut rest = line.trim_ascii();
    for _ in 0..MAX_MARKERS {
        let is_rule = |mark: u8| {
            rest.iter().all(|b| *b == mark || matches!(b, b' ' | b'\t'))
                && rest.iter().filter(|&&b| b == mark).count() >= 3
        };
        match rest {
            [] => return false,
            [b'#', ..] => {
                let behind = &rest[rest.iter().take_while(|&&b| b == b'#').count()..];
                return rest.len() - behind.len() > 6 || !matches!(behind, [] | [b' ' | b'\t', ..]);
            }
            [mark @ (b'`' | b'~'), ..] => return rest.len() < 3 || rest.iter().any(|b| b != mark),
            [mark @ (b'-' | b'*' | b'_'), ..] if is_rule(*mark) => return false,
            [b'>', behind @ ..] => rest = behind.trim_ascii_start(),
            _ => match behind_marker(rest) {
                Some(behind) => rest = behind.trim_ascii_start(),
                None => return true,
            },
        }
    }
    true
}

/// What follows the marker of a list item.
fn behind_marker(text: &[u8]) -> Option<&[u8]> {
    let n_marker = match text {
        [b'-' | b'*' | b'+', ..] => 1,
        _ => match text.iter().take_while(|b| b.is_ascii_digit()).count() {
            n_digits @ 1..10 if matches!(text.get(n_digits), Some(b'.' | b')')) => n_digits + 1,
            _ => return None,
        },
    };
    let behind = &text[n_marker..];
    matches!(behind, [] | [b' ' | b'\t', ..]).then_some(behind)
}

/// Where the quote or list item ends in which a line begins, if it ends before `until`.
pub(super) fn end_of_container(bytes: &[u8], lead: Lead, at: usize, until: usize) -> Option<usize> {
    let Lead { n_quotes, n_indent, .. } = lead;
    if n_quotes == 0 && n_indent == 0 {
        return None;
    }
    let mut eol = at + bytes[at..until].iter().position(|&b| is_eol(b))?;
    while eol < until {
        let start = eol + 1;
        let end = bytes[start..until].iter().position(|&b| is_eol(b)).map_or(until, |next| start + next);
        let is_inside_ending = bytes[eol] == b'\r' && bytes.get(start) == Some(&b'\n');
        let mut rest = &bytes[start..end];
        for _ in 0..n_quotes {
            match rest.trim_ascii_start() {
                [b'>', behind @ ..] => rest = behind,
                [] if is_inside_ending => {}
                _ => return Some(start_of_ending(bytes, eol)),
            }
        }
        let n_blanks = rest.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        let is_indented = n_blanks >= n_indent || rest[..n_blanks].contains(&b'\t');
        if n_blanks < rest.len() && !is_indented {
            return Some(start_of_ending(bytes, eol));
        }
        eol = end;
    }
    None
}

/// Where the ending of a line starts whose last byte is given.
fn start_of_ending(bytes: &[u8], last: usize) -> usize {
    last - usize::from(bytes[last] == b'\n' && last > 0 && bytes[last - 1] == b'\r')
}

pub(super) fn is_eol(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}
