//! A vault as large as that of a person who has kept notes for years.

use it::Bench;
use std::fmt::Write;

const WORDS: &[&str] = &[
    "glacier",
    "moraine",
    "station",
    "height",
    "camp",
    "probe",
    "winter",
    "summer",
    "survey",
    "theodolite",
    "firn",
    "ablation",
    "transect",
    "the",
    "of",
    "and",
    "with",
    "between",
    "river",
    "valley",
    "measure",
    "again",
    "slowly",
];

/// A repeatable source of choices.
struct Choices(u64);

impl Choices {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n.max(1)
    }

    fn words(&mut self, n: usize) -> String {
        (0..n).map(|_| WORDS[self.below(WORDS.len())]).collect::<Vec<_>>().join(" ")
    }
}

/// Writes the notes; those at the top are for switching between.
pub fn fill(bench: &Bench, n_notes: usize) {
    let mut choices = Choices(7);
    for nth in 0..12 {
        bench.write(&format!("Switch {nth:02}.md"), &note(&mut choices, &format!("Switch {nth:02}"), n_notes));
    }
    for nth in 12..n_notes {
        let title = format!("Note {nth}");
        let path = format!("Area {}/Topic {:03}/{title}.md", nth % 8, nth / 8 % 125);
        bench.write(&path, &note(&mut choices, &title, n_notes));
    }
    let mut big = "# Big\n\n".to_owned();
    while big.len() < 1 << 20 {
        let title = choices.words(3);
        let _ = write!(big, "## {title}\n\n");
        for _ in 0..4 {
            let text = choices.words(60);
            let to = choices.below(n_notes);
            let _ = write!(big, "{text} [[Note {to}]] and **{}**.\n\n- one\n- [ ] two\n\n", choices.words(4));
        }
    }
    bench.write("Big.md", &big);
}

fn note(choices: &mut Choices, title: &str, n_notes: usize) -> String {
    let mut text = format!("---\ntags: [survey/{}]\n---\n# {title}\n\n", choices.below(30));
    for _ in 0..4 {
        let heading = choices.words(2);
        let to = choices.below(n_notes);
        let _ = write!(text, "## {heading}\n\n{}\n\nSee [[Note {to}]].\n\n", choices.words(50));
    }
    text
}

/// The size of all notes in bytes.
pub fn size(bench: &Bench) -> u64 {
    bench.files().values().map(|bytes| bytes.len() as u64).sum()
}
