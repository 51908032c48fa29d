//! Reads HTML source tag by tag.

/// A piece of HTML source.
pub(super) enum Token<'s> {
    Text(&'s str),
    /// A comment, a declaration, a processing instruction.
    Hidden(&'s str),
    Start {
        source: &'s str,
        attributes: Vec<(&'s str, String)>,
    },
    End(&'s str),
}

impl Token<'_> {
    /// How long its source is.
    pub fn len(&self) -> usize {
        match self {
            Token::Text(source) | Token::Hidden(source) | Token::End(source) | Token::Start { source, .. } => {
                source.len()
            }
        }
    }
}

/// Reads the token that starts with `<`.
pub(super) fn token(source: &str) -> Token<'_> {
    let bytes = source.as_bytes();
    if let Some(comment) = source.strip_prefix("<!--") {
        return Token::Hidden(comment.find("-->").map_or(source, |at| &source[..at + 7]));
    }
    match bytes.get(1) {
        Some(b'!' | b'?') => Token::Hidden(source.find('>').map_or(source, |at| &source[..at + 1])),
        Some(b'/') if bytes.get(2).is_some_and(u8::is_ascii_alphabetic) => match source.find('>') {
            Some(at) => Token::End(&source[..at + 1]),
            None => Token::Text(source),
        },
        Some(letter) if letter.is_ascii_alphabetic() => start_tag(source).unwrap_or(Token::Text(source)),
        _ => Token::Text(&source[..1]),
    }
}

/// Reads a start tag; `None` if it never ends.
fn start_tag(source: &str) -> Option<Token<'_>> {
    let bytes = source.as_bytes();
    let mut at = 1 + tag_name(source).len();
    let mut attributes = Vec::new();
    loop {
        match bytes.get(at)? {
            b'>' => return Some(Token::Start { source: &source[..=at], attributes }),
            b'/' => at += 1,
            byte if byte.is_ascii_whitespace() => at += 1,
            _ => {
                let start = at;
                at += 1;
                at += bytes[at..].iter().position(|&b| b.is_ascii_whitespace() || matches!(b, b'=' | b'>' | b'/'))?;
                let name = &source[start..at];
                let after_name = at;
                at += space(&bytes[at..]);
                if bytes.get(at) != Some(&b'=') {
                    at = after_name;
                    attributes.push((name, String::new()));
                    continue;
                }
                at += 1;
                at += space(&bytes[at..]);
                let value = match bytes.get(at)? {
                    quote @ (b'"' | b'\'') => {
                        let len = bytes[at + 1..].iter().position(|b| b == quote)?;
                        let value = &source[at + 1..at + 1 + len];
                        at += len + 2;
                        value
                    }
                    _ => {
                        let len = bytes[at..].iter().position(|&b| b.is_ascii_whitespace() || b == b'>')?;
                        let value = &source[at..at + len];
                        at += len;
                        value
                    }
                };
                attributes.push((name, unescape(value)));
            }
        }
    }
}

fn space(bytes: &[u8]) -> usize {
    bytes.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(bytes.len())
}

/// Replaces the character references that matter in attribute values.
fn unescape(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let digits = rest.bytes().take(12).position(|b| b == b';');
        let decoded = digits.and_then(|end| {
            let name = &rest[1..end];
            let letter = match name {
                "amp" => '&',
                "quot" => '"',
                "apos" => '\'',
                "lt" => '<',
                "gt" => '>',
                "nbsp" => '\u{a0}',
                "colon" => ':',
                "Tab" | "NewLine" => ' ',
                _ => {
                    let number = name.strip_prefix('#')?;
                    let code = match number.strip_prefix(['x', 'X']) {
                        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                        None => number.parse().ok()?,
                    };
                    char::from_u32(code)?
                }
            };
            Some((letter, end + 1))
        });
        let (letter, len) = decoded.unwrap_or(('&', 1));
        out.push(letter);
        rest = &rest[len..];
    }
    out.push_str(rest);
    out
}

/// The name of the tag that `html` starts with.
pub(super) fn tag_name(html: &str) -> &str {
    let name = html.trim_start_matches(['<', '/']);
    &name[..name.bytes().position(|b| !b.is_ascii_alphanumeric() && b != b'-').unwrap_or(name.len())]
}
