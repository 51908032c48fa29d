//! How text is cut into words, the same for what is indexed, what is asked and what is highlighted.
//!
//! - Case and accents fold away, widths and ligatures too; `ß` is `ss`.
//! - Scripts written without spaces (and Hangul, whose particles stick to words) are cut into single
//!   characters and overlapping pairs, so that any part of a run can be found.
//! - Identifiers are cut at every mark and hump; a query for the whole is a phrase of its parts.
//!   `getUserName` is also kept in one piece, and `C++` keeps its pluses.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Longer words are data, not language: they are not indexed.
const MAX_BYTES: usize = 160;

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// The folded form.
    pub(crate) text: String,
    /// Where the piece begins in the text, in bytes.
    pub(crate) from: usize,
    /// Where it ends.
    pub(crate) to: usize,
    /// Where it stands among the others.
    pub(crate) position: usize,
    /// What kind of piece it is.
    pub(crate) kind: WordKind,
}

/// The kinds of piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordKind {
    /// A word, or one hump of a word.
    Part,
    /// A word with humps in one piece, at the position of its first part; it spans this many.
    Whole(usize),
    /// A word with its pluses or sharps, at the position of the plain word.
    Sharp,
    /// One character of an unspaced script.
    Single,
    /// Two neighboring characters of an unspaced script, at the position of the first.
    Pair,
}

/// Cuts `text` into words, by position.
pub(crate) fn words(text: &str) -> Vec<Word> {
    let mut cutter = Cutter { text, words: Vec::new(), position: 0 };
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        at = match class(c) {
            Class::Word => cutter.word(at),
            Class::Unit => cutter.run(at),
            Class::Mark | Class::Other => at + c.len_utf8(),
        };
    }
    cutter.words
}

/// The folded form of one word.
pub(crate) fn fold_word(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(word.len());
    for c in word.nfkd().filter(|c| !is_dropped(*c)).flat_map(char::to_lowercase) {
        match c {
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'þ' => folded.push_str("th"),
            'ø' => folded.push('o'),
            'ł' => folded.push('l'),
            'đ' | 'ð' => folded.push('d'),
            'ħ' => folded.push('h'),
            'ı' => folded.push('i'),
            'ς' => folded.push('σ'),
            // Lowercase of `İ` brings its dot back as a mark.
            c if !is_dropped(c) => folded.push(c),
            _ => {}
        }
    }
    folded.nfc().collect()
}

struct Cutter<'t> {
    text: &'t str,
    words: Vec<Word>,
    position: usize,
}

