//! What a query finds.

use crate::fixture::{Vault, hits, rel};
use crate::needle::Needle;
use crate::tests::Dice;
use crate::words::words;
use crate::{IgnoreFilters, Query};

/// `(query, where it hits, in path order)`.
fn check(files: &[(&str, &str)], expected: &[(&str, &[&str])]) {
    let view = Vault::new(files).view();
    for (query, places) in expected {
        let mut found = hits(&view, query);
        found.sort();
        assert_eq!(found, *places, "{query}");
    }
}

#[test]
fn plain_letters_find_accented_ones_and_back() {
    check(
        &[
            ("cjk.md", "会議の議事録を保存。再実行cfg-loader後に確認。\n\nภาษาไทยง่าย\n"),
            ("lat.md", "Göteborg, Re\u{301}sume\u{301}, Straße, Müller, Café.\n"),
            ("code.md", "`parse::url` end-to-end ABC-204 snake_case_name C++ foo.bar() getUserName\n"),
            ("noise.md", "end url abc cfg C name loader bar\n"),
        ],
        &[
            ("resume", &["lat.md"]),
            ("r\u{e9}sum\u{e9}", &["lat.md"]),
            ("goteborg", &["lat.md"]),
            ("CAFE", &["lat.md"]),
            ("strasse", &["lat.md"]),
            ("STRASSE muller", &["lat.md"]),
            ("議事録", &["cjk.md"]),
            ("事録を", &["cjk.md"]),
            ("録", &["cjk.md"]),
            ("議録", &[]),
            ("ไทย", &["cjk.md"]),
            ("cfg-loader", &["cjk.md"]),
            ("実行cfg", &["cjk.md"]),
            ("loader確認", &[]),
            ("parse::url", &["code.md"]),
            ("end-to-end", &["code.md"]),
            ("ABC-204", &["code.md"]),
            ("abc-2", &["code.md"]),
            ("204", &["code.md"]),
            ("snake_case_name", &["code.md"]),
            ("case_na", &["code.md"]),
            ("C++", &["code.md"]),
            ("foo.bar()", &["code.md"]),
            ("getusername", &["code.md"]),
            ("getUserName", &["code.md"]),
            ("userNa", &["code.md"]),
            ("user", &["code.md"]),
            ("bar", &["code.md", "noise.md"]),
            ("name-of-nothing", &[]),
        ],
    );
}

#[test]
fn words_may_stand_in_different_sections_of_one_note() {
    check(
        &[
            ("both.md", "# Both\n\nriver\n\n## Far\n\nstone\n\n## Near\n\nriver and stone\n"),
            ("apart.md", "intro\n\n## One\n\nriver\n\n## Two\n\nstone\n"),
            ("half.md", "river\n"),
        ],
        &[
            ("river stone", &["apart.md > One", "apart.md > Two", "both.md > Both > Near"]),
            ("\"river and stone\"", &["both.md > Both > Near"]),
            ("\"stone river\"", &[]),
            ("riv", &["apart.md > One", "both.md > Both", "both.md > Both > Near", "half.md"]),
            ("riv stone", &[]),
            ("\"riv\"", &[]),
            ("river -stone", &["half.md"]),
            ("far OR half", &["both.md > Both > Far", "half.md"]),
            ("near", &["both.md > Both > Near"]),
            ("nothing", &[]),
        ],
    );
}

#[test]
fn names_titles_and_aliases_count() {
    check(
        &[
            ("Garden/Rose bed.md", "---\naliases: [Rosengarten]\n---\nplain\n"),
            ("empty.md", ""),
            ("Board.canvas", "{}"),
            ("rose.png", ""),
        ],
        &[
            ("rose", &["Garden/Rose bed.md"]),
            ("rosengarten", &["Garden/Rose bed.md"]),
            ("garden plain", &["Garden/Rose bed.md"]),
            ("content:rose", &["Garden/Rose bed.md"]),
            ("content:bed", &[]),
            ("empty", &["empty.md"]),
            ("board", &["Board.canvas"]),
        ],
    );
}

