//! Secrets that stay here. Only shapes that cannot be prose are hidden: private key blocks, the key prefixes of
//! well-known services, JSON web tokens and bearer tokens. Everything else is the person's text and goes out as it is.

use regex::Regex;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The secrets of one note, numbered in the order in which they first stand in it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Secrets {
    /// A secret and its number. A secret of several lines is followed by its lines, which may be shown one by one.
    words: Vec<(String, usize)>,
    n: usize,
    /// Numbers of placeholders that somebody wrote into the note; they stand for themselves, and no secret gets them.
    literal: Vec<usize>,
}

/// A text as it may leave, and how its places map back to the text it came from.
#[derive(Debug, Clone)]
pub(crate) struct Shown<'t> {
    pub text: Cow<'t, str>,
    /// Original range and the length of what stands in its place.
    hidden: Vec<(Range<usize>, usize)>,
}

impl Secrets {
    /// Finds the secrets of a note.
    pub fn of(text: &str) -> Secrets {
        Secrets::default().and(text)
    }

    /// Finds the secrets of another text, too; those that are known keep their numbers.
    pub fn and(self, text: &str) -> Secrets {
        let mut out = self;
        out.literal.extend(placeholders(text).filter_map(|(_, n)| n));
        for range in find(text) {
            let word = &text[range];
            if out.words.iter().any(|(known, _)| known == word) {
                continue;
            }
            out.n += 1;
            while out.literal.contains(&out.n) {
                out.n += 1;
            }
            out.words.push((word.to_owned(), out.n));
            if word.contains(['\n', '\r']) {
                let lines = word.split(['\n', '\r']).map(str::trim).filter(|line| is_key_line(line));
                out.words.extend(lines.map(|line| (line.to_owned(), out.n)));
            }
        }
        out
    }

    /// Hides nothing of a note, for a person who has switched hiding off. What reads like a placeholder in it is text.
    pub fn open(text: &str) -> Secrets {
        Secrets { literal: placeholders(text).filter_map(|(_, n)| n).collect(), ..Secrets::default() }
    }

    /// Knows nothing of any note.
    pub fn none() -> Secrets {
        Secrets::default()
    }

    /// Hides no more what somebody has said; to hide it from them would tell that it is right.
    pub fn but_for(&self, said: &str) -> Secrets {
        let words = self.words.iter().filter(|(word, _)| !said.contains(word.as_str())).cloned().collect();
        Secrets { words, ..self.clone() }
    }

    /// Whether there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Puts a placeholder in the place of each secret in a piece of the note.
    pub fn hide<'t>(&self, text: &'t str) -> Shown<'t> {
        let mut hidden: Vec<(Range<usize>, usize)> = Vec::new();
        if self.is_empty() {
            return Shown { text: Cow::Borrowed(text), hidden };
        }
        let mut places: Vec<(Range<usize>, usize)> = Vec::new();
        for (word, n) in &self.words {
            places.extend(text.match_indices(word.as_str()).map(|(at, word)| (at..at + word.len(), *n)));
        }
        places.sort_by_key(|(range, _)| (range.start, usize::MAX - range.end));
        let (mut out, mut at) = (String::with_capacity(text.len()), 0);
        for (range, n) in places.into_iter() {
            if range.start < at {
                continue;
            }
            let placeholder = format!("{OPEN}{n}{CLOSE}");
            out.push_str(&text[at..range.start]);
            out.push_str(&placeholder);
            at = range.end;
            hidden.push((range, placeholder.len()));
        }
        out.push_str(&text[at..]);
        Shown { text: Cow::Owned(out), hidden }
    }

    /// Whether a word stands in a secret, in any case.
    pub fn hold(&self, word: &str) -> bool {
        self.words.iter().any(|(secret, _)| secret.to_lowercase().contains(word))
    }

    /// Whether something that is looked for, or a word of it, stands in a secret only, or has a secret in it. `visible`
    /// is all that it may be found in as it may leave; both are `plain`.
    pub fn alone_hold(&self, wanted: &str, visible: &str) -> bool {
        let has_secret = |text: &str| self.words().any(|secret| text.contains(&secret.to_lowercase()));
        let is_hidden = |text: &str| (self.hold(text) || has_secret(text)) && !visible.contains(text);
        !self.is_empty() && words(wanted).chain([wanted.trim()]).any(is_hidden)
    }

    /// Returns each secret; one of several lines is followed by its lines.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|(word, _)| word.as_str())
    }

    /// Puts the originals back in the place of the placeholders that this note's text was shown with. `Err` holds the
    /// first placeholder that stands for nothing here.
    pub fn restore(&self, text: &str) -> Result<String, String> {
        let (mut out, mut at) = (String::with_capacity(text.len()), 0);
        for (range, n) in placeholders(text) {
            let word = self.words.iter().find(|(_, number)| Some(*number) == n).map(|(word, _)| word.as_str());
            let written = n.filter(|n| self.literal.contains(n)).map(|_| &text[range.clone()]);
            let Some(original) = word.or(written) else { return Err(text[range].to_owned()) };
            out.push_str(&text[at..range.start]);
            out.push_str(original);
            at = range.end;
        }
        out.push_str(&text[at..]);
        Ok(out)
    }
}

