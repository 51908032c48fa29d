use expect_test::{Expect, expect};

use super::*;
use crate::parse;

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
    render(&text, &parse(&text), &options).html
}

fn check(source: &str, expected: Expect) {
    expected.assert_eq(rendered(source, false).trim_end());
}

#[test]
fn blocks_say_where_they_start() {
    check(
        "# A\n\npara\n\n- one\n- two\n\n3. x\n\n> q\n\n---\n\n```rust\nfn x() {}\n```\n",
        expect![[r#"
        <h1 data-line="1" data-heading="a" id="heading-0">A</h1><p data-line="3">para</p>
        <ul data-line="5"><li data-line="5">one</li><li data-line="6">two</li></ul><ol data-line="8" start="3"><li data-line="8">x</li></ol><blockquote data-line="10"><p data-line="10">q</p>
        </blockquote><hr data-line="12">
        <pre data-line="14"><code class="language-rust">fn x() {}
        </code></pre>"#]],
    );
    check(
        "A\n=\n\nB *b*\n---\ntext",
        expect![[
            r#"<h1 data-line="1" data-heading="a" id="heading-0">A</h1><h2 data-line="4" data-heading="b b" id="heading-1">B <em>b</em></h2><p data-line="6">text</p>"#
        ]],
    );
    check(
        "a\r\n\r\nb\rc\r\rd\n\ne",
        expect![[r#"
        <p data-line="1">a</p>
        <p data-line="3">b<br>
        c</p>
        <p data-line="6">d</p>
        <p data-line="8">e</p>"#]],
    );
    check(
        "    code\n\n```mermaid\ngraph TD\n```",
        expect![[r#"
        <pre data-line="1"><code>code
        </code></pre>
        <pre class="mermaid" data-line="3"><code class="language-mermaid">graph TD
        </code></pre>"#]],
    );
    check(
        "> # quoted\n\n- # listed",
        expect![[
            r#"<blockquote data-line="1"><h1 data-line="1">quoted</h1></blockquote><ul data-line="3"><li data-line="3"><h1 data-line="3">listed</h1></li></ul>"#
        ]],
    );
}

#[test]
fn properties_are_not_part_of_the_text() {
    check("---\ntitle: x\n---\n# A", expect![[r#"<h1 data-line="4" data-heading="a" id="heading-0">A</h1>"#]]);
}

#[test]
fn single_line_breaks_break_lines_unless_strict() {
    check(
        "a\nb  \nc\\\nd",
        expect![[r#"
        <p data-line="1">a<br>
        b<br>
        c<br>
        d</p>"#]],
    );
    expect![[r#"
        <p data-line="1">a
        b<br>
        c</p>
    "#]]
    .assert_eq(&rendered("a\nb  \nc", true));
}

#[test]
fn links_to_notes() {
    check(
        "[[Note]] [[Note|alias]] [[Note#Part]] [[#Here]] [[Note#^one]] [[Note#Top#Part]] [[Nowhere]]",
        expect![[
            r##"<p data-line="1"><a class="internal-link" data-href="Note" data-path="Note.md" href="#">Note</a> <a class="internal-link" data-href="Note" data-path="Note.md" href="#">alias</a> <a class="internal-link" data-href="Note#Part" data-path="Note.md" href="#">Note › Part</a> <a class="internal-link" data-href="#Here" data-path="Self.md" href="#">Here</a> <a class="internal-link" data-href="Note#^one" data-path="Note.md" href="#">Note › ^one</a> <a class="internal-link" data-href="Note#Top#Part" data-path="Note.md" href="#">Note › Top › Part</a> <a class="internal-link is-unresolved" data-href="Nowhere" href="#">Nowhere</a></p>"##
        ]],
    );
    check(
        "[t](Note.md) [t](Note.md#Part) [*t*](<a b.md>) [r][1] [Note]\n\n[1]: Note.md#Top\n[Note]: Note.md",
        expect![[
            r##"<p data-line="1"><a class="internal-link" data-href="Note.md" data-path="Note.md" href="#">t</a> <a class="internal-link" data-href="Note.md#Part" data-path="Note.md" href="#">t</a> <a class="internal-link is-unresolved" data-href="a b.md" href="#"><em>t</em></a> <a class="internal-link" data-href="Note.md#Top" data-path="Note.md" href="#">r</a> <a class="internal-link" data-href="Note.md" data-path="Note.md" href="#">Note</a></p>"##
        ]],
    );
    check(
        "**[[Note]]** *a [[Note|*b*]] c* [out [[Note]]](https://x.example)",
        expect![[
            r##"<p data-line="1"><strong><a class="internal-link" data-href="Note" data-path="Note.md" href="#">Note</a></strong> <em>a <a class="internal-link" data-href="Note" data-path="Note.md" href="#">*b*</a> c</em> <a class="external-link" href="https://x.example" data-external="https://x.example" rel="noopener nofollow">out Note</a></p>"##
        ]],
    );
    check("`[[Note]]` \\[[Note]]", expect![[r#"<p data-line="1"><code>[[Note]]</code> [[Note]]</p>"#]]);
    check(
        "[[https://x.example]] [[javascript:alert(1)]]",
        expect![[
            r##"<p data-line="1"><a class="internal-link is-unresolved" data-href="https://x.example" href="#">https://x.example</a> <a class="internal-link is-unresolved" href="#">javascript:alert(1)</a></p>"##
        ]],
    );
    check(
        "| a |\n|---|\n| [[Note\\|x]] |",
        expect![[
            r##"<table data-line="1"><thead><tr data-line="1"><th>a</th></tr></thead><tbody><tr data-line="3"><td><a class="internal-link" data-href="Note" data-path="Note.md" href="#">x</a></td></tr></tbody></table>"##
        ]],
    );
}

#[test]
fn links_out_of_the_vault() {
    check(
        "[t](https://x.example/?a=1&b=2 \"T\") <https://y.example> <me@x.example> https://z.example/a_b_c.",
        expect![[
            r#"<p data-line="1"><a class="external-link" href="https://x.example/?a=1&amp;b=2" data-external="https://x.example/?a=1&amp;b=2" rel="noopener nofollow">t</a> <a class="external-link" href="https://y.example" data-external="https://y.example" rel="noopener nofollow">https://y.example</a> <a class="external-link" href="mailto:me@x.example" data-external="mailto:me@x.example" rel="noopener nofollow">me@x.example</a> <a class="external-link" href="https://z.example/a_b_c" data-external="https://z.example/a_b_c" rel="noopener nofollow">https://z.example/a_b_c</a>.</p>"#
        ]],
    );
    check(
        "[t](obsidian://open?vault=v) [t](javascript:alert(1)) [t](data:text/html,x) [t]()",
        expect![[
            r##"<p data-line="1"><a class="external-link" href="#" data-external="obsidian://open?vault=v" rel="noopener nofollow">t</a> <span class="refused-link">t</span> <span class="refused-link">t</span> t</p>"##
        ]],
    );
    check(
        "(see https://x.example/(y)) [https://x.example](https://x.example)",
        expect![[
            r#"<p data-line="1">(see <a class="external-link" href="https://x.example/(y)" data-external="https://x.example/(y)" rel="noopener nofollow">https://x.example/(y)</a>) <a class="external-link" href="https://x.example" data-external="https://x.example" rel="noopener nofollow">https://x.example</a></p>"#
        ]],
    );
}

#[test]
fn pictures() {
    check(
        "![[pic.png]] ![[pic.png|300]] ![[pic.png|Alt|640x480]] ![alt|20](a%20b.jpg)",
        expect![[
            r#"<p data-line="1"><img class="vault-image" data-vault-src="pic.png" alt="pic.png"> <img class="vault-image" data-vault-src="pic.png" alt="pic.png" width="300"> <img class="vault-image" data-vault-src="pic.png" alt="Alt" width="640" height="480"> <img class="vault-image" data-vault-src="a b.jpg" alt="alt" width="20"></p>"#
        ]],
    );
    check(
        "![alt|100x145](https://x.example/i.png) ![250](https://x.example/i.png)",
        expect![[
            r#"<p data-line="1"><span class="remote-image" role="button" tabindex="0" data-src="https://x.example/i.png" data-alt="alt" data-width="100" data-height="145" title="https://x.example/i.png">Load image from x.example</span> <span class="remote-image" role="button" tabindex="0" data-src="https://x.example/i.png" data-width="250" title="https://x.example/i.png">Load image from x.example</span></p>"#
        ]],
    );
    check(
        "![x](data:image/png;base64,AAAA) ![x](data:text/html,y) ![x](javascript:y)",
        expect![[r#"<p data-line="1"><img class="inline-image" src="data:image/png;base64,AAAA" alt="x"> x x</p>"#]],
    );
    check(
        "![[doc.pdf#page=3]] ![[song.mp3]] ![[board.canvas]]",
        expect![[
            r##"<p data-line="1"><span class="attachment-embed" data-kind="pdf" data-vault-src="doc.pdf" data-subpath="page=3"><a class="internal-link" data-href="doc.pdf#page=3" data-path="doc.pdf" href="#">doc.pdf</a></span> <span class="attachment-embed" data-kind="audio" data-vault-src="song.mp3"><a class="internal-link" data-href="song.mp3" data-path="song.mp3" href="#">song.mp3</a></span> <span class="attachment-embed" data-kind="canvas" data-vault-src="board.canvas"><a class="internal-link" data-href="board.canvas" data-path="board.canvas" href="#">board.canvas</a></span></p>"##
        ]],
    );
}

#[test]
fn pictures_may_carry_urls_of_the_window() {
    let path = RelPath::new("Self.md").unwrap();
    let options = RenderOptions {
        path: &path,
        resolve: &resolve,
        embed: &|_| None,
        strict_line_breaks: false,
        asset_base: Some("vault-asset://localhost/"),
    };
    let text = NoteText::from_str("![[a b.jpg]]\n\n<img src='vault-asset://localhost/x.png'>");
    expect![[r#"
        <p data-line="1"><img class="vault-image" data-vault-src="a b.jpg" src="vault-asset://localhost/a%20b.jpg" alt="a b.jpg"></p>
        <div class="html-block" data-line="3"><img></div>
    "#]].assert_eq(&render(&text, &parse(&text), &options).html);
}

#[test]
fn embeds_stand_in_place() {
    check(
        "a ![[Other]] b",
        expect![[r##"
        <p data-line="1">a </p><div class="internal-embed markdown-embed" data-href="Other" data-path="Other.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="Other" data-path="Other.md" href="#">Other</a></div><div class="embed-content"><p>Other text.</p>
        <ul><li class="task-list-item" data-task=" " data-note="Other.md" data-note-line="3"><input class="task-list-item-checkbox" type="checkbox" data-note="Other.md" data-note-line="3"> open</li></ul></div></div>
        <p data-line="1"> b</p>"##]],
    );
    check(
        "![[Note#Part]]",
        expect![[r##"
        <div class="internal-embed markdown-embed" data-href="Note#Part" data-path="Note.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="Note#Part" data-path="Note.md" href="#">Note › Part</a></div><div class="embed-content"><h2 data-heading="part">Part</h2><p>Second <a class="internal-link" data-href="Other" data-path="Other.md" href="#">Other</a>.</p>
        <ul><li>item <span class="block-anchor" data-block-id="li"></span><ul><li>child</li></ul></li></ul></div></div>"##]],
    );
    check(
        "![[Note#^one]]",
        expect![[r##"
        <div class="internal-embed markdown-embed" data-href="Note#^one" data-path="Note.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="Note#^one" data-path="Note.md" href="#">Note › ^one</a></div><div class="embed-content"><p>First. <span class="block-anchor" data-block-id="one"></span></p>
        </div></div>"##]],
    );
    check(
        "![[Note#^li]]",
        expect![[
            r##"<div class="internal-embed markdown-embed" data-href="Note#^li" data-path="Note.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="Note#^li" data-path="Note.md" href="#">Note › ^li</a></div><div class="embed-content"><ul><li>item <span class="block-anchor" data-block-id="li"></span><ul><li>child</li></ul></li></ul></div></div>"##
        ]],
    );
    check(
        "![[Table#^tab]]",
        expect![[r##"
        <div class="internal-embed markdown-embed" data-href="Table#^tab" data-path="Table.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="Table#^tab" data-path="Table.md" href="#">Table › ^tab</a></div><div class="embed-content"><table><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>
        </div></div>"##]],
    );
    check(
        "![[Note#Last]]",
        expect![[r##"
        <div class="internal-embed markdown-embed" data-href="Note#Last" data-path="Note.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="Note#Last" data-path="Note.md" href="#">Note › Last</a></div><div class="embed-content"><h2 data-heading="last">Last</h2><p>Third<sup class="footnote-ref" id="e1-fnref-1"><a class="footnote-link" href="#e1-fn-1" data-footnote="1">1</a></sup>.</p>
        <section class="footnotes"><ol><li id="e1-fn-1" data-footnote="1"><p>Foot. <a class="footnote-backref" href="#e1-fnref-1">↩</a></p></li>
        </ol></section></div></div>"##]],
    );
    check(
        "- ![[Sub]]",
        expect![[r##"
        <ul data-line="1"><li data-line="1"><div class="internal-embed markdown-embed" data-href="Sub" data-path="folder/Sub.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="Sub" data-path="folder/Sub.md" href="#">Sub</a></div><div class="embed-content"><p>In a folder.</p>
        </div></div>
        </li></ul>"##]],
    );
}

#[test]
fn embeds_that_cannot_be_shown_say_why() {
    check(
        "![[Nowhere]]\n\n![[Note#Nowhere]]\n\n![[Note#^nowhere]]",
        expect![[r##"
        <p data-line="1"><span class="internal-embed is-missing"><a class="internal-link is-unresolved" data-href="Nowhere" href="#">Nowhere</a> not found</span></p>
        <p data-line="3"><span class="internal-embed is-missing"><a class="internal-link" data-href="Note#Nowhere" data-path="Note.md" href="#">Note › Nowhere</a> not found in the note</span></p>
        <p data-line="5"><span class="internal-embed is-missing"><a class="internal-link" data-href="Note#^nowhere" data-path="Note.md" href="#">Note › ^nowhere</a> not found in the note</span></p>"##]],
    );
    check(
        "![[Loop]]",
        expect![[r##"
        <div class="internal-embed markdown-embed" data-href="Loop" data-path="Loop.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="Loop" data-path="Loop.md" href="#">Loop</a></div><div class="embed-content"><p>Round <span class="internal-embed is-loop"><a class="internal-link" data-href="Loop" data-path="Loop.md" href="#">Loop</a> not shown: it embeds itself</span></p>
        </div></div>"##]],
    );
    check(
        "![[Deep]]",
        expect![[r##"
        <div class="internal-embed markdown-embed" data-href="Deep" data-path="Deep.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="Deep" data-path="Deep.md" href="#">Deep</a></div><div class="embed-content"><p>Down </p><div class="internal-embed markdown-embed" data-href="Deeper" data-path="Deeper.md"><div class="embed-title"><a class="internal-link" data-href="Deeper" data-path="Deeper.md" href="#">Deeper</a></div><div class="embed-content"><p>further <span class="internal-embed is-loop"><a class="internal-link" data-href="Deep" data-path="Deep.md" href="#">Deep</a> not shown: it embeds itself</span></p>
        </div></div>
        </div></div>"##]],
    );
    check(
        "# A\n\n![[#B]]\n\n# B\n\n![[#A]]",
        expect![[r##"
        <h1 data-line="1" data-heading="a" id="heading-0">A</h1><div class="internal-embed markdown-embed" data-href="#B" data-path="Self.md" data-line="3"><div class="embed-title"><a class="internal-link" data-href="#B" data-path="Self.md" href="#">B</a></div><div class="embed-content"><h1 data-heading="b">B</h1><div class="internal-embed markdown-embed" data-href="#A" data-path="Self.md"><div class="embed-title"><a class="internal-link" data-href="#A" data-path="Self.md" href="#">A</a></div><div class="embed-content"><h1 data-heading="a">A</h1><p><span class="internal-embed is-loop"><a class="internal-link" data-href="#B" data-path="Self.md" href="#">B</a> not shown: it embeds itself</span></p>
        </div></div>
        </div></div>
        <h1 data-line="5" data-heading="b" id="heading-1">B</h1><div class="internal-embed markdown-embed" data-href="#A" data-path="Self.md" data-line="7"><div class="embed-title"><a class="internal-link" data-href="#A" data-path="Self.md" href="#">A</a></div><div class="embed-content"><h1 data-heading="a">A</h1><div class="internal-embed markdown-embed" data-href="#B" data-path="Self.md"><div class="embed-title"><a class="internal-link" data-href="#B" data-path="Self.md" href="#">B</a></div><div class="embed-content"><h1 data-heading="b">B</h1><p><span class="internal-embed is-loop"><a class="internal-link" data-href="#A" data-path="Self.md" href="#">A</a> not shown: it embeds itself</span></p>
        </div></div>
        </div></div>"##]],
    );
}

#[test]
fn callouts() {
    check(
        "> [!tip] Do *this*\n> Body.\n> \n> More.",
        expect![[r#"
        <div class="callout" data-callout="tip" data-callout-type="tip" data-line="1"><div class="callout-title"><div class="callout-title-inner">Do <em>this</em></div></div><div class="callout-content"><p data-line="2">Body.</p>
        <p data-line="4">More.</p>
        </div></div>"#]],
    );
    check(
        "> [!faq]- Folded?\n> Yes.",
        expect![[r#"
        <div class="callout" data-callout="question" data-callout-type="faq" data-callout-fold="-" data-line="1"><details><summary class="callout-title"><div class="callout-title-inner">Folded?</div></summary><div class="callout-content"><p data-line="2">Yes.</p>
        </div></details></div>"#]],
    );
    check(
        "> [!unknown-kind]+\n> - list",
        expect![[
            r#"<div class="callout" data-callout="note" data-callout-type="unknown-kind" data-callout-fold="+" data-line="1"><details open=""><summary class="callout-title"><div class="callout-title-inner">Unknown kind</div></summary><div class="callout-content"><ul data-line="2"><li data-line="2">list</li></ul></div></details></div>"#
        ]],
    );
    check(
        "> [!note]",
        expect![[
            r#"<div class="callout" data-callout="note" data-callout-type="note" data-line="1"><div class="callout-title"><div class="callout-title-inner">Note</div></div></div>"#
        ]],
    );
    check(
        "> [!note] outer\n> > [!bug]\n> > inner\n> \n> after",
        expect![[r#"
        <div class="callout" data-callout="note" data-callout-type="note" data-line="1"><div class="callout-title"><div class="callout-title-inner">outer</div></div><div class="callout-content"><div class="callout" data-callout="bug" data-callout-type="bug" data-line="2"><div class="callout-title"><div class="callout-title-inner">Bug</div></div><div class="callout-content"><p data-line="3">inner</p>
        </div></div>
        <p data-line="5">after</p>
        </div></div>"#]],
    );
    check(
        "> [!info|wide] *a\n> b* c\n> d",
        expect![[r#"
        <div class="callout" data-callout="info" data-callout-type="info" data-callout-metadata="wide" data-line="1"><div class="callout-title"><div class="callout-title-inner"><em>a</em></div></div><div class="callout-content"><p data-line="2"><em>b</em> c<br>
        d</p>
        </div></div>"#]],
    );
    check(
        "- > [!todo]\n  > x",
        expect![[r#"
        <ul data-line="1"><li data-line="1"><div class="callout" data-callout="todo" data-callout-type="todo" data-line="1"><div class="callout-title"><div class="callout-title-inner">Todo</div></div><div class="callout-content"><p data-line="2">x</p>
        </div></div>
        </li></ul>"#]],
    );
    check(
        "> plain [!note]",
        expect![[r#"
        <blockquote data-line="1"><p data-line="1">plain [!note]</p>
        </blockquote>"#]],
    );
}

#[test]
fn tasks() {
    check(
        "- [ ] open\n- [x] done\n- [/] half\n- [>] on\n- [x]no\n1. [X] n",
        expect![[
            r#"<ul data-line="1"><li class="task-list-item" data-task=" " data-line="1"><input class="task-list-item-checkbox" type="checkbox" data-line="1"> open</li><li class="task-list-item is-checked" data-task="x" data-line="2"><input class="task-list-item-checkbox" type="checkbox" data-line="2" checked=""> done</li><li class="task-list-item is-checked" data-task="/" data-line="3"><input class="task-list-item-checkbox" type="checkbox" data-line="3" checked=""> half</li><li class="task-list-item is-checked" data-task="&gt;" data-line="4"><input class="task-list-item-checkbox" type="checkbox" data-line="4" checked=""> on</li><li data-line="5">[x]no</li></ul><ol data-line="6"><li class="task-list-item is-checked" data-task="X" data-line="6"><input class="task-list-item-checkbox" type="checkbox" data-line="6" checked=""> n</li></ol>"#
        ]],
    );
    check(
        "- [ ] a\n\n- [x] b\n\t- [-] c",
        expect![[r#"
        <ul data-line="1"><li class="task-list-item" data-task=" " data-line="1"><p data-line="1"><input class="task-list-item-checkbox" type="checkbox" data-line="1"> a</p>
        </li><li class="task-list-item is-checked" data-task="x" data-line="3"><p data-line="3"><input class="task-list-item-checkbox" type="checkbox" data-line="3" checked=""> b</p>
        <ul data-line="3"><li class="task-list-item is-checked" data-task="-" data-line="3"><input class="task-list-item-checkbox" type="checkbox" data-line="3" checked=""> c</li></ul></li></ul>"#]],
    );
    check(
        "- \\[ ] a\n- [x](y.md)\n- `[ ]`",
        expect![[
            r##"<ul data-line="1"><li class="task-list-item" data-task=" " data-line="1"><input class="task-list-item-checkbox" type="checkbox" data-line="1"> a</li><li data-line="2"><a class="internal-link is-unresolved" data-href="y.md" href="#">x</a></li><li data-line="3"><code>[ ]</code></li></ul>"##
        ]],
    );
    check(
        "- [?] a\n\n[?]: https://x.example",
        expect![[
            r#"<ul data-line="1"><li class="task-list-item is-checked" data-task="?" data-line="1"><input class="task-list-item-checkbox" type="checkbox" data-line="1" checked=""> a</li></ul>"#
        ]],
    );
}

#[test]
fn tables() {
    check(
        "| a | b | c |\n|:--|:-:|--:|\n| *x* | y \\| z |\n| 1 | 2 | 3 |",
        expect![[
            r#"<table data-line="1"><thead><tr data-line="1"><th align="left">a</th><th align="center">b</th><th align="right">c</th></tr></thead><tbody><tr data-line="3"><td align="left"><em>x</em></td><td align="center">y | z</td><td align="right"></td></tr><tr data-line="4"><td align="left">1</td><td align="center">2</td><td align="right">3</td></tr></tbody></table>"#
        ]],
    );
}

#[test]
fn strikethrough_and_highlight() {
    check(
        "~~a~~ ~b~ ==c== ==d **e** f== **==g==** a == b == \\==h== ==i",
        expect![[
            r#"<p data-line="1"><del>a</del> ~b~ <mark>c</mark> <mark>d <strong>e</strong> f</mark> <strong><mark>g</mark></strong> a == b == ==h== ==i</p>"#
        ]],
    );
    check("==a **b== c**", expect![[r#"<p data-line="1">==a <strong>b== c</strong></p>"#]]);
    check("`==a==` ===b=== x==y==z", expect![[r#"<p data-line="1"><code>==a==</code> ===b=== x<mark>y</mark>z</p>"#]]);
}

#[test]
fn comments_are_hidden() {
    check("a %%b%% c", expect![[r#"<p data-line="1">a  c</p>"#]]);
    check(
        "a\n%%b%%\nc",
        expect![[r#"
        <p data-line="1">a</p>
        <p data-line="3">c</p>"#]],
    );
    check("%%\n# b\n\n- c\n%%\n\nd", expect![[r#"<p data-line="7">d</p>"#]]);
    check(
        "%%only%%\n\n> %%\n> a\n> %%\n> b",
        expect![[r#"
        <blockquote data-line="3"><p data-line="6">b</p>
        </blockquote>"#]],
    );
    check("a\n\n%%\nnever closed\n\nb", expect![[r#"<p data-line="1">a</p>"#]]);
    check("`%%a%%` %%%%", expect![[r#"<p data-line="1"><code>%%a%%</code> %%%%</p>"#]]);
}

#[test]
fn tags() {
    check(
        "#tag #a/b #_x_ *#c* #1984 a#b \\#d [#e](Note.md)",
        expect![[
            r##"<p data-line="1"><a class="tag" data-tag="tag" href="#">#tag</a> <a class="tag" data-tag="a/b" href="#">#a/b</a> <a class="tag" data-tag="_x_" href="#">#_x_</a> <em>#c</em> #1984 a#b #d <a class="internal-link" data-href="Note.md" data-path="Note.md" href="#">#e</a></p>"##
        ]],
    );
}

#[test]
fn block_ids_become_places() {
    check(
        "text ^id\n\n- item ^li\n\n> quote\n\n^q",
        expect![[r#"
        <p data-line="1">text <span class="block-anchor" data-block-id="id" id="^id"></span></p>
        <ul data-line="3"><li data-line="3">item <span class="block-anchor" data-block-id="li" id="^li"></span></li></ul><blockquote data-line="5"><p data-line="5">quote</p>
        </blockquote><span class="block-anchor" data-block-id="q" id="^q"></span>"#]],
    );
}

#[test]
fn footnotes() {
    check(
        "a[^1] b[^note] c[^1] d[^none]\n\n[^note]: N *n*[^2]\n[^1]: One\n\n    two\n[^2]: T\n[^unused]: U",
        expect![[r##"
        <p data-line="1">a<sup class="footnote-ref" id="fnref-1"><a class="footnote-link" href="#fn-1" data-footnote="1">1</a></sup> b<sup class="footnote-ref" id="fnref-2"><a class="footnote-link" href="#fn-2" data-footnote="2">2</a></sup> c<sup class="footnote-ref" id="fnref-1-2"><a class="footnote-link" href="#fn-1" data-footnote="1">1</a></sup> d[^none]</p>
        <section class="footnotes"><ol><li id="fn-1" data-footnote="1" data-line="4"><p data-line="4">One</p>
        <p data-line="6">two <a class="footnote-backref" href="#fnref-1">↩</a></p></li>
        <li id="fn-2" data-footnote="2" data-line="3"><p data-line="3">N <em>n</em><sup class="footnote-ref" id="fnref-3"><a class="footnote-link" href="#fn-3" data-footnote="3">3</a></sup> <a class="footnote-backref" href="#fnref-2">↩</a></p></li>
        <li id="fn-3" data-footnote="3" data-line="7"><p data-line="7">T <a class="footnote-backref" href="#fnref-3">↩</a></p></li>
        </ol></section>"##]],
    );
    check(
        "a^[in *line* [[Note]]] b^[x [y](Note.md) ^[z]] ^[] \\^[no]",
        expect![[r##"
        <p data-line="1">a<sup class="footnote-ref" id="fnref-1"><a class="footnote-link" href="#fn-1" data-footnote="1">1</a></sup> b<sup class="footnote-ref" id="fnref-2"><a class="footnote-link" href="#fn-2" data-footnote="2">2</a></sup> ^[] ^[no]</p>
        <section class="footnotes"><ol><li id="fn-1" data-footnote="1" data-line="1">in <em>line</em> <a class="internal-link" data-href="Note" data-path="Note.md" href="#">Note</a> <a class="footnote-backref" href="#fnref-1">↩</a></li>
        <li id="fn-2" data-footnote="2" data-line="1">x <a class="internal-link" data-href="Note.md" data-path="Note.md" href="#">y</a> <sup class="footnote-ref" id="fnref-3"><a class="footnote-link" href="#fn-3" data-footnote="3">3</a></sup> <a class="footnote-backref" href="#fnref-2">↩</a></li>
        <li id="fn-3" data-footnote="3" data-line="1">z <a class="footnote-backref" href="#fnref-3">↩</a></li>
        </ol></section>"##]],
    );
}

#[test]
fn math() {
    check(
        "$a_b$ and $$c$$ costs $5 and $6",
        expect![[r#"
        <p data-line="1"><span class="math inline">a_b</span> and </p><div class="math block" data-line="1">c</div>
        <p data-line="1"> costs $5 and $6</p>"#]],
    );
    check(
        "$$\na < b\n\n\\frac{1}{2}\n$$\nafter",
        expect![[r#"
        <div class="math block" data-line="1">a &lt; b

        \frac{1}{2}</div>
        <p data-line="6">after</p>"#]],
    );
    check(
        "> $$\n> x\n> $$\n> y",
        expect![[r#"
        <blockquote data-line="1"><div class="math block" data-line="1">x
        </div>
        <p data-line="4">y</p>
        </blockquote>"#]],
    );
    check("text\n$$\nx\n$$", expect![[r#"<p data-line="1">text</p><div class="math block" data-line="2">x</div>"#]]);
}

#[test]
fn html_of_the_note() {
    check(
        "<div>\n**not bold** [[Note]]\n</div>\n\n*a* <u>x **y**</u> <br> <b>open",
        expect![[r#"
        <div class="html-block" data-line="1"><div>
        **not bold** [[Note]]
        </div></div>
        <p data-line="5"><em>a</em> <u>x **y**</u> <br> open</p>"#]],
    );
    check(
        "<div>\n\n**bold**\n\n</div>",
        expect![[r#"
        <div class="html-block" data-line="1"><div>
        </div></div>
        <p data-line="3"><strong>bold</strong></p>"#]],
    );
    check(
        "a <span style=\"color:red;position:fixed;background:url(x)\" onclick=\"x\">b</span> Vec<T> <!-- c --> d",
        expect![[r#"<p data-line="1">a <span>b</span> Vec&lt;T&gt;  d</p>"#]],
    );
    check(
        "<img src=\"https://x.example/i.png\" onerror=alert(1)>\n\n<iframe src=\"https://x.example\"></iframe>",
        expect![[r#"
        <div class="html-block" data-line="1"><span class="remote-image" role="button" tabindex="0" data-src="https://x.example/i.png" title="https://x.example/i.png">Load image from x.example</span></div>
        <div class="html-block" data-line="3"><span class="remote-frame" role="button" tabindex="0" data-src="https://x.example" title="https://x.example">Load frame from x.example</span></div>"#]],
    );
    check(
        "> <div>a\n> b</div>\n\nc <span>d\ne</span>",
        expect![[r#"
        <blockquote data-line="1"><div class="html-block" data-line="1"><div>a
        b</div></div>
        </blockquote><p data-line="4">c <span>d
        e</span></p>"#]],
    );
    check("a <div>b</div> c", expect![[r#"<p data-line="1">a </p><div>b</div><p data-line="1"> c</p>"#]]);
    check("<script>alert(1)</script>\n\n<style>p{}</style>\n\nx", expect![[r#"<p data-line="5">x</p>"#]]);
    check("&lt;b&gt; &amp; <&>", expect![[r#"<p data-line="1">&lt;b&gt; &amp; &lt;&amp;&gt;</p>"#]]);
}

#[test]
fn views_of_properties() {
    let text = NoteText::from_str(
        "---\ntitle: A\nn: 1.10\ndone: true\nday: 2020-08-21\nat: 2020-08-21T10:30\ntime: 14:30\ntags: [a, b]\nempty:\nlink: \"[[Note#Part|x]]\"\nlinks:\n  - \"[[Other]]\"\n  - plain\n  - https://x.example\nmap: {a: [1]}\n---\n",
    );
    let shown: Vec<String> = properties(&parse(&text))
        .iter()
        .map(|view| format!("{} {} {:?} {:?}", view.line, view.key, view.kind, view.values))
        .collect();
    expect![[r#"
        2 title Text [PropertyText { text: "A", link: None }]
        3 n Number [PropertyText { text: "1.10", link: None }]
        4 done Checkbox [PropertyText { text: "true", link: None }]
        5 day Date [PropertyText { text: "2020-08-21", link: None }]
        6 at DateTime [PropertyText { text: "2020-08-21T10:30", link: None }]
        7 time Text [PropertyText { text: "14:30", link: None }]
        8 tags Tags [PropertyText { text: "a", link: None }, PropertyText { text: "b", link: None }]
        9 empty Empty []
        10 link Text [PropertyText { text: "x", link: Some(Internal("Note#Part")) }]
        11 links List [PropertyText { text: "Other", link: Some(Internal("Other")) }, PropertyText { text: "plain", link: None }, PropertyText { text: "https://x.example", link: Some(External("https://x.example")) }]
        15 map Nested [PropertyText { text: "{\"a\":[1]}", link: None }]"#]].assert_eq(&shown.join("\n"));
}