impl Cutter<'_> {
    /// Takes the spaced word that begins at `from`; returns where it ends.
    fn word(&mut self, from: usize) -> usize {
        let mut to = self.text.len();
        let mut cuts = Vec::new();
        // The two letters before, marks left out.
        let (mut before, mut at_before): (Option<char>, usize) = (None, from);
        for (offset, c) in self.text[from..].char_indices() {
            let at = from + offset;
            match class(c) {
                Class::Word => {}
                Class::Mark => continue,
                Class::Unit | Class::Other => {
                    to = at;
                    break;
                }
            }
            match before {
                Some(b) if c.is_uppercase() && b.is_lowercase() => cuts.push(at),
                // `HTTPServer` and `utf8Parser`: the capital belongs to what follows it.
                Some(b) if c.is_lowercase() && b.is_uppercase() && at_before > from => {
                    let earlier = self.text[from..at_before].chars().rev().find(|c| class(*c) == Class::Word);
                    if earlier.is_some_and(|e| e.is_uppercase() || e.is_numeric()) {
                        cuts.push(at_before);
                    }
                }
                _ => {}
            }
            (before, at_before) = (Some(c), at);
        }
        if to - from > MAX_BYTES {
            self.position += 1;
            return to;
        }
        let n_parts = cuts.len() + 1;
        if n_parts > 1 {
            self.push(from, to, WordKind::Whole(n_parts), 0);
        }
        let mut part_from = from;
        for (n, part_to) in cuts.into_iter().chain([to]).enumerate() {
            self.push(part_from, part_to, WordKind::Part, n);
            part_from = part_to;
        }
        let sharps = self.text[to..].len() - self.text[to..].trim_start_matches(['+', '#']).len();
        let ends = self.text[to + sharps..].chars().next().is_none_or(|c| class(c) == Class::Other);
        if (1..=2).contains(&sharps) && ends && n_parts == 1 {
            self.push(from, to + sharps, WordKind::Sharp, 0);
            to += sharps;
        }
        self.position += n_parts;
        to
    }

    /// Takes the run of an unspaced script that begins at `from`; returns where it ends.
    fn run(&mut self, from: usize) -> usize {
        let mut starts = Vec::new();
        let mut to = self.text.len();
        for (offset, c) in self.text[from..].char_indices() {
            let joins = is_dropped(c) || is_joined(c);
            match class(c) {
                Class::Unit if !joins || offset == 0 => starts.push(from + offset),
                Class::Unit | Class::Mark if joins => {}
                _ => {
                    to = from + offset;
                    break;
                }
            }
        }
        starts.push(to);
        for (n, ends) in starts.windows(2).enumerate() {
            self.push(ends[0], ends[1], WordKind::Single, n);
            if let Some(&pair_to) = starts.get(n + 2) {
                self.push(ends[0], pair_to, WordKind::Pair, n);
            }
        }
        self.position += starts.len() - 1;
        to
    }

    fn push(&mut self, from: usize, to: usize, kind: WordKind, offset: usize) {
        let text = fold_word(&self.text[from..to]);
        if !text.is_empty() {
            self.words.push(Word { text, from, to, position: self.position + offset, kind });
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// A letter or digit of a spaced script.
    Word,
    /// A character of an unspaced script, or a pictograph.
    Unit,
    /// Continues what it follows.
    Mark,
    Other,
}

fn class(c: char) -> Class {
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() { Class::Word } else { Class::Other };
    }
    let unspaced = matches!(c,
        '\u{e00}'..='\u{109f}' // Thai, Lao, Tibetan, Myanmar
        | '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7ff}' // Hangul
        | '\u{1780}'..='\u{17ff}' // Khmer
        | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{312f}' | '\u{31a0}'..='\u{31ff}' // kana, bopomofo
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' // Han
        | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}');
    let pictograph = matches!(c, '\u{2600}'..='\u{27bf}' | '\u{2b50}'..='\u{2b55}' | '\u{1f1e6}'..='\u{1faff}');
    if pictograph || unspaced && (c.is_alphanumeric() || is_combining_mark(c)) {
        Class::Unit
    } else if is_dropped(c) || is_combining_mark(c) {
        Class::Mark
    } else if c.is_alphanumeric() {
        Class::Word
    } else {
        Class::Other
    }
}

/// Accents, vowel points, joiners and selectors: what can be left out when one types.
fn is_dropped(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}'..='\u{5c2}'
        | '\u{5c4}'..='\u{5c5}' | '\u{5c7}' | '\u{610}'..='\u{61a}' | '\u{640}' | '\u{64b}'..='\u{65f}'
        | '\u{670}' | '\u{6d6}'..='\u{6dc}' | '\u{1dc0}'..='\u{1dff}' | '\u{200b}'..='\u{200d}' | '\u{2060}'
        | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}' | '\u{feff}'
        | '\u{1f3fb}'..='\u{1f3ff}')
}

/// What composes with the character before it: voicing marks of kana, and vowels and finals of Hangul.
fn is_joined(c: char) -> bool {
    matches!(c, '\u{3099}' | '\u{309a}' | '\u{ff9e}' | '\u{ff9f}' | '\u{1160}'..='\u{11ff}')
}

/// The same cuts for tantivy.
#[derive(Debug, Clone, Default)]
pub(crate) struct WordTokenizer;

