//! Just enough JSON to know where the strings of a canvas or of the bookmarks are.

use std::ops::Range;

/// A string of the JSON.
#[derive(Debug)]
pub(crate) struct Text {
    pub value: String,
    /// The bytes of the string, quotes included.
    pub span: Range<usize>,
    /// Where each byte of the value is written, and where the closing quote is.
    raw: Vec<u32>,
}

impl Text {
    /// Where a byte of the value is in the JSON.
    pub fn raw(&self, at: usize) -> usize {
        self.raw.get(at).map_or(self.span.end, |&raw| raw as usize)
    }
}

/// The string members of an object.
pub(crate) type Strings = Vec<(String, Text)>;

/// Takes the string of this name out of an object.
pub(crate) fn take(strings: &mut Strings, key: &str) -> Option<Text> {
    let at = strings.iter().position(|(name, _)| name == key)?;
    Some(strings.swap_remove(at).1)
}

/// Which lists of objects are asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Lists {
    /// The list of this name in the outermost object.
    Outermost(&'static str),
    /// The list of this name in the outermost object, and those of the same name in the objects of such a list.
    Nested(&'static str),
}

/// The objects in such lists. None if this is no JSON.
pub(crate) fn objects(json: &str, lists: Lists) -> Vec<Strings> {
    let start = if json.starts_with('\u{feff}') { 3 } else { 0 };
    // This also bounds how deep the lists can lie in each other.
    let is_json = serde_json::from_str::<serde::de::IgnoredAny>(&json[start..]).is_ok();
    if !is_json || json.len() > u32::MAX as usize {
        return Vec::new();
    }
    let mut cursor = Cursor { json, at: start, lists };
    let mut objects = Vec::new();
    cursor.read_object(true, &mut objects);
    objects
}

/// Writes a text as the inside of a JSON string.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            c if u32::from(c) < 0x20 => escaped.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Walks over JSON that is known to be valid; every step still ends at the end of the text.
struct Cursor<'j> {
    json: &'j str,
    at: usize,
    lists: Lists,
}

impl Cursor<'_> {
    /// Reads one object and returns its strings; those of the objects in its list come before it in `found`.
    fn read_object(&mut self, is_outermost: bool, found: &mut Vec<Strings>) -> Option<Strings> {
        let list = match self.lists {
            Lists::Outermost(name) => is_outermost.then_some(name),
            Lists::Nested(name) => Some(name),
        };
        let mut strings = Vec::new();
        self.expect(b'{')?;
        while self.peek()? != b'}' {
            let key = self.string()?;
            self.expect(b':')?;
            match self.peek()? {
                b'"' => strings.push((key.value, self.string()?)),
                b'[' if list == Some(key.value.as_str()) => self.read_list(found)?,
                _ => self.skip_value()?,
            }
            self.skip_comma();
        }
        self.expect(b'}')?;
        Some(strings)
    }

    fn read_list(&mut self, found: &mut Vec<Strings>) -> Option<()> {
        self.expect(b'[')?;
        while self.peek()? != b']' {
            if self.peek()? == b'{' {
                let strings = self.read_object(false, found)?;
                found.push(strings);
            } else {
                self.skip_value()?;
            }
            self.skip_comma();
        }
        self.expect(b']')
    }

    fn peek(&mut self) -> Option<u8> {
        while self.json.as_bytes().get(self.at)?.is_ascii_whitespace() {
            self.at += 1;
        }
        Some(self.json.as_bytes()[self.at])
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        let found = self.peek()? == byte;
        self.at += usize::from(found);
        found.then_some(())
    }

    fn skip_comma(&mut self) {
        let _ = self.expect(b',');
    }

    fn skip_value(&mut self) -> Option<()> {
        let mut depth = 0usize;
        loop {
            match self.peek()? {
                b'"' => drop(self.string()?),
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' => self.at += 1,
                _ => {
                    let rest = &self.json.as_bytes()[self.at..];
                    let is_end = |b: &u8| b.is_ascii_whitespace() || b",:]}[{\"".contains(b);
                    self.at += rest.iter().position(is_end).unwrap_or(rest.len()).max(1);
                }
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    fn string(&mut self) -> Option<Text> {
        self.expect(b'"')?;
        let start = self.at - 1;
        let (mut value, mut raw) = (String::new(), Vec::new());
        loop {
            let at = self.at;
            let c = self.json[at..].chars().next()?;
            self.at += c.len_utf8();
            let c = match c {
                '"' => {
                    raw.push(at as u32);
                    return Some(Text { value, span: start..self.at, raw });
                }
                '\\' => self.escaped()?,
                c => c,
            };
            value.push(c);
            raw.extend(std::iter::repeat_n(at as u32, c.len_utf8()));
            // Inside a character written as itself every byte has its own place.
            let n = c.len_utf8();
            if self.at - at == n {
                let from = raw.len() - n;
                for (nth, place) in raw[from..].iter_mut().enumerate() {
                    *place += nth as u32;
                }
            }
        }
    }

    fn escaped(&mut self) -> Option<char> {
        let c = self.json[self.at..].chars().next()?;
        self.at += c.len_utf8();
        Some(match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => {
                let high = self.hex()?;
                let pair = self.json[self.at..].starts_with("\\u") && (0xd800..0xdc00).contains(&high);
                if pair {
                    let before = self.at;
                    self.at += 2;
                    let low = self.hex()?;
                    if (0xdc00..0xe000).contains(&low) {
                        return char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
                    }
                    self.at = before;
                }
                char::from_u32(high).unwrap_or('\u{fffd}')
            }
            c => c,
        })
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.json.get(self.at..self.at + 4)?;
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }
}
