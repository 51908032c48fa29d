//! The properties above a text: what is shown of them, and what a change means for the bytes.

use crate::bench::Bench;
use engine::{PropertiesShown, PropertyChange, PropertyInput};
use expect_test::{Expect, expect};

const TYPES: &str = r#"{"types":{"Rating":"number","due":"date","seen":"datetime","places":"multitext","code":"text","done":"checkbox","nick":"aliases"}}"#;

fn bench() -> Bench {
    Bench::new(&format!("//- /A.md\n//- /.obsidian/types.json\n{TYPES}\n"))
}

fn rows(text: &str, expect: Expect) {
    let shown = bench().engine.view().property_rows(text);
    let mut lines: Vec<String> =
        shown.rows.iter().map(|row| format!("{} {} {:?} {:?}", row.line, row.key, row.kind, row.values)).collect();
    lines.extend(shown.problem);
    expect.assert_eq(&lines.join("\n"));
}

/// Makes one change after the other, each on what the one before left, and takes all of them back.
fn check(before: &str, changes: &[PropertyChange], expect: Expect) {
    let bench = bench();
    let view = bench.engine.view();
    let mut text = before.to_owned();
    for change in changes {
        let edit = match view.change_property(&text, change) {
            Ok(edit) => edit,
            Err(error) => return expect.assert_eq(&error.to_string()),
        };
        let units: Vec<u16> = text.encode_utf16().collect();
        let mut after = Vec::new();
        let mut at = 0;
        for change in &edit.changes {
            after.extend_from_slice(&units[at..change.from as usize]);
            after.extend(change.insert.encode_utf16());
            at = change.to as usize;
        }
        after.extend_from_slice(&units[at..]);
        text = String::from_utf16(&after).unwrap();
        assert_eq!(view.property_rows(&text), edit.after);
    }
    expect.assert_eq(&format!("{text:?}"));
}

fn set(key: &str, value: PropertyInput) -> PropertyChange {
    PropertyChange::Set { key: key.to_owned(), value }
}

fn add(key: &str, value: PropertyInput) -> PropertyChange {
    PropertyChange::Add { key: key.to_owned(), value }
}

fn rename(key: &str, to: &str) -> PropertyChange {
    PropertyChange::Rename { key: key.to_owned(), to: to.to_owned() }
}

fn remove(key: &str) -> PropertyChange {
    PropertyChange::Remove { key: key.to_owned() }
}

fn text(text: &str) -> PropertyInput {
    PropertyInput::Text(text.to_owned())
}

fn list(items: &[&str]) -> PropertyInput {
    PropertyInput::List(items.iter().map(|item| (*item).to_owned()).collect())
}

