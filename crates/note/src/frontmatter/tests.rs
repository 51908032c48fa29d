use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

mod links;

/// The properties with the bytes of their lines, then the rest.
fn check(text: &str, expect: Expect) {
    let Found { frontmatter, .. } = find(&NoteText::from_str(text)).unwrap();
    let mut shown = String::new();
    for Property { key, key_span, value, value_span, span, line } in &frontmatter.entries {
        let (json, key_span, value_span) = (value.to_json(), &text[key_span.clone()], &text[value_span.clone()]);
        shown += &format!("{line}: {key} = {json} from {key_span:?} {value_span:?} in {:?}\n", &text[span.clone()]);
    }
    if let Some(error) = &frontmatter.error {
        shown += &format!("{error}\n");
    }
    shown += &format!("{:?}", &text[frontmatter.span.end..]);
    expect.assert_eq(&shown);
}

#[test]
fn scalars_mean_what_yaml_1_2_says() {
    check(
        "---\na: 14:30\nb: 1.10\nc: 0x1F\nd: yes\ne: 2026-03-16\nf: ~\ng:\nh: -12\ni: 1e3\nj: \"5\"\nk: 007\nl: True\nm: .5\nn: .inf\no: 12_000\np: !!str 5\nq: '#x' # c\n---\nbody",
        expect![[r##"
            2: a = "14:30" from "a" "14:30" in "a: 14:30\n"
            3: b = "1.10" from "b" "1.10" in "b: 1.10\n"
            4: c = "0x1F" from "c" "0x1F" in "c: 0x1F\n"
            5: d = "yes" from "d" "yes" in "d: yes\n"
            6: e = "2026-03-16" from "e" "2026-03-16" in "e: 2026-03-16\n"
            7: f = null from "f" "~" in "f: ~\n"
            8: g = null from "g" "" in "g:\n"
            9: h = -12 from "h" "-12" in "h: -12\n"
            10: i = "1e3" from "i" "1e3" in "i: 1e3\n"
            11: j = "5" from "j" "\"5\"" in "j: \"5\"\n"
            12: k = "007" from "k" "007" in "k: 007\n"
            13: l = true from "l" "True" in "l: True\n"
            14: m = ".5" from "m" ".5" in "m: .5\n"
            15: n = ".inf" from "n" ".inf" in "n: .inf\n"
            16: o = "12_000" from "o" "12_000" in "o: 12_000\n"
            17: p = "5" from "p" "!!str 5" in "p: !!str 5\n"
            18: q = "#x" from "q" "'#x'" in "q: '#x' # c\n"
            "body""##]],
    );
}

#[test]
fn values_know_their_bytes() {
    check(
        "---\r\n# comment\r\n\"a b\": 'x ''y'''\r\nlist: [1, \"é\", [b]]\r\nblock:\r\n  - é\r\n  - two # c\r\nempty:\r\nmap: {k: v, l: [m]}\r\nnested:\r\n  deep:\r\n    x: 1\r\ntext: |\r\n  one\r\n  two\r\nfolded: >-\r\n  a\r\n  b\r\nlong: plain\r\n  goes on\r\nlast: é\r\n---\r\n",
        expect![[r#"
            3: a b = "x 'y'" from "\"a b\"" "'x ''y'''" in "\"a b\": 'x ''y'''\r\n"
            4: list = [1,"é",["b"]] from "list" "[1, \"é\", [b]]" in "list: [1, \"é\", [b]]\r\n"
            5: block = ["é","two"] from "block" "- é\r\n  - two" in "block:\r\n  - é\r\n  - two # c\r\n"
            8: empty = null from "empty" "" in "empty:\r\n"
            9: map = {"k":"v","l":["m"]} from "map" "{k: v, l: [m]}" in "map: {k: v, l: [m]}\r\n"
            10: nested = {"deep":{"x":1}} from "nested" "deep:\r\n    x: 1" in "nested:\r\n  deep:\r\n    x: 1\r\n"
            13: text = "one\ntwo\n" from "text" "|\r\n  one\r\n  two" in "text: |\r\n  one\r\n  two\r\n"
            16: folded = "a b" from "folded" ">-\r\n  a\r\n  b" in "folded: >-\r\n  a\r\n  b\r\n"
            19: long = "plain goes on" from "long" "plain\r\n  goes on" in "long: plain\r\n  goes on\r\n"
            21: last = "é" from "last" "é" in "last: é\r\n"
            """#]],
    );
}

#[test]
fn brackets_end_before_a_comment() {
    check(
        "---\na: [b, c] # d]\ne: {f: [g]} # h\ni: [\n  j, # ]\n] # k\nl:\n- m # n\no:\n- [p]\n- q\nr:\n- s: t\n---\n",
        expect![[r#"
            2: a = ["b","c"] from "a" "[b, c]" in "a: [b, c] # d]\n"
            3: e = {"f":["g"]} from "e" "{f: [g]}" in "e: {f: [g]} # h\n"
            4: i = ["j"] from "i" "[\n  j, # ]\n]" in "i: [\n  j, # ]\n] # k\n"
            7: l = ["m"] from "l" "- m" in "l:\n- m # n\n"
            9: o = [["p"],"q"] from "o" "- [p]\n- q" in "o:\n- [p]\n- q\n"
            12: r = [{"s":"t"}] from "r" "- s: t" in "r:\n- s: t\n"
            """#]],
    );
}

#[test]
fn odd_blocks() {
    check("---\n---\n", expect![[r#""""#]]);
    check("--- \t\n\n---  \nx", expect![[r#""x""#]]);
    check(
        "---\nprose\n---",
        expect![[r#"
        properties are not names with values
        """#]],
    );
    check(
        "---\n- a\n---\n",
        expect![[r#"
        properties are not names with values
        """#]],
    );
    check(
        "---\na: 1\n\tb: 2\n---\n",
        expect![[r#"
        properties are not valid YAML: while scanning a plain scalar, found a tab
        """#]],
    );
    check(
        "---\na: &x 1\nb: *x\na: 2\n---\n",
        expect![[r#"
        2: a = 1 from "a" "&x 1" in "a: &x 1\n"
        3: b = "*x" from "b" "*x" in "b: *x\n"
        4: a = 2 from "a" "2" in "a: 2\n"
        """#]],
    );
    check(
        "---\n? [k]\n: v\n1: one\n---\n",
        expect![[r#"
        2: [k] = "v" from "[k]" "v" in "? [k]\n: v\n"
        4: 1 = "one" from "1" "one" in "1: one\n"
        """#]],
    );
    check(
        "---\na: \u{0}\n---\n",
        expect![[r#"
        properties are not valid YAML: found unprintable character
        """#]],
    );
    check(
        "---\r\ra: 1\r---\rx",
        expect![[r#"
        3: a = 1 from "a" "1" in "a: 1\r"
        "x""#]],
    );
    assert!(find(&NoteText::from_str("--- x\na: 1\n---\n")).is_none());
    assert!(find(&NoteText::from_str("---\na: 1\n----\n")).is_none());
    assert!(find(&NoteText::from_str("a\n---\n---\n")).is_none());
}

fn reader(note: &NoteText) -> Reader<'_> {
    let text = note.as_str();
    let yaml = "---\n".len()..text.len() - "---\n".len();
    Reader { note, text, yaml, offsets: Vec::new(), links: Vec::new() }
}

/// Whether all of the YAML is written simply; it then reads as the YAML parser reads it.
fn is_simple(yaml: &str) -> bool {
    let note = NoteText::from_str(&format!("---\n{yaml}\n---\n"));
    let (mut simply, mut fully) = (reader(&note), reader(&note));
    let Some(properties) = simply.read_simple() else { return false };
    assert_eq!((properties, None), fully.read_yaml(), "{yaml:?}");
    assert_eq!(simply.links, fully.links, "{yaml:?}");
    true
}

#[test]
fn what_most_notes_hold_is_written_simply() {
    for yaml in [
        "title: A note\naliases: [one, two words, \"three, not\"]\n".trim_end(),
        "aliases: [one, two-words, 'three']\ntags: []\n",
        "tags:\n  - a/b\n  - c-d\n\nup: \"[[A#B|c]]\"\nempty:\n",
        "tags:\r\n- a\r\n- '[[b]]'\r\nmore than one word:  x  \r\nnothing: \r\n",
        "date: 2026-03-16T10:20:30\nurl: https://a.b/c#d?e=[f],{g}\nn: 1.5\nt: 12:30\nd\u{e9}j\u{e0}: vu \u{2014} \u{8a2d}\n",
    ] {
        // A list with a comma between quotes is the one thing here that is not.
        assert_eq!(is_simple(yaml), !yaml.contains("three,"), "{yaml:?}");
    }
    for yaml in [
        "",
        "a: b\n  c",
        "a: 'b",
        "a: b: c",
        "a: b #c",
        "a:\n  - b: c",
        "a:\n  b: c",
        "- a",
        "a: |\n b",
        "a: &b c",
        "# a",
    ] {
        assert!(!is_simple(yaml), "{yaml:?}");
    }
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab1\u{e9}\u{a0}_/.+()~$:#, -]{1,5}",
        "[ab\"'#:,\\[\\]{}!&*|>%@`?\\\\\t\u{feff} -]{1,4}",
        "[\"'][ab#:, \\[\\]]{0,4}[\"']",
        "!?\\[\\[[a#|]{1,3}\\]\\]|\"!?\\[\\[[a#|]{1,3}\\]\\]\"",
        "https://a\\.b|2026-01-02|true|Null|-1|1e3|\\.\\.\\.|---|<<",
    ]
}

fn line() -> impl Strategy<Value = String> {
    let key = "(a|b-c|\u{e9} d|T\\.x|true|1|\"q\") ?:";
    let list = proptest::collection::vec(scalar(), 0..4).prop_map(|items| format!("[{}]", items.join(", ")));
    prop_oneof![
        4 => (key, " {0,2}", scalar(), " {0,2}").prop_map(|(key, gap, value, end)| key + &gap + &value + &end),
        2 => (key, " {0,2}").prop_map(|(key, end)| key + &end),
        2 => (key, " {0,2}", list, " {0,2}").prop_map(|(key, gap, value, end)| key + &gap + &value + &end),
        4 => (" {0,2}- {1,2}", scalar()).prop_map(|(dash, value)| dash + &value),
        1 => " {0,2}- {0,2}",
        1 => "[ \t#-]{0,3}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn what_is_written_simply_reads_as_any_yaml(
        lines in proptest::collection::vec(line(), 1..6),
        eol in prop_oneof![8 => Just("\n"), 2 => Just("\r\n"), 1 => Just("\r")],
    ) {
        is_simple(&lines.join(eol));
    }
}
