//! Made-up notes: about 4.8 KB on average with a long tail, with properties, nested tags, block ids, callouts,
//! tables, tasks, code that looks like headings, comments, and links of every form.

use std::fmt::Write;

const WORDS: &str = "river stone market garden engine signal harbor winter ledger copper village paper method valley compass \
    mirror lantern bridge archive orchard thread current vessel summit meadow canvas kernel vector matrix buffer socket \
    thermal carbon quartz basalt granite protein enzyme neuron cortex muscle tissue rhythm melody chorus sonata verse \
    stanza chapter novel essay draft outline budget invoice contract treaty senate parish guild forge anvil chisel hammer \
    needle cotton linen velvet saffron pepper ginger barley wheat cellar attic window hinge pulley piston turbine rotor";
const CJK: &str = "設定資料整理引用清單時間工具記録検索結果章節更新筆記知識";

/// The same notes every time.
pub fn notes(n: usize) -> Vec<String> {
    let mut maker = Maker { seed: 7, words: WORDS.split_whitespace().collect() };
    let names: Vec<String> = (0..n).map(|nth| format!("{} {} {nth}", capital(maker.word()), maker.word())).collect();
    let headings: Vec<Vec<(String, usize)>> = (0..n).map(|_| maker.headings()).collect();
    (0..n).map(|at| maker.note(at, &names, &headings)).collect()
}

struct Maker {
    seed: u64,
    words: Vec<&'static str>,
}

impl Maker {
    /// A number below `n`.
    fn below(&mut self, n: usize) -> usize {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.seed >> 33) % n as u64) as usize
    }

    fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    fn word(&mut self) -> &'static str {
        let at = self.below(self.words.len());
        self.words[at]
    }

    fn headings(&mut self) -> Vec<(String, usize)> {
        // Few headings mostly, many sometimes.
        let n = 3 + (120 / (1 + self.below(120))).min(37);
        (0..n)
            .map(|_| {
                let n_words = 1 + self.below(4);
                let title = (0..n_words).map(|_| self.word()).collect::<Vec<_>>().join(" ");
                (capital(&title), [2, 2, 2, 3, 3, 4][self.below(6)])
            })
            .collect()
    }

    fn sentence(&mut self) -> String {
        let n_words = 6 + self.below(13);
        let words: Vec<&str> = (0..n_words).map(|_| self.word()).collect();
        capital(&words.join(" ")) + "."
    }

    fn link(&mut self, names: &[String], headings: &[Vec<(String, usize)>]) -> String {
        let at = self.below(names.len());
        let name = &names[at];
        let heading = &headings[at][self.below(headings[at].len())].0;
        match self.below(100) {
            0..55 => format!("[[{name}]]"),
            55..75 => format!("[[{name}#{heading}]]"),
            75..82 => format!("[[{name}#{heading}|see {}]]", self.word()),
            82..87 => format!("![[{name}#{heading}]]"),
            87..92 => {
                format!("[{}](Folder/{}.md#{})", self.word(), name.replace(' ', "%20"), heading.replace(' ', "%20"))
            }
            92..96 => format!("[[Folder/{name}|{name}]]"),
            _ => format!("[[{name}#{name}#{heading}]]"),
        }
    }

    fn note(&mut self, at: usize, names: &[String], headings: &[Vec<(String, usize)>]) -> String {
        let mut out = String::new();
        let name = &names[at];
        if self.percent(70) {
            let related = &names[self.below(names.len())];
            let (alias, tag) = (self.word(), self.word());
            let _ = write!(
                out,
                "---\ntitle: {name}\naliases: [{alias} {at}]\ntags: [{tag}, area/{alias}]\ncreated: 2024-03-1{}\nrelated: \"[[{related}]]\"\n---\n",
                at % 10
            );
        }
        let _ = write!(out, "# {name}\n\n{} #{}\n\n", self.sentence(), self.word());
        for (title, level) in &headings[at] {
            let _ = write!(out, "{} {title}\n\n", "#".repeat(*level));
            for _ in 0..1 + self.below(3) {
                let mut sentences: Vec<String> = (0..2 + self.below(4)).map(|_| self.sentence()).collect();
                if self.percent(60) {
                    let at = self.below(sentences.len());
                    let link = self.link(names, headings);
                    sentences.insert(at, link);
                }
                out += &sentences.join(" ");
                if self.percent(5) {
                    let _ = write!(out, " ^b{}", self.below(9999));
                }
                out += "\n\n";
            }
            match self.below(100) {
                0..6 => out += "```sh\n# not a heading\n## nor this\n```\n\n",
                6..10 => {
                    let _ = write!(out, "> [!note] {}\n> ## quoted\n> {}\n\n", capital(self.word()), self.sentence());
                }
                10..14 => {
                    let other = &names[self.below(names.len())];
                    let _ = write!(out, "| a | b |\n|---|---|\n| {} | [[{other}\\|x]] |\n\n", self.word());
                }
                14..20 => {
                    for mark in [" ", "x", "/", " "] {
                        let _ = writeln!(out, "- [{mark}] {}", self.sentence());
                    }
                    out.push('\n');
                }
                20..21 => {
                    let _ = write!(out, "%% {} %%\n\n", self.sentence());
                }
                21..22 => out += "$$\na + b\n$$\n\n",
                _ => {}
            }
        }
        if self.percent(5) {
            let _ = write!(out, "## {}\n\n", CJK.chars().take(2 + at % 20).collect::<String>());
        }
        if self.percent(2) { out.replace('\n', "\r\n") } else { out }
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