#[test]
fn operators_narrow() {
    check(
        &[
            (
                "work/a.md",
                "---\nstatus: Draft\nn: 7\ntags: [area/garden]\nblank:\n---\n# A\n\ncall bob today\nmail eve\n\n- [ ] call eve\n- [x] mail bob\n1. [/] wait for eve\n",
            ),
            ("work/b.md", "---\nstatus: Published\nn: 3\n---\n#area\n\nCall\n\nmail bob\n"),
            ("c.md", "order A-17 and a17, 3 > 2 -> yes\n#gardening\n"),
        ],
        &[
            ("path:work/ bob", &["work/a.md > A", "work/b.md"]),
            ("file:b bob", &["work/b.md"]),
            ("file:(a OR c) eve", &["work/a.md > A"]),
            ("tag:#area/garden bob", &["work/a.md > A"]),
            ("tag:area bob", &["work/a.md > A", "work/b.md"]),
            ("tag:garden bob", &[]),
            ("line:(call bob)", &["work/a.md > A"]),
            ("line:(call mail)", &[]),
            ("block:(call mail)", &["work/a.md > A"]),
            ("section:(call mail)", &["work/a.md > A", "work/b.md"]),
            ("task:eve", &["work/a.md > A"]),
            ("task:(call OR mail)", &["work/a.md > A"]),
            ("task-todo:bob", &[]),
            ("task-done:bob", &["work/a.md > A"]),
            ("task:\"\"", &["work/a.md > A"]),
            ("task:today", &[]),
            ("[status:draft] bob", &["work/a.md > A"]),
            ("[status:Draft OR Published] bob", &["work/a.md > A", "work/b.md"]),
            ("[n:<5] bob", &["work/b.md"]),
            ("[n:>5] bob", &["work/a.md > A"]),
            ("[blank:null] bob", &["work/a.md > A"]),
            ("[status:null] bob", &[]),
            ("[nowhere] bob", &[]),
            ("/A-?\\d+/", &["c.md"]),
            ("/^mail (bob|eve)$/", &["work/a.md > A", "work/b.md"]),
            ("match-case:Call", &["work/b.md"]),
            ("match-case:(call) -eve", &[]),
            ("->", &["c.md"]),
            ("bob (draft OR published) -today", &["work/b.md"]),
            ("FILE:b tag:#area", &["work/b.md"]),
        ],
    );
}

#[test]
fn a_query_that_cannot_be_read_is_taken_as_words() {
    let view = Vault::new(&[("a.md", "one (two three\n"), ("b.md", "one\n")]).view();
    let ask = |text: &str| view.search(&Query { text: text.into(), ..Query::default() }).unwrap();
    for text in ["one (two", "\"one two", "two) one", "one OR", "OR two", "/[/ two", "[two", "[] two"] {
        let hits = ask(text);
        let note = hits.query_note.expect(text);
        assert!(note.starts_with("taken as plain words: "), "{note}");
        assert!(hits.hits.iter().any(|hit| hit.path == rel("a.md")), "{text}");
    }
    assert_eq!(ask("one (two").query_note.as_deref(), Some("taken as plain words: `(` is not closed at character 5"));
    for text in ["", " ", "-", "--", ":", "one:two", "/", "//", "http://x", "a/b", "[[one]]", "one - two", "OR"] {
        ask(text);
    }
    assert_eq!(ask("").total, 2);
    for deep in ["(", "-(", "file:(", "line:", "-["] {
        assert!(ask(&deep.repeat(400)).query_note.is_some(), "{deep}");
        assert!(ask(&deep.repeat(5000)).query_note.is_some(), "{deep}");
    }
}

