use expect_test::expect;

use super::*;

#[test]
fn texts_read_back_as_texts() {
    let texts = [
        "a b",
        "",
        " a",
        "5",
        "1.10",
        "14:30",
        "2026-03-16",
        "2026-03-16T10:30:00",
        "true",
        "No",
        "~",
        "null",
        "0x1F",
        "[[Note]]",
        "see [[Note|x]]",
        "a: b",
        "a:b",
        "a:",
        "a #b",
        "a#b",
        "#tag",
        "- a",
        "-a",
        "it's",
        "say \"x\"",
        "c:\\d",
        "two\nlines",
        "tab\there",
        "é ü 漢 🎉",
        "\u{85}\u{a0}\u{feff}x",
        "a, b",
        "{x}",
        "...",
        "=",
        "<<",
        "1_000",
        "1e3",
        ".5",
        "+1",
        "v1.2",
        "12 Monkeys",
        "https://x.y/z?a=b#c",
        "%x",
        "@x",
        "`x`",
        "a\\nb",
        "? x",
        "a -",
        "---",
    ];
    let mut all = String::new();
    for text in texts {
        let plain = outcome("---\nk: x\n---\n", &[("k", text_value(text))], &[]).unwrap();
        let single = outcome("---\nk: 'x'\n---\n", &[("k", text_value(text))], &[]).unwrap();
        let flow = outcome("---\nk: [x]\n---\n", &[("k", Value::List(vec![text_value(text)]))], &[]).unwrap();
        let line = |edited: &PropertiesEdited| edited.text.as_str().lines().nth(1).unwrap()[3..].to_owned();
        all += &format!("{} | {} | {}\n", line(&plain), line(&single), line(&flow));
    }
    expect![[r##"
        a b | 'a b' | [a b]
        "" | '' | [""]
        " a" | ' a' | [" a"]
        "5" | '5' | ["5"]
        "1.10" | '1.10' | ["1.10"]
        "14:30" | '14:30' | ["14:30"]
        2026-03-16 | '2026-03-16' | [2026-03-16]
        2026-03-16T10:30:00 | '2026-03-16T10:30:00' | [2026-03-16T10:30:00]
        "true" | 'true' | ["true"]
        "No" | 'No' | ["No"]
        "~" | '~' | ["~"]
        "null" | 'null' | ["null"]
        "0x1F" | '0x1F' | ["0x1F"]
        "[[Note]]" | '[[Note]]' | ["[[Note]]"]
        "see [[Note|x]]" | 'see [[Note|x]]' | ["see [[Note|x]]"]
        "a: b" | 'a: b' | ["a: b"]
        a:b | 'a:b' | [a:b]
        "a:" | 'a:' | ["a:"]
        "a #b" | 'a #b' | ["a #b"]
        a#b | 'a#b' | [a#b]
        "#tag" | '#tag' | ["#tag"]
        "- a" | '- a' | ["- a"]
        "-a" | '-a' | ["-a"]
        it's | 'it''s' | [it's]
        say "x" | 'say "x"' | [say "x"]
        c:\d | 'c:\d' | [c:\d]
        "two\nlines" | "two\nlines" | ["two\nlines"]
        "tab\there" | "tab\there" | ["tab\there"]
        é ü 漢 🎉 | 'é ü 漢 🎉' | [é ü 漢 🎉]
        "\x85\xA0\uFEFFx" | "\x85\xA0\uFEFFx" | ["\x85\xA0\uFEFFx"]
        a, b | 'a, b' | ["a, b"]
        "{x}" | '{x}' | ["{x}"]
        "..." | '...' | ["..."]
        "=" | '=' | ["="]
        "<<" | '<<' | ["<<"]
        "1_000" | '1_000' | ["1_000"]
        "1e3" | '1e3' | ["1e3"]
        ".5" | '.5' | [".5"]
        "+1" | '+1' | ["+1"]
        v1.2 | 'v1.2' | [v1.2]
        12 Monkeys | '12 Monkeys' | [12 Monkeys]
        https://x.y/z?a=b#c | 'https://x.y/z?a=b#c' | [https://x.y/z?a=b#c]
        "%x" | '%x' | ["%x"]
        "@x" | '@x' | ["@x"]
        "`x`" | '`x`' | ["`x`"]
        a\nb | 'a\nb' | [a\nb]
        "? x" | '? x' | ["? x"]
        "a -" | 'a -' | ["a -"]
        "---" | '---' | ["---"]
    "##]]
    .assert_eq(&all);
}

#[test]
fn other_values_read_back_too() {
    let json = serde_json::json!({
        "null": null, "yes": true, "int": -12, "float": 1.5, "big": 1e300, "list": [1, "1", null, [true, "a, b"], {"x": "y: z"}],
        "map": {"a": {"b": [1]}, "c": null, "d": "e"}, "empty": [], "none": {}, "1": "one", "a: b": "c"
    });
    let Value::Map(set) = Value::from_json(&json) else { unreachable!() };
    let set: Vec<(&str, Value)> = set.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
    let edited = outcome("x\n", &set, &[]).unwrap();
    expect![[r#"
        ---
        "null":
        "yes": true
        int: -12
        float: 1.5
        big: 1e+300
        list:
          - 1
          - "1"
          - null
          - [true, "a, b"]
          - {x: "y: z"}
        map:
          a: {b: [1]}
          c:
          d: e
        empty: []
        none: {}
        "1": one
        "a: b": c
        ---
        x
    "#]]
    .assert_eq(edited.text.as_str());
    for (entry, (_, value)) in edited.note.frontmatter.unwrap().entries.iter().zip(&set) {
        assert_eq!(entry.value, *value);
    }
    check(
        "---\nk: [z]\n---\n",
        &set[5..7],
        &["k"],
        expect![[
            r#""---\nlist: [1, \"1\", null, [true, \"a, b\"], {x: \"y: z\"}]\nmap: {a: {b: [1]}, c: null, d: e}\n---\n""#
        ]],
    );
    check(
        "",
        &[("k", Value::Int("1.5".into()))],
        &[],
        expect!["property `k` cannot be written: `1.5` is not a number in YAML"],
    );
}