#[test]
fn kinds_come_from_the_vaults_settings_where_the_value_fits_else_from_the_value() {
    rows(
        "---\nrating: 4\nRATING: high\ndue: 2026-01-02\nseen: 2026-01-02\nplaces: Hut\ncode: 007\ndone:\nnick: x\nfree: 2026-01-02T03:04\nplain: words\nn: 1.5\nyes: true\nmany: [a, 1, true]\nmap: {a: 1}\nempty:\ntags: a\naliases: [b]\ncssclasses: wide\nup: \"[[N|x]]\"\n---\n",
        expect![[r#"
            2 rating Number ["4"]
            3 RATING Text ["high"]
            4 due Date ["2026-01-02"]
            5 seen DateTime ["2026-01-02"]
            6 places List ["Hut"]
            7 code Text ["007"]
            8 done Checkbox []
            9 nick Aliases ["x"]
            10 free DateTime ["2026-01-02T03:04"]
            11 plain Text ["words"]
            12 n Number ["1.5"]
            13 yes Checkbox ["true"]
            14 many List ["a", "1", "true"]
            15 map Nested ["{\"a\":1}"]
            16 empty Text []
            17 tags Tags ["a"]
            18 aliases Aliases ["b"]
            19 cssclasses List ["wide"]
            20 up Text ["[[N|x]]"]"#]],
    );
    rows("---\n---\n", expect![""]);
    rows("# No properties\n", expect![""]);
}

#[test]
fn the_vaults_settings_say_how_properties_are_shown() {
    for (settings, expected) in [
        ("{}", PropertiesShown::Visible),
        (r#"{"propertiesInDocument":"visible"}"#, PropertiesShown::Visible),
        (r#"{"propertiesInDocument":"hidden"}"#, PropertiesShown::Hidden),
        (r#"{"propertiesInDocument":"source"}"#, PropertiesShown::Source),
        (r#"{"propertiesInDocument":7}"#, PropertiesShown::Visible),
    ] {
        let bench = Bench::new(&format!("//- /.obsidian/app.json\n{settings}\n"));
        let view = bench.engine.view();
        assert_eq!(view.property_rows("---\na: 1\n---\n").shown, expected, "{settings}");
        assert_eq!(view.property_rows("none").shown, expected, "{settings}");
    }
}

#[test]
fn properties_that_cannot_be_read_say_why_and_are_not_changed() {
    let broken = "---\na: 1\nb: [x\n---\n";
    rows(
        broken,
        expect![[r#"
            2 a Number ["1"]
            properties are not valid YAML: while parsing a flow sequence, expected ',' or ']' (line 4)"#]],
    );
    check(
        broken,
        &[set("a", text("2"))],
        expect![
            "properties are not valid YAML: while parsing a flow sequence, expected ',' or ']'; mend the block first"
        ],
    );
    check(
        broken,
        &[remove("a")],
        expect![
            "properties are not valid YAML: while parsing a flow sequence, expected ',' or ']'; mend the block first"
        ],
    );
    check(
        broken,
        &[rename("a", "b")],
        expect![
            "properties are not valid YAML: while parsing a flow sequence, expected ',' or ']'; mend the block first"
        ],
    );
    check(
        broken,
        &[add("c", PropertyInput::Empty)],
        expect![
            "properties are not valid YAML: while parsing a flow sequence, expected ',' or ']'; mend the block first"
        ],
    );
}

#[test]
fn a_value_changes_and_no_other_byte() {
    let all = "---\n# c\nb:   'x'  # why\nn: 007\n\ntags: [a,  \"b\"]\nlist:\n- one # 1\n-   two\nm: {x: 1}\nd: 2026-01-02\ndone: true\n---\nbody 🏔️\n";
    let changes = [
        set("b", text("it's")),
        set("d", text("2026-02-03")),
        set("done", PropertyInput::Checkbox(false)),
        set("list", list(&["one", "three", "two"])),
        set("tags", list(&["b"])),
    ];
    check(
        all,
        &changes,
        expect![[
            r#""---\n# c\nb:   'it''s'  # why\nn: 007\n\ntags: [\"b\"]\nlist:\n- one # 1\n- three\n-   two\nm: {x: 1}\nd: 2026-02-03\ndone: false\n---\nbody 🏔\u{fe0f}\n""#
        ]],
    );
    check(
        "---\r\na: 1\r\n---\r\n",
        &[set("a", PropertyInput::Number("2".to_owned()))],
        expect![[r#""---\r\na: 2\r\n---\r\n""#]],
    );
}

#[test]
fn a_value_that_does_not_change_changes_nothing() {
    let all = "---\nn: 0x1F\nt:   \"x\"   \nl: [1, true, ~, 'a']\ne: ~\n---\n";
    let changes =
        [set("n", PropertyInput::Number("0x1F".to_owned())), set("t", text("x")), set("e", PropertyInput::Empty)];
    check(all, &changes, expect![[r#""---\nn: 0x1F\nt:   \"x\"   \nl: [1, true, ~, 'a']\ne: ~\n---\n""#]]);
    // What stays in a list keeps what it is.
    check(
        "---\nl: [1, true, x]\n---\n",
        &[set("l", list(&["true", "1", "2"]))],
        expect![[r#""---\nl: [true, 1, \"2\"]\n---\n""#]],
    );
}

#[test]
fn words_stay_words_and_links_are_quoted() {
    check("---\na: x\n---\n", &[set("a", text("5"))], expect![[r#""---\na: \"5\"\n---\n""#]]);
    check("---\na: x\n---\n", &[set("a", text("[[Note]]"))], expect![[r#""---\na: \"[[Note]]\"\n---\n""#]]);
    check("---\na: x\n---\n", &[set("a", text("yes: no # c"))], expect![[r#""---\na: \"yes: no # c\"\n---\n""#]]);
    check(
        "---\na: x\n---\n",
        &[set("a", PropertyInput::Number("1,5".to_owned()))],
        expect!["property `a` cannot be written: `1,5` is not a number in YAML"],
    );
    check(
        "---\na: x\n---\n",
        &[set("a", PropertyInput::Number("1.50".to_owned()))],
        expect![[r#""---\na: 1.50\n---\n""#]],
    );
    check("---\na: x\n---\n", &[set("a", PropertyInput::Empty)], expect![[r#""---\na:\n---\n""#]]);
    check("---\na: [x]\n---\n", &[set("a", list(&[]))], expect![[r#""---\na: []\n---\n""#]]);
    check(
        "---\ntags: x\n---\n",
        &[set("tags", list(&["x", "y/z"]))],
        expect![[r#""---\ntags:\n  - x\n  - y/z\n---\n""#]],
    );
}

#[test]
fn properties_come_and_go_and_get_other_names() {
    check("# A\n", &[add("a b", PropertyInput::Empty)], expect![[r#""---\na b:\n---\n# A\n""#]]);
    check("", &[add("a", text("x")), add("l", list(&["1"]))], expect![[r#""---\na: x\nl:\n  - \"1\"\n---\n""#]]);
    check(
        "---\na: 1\n---\nx",
        &[add("b", PropertyInput::Checkbox(true)), remove("a")],
        expect![[r#""---\nb: true\n---\nx""#]],
    );
    check("---\na: 1 # c\n---\nx", &[rename("a", "Z")], expect![[r#""---\nZ: 1 # c\n---\nx""#]]);
    check(
        "---\na: 1\n---\nx",
        &[add("A", PropertyInput::Empty)],
        expect!["the note has a property of this name already: `a` (line 2)"],
    );
    check(
        "---\na: 1\nb: 2\n---\nx",
        &[rename("a", "B")],
        expect!["the note has this property twice: `b` (lines 2 and 3)"],
    );
    check("---\na: 1\n---\nx", &[add(" ", PropertyInput::Empty)], expect!["property name is empty"]);
}

#[test]
fn a_property_is_saved_into_the_bytes_that_the_note_has() {
    for (before, change, after) in [
        (
            "\u{feff}---\r\na: 1\r\n\r\nb: 'x'\r\n---\r\ntext\r\n",
            set("a", list(&["p", "q"])),
            "\u{feff}---\r\na:\r\n  - p\r\n  - q\r\n\r\nb: 'x'\r\n---\r\ntext\r\n",
        ),
        ("one\r\ntwo\r\n", add("a", text("x")), "---\r\na: x\r\n---\r\none\r\ntwo\r\n"),
        ("---\na: 1\nb: 2\n---\nmixed\r\nends\n", remove("a"), "---\nb: 2\n---\nmixed\r\nends\n"),
        ("---\na: 1  \n---\nlast", rename("a", "b"), "---\nb: 1  \n---\nlast"),
    ] {
        let bench = Bench::new("");
        bench.write("A.md", before);
        bench.engine.catch_up();
        let view = bench.engine.view();
        let open = view.note(&engine::NoteRef::Path("A.md".to_owned())).unwrap();
        let lf = open.text.lf();
        let edit = view.change_property(&lf, &change).unwrap();
        let mut typed = String::new();
        let mut at = 0;
        for change in &edit.changes {
            // The texts here are ASCII, so that both ways to count are one.
            typed += &lf[at..change.from as usize];
            typed += &change.insert;
            at = change.to as usize;
        }
        typed += &lf[at..];
        bench.engine.save(&open.path, open.text.hash(), typed).unwrap();
        assert_eq!(bench.read("A.md"), after, "{before:?}");
    }
}
