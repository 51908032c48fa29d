//! Properties are YAML 1.2, and every one knows its bytes.

use expect_test::expect;

use super::check_properties as check;

#[test]
fn they_stand_between_two_lines_of_three_dashes_at_the_start() {
    check(
        "---\na: 1\n---\ntext",
        expect![[r#"
        2: a number 1 from "1"
        text: "text"
    "#]],
    );
    check(
        "\u{feff}--- \t\r\na: 1\r\n---\t \r\ntext",
        expect![[r#"
        2: a number 1 from "1"
        text: "text"
    "#]],
    );
    check(
        "---\na: 1\n---",
        expect![[r#"
        2: a number 1 from "1"
        text: ""
    "#]],
    );
    for text in [
        "\n---\na: 1\n---\n",
        " ---\na: 1\n---\n",
        "----\na: 1\n----\n",
        "---\na: 1\n",
        "---\na: 1\n ---\n",
        "---\na: 1\n...\n",
        "--- x\na: 1\n---\n",
        "+++\na = 1\n+++\n",
    ] {
        assert_eq!(note::parse(&note::NoteText::from_str(text)).frontmatter, None, "{text:?}");
    }
}

#[test]
fn they_may_be_empty_or_json() {
    check(
        "---\n---\ntext",
        expect![[r#"
        text: "text"
    "#]],
    );
    check(
        "---\n\n# comment\n---\ntext",
        expect![[r#"
        text: "text"
    "#]],
    );
    check(
        "---\n{\"a\": 1, \"tags\": [\"b\"], \"c\": {\"d\": \"[[E]]\"}, \"f\": null}\n---\ntext",
        expect![[r#"
        2: "a" number 1 from "1"
        2: "tags" tags ["b"] from "[\"b\"]"
        2: "c" nested {"d":"[[E]]"} from "{\"d\": \"[[E]]\"}"
        2: "f" empty null from "null"
        tags: b
        property "E"
        text: "text"
    "#]],
    );
    check(
        "---\n{\n  \"a\": true,\n  \"aliases\": [\"b c\"]\n}\n---\n",
        expect![[r#"
        3: "a" checkbox true from "true"
        4: "aliases" aliases ["b c"] from "[\"b c\"]"
        aliases: b c
        text: ""
    "#]],
    );
}

#[test]
fn words_that_look_like_something_else() {
    check(
        "---\na: 14:30\nb: 12:30:45\nc: yes\nd: No\ne: on\nf: 1.2.3\ng: 1_000\nh: 1,000\ni: 0b1\nj: 1e\nk: +\nl: .\nm: 5 km\nn: nullable\no: trueish\np: 2020-13-45\nq: <<\nr: =\n---\n",
        expect![[r#"
            2: a text "14:30" from "14:30"
            3: b text "12:30:45" from "12:30:45"
            4: c text "yes" from "yes"
            5: d text "No" from "No"
            6: e text "on" from "on"
            7: f text "1.2.3" from "1.2.3"
            8: g text "1_000" from "1_000"
            9: h text "1,000" from "1,000"
            10: i text "0b1" from "0b1"
            11: j text "1e" from "1e"
            12: k text "+" from "+"
            13: l text "." from "."
            14: m text "5 km" from "5 km"
            15: n text "nullable" from "nullable"
            16: o text "trueish" from "trueish"
            17: p date "2020-13-45" from "2020-13-45"
            18: q text "<<" from "<<"
            19: r text "=" from "="
            text: ""
        "#]],
    );
}

#[test]
fn numbers_keep_their_spelling() {
    check(
        "---\na: 1.10\nb: 007\nc: 0x1F\nd: 0o17\ne: -0\nf: +5\ng: 1e3\nh: 1.\ni: .5\nj: .inf\nk: -.INF\nl: .nan\nm: 12345678901234567890\nn: 3\n---\n",
        expect![[r#"
            2: a number "1.10" from "1.10"
            3: b number "007" from "007"
            4: c number "0x1F" from "0x1F"
            5: d number "0o17" from "0o17"
            6: e number "-0" from "-0"
            7: f number "+5" from "+5"
            8: g number "1e3" from "1e3"
            9: h number "1." from "1."
            10: i number ".5" from ".5"
            11: j number ".inf" from ".inf"
            12: k number "-.INF" from "-.INF"
            13: l number ".nan" from ".nan"
            14: m number "12345678901234567890" from "12345678901234567890"
            15: n number 3 from "3"
            text: ""
        "#]],
    );
}

#[test]
fn nothing_is_said_in_several_ways() {
    check(
        "---\na:\nb: ~\nc: null\nd: NULL\ne: ''\nf: \"\"\ng: []\nh: {}\ni: # comment\nj: |\nk:   \n---\n",
        expect![[r#"
            2: a empty null from ""
            3: b empty null from "~"
            4: c empty null from "null"
            5: d empty null from "NULL"
            6: e text "" from "''"
            7: f text "" from "\"\""
            8: g list [] from "[]"
            9: h nested {} from "{}"
            10: i empty null from ""
            11: j text "" from "|\n"
            12: k empty null from ""
            text: ""
        "#]],
    );
}

#[test]
fn truth_dates_and_times() {
    check(
        "---\na: true\nb: False\nc: TRUE\nd: 2020-08-21\ne: 2020-08-21T10:30:00\nf: 2020-08-21T10:30\ng: 2020-08-21 10:30\nh: \"2020-08-21\"\ni: 2020-8-1\n---\n",
        expect![[r#"
            2: a checkbox true from "true"
            3: b checkbox false from "False"
            4: c checkbox true from "TRUE"
            5: d date "2020-08-21" from "2020-08-21"
            6: e date_time "2020-08-21T10:30:00" from "2020-08-21T10:30:00"
            7: f date_time "2020-08-21T10:30" from "2020-08-21T10:30"
            8: g date_time "2020-08-21 10:30" from "2020-08-21 10:30"
            9: h date "2020-08-21" from "\"2020-08-21\""
            10: i text "2020-8-1" from "2020-8-1"
            text: ""
        "#]],
    );
}

#[test]
fn texts_over_several_lines() {
    check(
        "---\na: |\n  one\n    two\n\n  three\nb: >\n  one\n  two\n\n  three\nc: |-\n  one\nd: >+\n  one\n\ne: \"one\n  two\n\n  three\"\nf: 'one\n  two'\ng: one\n  two\nh: |2\n    one\n---\n",
        expect![[r#"
            2: a text "one\n  two\n\nthree\n" from "|\n  one\n    two\n\n  three"
            7: b text "one two\nthree\n" from ">\n  one\n  two\n\n  three"
            12: c text "one" from "|-\n  one"
            14: d text "one\n\n" from ">+\n  one"
            17: e text "one two\nthree" from "\"one\n  two\n\n  three\""
            21: f text "one two" from "'one\n  two'"
            23: g text "one two" from "one\n  two"
            25: h text "  one\n" from "|2\n    one"
            text: ""
        "#]],
    );
}

#[test]
fn quotes_and_escapes() {
    check(
        "---\na: 'it''s'\nb: \"tab\\tquote\\\" \\u00e9 \\x41\"\nc: \"a # b\"\nd: a # b\ne: a#b\nf: '[[A|''b'']]'\ng: \"C:\\\\dir\"\nh: C:\\dir\ni: it's\nj: say \"hi\"\n\"k l\": 1\n'm': 2\nn o: 3\n1: 4\ntrue: 5\n---\n",
        expect![[r#"
            2: a text "it's" from "'it''s'"
            3: b text "tab\tquote\" é A" from "\"tab\\tquote\\\" \\u00e9 \\x41\""
            4: c text "a # b" from "\"a # b\""
            5: d text "a" from "a"
            6: e text "a#b" from "a#b"
            7: f text "[[A|'b']]" from "'[[A|''b'']]'"
            8: g text "C:\\dir" from "\"C:\\\\dir\""
            9: h text "C:\\dir" from "C:\\dir"
            10: i text "it's" from "it's"
            11: j text "say \"hi\"" from "say \"hi\""
            12: "k l" number 1 from "1"
            13: 'm' number 2 from "2"
            14: n o number 3 from "3"
            15: 1 number 4 from "4"
            16: true number 5 from "5"
            property "A" | "'b'"
            text: ""
        "#]],
    );
}

#[test]
fn lists_and_maps() {
    check(
        "---\na: [1, 'b', \"c, d\", [e], {f: g}]\nh:\n- i\n- j # c\nk:\n  - l\n  -\n  - [m]\no: {p: {q: [r]}}\ns:\n  t:\n    u: v\nw: [\n  x,\n  y\n]\n---\n",
        expect![[r#"
            2: a nested [1,"b","c, d",["e"],{"f":"g"}] from "[1, 'b', \"c, d\", [e], {f: g}]"
            3: h list ["i","j"] from "- i\n- j"
            6: k nested ["l",null,["m"]] from "- l\n  -\n  - [m]"
            10: o nested {"p":{"q":["r"]}} from "{p: {q: [r]}}"
            11: s nested {"t":{"u":"v"}} from "t:\n    u: v"
            14: w list ["x","y"] from "[\n  x,\n  y\n]"
            text: ""
        "#]],
    );
}

#[test]
fn comments_belong_to_nobody() {
    check(
        "---\n# first\na: 1 # one\n\n# between\nb: # behind\n  # inside\n  - c # two\n# last\n---\n",
        expect![[r#"
        3: a number 1 from "1"
        6: b list ["c"] from "- c"
        text: ""
    "#]],
    );
}

#[test]
fn anchors_are_not_followed() {
    check(
        "---\na: &x [1, 2]\nb: *x\nc: &y d\ne: [*y, f]\n---\n",
        expect![[r#"
        2: a list [1,2] from "&x [1, 2]"
        3: b text "*x" from "*x"
        4: c text "d" from "&y d"
        5: e list ["*y","f"] from "[*y, f]"
        text: ""
    "#]],
    );
    check(
        "---\na: *unknown\nb: 1\n---\n",
        expect![[r#"
        error: properties are not valid YAML: while parsing node, found unknown anchor
        text: ""
    "#]],
    );
    check(
        "---\na: &x {b: 1}\nc:\n  <<: *x\n---\n",
        expect![[r#"
        2: a nested {"b":1} from "&x {b: 1}"
        3: c nested {"<<":"*x"} from "<<: *x"
        text: ""
    "#]],
    );
}

#[test]
fn tags_of_yaml_do_not_change_what_is_written() {
    check(
        "---\na: !!str 5\nb: !!int \"5\"\nc: !own d\ne: !!binary aGk=\n---\n",
        expect![[r#"
        2: a text "5" from "!!str 5"
        3: b text "5" from "!!int \"5\""
        4: c text "d" from "!own d"
        5: e text "aGk=" from "!!binary aGk="
        text: ""
    "#]],
    );
}

#[test]
fn a_name_counts_in_any_case_and_the_first_of_two_wins() {
    check(
        "---\nTags: [a]\ntags: [b]\nALIASES: c\n---\n",
        expect![[r#"
        2: Tags tags ["a"] from "[a]"
        3: tags tags ["b"] from "[b]"
        4: ALIASES aliases "c" from "c"
        tags: a
        aliases: c
        text: ""
    "#]],
    );
}

#[test]
fn names_that_were_given_up_mean_nothing() {
    check(
        "---\ntag: a\nalias: b\ncssclass: c\ncssclasses: [d]\n---\n",
        expect![[r#"
        2: tag text "a" from "a"
        3: alias text "b" from "b"
        4: cssclass text "c" from "c"
        5: cssclasses list ["d"] from "[d]"
        text: ""
    "#]],
    );
}

#[test]
fn aliases_are_whole_texts() {
    check(
        "---\naliases: a, b\n---\n",
        expect![[r#"
        2: aliases aliases "a, b" from "a, b"
        aliases: a, b
        text: ""
    "#]],
    );
    check(
        "---\naliases:\n  - ' a '\n  - 2\n  -\n  - ''\n  - [b]\n---\n",
        expect![[r#"
        2: aliases nested [" a ",2,null,"",["b"]] from "- ' a '\n  - 2\n  -\n  - ''\n  - [b]"
        aliases: a | 2
        text: ""
    "#]],
    );
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_kept() {
    check(
        "---\na: 1\n\tb: 2\n---\ntext",
        expect![[r#"
        error: properties are not valid YAML: while scanning a plain scalar, found a tab
        text: "text"
    "#]],
    );
    check(
        "---\na: 1\nb: [2\n---\ntext",
        expect![[r#"
        2: a number 1 from "1"
        error: properties are not valid YAML: while parsing a flow sequence, expected ',' or ']'
        text: "text"
    "#]],
    );
    check(
        "---\na: 1\nb: c: d\n---\ntext",
        expect![[r#"
        2: a number 1 from "1"
        3: b text "c" from "c"
        error: properties are not valid YAML: mapping values are not allowed in this context
        text: "text"
    "#]],
    );
    check(
        "---\na: @b\n---\ntext",
        expect![[r#"
        error: properties are not valid YAML: unexpected character: `@'
        text: "text"
    "#]],
    );
    check(
        "---\na: {{b}}\n---\ntext",
        expect![[r#"
        2: a nested {"{b}":null} from "{{b}}"
        text: "text"
    "#]],
    );
    check(
        "---\nprose\n---\ntext",
        expect![[r#"
        error: properties are not names with values
        text: "text"
    "#]],
    );
    check(
        "---\n- a\n---\ntext",
        expect![[r#"
        error: properties are not names with values
        text: "text"
    "#]],
    );
    check(
        "---\na:b\n---\ntext",
        expect![[r#"
        error: properties are not names with values
        text: "text"
    "#]],
    );
    check(
        "---\na: 1\n--- b\nc: 2\n---\ntext",
        expect![[r#"
            2: a number 1 from "1"
            error: properties are not valid YAML: a second document begins
            text: "text"
        "#]],
    );
    check(
        "---\na: 1\n...\nb: 2\n---\ntext",
        expect![[r#"
            2: a number 1 from "1"
            error: properties are not valid YAML: a second document begins
            text: "text"
        "#]],
    );
}

#[test]
fn blanks_of_other_kinds_are_part_of_a_value() {
    check(
        "---\na: b\u{a0}c\nd:\u{a0}e\nf: g\u{2028}h\n---\n",
        expect![[r#"
        2: a text "b c" from "b\u{a0}c"
        error: properties are not valid YAML: simple key expect ':'
        text: ""
    "#]],
    );
}
