use super::*;
use expect_test::{Expect, expect};

const KNOWN: &[Arg] = &[
    required("rel_path", Kind::Text { max: 12 }, "Which note."),
    optional("format", Kind::Choice(&["full", "map"]), "How."),
    optional("heading_occurrence", Kind::Integer { min: 1, max: u64::MAX, default: None }, "Which one."),
    optional("limit", Kind::Integer { min: 1, max: 100, default: Some(20) }, "How many."),
    optional("dry_run", Kind::Flag { default: false }, "Only plan."),
    optional("heading_path", Kind::HeadingPath, "Where."),
    optional("expected_hash", Kind::Hash, "What was read."),
    optional("request_id", Kind::RequestId, "A retry token."),
];

fn check(raw: Value, expected: Expect) {
    let (args, problems) = Args::check(KNOWN, raw.as_object());
    let out = match problems.into_result() {
        Ok(()) => args.values.iter().map(|(name, value)| format!("{name}={value}\n")).collect(),
        Err(error) => format!("{}\n", error.message),
    };
    expected.assert_eq(&out);
}

#[test]
fn values_are_brought_into_one_form() {
    check(
        json!({"rel_path": "a.md", "limit": 5.0, "heading_occurrence": null, "heading_path": "[\"A\", \"B\"]"}),
        expect![[r#"
            heading_path=["A","B"]
            limit=5
            rel_path="a.md"
        "#]],
    );
}

#[test]
fn nothing_is_coerced_that_is_not_exact() {
    let wrong = [
        json!("5"),
        json!("null"),
        json!(""),
        json!(1.5),
        json!(0),
        json!(-1),
        json!(true),
        json!([2]),
        json!({}),
        json!(1e300),
    ];
    let said: String = wrong
        .iter()
        .map(|value| {
            let raw = json!({"rel_path": "a.md", "heading_occurrence": value});
            let (_, problems) = Args::check(KNOWN, raw.as_object());
            format!("{}\n", problems.into_result().unwrap_err().message)
        })
        .collect();
    expect![[r#"
        wrong argument: `heading_occurrence` must be an integer from 1 up, not the string "5"
        wrong argument: `heading_occurrence` must be an integer from 1 up, not the string "null"
        wrong argument: `heading_occurrence` must be an integer from 1 up, not the string ""
        wrong argument: `heading_occurrence` must be an integer from 1 up, not 1.5
        wrong argument: `heading_occurrence` must be an integer from 1 up, not 0
        wrong argument: `heading_occurrence` must be an integer from 1 up, not -1
        wrong argument: `heading_occurrence` must be an integer from 1 up, not true
        wrong argument: `heading_occurrence` must be an integer from 1 up, not an array of 1
        wrong argument: `heading_occurrence` must be an integer from 1 up, not an object of 0
        wrong argument: `heading_occurrence` must be an integer from 1 up, not 1e+300
    "#]]
    .assert_eq(&said);
}

#[test]
fn a_string_that_is_no_heading_path_says_what_to_send() {
    let long = "x".repeat(61);
    let wrong = ["[A", "A]", "A", "[\"A\"", "\"A\"", "A / B", "{}", "null", "", "[]", "[\"A\", 5]", long.as_str()];
    let said: String = wrong
        .iter()
        .map(|value| {
            let raw = json!({"rel_path": "a.md", "heading_path": value});
            let (_, problems) = Args::check(KNOWN, raw.as_object());
            let message = problems.into_result().unwrap_err().message;
            message.replace(
                "wrong argument: `heading_path` must be an array of 1 to 32 heading titles, outermost first,",
                "..",
            ) + "\n"
        })
        .collect();
    expect![[r#"
        .. not the string "[A"; for the section of that title send the array ["[A"]
        .. not the string "A]"; for the section of that title send the array ["A]"]
        .. not the string "A"; for the section of that title send the array ["A"]
        .. not the string "[\"A\""; it begins as a JSON array and is none, so send the array itself
        .. not the string "\"A\""; for the section of that title send the array ["\"A\""]
        .. not the string "A / B"; for the section of that title send the array ["A / B"]
        .. not the string "{}"; for the section of that title send the array ["{}"]
        .. not the string "null"; for the section of that title send the array ["null"]
        .. not the string ""
        .. not the string "[]", which holds an array of 0
        .. not the string "[\"A\", 5]", which holds an array of something else
        .. not a string of 61 characters that begins "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"; for the section of that title send an array with the title in it
    "#]].assert_eq(&said);
}

#[test]
fn every_wrong_argument_is_named_at_once() {
    check(
        json!({
            "path": "a.md", "format": "FULL", "limit": 101, "dry_run": "yes", "heading_path": [],
            "expected_hash": "ABC", "request_id": "a b", "zzz": 1
        }),
        expect![[r#"
            9 wrong arguments: `path` is unknown; the nearest known argument is `rel_path`; `format` must be one of `full`, `map`, not the string "FULL"; `limit` must be an integer from 1 to 100, not 101; `dry_run` must be true or false, not the string "yes"; `heading_path` must be an array of 1 to 32 heading titles, outermost first, not an array of 0; `expected_hash` must be a content_hash of 64 lowercase hex digits, as a read tool gave it, not the string "ABC"; `request_id` must be 1 to 128 characters of A-Z a-z 0-9 _ . -, not the string "a b"; `zzz` is unknown; `rel_path` is required
        "#]],
    );
}

#[test]
fn an_unknown_null_is_still_unknown() {
    check(
        json!({"rel_path": "a.md", "expected_hsh": null}),
        expect![[r#"
            wrong argument: `expected_hsh` is unknown; the nearest known argument is `expected_hash`
        "#]],
    );
}

#[test]
fn a_retry_has_the_same_fingerprint_and_another_call_has_not() {
    let print = |raw: Value| Args::check(KNOWN, raw.as_object()).0.fingerprint("t");
    let first = print(json!({"rel_path": "a.md", "limit": 5, "request_id": "r"}));
    assert_eq!(first, print(json!({"limit": 5.0, "request_id": "s", "rel_path": "a.md", "format": null})));
    assert_ne!(first, print(json!({"rel_path": "a.md", "limit": 6, "request_id": "r"})));
    assert_ne!(first, Args::check(KNOWN, json!({"rel_path": "a.md", "limit": 5}).as_object()).0.fingerprint("u"));
}

#[test]
fn a_list_or_an_object_is_told_its_odd_part() {
    const LISTS: &[Arg] = &[
        optional("heading_path", Kind::HeadingPath, "Where."),
        optional("tags", Kind::Words, "Which."),
        optional("properties", Kind::Pairs, "Which."),
        optional("edits", Kind::Edits, "What."),
        optional("title", Kind::Text { max: 70 }, "Which."),
    ];
    let said: String = [
        json!({"heading_path": ["A", 5]}),
        json!({"tags": [null]}),
        json!({"tags": vec!["x"; 51]}),
        json!({"properties": {"a": "b", "c": {"d": 1}}}),
        json!({"edits": []}),
        json!({"edits": ["old"]}),
        json!({"edits": [{"find": "a", "replace": "b"}, {"find": "a"}]}),
        json!({"edits": [{"find": 5, "replace": "b"}]}),
        json!({"edits": [{"find": "a", "replace": null}]}),
        json!({"edits": [{"find": "a", "replace": "b", "expected_count": 0}]}),
        json!({"edits": [{"find": "a", "replace": "b", "replace_with": "c"}]}),
        json!({"edits": [{"find": "a", "replace": "b", "expected_count": null}, {"find": "a", "replace": "b", "expected_count": 2.0}]}),
        json!({"title": "x".repeat(71)}),
    ]
    .iter()
    .map(|raw| {
        let (_, problems) = Args::check(LISTS, raw.as_object());
        format!("{}\n", problems.into_result().map_or_else(|error| error.message, |()| "taken".to_owned()))
    })
    .collect();
    expect![[r#"
        wrong argument: `heading_path` must be an array of 1 to 32 heading titles, outermost first, not an array of 2: heading_path[1] is 5
        wrong argument: `tags` must be an array of at most 50 strings, not an array of 1: tags[0] is null
        wrong argument: `tags` must be an array of at most 50 strings, not an array of 51
        wrong argument: `properties` must be an object of at most 20 property names, each with a string, number or boolean, not an object of 2: properties["c"] is an object of 1
        wrong argument: `edits` must be an array of 1 to 50 objects, each with find, replace and perhaps expected_count, not an array of 0
        wrong argument: `edits` must be an array of 1 to 50 objects, each with find, replace and perhaps expected_count, not an array of 1: edits[0] is the string "old"
        wrong argument: `edits` must be an array of 1 to 50 objects, each with find, replace and perhaps expected_count, not an array of 2: edits[1] has no replace
        wrong argument: `edits` must be an array of 1 to 50 objects, each with find, replace and perhaps expected_count, not an array of 1: edits[0].find is 5
        wrong argument: `edits` must be an array of 1 to 50 objects, each with find, replace and perhaps expected_count, not an array of 1: edits[0].replace is null
        wrong argument: `edits` must be an array of 1 to 50 objects, each with find, replace and perhaps expected_count, not an array of 1: edits[0].expected_count is 0, not an integer from 1 up
        wrong argument: `edits` must be an array of 1 to 50 objects, each with find, replace and perhaps expected_count, not an array of 1: edits[0].replace_with is unknown, the nearest known name is `replace`
        taken
        wrong argument: `title` must be a string of at most 70 characters, not a string of 71 characters that begins "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    "#]].assert_eq(&said);
}
