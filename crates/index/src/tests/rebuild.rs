//! An index that followed every change answers like one that was built at the end.

use std::collections::BTreeMap;

use crate::fixture::{Read, Vault, rel};
use crate::tests::Dice;
use crate::{Fact, IndexView, Query};

const PATHS: &[&str] = &[
    "Note.md",
    "note.md",
    "a/Note.md",
    "a/b/Note.md",
    "a/caf\u{e9}.md",
    "a/cafe\u{301}.md",
    "b/Log.md",
    "Log.v2.md",
    "pic.png",
    "a/pic.png",
    "x.canvas",
    "zz/deep/er/Plan.md",
];
const LINKS: &[&str] = &[
    "[[Note]]",
    "[[b/Note#H]]",
    "[[#Top]]",
    "![[pic.png]]",
    "[[CAF\u{c9}]]",
    "[t](../Note.md)",
    "[[Log.v2]]",
    "[[gone]]",
    "[[./Note]]",
    "[[Plan|p]]",
];
const WORDS: &[&str] = &["river", "stone", "議事録", "C++", "getUserName", "Café", "#tag/a", "#Tag"];
const QUERIES: &[&str] =
    &["river", "sto", "議事", "c++", "cafe", "river stone", "river -stone", "tag:tag", "note", "path:a/ river"];

fn text(dice: &mut Dice) -> String {
    let mut text = String::new();
    if dice.roll(3) == 0 {
        text += &format!(
            "---\ntitle: {}\naliases: [{}]\nk: {}\n---\n",
            dice.pick(WORDS).trim_start_matches('#'),
            "Al",
            dice.roll(4)
        );
    }
    for level in ["# Top", "## H", "### Log", "## H"] {
        if dice.roll(2) == 0 {
            text += &format!("{level}\n\n{} {} {}\n\n", dice.pick(WORDS), dice.pick(LINKS), dice.pick(WORDS));
        }
    }
    text
}

/// Everything that can be asked.
fn answers(view: &IndexView) -> Vec<String> {
    let mut answers = Vec::new();
    let mut files: Vec<_> = view.files().collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    answers.extend(files.iter().map(|entry| format!("{entry:?}")));
    answers.push(format!("{} {}", view.n_files(), view.n_notes()));
    answers.push(format!("{:?} {:?}", view.folders(), view.tags()));
    for folder in ["", "a", "a/b", "b", "zz", "zz/deep"] {
        answers.push(format!("{folder}: {:?}", view.folder(folder)));
    }
    for path in PATHS {
        answers.push(format!("{path}: {:?} {:?}", view.backlinks(&rel(path)), view.lookup_folded(path)));
        for link in ["Note", "b/Note", "pic.png", "caf\u{e9}", "../Note", "Log.v2"] {
            answers.push(format!("{link} in {path}: {:?}", view.resolve(link, &rel(path))));
        }
    }
    answers.push(format!("{:?}", view.unresolved("")));
    for title in ["note", "al", "log", "ca", "rive", "nothing like it"] {
        answers.push(format!("{title}: {:?}", view.find_title(title)));
    }
    for text in QUERIES {
        let hits = view.search(&Query { text: (*text).into(), limit: 100, ..Query::default() });
        answers.push(format!("{text}: {:?}", hits.expect("searching works")));
    }
    answers
}

#[test]
fn following_equals_rebuilding() {
    for seed in 0..12 {
        let mut dice = Dice(seed);
        let mut followed = Vault::empty();
        let mut files: BTreeMap<&str, String> = BTreeMap::new();
        for _ in 0..10 {
            let mut batch: Vec<(&str, Option<String>)> = Vec::new();
            for _ in 0..1 + dice.roll(5) {
                let path = dice.pick(PATHS);
                let text = (dice.roll(3) > 0).then(|| text(&mut dice));
                match &text {
                    Some(text) => files.insert(path, text.clone()),
                    None => files.remove(path),
                };
                batch.push((path, text));
            }
            let read: Vec<Result<Read, &str>> =
                batch.iter().map(|(path, text)| text.as_ref().map(|text| Read::new(path, text)).ok_or(*path)).collect();
            let facts: Vec<Fact<'_>> = read
                .iter()
                .map(|read| match read {
                    Ok(read) => read.fact(),
                    Err(path) => Fact::Gone { path: rel(path) },
                })
                .collect();
            followed.index.apply(&facts).unwrap();
            match dice.roll(4) {
                0 => followed.index.flush().unwrap(),
                1 => {
                    // A stop without a flush; then the scan tells every file.
                    followed = followed.reopen();
                    let known: Vec<String> = followed.view().files().map(|entry| entry.path.to_string()).collect();
                    followed.gone(
                        &known.iter().map(String::as_str).filter(|path| !files.contains_key(path)).collect::<Vec<_>>(),
                    );
                    followed.tell(&files.iter().map(|(path, text)| (*path, text.as_str())).collect::<Vec<_>>());
                }
                _ => {}
            }
        }
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        let rebuilt = Vault::new(&files);
        for (followed, rebuilt) in answers(&followed.view()).iter().zip(answers(&rebuilt.view())) {
            assert_eq!(*followed, rebuilt, "seed {seed}");
        }
    }
}
