use expect_test::Expect;

use super::*;
use crate::parse;

mod blocks;

mod inline;

mod links;

mod hostile;

/// The notes that links can lead to, besides some attachments.
const VAULT: [(&str, &str); 7] = [
    (
        "Note.md",
        "---\na: 1\n---\n# Top\n\nFirst. ^one\n\n## Part\n\nSecond [[Other]].\n\n- item ^li\n  - child\n\n## Last\n\nThird[^1].\n\n[^1]: Foot.\n",
    ),
    ("Other.md", "Other text.\n\n- [ ] open\n"),
    ("Loop.md", "Round ![[Loop]]"),
    ("Deep.md", "Down ![[Deeper]]"),
    ("Deeper.md", "further ![[Deep]]"),
    ("folder/Sub.md", "In a folder."),
    ("Table.md", "| a |\n|---|\n| b |\n\n^tab\n"),
];

fn resolve(_: &RelPath, link: &Link) -> Resolved {
    let path = |path: &str| RelPath::new(path).unwrap();
    match link.target.as_str() {
        "" => Resolved::Note { path: path("Self.md") },
        file @ ("pic.png" | "a b.jpg" | "doc.pdf" | "song.mp3" | "board.canvas") => {
            Resolved::Attachment { path: path(file) }
        }
        name => {
            let name = name.strip_suffix(".md").unwrap_or(name);
            VAULT
                .iter()
                .map(|(path, _)| *path)
                .find(|path| path.strip_suffix(".md").is_some_and(|path| path.rsplit('/').next() == Some(name)))
                .map_or(Resolved::Missing, |found| Resolved::Note { path: path(found) })
        }
    }
}

fn rendered(source: &str, strict_line_breaks: bool) -> String {
    note_of(source, strict_line_breaks).html
}

fn note_of(source: &str, strict_line_breaks: bool) -> RenderedNote {
    let path = RelPath::new("Self.md").unwrap();
    let embed = |path: &RelPath| {
        let source = match path.as_str() {
            "Self.md" => source,
            path => VAULT.iter().find(|(other, _)| *other == path)?.1,
        };
        let text = NoteText::from_str(source);
        Some(Embedded { note: parse(&text), text })
    };
    let options = RenderOptions { path: &path, resolve: &resolve, embed: &embed, strict_line_breaks, asset_base: None };
    let text = NoteText::from_str(source);
    render(&text, &parse(&text), &options)
}

fn check(source: &str, expected: Expect) {
    expected.assert_eq(rendered(source, false).trim_end());
}