impl Shown<'_> {
    /// Whether anything was hidden.
    pub fn hides(&self) -> bool {
        !self.hidden.is_empty()
    }

    /// Returns the places of what was hidden in the original, each with the length of its placeholder.
    pub fn hidden(&self) -> &[(Range<usize>, usize)] {
        &self.hidden
    }

    /// Returns where a byte of the original lies in what is shown; a byte inside a secret lies at its placeholder.
    pub fn place_of(&self, byte: usize) -> usize {
        let (mut shift, mut out) = (0isize, byte);
        for (range, n) in &self.hidden {
            if byte < range.end {
                out = out.min(range.start);
                break;
            }
            shift += *n as isize - range.len() as isize;
        }
        (out as isize + shift) as usize
    }
}

/// Folds a text as a search does: case, accents and widths do not count.
pub(crate) fn plain(text: &str) -> String {
    let letters = text.nfkd().filter(|c| !is_combining_mark(*c));
    note::fold(&letters.collect::<String>())
}

/// Returns what stands between blanks, whole and in its parts.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
        .flat_map(|word| std::iter::once(word).chain(word.split(|c: char| !c.is_alphanumeric())))
        .filter(|word| !word.is_empty())
}

const OPEN: &str = "{{vidimus:secret:";
const CLOSE: &str = "}}";

/// Finds the placeholders in a text, each with its number; one that is no possible number has none.
fn placeholders(text: &str) -> impl Iterator<Item = (Range<usize>, Option<usize>)> + '_ {
    text.match_indices(OPEN).filter_map(|(at, _)| {
        let after = &text[at + OPEN.len()..];
        let end = after.bytes().position(|byte| !byte.is_ascii_digit())?;
        after[end..].starts_with(CLOSE).then_some(())?;
        Some((at..at + OPEN.len() + end + CLOSE.len(), after[..end].parse().ok()))
    })
}

/// Whether a line of a key gives anything away by itself; what is short may be prose elsewhere in the note.
fn is_key_line(line: &str) -> bool {
    let is_encoded = || line.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
    !line.starts_with("-----") && (line.len() >= 20 || line.len() >= 8 && is_encoded())
}

/// Each shape; where there is a group, only the group is the secret.
static SHAPES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----",
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\s+[A-Za-z0-9+/=]{16,})+",
        r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
        r"\bgh[pousr]_[A-Za-z0-9]{36,255}\b",
        r"\bgithub_pat_[A-Za-z0-9_]{36,255}\b",
        r"\bglpat-[A-Za-z0-9_-]{20,64}\b",
        r"\bxox[abeoprs]-[0-9A-Za-z-]{20,}\b",
        r"\b[spr]k_(?:live|test)_[A-Za-z0-9]{16,}\b",
        r"\bAIza[0-9A-Za-z_-]{35}\b",
        r"\bsk-(?:ant|proj|svcacct|admin|or)-[A-Za-z0-9_-]{20,}\b",
        r"\bsk-[A-Za-z0-9]{32,}\b",
        r"\bnpm_[A-Za-z0-9]{36}\b",
        r"\bpypi-[A-Za-z0-9_-]{50,}\b",
        r"\bhf_[A-Za-z0-9]{30,}\b",
        r"\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}\b",
        r"\bdop_v1_[a-f0-9]{64}\b",
        r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
        r"(?i)\bbearer[ \t]+([A-Za-z0-9._~+/-]{20,}=*)",
    ]
    .iter()
    .map(|shape| Regex::new(shape).expect("the shapes are constants and a test uses each of them"))
    .collect()
});

