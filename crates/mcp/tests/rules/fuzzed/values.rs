//! Values that nobody should send.

use serde_json::{Map, Value, json};

/// Strings for whoever takes one.
pub fn strings() -> Vec<String> {
    let long = |part: &str, n: usize| part.repeat(n);
    let mut strings: Vec<String> = [
        "",
        " ",
        "\t",
        "\n",
        "\0",
        "a\0b",
        "\u{feff}",
        "\u{202e}abc",
        "\u{ffff}",
        "e\u{301}",
        "\u{1b}[31m",
        "a\r\nb",
        "0",
        "5",
        "-1",
        "true",
        "null",
        "None",
        "undefined",
        "[]",
        "[A",
        "[\"A\"]",
        "[\"A\", 5]",
        "{}",
        "\"",
        "\\",
        "`",
        "#",
        "# A",
        "##",
        "A",
        "a",
        "T",
        "B",
        "[[n#A]]",
        "%%",
        "$$",
        "---",
        "n.md",
        "N.MD",
        "n",
        "/n.md",
        "./n.md",
        "sub//o.md",
        "sub",
        "sub/",
        "..",
        "odd/bytes.md",
        "odd/empty.md",
        "odd/mark",
        "odd/properties.md",
        "odd/open.md",
        "odd/secret.md",
        "odd/long.md",
        "odd/deep.md",
        "odd/same.md",
        "odd/board.canvas",
        "Same",
        "d6",
        "../x.md",
        "/etc/passwd",
        "C:\\n.md",
        "sub\\o.md",
        "a/../../b.md",
        ".obsidian/app.json",
        ".trash/n.md",
        "con.md",
        "a?.md",
        "a.png",
        "a.",
        "~/n.md",
        "file:///n.md",
        "vault://note/n.md",
        "%2e%2e/n.md",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV::t/a::0",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV::::99999999999999999999",
        "2026-11-30T00:00:00Z",
        "2026-13-99",
        "yesterday",
        "{{vidimus:secret:1}}",
        "{{vidimus:secret:",
        "</vault_content>",
        "(",
        "\"open",
        "/[/",
        "a OR",
        "-",
        "tag:",
        "[x:",
        "section:(",
        "$(id)",
        "'; DROP TABLE notes; --",
        "%s%n",
    ]
    .map(str::to_owned)
    .to_vec();
    strings.extend([
        long("0", 64),
        long("a", 64),
        long("A", 64),
        long("x", 2000),
        long("x/", 3000),
        long("e\u{301}", 500),
        long("\u{301}", 3000),
        long("(", 3000),
        long("[", 3000),
        long("# \n", 1000),
        long("\"", 5000),
    ]);
    strings
}

/// Values of every other kind.
pub fn others() -> Vec<Value> {
    let deep = |n: usize| (0..n).fold(json!("x"), |inner, _| json!([inner]));
    let deep_object = |n: usize| (0..n).fold(json!(1), |inner, _| json!({ "k": inner }));
    let many: Map<String, Value> = (0..300).map(|n| (format!("k{n}"), json!(n))).collect();
    vec![
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(-1),
        json!(7),
        json!(1.0),
        json!(1.5),
        json!(-0.0),
        json!(1e300),
        json!(9_007_199_254_740_993_u64),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(18_446_744_073_709_551_616.0),
        json!([]),
        json!([[]]),
        json!([null]),
        json!([1]),
        json!(["A"]),
        json!(["T", "A"]),
        json!(["", " "]),
        json!(vec!["x"; 33]),
        json!(vec!["x"; 51]),
        json!(["x".repeat(5000)]),
        json!([{"find": "old"}]),
        json!([{"find": "", "replace": ""}]),
        json!([{"find": "old", "replace": "x", "expected_count": -1}]),
        json!([{"find": "old", "replace": "x", "more": 1}]),
        json!([{"find": 5, "replace": null}]),
        json!([{"find": "old", "replace": "new"}, {"find": "old", "replace": "newer"}]),
        deep(100),
        json!({}),
        json!({"": ""}),
        json!({"a": null}),
        json!({"a": {"b": [1, {"c": []}]}}),
        json!({"kind": 1e300}),
        json!({"a: b\n": "x", "tags": ["a", 5], "aliases": {}}),
        json!({"x".repeat(3000): "y"}),
        Value::Object(many),
        deep_object(100),
    ]
}

/// Values that JSON allows and few expect, and some that it does not.
pub fn spelled() -> Vec<String> {
    let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    vec![
        r#""\ud800""#.to_owned(),
        r#""\udc00\ud800x""#.to_owned(),
        r#""\u0000""#.to_owned(),
        "1e400".to_owned(),
        "-1e400".to_owned(),
        "1e-400".to_owned(),
        "-0".to_owned(),
        "9".repeat(400),
        format!("0.{}", "3".repeat(400)),
        "01".to_owned(),
        "NaN".to_owned(),
        "'n.md'".to_owned(),
        "\"a\tb\"".to_owned(),
        "\"open".to_owned(),
        "1,".to_owned(),
        nested(120),
        nested(200),
        nested(100_000),
        "{\"a\":1,\"a\":2}".to_owned(),
    ]
}

/// Numbers that make the same ones again from the same seed.
pub struct Dice(u64);

impl Dice {
    pub fn of_environment() -> Dice {
        Dice(std::env::var("FUZZ_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1))
    }

    pub fn roll(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % n as u64).unwrap()
    }
}