#[test]
fn filters_and_pages() {
    let files: Vec<(String, String)> = (0..30)
        .map(|n| {
            (
                format!("f{}/n{n}.md", n % 3),
                format!("---\ntags: [t{}]\nk: V{}\n---\nword\n\n## H\n\nword\n", n % 2, n % 5),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let mut vault = Vault::new(&files);
    let view = vault.view();
    let query = Query { text: "word".into(), ..Query::default() };
    let total = |query: &Query| view.search(query).unwrap().total;
    assert_eq!(total(&query), 60);
    assert_eq!(total(&Query { group_by_note: true, ..query.clone() }), 30);
    assert_eq!(total(&Query { folder: Some("F1/".into()), group_by_note: true, ..query.clone() }), 10);
    assert_eq!(total(&Query { folder: Some("f".into()), ..query.clone() }), 0);
    assert_eq!(total(&Query { tags: vec!["#T1".into()], group_by_note: true, ..query.clone() }), 15);
    let properties = vec![("K".into(), "v3".into())];
    assert_eq!(total(&Query { properties, group_by_note: true, ..query.clone() }), 6);
    let mut paged = Vec::new();
    for offset in (0..60).step_by(7) {
        paged.extend(view.search(&Query { limit: 7, offset, ..query.clone() }).unwrap().hits);
    }
    assert_eq!(paged, view.search(&Query { limit: 100, ..query.clone() }).unwrap().hits);
    let without = vault.index.ignore(IgnoreFilters::new(&["f1/"]));
    assert_eq!(without.search(&query).unwrap().total, 40);
    assert_eq!(without.tags().iter().map(|tag| tag.n_notes).sum::<usize>(), 20);
    assert!(without.is_ignored(&rel("f1/n1.md")));
}

#[test]
fn the_better_answer_comes_first() {
    let long = "filler words around it ".repeat(60);
    let view = Vault::new(&[
        ("once.md", &format!("{long} copper {long}")),
        ("copper.md", "about a metal\n"),
        ("headed.md", "x\n\n## Copper\n\nmore\n"),
        ("often.md", "copper copper copper\n"),
    ])
    .view();
    let paths: Vec<String> = hits(&view, "copper");
    assert_eq!(paths.first().map(String::as_str), Some("copper.md"));
    assert_eq!(paths.last().map(String::as_str), Some("once.md"));
}

#[test]
fn hits_know_their_place() {
    let text = "intro\r\n\r\n# One\r\ntext\r\n## Two\r\n\r\nfirst\r\nthe river here\r\n\r\n# Three\r\nriver";
    let view = Vault::new(&[("a.md", text)]).view();
    let hits = view.search(&Query { text: "river".into(), ..Query::default() }).unwrap().hits;
    let mut places: Vec<_> = hits
        .iter()
        .map(|hit| (hit.section, hit.heading_path.join("/"), hit.line_start, hit.line_end, hit.line))
        .collect();
    places.sort();
    assert_eq!(places, [(Some(1), "One/Two".into(), 5, 9, 8), (Some(2), "Three".into(), 10, 11, 11)]);
}

#[test]
fn snippets_show_what_matched() {
    let check = |body: &str, query: &str, expected: &str| {
        let view = Vault::new(&[("a.md", body)]).view();
        let hits = view.search(&Query { text: query.into(), ..Query::default() }).unwrap().hits;
        let hit = hits.first().expect(query);
        let shown: String = hit
            .pieces()
            .iter()
            .map(|(text, hit)| if *hit { format!("<{text}>") } else { (*text).to_owned() })
            .collect();
        assert_eq!(shown, expected, "{query}");
    };
    check("The Café is open.\n", "cafe", "The <Café> is open.");
    check("a\ngetUserName(x)\nb\n", "getUserName", "…<getUserName>(x) b");
    check("会議の議事録を保存。", "議事録", "会議の<議事録>を保存。");
    check("# River\n\nand a river, rivers\n", "riv", "# <River>  and a <river>, <rivers>");
    check("say \"one two\" or two one", "\"two one\"", "say \"one two\" or <two one>");
    check("C++ and C", "C++", "<C++> and C");
    check("code 42 and 43", "/4\\d/", "code <42> and <43>");
    let long = "lorem ipsum dolor sit amet ".repeat(20);
    let body = format!("{long}\nneedle one\n{long}");
    let view = Vault::new(&[("a.md", &body)]).view();
    let hit = view.search(&Query { text: "needle".into(), ..Query::default() }).unwrap().hits.remove(0);
    assert!(hit.snippet.starts_with("…needle one") && hit.snippet.ends_with('…'), "{}", hit.snippet);
    assert!(hit.snippet.chars().count() < 230);
    assert_eq!(hit.line, 2);
    let unbroken = "漢".repeat(500) + "字" + &"漢".repeat(500);
    let view = Vault::new(&[("a.md", &unbroken)]).view();
    let hit = view.search(&Query { text: "字".into(), ..Query::default() }).unwrap().hits.remove(0);
    assert_eq!(hit.pieces().iter().filter(|(_, hit)| *hit).count(), 1);
    // Nothing to highlight: the name matched.
    check("body text\n", "a", "body text");
}

const PIECES: &[&str] = &[
    "a",
    "B",
    "cD",
    "Ef",
    "é",
    "e\u{301}",
    "ß",
    "9",
    "_",
    "-",
    ".",
    "::",
    "+",
    "++",
    "#",
    "会議",
    "録",
    "か\u{3099}",
    "ไทย",
    "한글",
    "👍🏽",
    "\u{200d}",
    "\u{301}",
    "ﬁ",
    "İ",
    "\"",
    "(",
    ")",
    "[",
    "]",
    "/",
    " OR ",
    " ",
    "\n",
    "line:",
    "task:",
    "tag:#",
    "-",
    "\\",
    "'",
    "→",
    "Ω",
    "…",
];

fn text(dice: &mut Dice, n: usize) -> String {
    (0..n).map(|_| dice.pick(PIECES)).collect()
}

#[test]
fn every_word_of_a_text_is_found_in_it() {
    let mut dice = Dice(3);
    for _ in 0..3000 {
        let text = text(&mut dice, 12);
        let cut = words(&text);
        for word in text.split_whitespace() {
            for (prefix, part) in [(false, word), (true, word)] {
                if let Some(needle) = Needle::new(part, prefix) {
                    let found = needle.find(&cut);
                    assert!(!found.is_empty(), "{word:?} in {text:?}");
                    assert!(found.iter().all(|range| text.get(range.clone()).is_some()));
                }
            }
        }
    }
}

#[test]
fn the_text_index_finds_what_the_eye_finds() {
    let mut dice = Dice(5);
    let texts: Vec<(String, String)> = (0..40).map(|n| (format!("n{n}.md"), text(&mut dice, 30))).collect();
    let files: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let view = Vault::new(&files).view();
    for _ in 0..300 {
        let length = 1 + dice.roll(4);
        let asked: String = text(&mut dice, length).replace(['"', '\\', '\n'], "");
        for (prefix, query) in [(true, format!("content:{asked}")), (false, format!("content:\"{asked}\""))] {
            let Some(needle) = Needle::new(&asked, prefix) else { continue };
            if prefix && (asked.contains([' ', '(', ')', '/', '[']) || asked.contains(':')) {
                continue;
            }
            let mut expected: Vec<&str> = texts
                .iter()
                .filter(|(_, text)| !needle.find(&words(text)).is_empty())
                .map(|(path, _)| path.as_str())
                .collect();
            expected.sort();
            let hits =
                view.search(&Query { text: query.clone(), limit: 1000, group_by_note: true, ..Query::default() });
            let mut found: Vec<String> = hits.unwrap().hits.into_iter().map(|hit| hit.path.to_string()).collect();
            found.sort();
            assert_eq!(found, expected, "{query:?}");
        }
    }
}

#[test]
fn no_query_fails() {
    let mut dice = Dice(7);
    let texts: Vec<(String, String)> = (0..10).map(|n| (format!("n{n}.md"), text(&mut dice, 40))).collect();
    let files: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let view = Vault::new(&files).view();
    for _ in 0..1500 {
        let length = 1 + dice.roll(12);
        let query = text(&mut dice, length);
        let hits = view.search(&Query { text: query.clone(), limit: 5, ..Query::default() }).unwrap();
        for hit in hits.hits {
            let whole: String = hit.pieces().into_iter().map(|(text, _)| text).collect();
            assert_eq!(whole, hit.snippet, "{query:?}");
        }
    }
}
