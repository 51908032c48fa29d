use expect_test::expect;

use super::*;

#[test]
fn links_to_notes() {
    check(
        "[[Note]] [[Note|alias]] [[Note#Part]] [[#Here]] [[Note#^one]] [[Note#Top#Part]] [[Nowhere]]",
        expect![[
            r##"<p data-line="1"><a class="internal-link" data-href="Note" data-path="Note.md" href="#">Note</a> <a class="internal-link" data-href="Note" data-path="Note.md" href="#">alias</a> <a class="internal-link" data-href="Note#Part" data-path="Note.md" href="#">Note &gt; Part</a> <a class="internal-link" data-href="#Here" data-path="Self.md" href="#">Here</a> <a class="internal-link" data-href="Note#^one" data-path="Note.md" href="#">Note &gt; ^one</a> <a class="internal-link" data-href="Note#Top#Part" data-path="Note.md" href="#">Note &gt; Top &gt; Part</a> <a class="internal-link is-unresolved" data-href="Nowhere" href="#">Nowhere</a></p>"##
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
            <p data-line="1">b</p>"##]],
    );
    check(
        "![[Note#Part]]",
        expect![[r##"
            <div class="internal-embed markdown-embed" data-href="Note#Part" data-path="Note.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="Note#Part" data-path="Note.md" href="#">Note &gt; Part</a></div><div class="embed-content"><h2 data-heading="part">Part</h2><p>Second <a class="internal-link" data-href="Other" data-path="Other.md" href="#">Other</a>.</p>
            <ul><li>item <span class="block-anchor" data-block-id="li"></span><ul><li>child</li></ul></li></ul></div></div>"##]],
    );
    check(
        "![[Note#^one]]",
        expect![[r##"
            <div class="internal-embed markdown-embed" data-href="Note#^one" data-path="Note.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="Note#^one" data-path="Note.md" href="#">Note &gt; ^one</a></div><div class="embed-content"><p>First. <span class="block-anchor" data-block-id="one"></span></p>
            </div></div>"##]],
    );
    check(
        "![[Note#^li]]",
        expect![[
            r##"<div class="internal-embed markdown-embed" data-href="Note#^li" data-path="Note.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="Note#^li" data-path="Note.md" href="#">Note &gt; ^li</a></div><div class="embed-content"><ul><li>item <span class="block-anchor" data-block-id="li"></span><ul><li>child</li></ul></li></ul></div></div>"##
        ]],
    );
    check(
        "![[Table#^tab]]",
        expect![[r##"
            <div class="internal-embed markdown-embed" data-href="Table#^tab" data-path="Table.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="Table#^tab" data-path="Table.md" href="#">Table &gt; ^tab</a></div><div class="embed-content"><table><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>
            </div></div>"##]],
    );
    check(
        "![[Note#Last]]",
        expect![[r##"
            <div class="internal-embed markdown-embed" data-href="Note#Last" data-path="Note.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="Note#Last" data-path="Note.md" href="#">Note &gt; Last</a></div><div class="embed-content"><h2 data-heading="last">Last</h2><p>Third<sup class="footnote-ref" id="e1-fnref-1"><a class="footnote-link" href="#e1-fn-1" data-footnote="1">1</a></sup>.</p>
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
            <p data-line="3"><span class="internal-embed is-missing"><a class="internal-link" data-href="Note#Nowhere" data-path="Note.md" href="#">Note &gt; Nowhere</a> not found in the note</span></p>
            <p data-line="5"><span class="internal-embed is-missing"><a class="internal-link" data-href="Note#^nowhere" data-path="Note.md" href="#">Note &gt; ^nowhere</a> not found in the note</span></p>"##]],
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
fn tags() {
    check(
        "#tag #a/b #_x_ *#c* #1984 a#b \\#d [#e](Note.md)",
        expect![[
            r##"<p data-line="1"><a class="tag" data-tag="tag" href="#">#tag</a> <a class="tag" data-tag="a/b" href="#">#a/b</a> <a class="tag" data-tag="_x_" href="#">#_x_</a> <em>#c</em> #1984 a#b #d <a class="internal-link" data-href="Note.md" data-path="Note.md" href="#">#e</a></p>"##
        ]],
    );
}
