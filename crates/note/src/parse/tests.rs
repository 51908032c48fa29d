use expect_test::{Expect, expect};

use super::*;

fn outline(text: &str) -> String {
    let note = parse(&NoteText::from_str(text));
    note.headings
        .iter()
        .map(|h| format!("{} {} {:?} raw={:?} title={:?}\n", h.line, h.level, h.text, h.raw, &text[h.title.clone()]))
        .collect()
}

fn check(text: &str, expect: Expect) {
    expect.assert_eq(&outline(text));
}

#[test]
fn shapes() {
    check(
        "Two\nlines ^id\n---\n\n[a]: b\nTitle\n===\n\n  ##\tOld ^x  \n## C# ##\n#\u{a0}no\n",
        expect![[r#"
        1 2 "Two lines" raw="Two lines" title="Two\nlines"
        6 1 "Title" raw="Title" title="Title"
        9 2 "Old" raw="Old" title="Old"
        10 2 "C#" raw="C#" title="C#"
    "#]],
    );
}