/// Returns the secrets in a text, in order and without overlaps.
fn find(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for shape in SHAPES.iter() {
        for place in shape.captures_iter(text) {
            match (place.get(1), place.get(0)) {
                // A bearer token has digits and letters; "bearer of good-tidings-and-joy" has not.
                (Some(token), _) => {
                    let mixed = token.as_str().bytes().any(|byte| byte.is_ascii_digit())
                        && token.as_str().bytes().any(|byte| byte.is_ascii_alphabetic());
                    found.extend(mixed.then(|| token.range()));
                }
                (None, whole) => found.extend(whole.map(|place| place.range())),
            }
        }
    }
    found.sort_by_key(|range| (range.start, usize::MAX - range.end));
    let mut end = 0;
    found.retain(|range| {
        let keep = range.start >= end;
        if keep {
            end = range.end;
        }
        keep
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        Secrets::of(text).hide(text).text.into_owned()
    }

    #[test]
    fn high_confidence_shapes_are_hidden() {
        let long = "Ab1".repeat(20);
        let key = format!("-----BEGIN PRIVATE KEY-----\n{long}\n{long}\n-----END PRIVATE KEY-----\n");
        assert_eq!(Secrets::of(&key).hide(&format!(" {long}")).text, " {{vidimus:secret:1}}");
        let cases = [
            format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{long}\n{long}\n-----END OPENSSH PRIVATE KEY-----"),
            format!("-----BEGIN PRIVATE KEY-----\n{long}\n{long}"),
            "AKIAIOSFODNN7EXAMPLE".to_owned(),
            format!("ghp_{}", &long[..36]),
            format!("github_pat_{}", &long[..40]),
            format!("glpat-{}", &long[..20]),
            format!("xoxb-{}", &long[..24]),
            format!("sk_live_{}", &long[..24]),
            format!("AIza{}", &long[..35]),
            format!("sk-ant-{}", &long[..40]),
            format!("sk-{}", &long[..48]),
            format!("npm_{}", &long[..36]),
            format!("pypi-{}", &long[..55]),
            format!("hf_{}", &long[..34]),
            format!("SG.{}.{}", &long[..22], &long[..43]),
            format!("dop_v1_{}", "0a".repeat(32)),
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN".to_owned(),
        ];
        for secret in &cases {
            assert_eq!(shown(&format!("key: {secret} .")), "key: {{vidimus:secret:1}} .", "{secret}");
        }
        assert_eq!(shown(&format!("Authorization: Bearer {long} x")), "Authorization: Bearer {{vidimus:secret:1}} x");
    }

    #[test]
    fn prose_is_left_alone() {
        for text in [
            "the bearer of good-tidings-and-lasting-joy came",
            "password: hunter2, token: abc123",
            "sk-learn-based-pipelines-are-fine, sk-short",
            "# API keys\n\nAKIA is a prefix; eyJ is another.",
            "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            "-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----",
        ] {
            assert_eq!(shown(text), text);
        }
    }

    #[test]
    fn placeholders_are_numbered_mapped_and_restored() {
        let (a, b) = ("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLF");
        let text = format!("one {a} two {b} three {a} four");
        let secrets = Secrets::of(&text);
        let shown = secrets.hide(&text);
        assert_eq!(shown.text, "one {{vidimus:secret:1}} two {{vidimus:secret:2}} three {{vidimus:secret:1}} four");
        for word in ["one", "two", "three", "four"] {
            let place = shown.place_of(text.find(word).unwrap());
            assert!(shown.text[place..].starts_with(word), "{word}");
        }
        assert_eq!(shown.place_of(text.len()), shown.text.len());
        assert_eq!(secrets.restore(&shown.text).as_deref(), Ok(text.as_str()));
        assert_eq!(secrets.restore("x {{vidimus:secret:3}} y"), Err("{{vidimus:secret:3}}".to_owned()));
        let written = Secrets::of(&format!("{{{{vidimus:secret:1}}}} {a} {{{{vidimus:secret:3}}}} {b}"));
        let shown = "{{vidimus:secret:1}} {{vidimus:secret:2}} {{vidimus:secret:3}} {{vidimus:secret:4}}";
        assert_eq!(
            written.restore(shown).unwrap(),
            format!("{{{{vidimus:secret:1}}}} {a} {{{{vidimus:secret:3}}}} {b}")
        );
        assert_eq!(
            secrets.restore("{{vidimus:secret:a}} {{vidimus:secret:").as_deref(),
            Ok("{{vidimus:secret:a}} {{vidimus:secret:")
        );
    }
}
