//! Whatever a note is written like, opening it, typing into it and taking that back changes no byte.

use anyhow::Context;
use it::{Bench, READ_ONLY, RETYPED, Window, retype};

/// Texts that an editor is tempted to put in order.
const TEXTS: &[(&str, &[u8])] = &[
    ("crlf.md", b"# One\r\n\r\n- a\r\n- b\r\n"),
    ("mixed ends.md", b"one\r\ntwo\nthree\rfour\r\n"),
    ("no last end.md", b"# One\n\nlast"),
    ("many last ends.md", b"# One\n\n\n\n"),
    ("empty.md", b""),
    ("only an end.md", b"\r\n"),
    ("mark.md", b"\xef\xbb\xbf# One\n"),
    ("blanks.md", b"two blanks  \n\ttab\t\n \n\xc2\xa0\n"),
    ("decomposed.md", "Cafe\u{301} und A\u{30a}ngstro\u{308}m\n".as_bytes()),
    (
        "right to left.md",
        "# \u{5e9}\u{5dc}\u{5d5}\u{5dd}\n\n\u{202b}\u{645}\u{631}\u{62d}\u{628}\u{627}\u{202c}\n".as_bytes(),
    ),
    (
        "joined.md",
        "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} \u{feff}\u{2028}\u{2029}\u{85}\u{b}\u{c} x\n".as_bytes(),
    ),
    ("nul.md", b"a\0b\n"),
    ("properties.md", b"---\ntags:   [a,  b]\r\n# why\nb: 'x'\n---\r\n\ntext\n"),
    ("broken properties.md", b"---\na: [1\n---\ntext\n"),
    ("table.md", b"|a|b|\n|-|:-:|\n|1|\n\n$$\nx\n$$\n> [!note]- T\n> y\n"),
    ("deep/er/long line.md", b"[[a]] **b** `c` "),
    ("not text.md", b"\xff\xfe# One\n"),
];

#[tokio::test]
async fn no_byte_changes_by_typing_and_taking_back() -> anyhow::Result<()> {
    let bench = Bench::new("");
    for (path, text) in TEXTS {
        let file = bench.vault().join(path);
        std::fs::create_dir_all(file.parent().context("a file has a folder")?)?;
        let text = if path.ends_with("long line.md") { text.repeat(2_000) } else { text.to_vec() };
        std::fs::write(file, text)?;
    }
    let before = bench.files();
    let notes: Vec<String> = TEXTS.iter().map(|(path, _)| (*path).to_owned()).collect();
    let window = Window::open(&bench, &[bench.vault().to_str().context("a plain path")?]).await?;
    window.text_has("footer", "notes indexed").await?;
    let outcomes = retype(&window, &notes).await?;
    for (note, outcome) in notes.iter().zip(&outcomes) {
        assert_eq!(outcome, if note == "not text.md" { READ_ONLY } else { RETYPED }, "{note}");
    }
    window.close().await?;
    assert_eq!(bench.files(), before);
    Ok(())
}
