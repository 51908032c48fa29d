use expect_test::{Expect, expect};

use super::*;

mod properties;
mod values;

fn text_value(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn texts(items: &[&str]) -> Value {
    Value::List(items.iter().map(|item| text_value(item)).collect())
}

fn outcome(before: &str, set: &[(&str, Value)], remove: &[&str]) -> Result<PropertiesEdited, PropertyEditError> {
    let text = NoteText::from_str(before);
    let set: Vec<(String, Value)> = set.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
    let remove: Vec<String> = remove.iter().map(|key| (*key).to_owned()).collect();
    let edited = set_properties(&text, &parse(&text), &set, &remove)?;
    let again = set_properties(&edited.text, &edited.note, &set, &remove).unwrap();
    assert!(again.edits.is_empty(), "a second time changes {:?}: {:?}", edited.text, again.edits);
    Ok(edited)
}

fn shown(outcome: Result<PropertiesEdited, PropertyEditError>) -> String {
    match outcome {
        Ok(edited) => format!("{:?}", edited.text),
        Err(error) => error.to_string(),
    }
}

fn check(before: &str, set: &[(&str, Value)], remove: &[&str], expect: Expect) {
    expect.assert_eq(&shown(outcome(before, set, remove)));
}

/// Sets `k` to a value in each of several notes.
fn check_each(befores: &[&str], value: Value, expect: Expect) {
    let all: Vec<String> = befores.iter().map(|before| shown(outcome(before, &[("k", value.clone())], &[]))).collect();
    expect.assert_eq(&all.join("\n"));
}

#[test]
fn a_scalar_keeps_its_quotes_and_its_comment() {
    check_each(
        &[
            "---\na: 1 # x\nk: old # c\nz: 'z'\n---\nbody",
            "---\nk:   'old'\n---\n",
            "---\n\"k\" : \"old\"   # c\n---\n",
            "---\nk:\n---\n",
            "---\nk: # c\n---\n",
            "---\nk: ~\n---\n",
            "---\r\nk: old\r\n  goes on\r\n---\r\n",
            "---\nk: |\n  old\n  text\nz: 1\n---\n",
            "---\nk:\n  - a\n  - b # c\n# d\nz: 1\n---\n",
            "---\nk: # c\n  a: 1\n---\n",
            "---\nk: [a, b] # c\n---\n",
            "---\nk: &x old\n---\n",
            "---\nk: !!str 5\n---\n",
            "---\nK: old\n---\n",
            "---\nz: 1\n---\n",
            "---\n  z: 1\n  k: a\n---\n",
            "---\n# nothing\n---\n",
            "---\n---\n",
            "---\rk: old\r---\r",
            "",
            "\u{feff}# T\r\n",
            "---\n\n# T\n",
        ],
        text_value("new"),
        expect![[r#"
            "---\na: 1 # x\nk: new # c\nz: 'z'\n---\nbody"
            "---\nk:   'new'\n---\n"
            "---\n\"k\" : \"new\"   # c\n---\n"
            "---\nk: new\n---\n"
            "---\nk: new # c\n---\n"
            "---\nk: new\n---\n"
            "---\r\nk: new\r\n---\r\n"
            "---\nk: new\nz: 1\n---\n"
            "---\nk: new\n# d\nz: 1\n---\n"
            "---\nk: new # c\n---\n"
            "---\nk: new # c\n---\n"
            "---\nk: &x new\n---\n"
            "---\nk: new\n---\n"
            "---\nK: new\n---\n"
            "---\nz: 1\nk: new\n---\n"
            "---\n  z: 1\n  k: new\n---\n"
            "---\n# nothing\nk: new\n---\n"
            "---\nk: new\n---\n"
            "---\rk: new\r---\r"
            "---\nk: new\n---\n"
            "\u{feff}---\r\nk: new\r\n---\r\n# T\r\n"
            "---\nk: new\n---\n---\n\n# T\n""#]],
    );
}

#[test]
fn lists_keep_their_style_and_the_items_that_stay() {
    let block = "---\nk:\n    - \"a\" # one\n    # two\n    - b\n\n    - 'c'\nz: 1\n---\n";
    let flow = "---\nk: [ \"a\",b,  'c, d' ] # c\n---\n";
    let all: Vec<String> = [
        (block, vec!["a", "b", "c", "d"]),
        (block, vec!["a", "c"]),
        (block, vec!["x", "a", "b", "c"]),
        (block, vec!["a", "x", "y", "c"]),
        (block, vec!["a"]),
        (block, vec!["x"]),
        (block, vec![]),
        (flow, vec!["a", "b", "c, d", "e"]),
        (flow, vec!["b", "c, d"]),
        (flow, vec!["a", "b"]),
        (flow, vec!["x", "a", "b", "c, d"]),
        (flow, vec!["a", "[x]", "c, d"]),
        (flow, vec![]),
        ("---\nk:\n- a\n- b\nz: 1\n---\n", vec!["a", "c"]),
        ("---\nk:\n  - a: 1\n    b: 2\n  - c\n---\n", vec!["c", "d"]),
        ("---\nk:\n  - |\n    # no\n  - c\n---\n", vec!["c", "d"]),
        ("---\nk: [\n  a, # x\n  b\n]\n---\n", vec!["a", "c"]),
        ("---\nk: [\n  a,\n  b,\n]\n---\n", vec!["a", "b", "c"]),
        ("---\nk: a\n---\n", vec!["a", "b"]),
        ("---\nk: a # c\n---\n", vec!["a", "b"]),
        ("---\nk:\n---\n", vec!["a"]),
        ("---\nk: []\n---\n", vec!["a"]),
        ("---\nl: [x]\n---\n", vec!["a"]),
        ("---\nl:\n- x\n---\n", vec!["a"]),
        ("---\r\nk:\r\n  - a\r\n---\r\n", vec!["a", "b"]),
        ("---\n  k:\n    - a\n  z: 1\n---\n", vec!["a", "b"]),
        ("---\n  z: 1\n---\n", vec!["a", "b"]),
    ]
    .iter()
    .map(|(before, items)| shown(outcome(before, &[("k", texts(items))], &[])))
    .collect();
    expect![[r#"
        "---\nk:\n    - \"a\" # one\n    # two\n    - b\n\n    - 'c'\n    - d\nz: 1\n---\n"
        "---\nk:\n    - \"a\" # one\n    # two\n\n    - 'c'\nz: 1\n---\n"
        "---\nk:\n    - x\n    - \"a\" # one\n    # two\n    - b\n\n    - 'c'\nz: 1\n---\n"
        "---\nk:\n    - \"a\" # one\n    # two\n    - x\n    - \"y\"\n\n    - 'c'\nz: 1\n---\n"
        "---\nk:\n    - \"a\" # one\n    # two\nz: 1\n---\n"
        "---\nk:\n    - x\nz: 1\n---\n"
        "---\nk: []\nz: 1\n---\n"
        "---\nk: [ \"a\",b,  'c, d', e ] # c\n---\n"
        "---\nk: [ b,  'c, d' ] # c\n---\n"
        "---\nk: [ \"a\",b ] # c\n---\n"
        "---\nk: [ x, \"a\",b,  'c, d' ] # c\n---\n"
        "---\nk: [ \"a\",\"[x]\",  'c, d' ] # c\n---\n"
        "---\nk: [] # c\n---\n"
        "---\nk:\n- a\n- c\nz: 1\n---\n"
        "---\nk:\n  - c\n  - d\n---\n"
        "---\nk:\n  - c\n  - d\n---\n"
        "---\nk: [a, c]\n---\n"
        "---\nk: [\n  a,\n  b, c,\n]\n---\n"
        "---\nk:\n  - a\n  - b\n---\n"
        "---\nk: # c\n  - a\n  - b\n---\n"
        "---\nk:\n  - a\n---\n"
        "---\nk:\n  - a\n---\n"
        "---\nl: [x]\nk: [a]\n---\n"
        "---\nl:\n- x\nk:\n- a\n---\n"
        "---\r\nk:\r\n  - a\r\n  - b\r\n---\r\n"
        "---\n  k:\n    - a\n    - b\n  z: 1\n---\n"
        "---\n  z: 1\n  k:\n    - a\n    - b\n---\n""#]]
    .assert_eq(&all.join("\n"));
}

#[test]
fn removing_takes_exactly_the_lines() {
    let all: Vec<String> = [
        "---\na: 1\nk: 2 # c\n# d\nz: 3\n---\nbody\n",
        "---\nk:\n  - a\n  - b\n---\n",
        "---\nk: |\n  text\n\nz: 1\n---\n",
        "---\nk: 'a\n  b' # c\nz: 1\n---\n",
        "---\r\nK: {a: [1,\r\n  2]}\r\n---\r\n",
        "---\nz: 1\n---\n",
        "none\n",
        "---\n? k\n: v\nz: 1\n---\n",
    ]
    .iter()
    .map(|before| shown(outcome(before, &[], &["k"])))
    .collect();
    expect![[r#"
        "---\na: 1\n# d\nz: 3\n---\nbody\n"
        "---\n---\n"
        "---\n\nz: 1\n---\n"
        "---\nz: 1\n---\n"
        "---\r\n---\r\n"
        "---\nz: 1\n---\n"
        "none\n"
        "---\nz: 1\n---\n""#]]
    .assert_eq(&all.join("\n"));
}

#[test]
fn what_cannot_be_done_with_care_is_refused() {
    let new = || ("k", text_value("new"));
    check(
        "---\na: [\n---\n",
        &[new()],
        &[],
        expect![
            "properties are not valid YAML: while parsing a node, did not find expected node content; mend the block first"
        ],
    );
    check("---\nprose\n---\n", &[new()], &[], expect!["properties are not names with values; mend the block first"]);
    check("---\nk: 1\nk: 2\n---\n", &[new()], &[], expect!["the note has this property twice: `k` (lines 2 and 3)"]);
    check("---\nk: 1\nK: 2\n---\n", &[new()], &[], expect![[r#""---\nk: new\nK: 2\n---\n""#]]);
    check(
        "---\n{a: 1}\n---\n",
        &[new()],
        &[],
        expect!["properties are written between `{` and `}`; write them one on a line first"],
    );
    check(
        "---\n{\n  \"a\": 1\n}\n---\n",
        &[new()],
        &[],
        expect!["properties are written between `{` and `}`; write them one on a line first"],
    );
    check("---\nk: &x 1\nz: *x\n---\n", &[new()], &[], expect!["property `k` is referred to elsewhere as `*x`"]);
    check("---\nk: &x 1\nz: *x\n---\n", &[], &["k"], expect!["property `k` is referred to elsewhere as `*x`"]);
    check(
        "---\n? k\n: v\n---\n",
        &[new()],
        &[],
        expect!["property `k` cannot be written: its name and its value stand on lines of their own"],
    );
    check("---\n...\n---\n", &[new()], &[], expect![[r#""---\n...\nk: new\n---\n""#]]);
    check("", &[new(), new()], &[], expect!["property is named twice: `k`"]);
    check("", &[new()], &["k"], expect!["property is named twice: `k`"]);
    check("---\nk: 1\n---\n", &[new(), ("K", Value::Null)], &[], expect!["property is named twice: `K`"]);
    check("", &[(" ", Value::Null)], &[], expect!["property name is empty"]);
    let text = NoteText::lossy(b"\xff".to_vec());
    assert_eq!(set_properties(&text, &parse(&text), &[], &[]), Err(PropertyEditError::NotUtf8));
}

#[test]
fn the_answer_says_what_changed() {
    let edited = outcome(
        "---\na: 1\nB: 2\nc: 1.10\n---\n",
        &[("b", text_value("x")), ("c", text_value("1.10")), ("d", Value::Null)],
        &["A", "e"],
    );
    let PropertiesEdited { text, set, removed, creates_block, .. } = edited.unwrap();
    assert_eq!(text.as_str(), "---\nB: x\nc: 1.10\nd:\n---\n");
    assert_eq!((set, removed, creates_block), (vec!["B".to_owned(), "d".to_owned()], vec!["a".to_owned()], false));
    assert!(outcome("x", &[("a", Value::Null)], &[]).unwrap().creates_block);
}