/// The words of one text, one after another.
pub(crate) struct WordStream {
    words: std::vec::IntoIter<Word>,
    token: Token,
}

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = WordStream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream {
        WordStream { words: words(text).into_iter(), token: Token::default() }
    }
}

impl TokenStream for WordStream {
    fn advance(&mut self) -> bool {
        let Some(word) = self.words.next() else {
            return false;
        };
        self.token = Token {
            offset_from: word.from,
            offset_to: word.to,
            position: word.position,
            text: word.text,
            position_length: 1,
        };
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words as `text@position`.
    fn check(text: &str, expected: &str) {
        let shown: Vec<String> = words(text).iter().map(|word| format!("{}@{}", word.text, word.position)).collect();
        assert_eq!(shown.join(" "), expected, "{text}");
        for word in words(text) {
            assert!(text.get(word.from..word.to).is_some(), "{text}: {word:?}");
        }
    }

    #[test]
    fn case_accents_and_widths_fold() {
        check("Göteborg RÉSUMÉ re\u{301}sume\u{301}", "goteborg@0 resume@1 resume@2");
        check("Straße STRASSE ẞ", "strasse@0 strasse@1 ss@2");
        check("Müller naïve Ærø Łódź İstanbul", "muller@0 naive@1 aero@2 lodz@3 istanbul@4");
        check("ΟΔΟΣ οδός", "οδοσ@0 οδοσ@1");
        check("ёлка Йод", "елка@0 иод@1");
        check("ﬁne ＡＢＣ１", "fine@0 abc1@1");
        check("שָׁלוֹם مُحَمَّد", "שלום@0 محمد@1");
        check("हिन्दी", "हिन्दी@0");
    }

    #[test]
    fn unspaced_scripts_are_cut_in_ones_and_twos() {
        check("会議の", "会@0 会議@0 議@1 議の@1 の@2");
        check("再cfg後", "再@0 cfg@1 後@2");
        check("한글", "한@0 한글@0 글@1");
        check("\u{1112}\u{1161}\u{11ab}", "한@0");
        check("か\u{3099}が", "が@0 がが@0 が@1");
        check("ไทย", "ไ@0 ไท@0 ท@1 ทย@1 ย@2");
        check("設定、資料。", "設@0 設定@0 定@1 資@2 資料@2 料@3");
        check("ok👍🏽", "ok@0 👍@1");
    }

    #[test]
    fn identifiers_in_whole_and_parts() {
        check("snake_case_name", "snake@0 case@1 name@2");
        check("foo.bar() parse::url", "foo@0 bar@1 parse@2 url@3");
        check("ABC-204 end-to-end", "abc@0 204@1 end@2 to@3 end@4");
        check("getUserName x", "getusername@0 get@0 user@1 name@2 x@3");
        check("HTTPServer utf8Parser ID", "httpserver@0 http@0 server@1 utf8parser@2 utf8@2 parser@3 id@4");
        check("C++ C# F#.", "c@0 c++@0 c@1 c#@1 f@2 f#@2");
        check("a+b x++y #tag", "a@0 b@1 x@2 y@3 tag@4");
        check("ÉcoleÉlan", "ecoleelan@0 ecole@0 elan@1");
    }

    #[test]
    fn overlong_words_leave_a_gap() {
        let long = "x".repeat(MAX_BYTES + 1);
        check(&format!("a {long} b"), "a@0 b@2");
    }

    #[test]
    fn any_text_can_be_cut() {
        for text in ["", " ", "\u{301}", "\u{301}a", "a\u{200d}", "👨‍👩‍👧", "\u{3099}", "++", "𠀀𠀁", "A\u{301}B"]
        {
            for word in words(text) {
                assert!(text.get(word.from..word.to).is_some(), "{text:?}: {word:?}");
                assert!(!word.text.is_empty());
            }
        }
    }
}
