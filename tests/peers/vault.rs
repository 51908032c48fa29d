//! A vault whose every note is known, so that an answer can be held against it.

use it::Bench;
use std::fmt::Write;

const WORDS: [&str; 16] = [
    "glacier", "moraine", "station", "height", "camp", "winter", "survey", "firn", "transect", "river", "valley",
    "again", "slowly", "between", "with", "the",
];
/// How many notes have the same rare word, so that one answer has room for all of them.
const SAME_WORD: usize = 20;
/// With more notes there would be too few words.
pub const MOST_NOTES: usize = 1000 * SAME_WORD;

/// Writes the notes: each has three sections, a rare word, and a link to the next note and to two others.
pub fn fill(bench: &Bench, n_notes: usize) {
    let mut state = 7_u64;
    let mut below = move |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as usize) % n.max(1)
    };
    for nth in 0..n_notes {
        let mut text = format!("---\ntags: [survey/t{}]\n---\n# {}\n", nth % 30, title(nth));
        for (heading, says) in
            [("Background", word(nth, n_notes)), ("Readings", reading(nth)), ("Next steps", "later".to_owned())]
        {
            let prose: Vec<&str> = (0..60).map(|_| WORDS[below(WORDS.len())]).collect();
            let _ = write!(text, "\n## {heading}\n\n{} {says}.\n", prose.join(" "));
        }
        let [one, other] = [below(n_notes), below(n_notes)];
        let _ =
            write!(text, "\nSee [[{}]], [[{}]] and [[{}]].\n", title((nth + 1) % n_notes), title(one), title(other));
        bench.write(&path(nth), &text);
    }
}

pub fn title(nth: usize) -> String {
    format!("Note {nth:05}")
}

pub fn path(nth: usize) -> String {
    format!("Area {}/Topic {:02}/{}.md", nth % 8, nth / 8 % 25, title(nth))
}

/// What only this note says, in its section "Readings".
pub fn reading(nth: usize) -> String {
    format!("reading{nth:05}")
}

/// A word that twenty notes have, or a few less. No two are alike enough for a search that forgives misspellings.
pub fn word(nth: usize, n_notes: usize) -> String {
    const SYLLABLES: [&str; 10] = ["bam", "dox", "fit", "gul", "hev", "jaz", "kip", "lor", "mun", "wys"];
    let group = nth % n_notes.div_ceil(SAME_WORD).max(1);
    let digits = [group / 100, group / 10 % 10, group % 10];
    let check: usize = digits.iter().sum();
    digits.iter().chain([&check]).map(|digit| SYLLABLES[digit % 10]).collect()
}
