//! What the reading view makes of Obsidian's own syntax.

use expect_test::expect;

use super::{check_view as check, view};

#[test]
fn links_show_their_words_or_their_target() {
    check(
        "[[Other]] [[Other|words]] [[Other#Part]] [[#A#B]] [[Other#^one]] [[dir/Gone]] [[Other.md]] [[Other|]] [[Other|**no**]] [*yes*](Other.md)",
        expect![[
            r##"<p data-line="1"><a class="internal-link" data-href="Other" data-path="Other.md" href="#">Other</a> <a class="internal-link" data-href="Other" data-path="Other.md" href="#">words</a> <a class="internal-link" data-href="Other#Part" data-path="Other.md" href="#">Other &gt; Part</a> <a class="internal-link" data-href="#A#B" data-path="Self.md" href="#">A &gt; B</a> <a class="internal-link" data-href="Other#^one" data-path="Other.md" href="#">Other &gt; ^one</a> <a class="internal-link is-unresolved" data-href="dir/Gone" href="#">dir/Gone</a> <a class="internal-link" data-href="Other.md" data-path="Other.md" href="#">Other.md</a> <a class="internal-link" data-href="Other" data-path="Other.md" href="#">Other</a> <a class="internal-link" data-href="Other" data-path="Other.md" href="#">**no**</a> <a class="internal-link" data-href="Other.md" data-path="Other.md" href="#"><em>yes</em></a></p>"##
        ]],
    );
}

#[test]
fn embeds_of_notes_sections_blocks_and_footnotes() {
    check(
        "![[Other]]",
        expect![[r##"
        <div class="internal-embed markdown-embed" data-href="Other" data-path="Other.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="Other" data-path="Other.md" href="#">Other</a></div><div class="embed-content"><h1 data-heading="other">Other</h1><h2 data-heading="part">Part</h2><p>Said here. <span class="block-anchor" data-block-id="one"></span></p>
        <ul><li>item <span class="block-anchor" data-block-id="li"></span><ul><li>below</li></ul></li></ul><div class="callout" data-callout="tip" data-callout-type="tip"><div class="callout-title"><div class="callout-title-inner">Held</div></div><div class="callout-content"><p>in <span class="block-anchor" data-block-id="box"></span></p>
        </div></div>
        </div></div>"##]],
    );
    check(
        "![[Other#Part]]",
        expect![[r##"
        <div class="internal-embed markdown-embed" data-href="Other#Part" data-path="Other.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="Other#Part" data-path="Other.md" href="#">Other &gt; Part</a></div><div class="embed-content"><h2 data-heading="part">Part</h2><p>Said here. <span class="block-anchor" data-block-id="one"></span></p>
        <ul><li>item <span class="block-anchor" data-block-id="li"></span><ul><li>below</li></ul></li></ul><div class="callout" data-callout="tip" data-callout-type="tip"><div class="callout-title"><div class="callout-title-inner">Held</div></div><div class="callout-content"><p>in <span class="block-anchor" data-block-id="box"></span></p>
        </div></div>
        </div></div>"##]],
    );
    check(
        "![[Other#^one]] ![[Other#^li]] ![[Other#^BOX]] ![[Other#[^n]]]",
        expect![[r##"
        <div class="internal-embed markdown-embed" data-href="Other#^one" data-path="Other.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="Other#^one" data-path="Other.md" href="#">Other &gt; ^one</a></div><div class="embed-content"><p>Said here. <span class="block-anchor" data-block-id="one"></span></p>
        </div></div>
        <div class="internal-embed markdown-embed" data-href="Other#^li" data-path="Other.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="Other#^li" data-path="Other.md" href="#">Other &gt; ^li</a></div><div class="embed-content"><ul><li>item <span class="block-anchor" data-block-id="li"></span><ul><li>below</li></ul></li></ul></div></div>
        <div class="internal-embed markdown-embed" data-href="Other#^BOX" data-path="Other.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="Other#^BOX" data-path="Other.md" href="#">Other &gt; ^BOX</a></div><div class="embed-content"><div class="callout" data-callout="tip" data-callout-type="tip"><div class="callout-title"><div class="callout-title-inner">Held</div></div><div class="callout-content"><p>in <span class="block-anchor" data-block-id="box"></span></p>
        </div></div>
        </div></div>
        <div class="internal-embed markdown-embed" data-href="Other#[^n]" data-path="Other.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="Other#[^n]" data-path="Other.md" href="#">Other &gt; [^n]</a></div><div class="embed-content"><p>A <em>foot</em>.</p>
        </div></div>"##]],
    );
    check(
        "![words](Other.md#Part)",
        expect![[r##"
        <div class="internal-embed markdown-embed" data-href="Other.md#Part" data-path="Other.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="Other.md#Part" data-path="Other.md" href="#">Other.md &gt; Part</a></div><div class="embed-content"><h2 data-heading="part">Part</h2><p>Said here. <span class="block-anchor" data-block-id="one"></span></p>
        <ul><li>item <span class="block-anchor" data-block-id="li"></span><ul><li>below</li></ul></li></ul><div class="callout" data-callout="tip" data-callout-type="tip"><div class="callout-title"><div class="callout-title-inner">Held</div></div><div class="callout-content"><p>in <span class="block-anchor" data-block-id="box"></span></p>
        </div></div>
        </div></div>"##]],
    );
}

#[test]
fn what_is_missing_is_a_box_and_never_the_whole_note() {
    check(
        "![[Gone]] ![[Gone.png]] ![[Other#Gone]] ![[Other#^gone]] ![[Other#[^gone]]] ![[#Gone]]",
        expect![[
            r##"<p data-line="1"><span class="internal-embed is-missing"><a class="internal-link is-unresolved" data-href="Gone" href="#">Gone</a> not found</span> <span class="internal-embed is-missing"><a class="internal-link is-unresolved" data-href="Gone.png" href="#">Gone.png</a> not found</span> <span class="internal-embed is-missing"><a class="internal-link" data-href="Other#Gone" data-path="Other.md" href="#">Other &gt; Gone</a> not found in the note</span> <span class="internal-embed is-missing"><a class="internal-link" data-href="Other#^gone" data-path="Other.md" href="#">Other &gt; ^gone</a> not found in the note</span> <span class="internal-embed is-missing"><a class="internal-link" data-href="Other#[^gone]" data-path="Other.md" href="#">Other &gt; [^gone]</a> not found in the note</span> <span class="internal-embed is-missing"><a class="internal-link" data-href="#Gone" data-path="Self.md" href="#">Gone</a> not found in the note</span></p>"##
        ]],
    );
}

#[test]
fn pictures_take_a_size_and_words() {
    check(
        "![[p.png]] ![[p.png|100]] ![[p.png|640x480]] ![[p.png|words]] ![[p.png|words|100]] ![a|100x145](p.png) ![250](p.png) ![a](p.png \"t\") ![](p.png) ![[p.png|0x]] ![[P.SVG|20X30]]",
        expect![[
            r#"<p data-line="1"><img class="vault-image" data-vault-src="p.png" alt="p.png"> <img class="vault-image" data-vault-src="p.png" alt="p.png" width="100"> <img class="vault-image" data-vault-src="p.png" alt="p.png" width="640" height="480"> <img class="vault-image" data-vault-src="p.png" alt="words"> <img class="vault-image" data-vault-src="p.png" alt="words" width="100"> <img class="vault-image" data-vault-src="p.png" alt="a" width="100" height="145"> <img class="vault-image" data-vault-src="p.png" alt="p.png" width="250"> <img class="vault-image" data-vault-src="p.png" alt="a"> <img class="vault-image" data-vault-src="p.png" alt="p.png"> <img class="vault-image" data-vault-src="p.png" alt="0x"> <img class="vault-image" data-vault-src="P.SVG" alt="P.SVG" width="20" height="30"></p>"#
        ]],
    );
    check(
        "![a|100x145](https://a.example/p.png) ![250](https://a.example/p.png) ![](//a.example/p.png)",
        expect![[
            r#"<p data-line="1"><span class="remote-image" role="button" tabindex="0" data-src="https://a.example/p.png" data-alt="a" data-width="100" data-height="145" title="https://a.example/p.png">Load image from a.example</span> <span class="remote-image" role="button" tabindex="0" data-src="https://a.example/p.png" data-width="250" title="https://a.example/p.png">Load image from a.example</span> <span class="remote-image" role="button" tabindex="0" data-src="https://a.example/p.png" title="https://a.example/p.png">Load image from a.example</span></p>"#
        ]],
    );
}

#[test]
fn other_files_are_marked_for_the_window() {
    check(
        "![[d.pdf#page=3]] ![[d.pdf#height=400]] ![[s.mp3]] ![[v.mp4]] ![[b.canvas]] ![[l.base#View]] ![[x.zip]]",
        expect![[
            r##"<p data-line="1"><span class="attachment-embed" data-kind="pdf" data-vault-src="d.pdf" data-subpath="page=3"><a class="internal-link" data-href="d.pdf#page=3" data-path="d.pdf" href="#">d.pdf</a></span> <span class="attachment-embed" data-kind="pdf" data-vault-src="d.pdf" data-subpath="height=400"><a class="internal-link" data-href="d.pdf#height=400" data-path="d.pdf" href="#">d.pdf</a></span> <span class="attachment-embed" data-kind="audio" data-vault-src="s.mp3"><a class="internal-link" data-href="s.mp3" data-path="s.mp3" href="#">s.mp3</a></span> <span class="attachment-embed" data-kind="video" data-vault-src="v.mp4"><a class="internal-link" data-href="v.mp4" data-path="v.mp4" href="#">v.mp4</a></span> <span class="attachment-embed" data-kind="canvas" data-vault-src="b.canvas"><a class="internal-link" data-href="b.canvas" data-path="b.canvas" href="#">b.canvas</a></span> <span class="attachment-embed" data-kind="base" data-vault-src="l.base" data-subpath="View"><a class="internal-link" data-href="l.base#View" data-path="l.base" href="#">l.base</a></span> <span class="attachment-embed" data-kind="file" data-vault-src="x.zip"><a class="internal-link" data-href="x.zip" data-path="x.zip" href="#">x.zip</a></span></p>"##
        ]],
    );
}

#[test]
fn every_type_of_callout() {
    let types = [
        ("note", "note"),
        ("abstract", "abstract"),
        ("summary", "abstract"),
        ("tldr", "abstract"),
        ("info", "info"),
        ("todo", "todo"),
        ("tip", "tip"),
        ("hint", "tip"),
        ("important", "tip"),
        ("success", "success"),
        ("check", "success"),
        ("done", "success"),
        ("question", "question"),
        ("help", "question"),
        ("faq", "question"),
        ("warning", "warning"),
        ("caution", "warning"),
        ("attention", "warning"),
        ("failure", "failure"),
        ("fail", "failure"),
        ("missing", "failure"),
        ("danger", "danger"),
        ("error", "danger"),
        ("bug", "bug"),
        ("example", "example"),
        ("quote", "quote"),
        ("cite", "quote"),
        ("nobody-knows", "note"),
    ];
    for (written, kind) in types {
        for written in [written.to_owned(), written.to_uppercase()] {
            let html = view(&format!("> [!{written}]\n> x"), false);
            let lower = written.to_lowercase();
            let attributes = format!("data-callout=\"{kind}\" data-callout-type=\"{lower}\"");
            let title = format!("{}{}", lower[..1].to_uppercase(), lower[1..].replace('-', " "));
            assert!(html.contains(&attributes), "{html}");
            assert!(html.contains(&format!(">{title}</div>")), "{html}");
        }
    }
}

#[test]
fn callouts_fold_nest_and_need_no_text() {
    check(
        "> [!tip]- Folded\n> a",
        expect![[r#"
        <div class="callout" data-callout="tip" data-callout-type="tip" data-callout-fold="-" data-line="1"><details><summary class="callout-title"><div class="callout-title-inner">Folded</div></summary><div class="callout-content"><p data-line="2">a</p>
        </div></details></div>"#]],
    );
    check(
        "> [!tip]+\n> a",
        expect![[r#"
        <div class="callout" data-callout="tip" data-callout-type="tip" data-callout-fold="+" data-line="1"><details open=""><summary class="callout-title"><div class="callout-title-inner">Tip</div></summary><div class="callout-content"><p data-line="2">a</p>
        </div></details></div>"#]],
    );
    check(
        "> [!tip] Only a *title* [[Other]] #tag",
        expect![[
            r##"<div class="callout" data-callout="tip" data-callout-type="tip" data-line="1"><div class="callout-title"><div class="callout-title-inner">Only a <em>title</em> <a class="internal-link" data-href="Other" data-path="Other.md" href="#">Other</a> <a class="tag" data-tag="tag" href="#">#tag</a></div></div></div>"##
        ]],
    );
    check(
        "> [!a] 1\n> > [!b]- 2\n> > > [!c|meta]\n> > > deep\n> > back\n>\n> out",
        expect![[r#"
        <div class="callout" data-callout="note" data-callout-type="a" data-line="1"><div class="callout-title"><div class="callout-title-inner">1</div></div><div class="callout-content"><div class="callout" data-callout="note" data-callout-type="b" data-callout-fold="-" data-line="2"><details><summary class="callout-title"><div class="callout-title-inner">2</div></summary><div class="callout-content"><div class="callout" data-callout="note" data-callout-type="c" data-callout-metadata="meta" data-line="3"><div class="callout-title"><div class="callout-title-inner">C</div></div><div class="callout-content"><p data-line="4">deep<br>
        back</p>
        </div></div>
        </div></details></div>
        <p data-line="7">out</p>
        </div></div>"#]],
    );
    check(
        ">[!tip]\n>- [ ] a\n>  - b\n>\n>```js\n>c\n>```\n>|d|\n>|-|\n>|e|\n>$$\n>f\n>$$",
        expect![[r#"
        <div class="callout" data-callout="tip" data-callout-type="tip" data-line="1"><div class="callout-title"><div class="callout-title-inner">Tip</div></div><div class="callout-content"><ul data-line="2"><li class="task-list-item" data-task=" " data-line="2"><input class="task-list-item-checkbox" type="checkbox" data-line="2"> a</li><li data-line="3">b</li></ul><pre data-line="5"><code class="language-js">c
        </code></pre>
        <table data-line="8"><thead><tr data-line="8"><th>d</th></tr></thead><tbody><tr data-line="10"><td>e</td></tr><tr data-line="11"><td><div class="math block" data-line="11">f</div>
        </td></tr></tbody></table>
        </div></div>"#]],
    );
}

#[test]
fn the_head_of_a_callout_ends_with_its_line() {
    for blanks in ["", " ", "  ", "   ", "\t"] {
        let html = view(&format!("> [!tip]{blanks}\n> text"), false);
        assert_eq!(html, view("> [!tip]\n> text", false), "{blanks:?}");
        let html = view(&format!("> [!tip] Title{blanks}\n> text"), false);
        assert_eq!(html, view("> [!tip] Title\n> text", false), "{blanks:?}");
    }
    check(
        "> [!tip]\\\n> text",
        expect![[r#"
            <blockquote data-line="1"><p data-line="1">[!tip]<br>
            text</p>
            </blockquote>"#]],
    );
    check(
        "> [!tip] *over\n> two* lines",
        expect![[r#"
        <div class="callout" data-callout="tip" data-callout-type="tip" data-line="1"><div class="callout-title"><div class="callout-title-inner"><em>over</em></div></div><div class="callout-content"><p data-line="2"><em>two</em> lines</p>
        </div></div>"#]],
    );
    check(
        "> [!tip] a\nlazy",
        expect![[r#"
        <div class="callout" data-callout="tip" data-callout-type="tip" data-line="1"><div class="callout-title"><div class="callout-title-inner">a</div></div><div class="callout-content"><p data-line="2">lazy</p>
        </div></div>"#]],
    );
}

#[test]
fn what_only_looks_like_a_callout_is_a_quote() {
    for text in [
        "> \\[!tip] a",
        "> [!tip](b.md) a",
        "> [!tip][b] a",
        "> a\n> [!tip] b",
        ">\n> [!tip] a",
        "> \n>\n> [!tip] a",
        "> [!tip]a",
        "> [!tip]? a",
        "> [!tip]-a",
        "> [!tip]-+ a",
        "> *[!tip]* a",
        "> [!] a",
        "> [tip] a",
        "[!tip] a",
        "- [!tip] a",
    ] {
        let html = view(text, false);
        assert!(!html.contains("callout"), "{text:?} {html}");
    }
}

#[test]
fn comments_are_not_shown() {
    check(
        "a %%b%% c\n\n%%\nd\n%%\n\n- e %%f%%\n- %%g%%\n\n| h %%i%% |\n|---|\n\n> %%j%%\n> k\n\n# l %%m%%\n\n[%%n%% o](p.md)",
        expect![[r##"
            <p data-line="1">a  c</p>
            <ul data-line="7"><li data-line="7">e </li><li data-line="8"></li></ul><table data-line="10"><thead><tr data-line="10"><th>h </th></tr></thead></table>
            <blockquote data-line="13"><p data-line="14">k</p>
            </blockquote><h1 data-line="16" data-heading="l m" id="heading-0">l </h1><p data-line="18"><a class="internal-link is-unresolved" data-href="p.md" href="#"> o</a></p>"##]],
    );
}

#[test]
fn highlights_and_strikes() {
    check(
        "==a== ==b *c* **d** `e` [[Other]]== *==f==* ~~g~~ ~~h ==i==~~ ==j\nk== x==l==m",
        expect![[r##"
        <p data-line="1"><mark>a</mark> <mark>b <em>c</em> <strong>d</strong> <code>e</code> <a class="internal-link" data-href="Other" data-path="Other.md" href="#">Other</a></mark> <em><mark>f</mark></em> <del>g</del> <del>h <mark>i</mark></del> <mark>j<br>
        k</mark> x<mark>l</mark>m</p>"##]],
    );
    check(
        "== a == ==a == == ===b=== \\==c== =d= ~e~ ~~~f~~~ ~~ g ~~ `==h==` a == b ==",
        expect![[
            r#"<p data-line="1">== a == <mark>a == == ===b=== ==c</mark> =d= ~e~ ~~~f~~~ ~~ g ~~ <code>==h==</code> a == b ==</p>"#
        ]],
    );
}

#[test]
fn tags_become_links() {
    check(
        "#a #b/c, #1984 \\#d **#e** [#f](Other.md) #g",
        expect![[
            r##"<p data-line="1"><a class="tag" data-tag="a" href="#">#a</a> <a class="tag" data-tag="b/c" href="#">#b/c</a>, #1984 #d <strong>#e</strong> <a class="internal-link" data-href="Other.md" data-path="Other.md" href="#">#f</a> <a class="tag" data-tag="g" href="#">#g</a></p>"##
        ]],
    );
}

#[test]
fn tasks_take_any_status() {
    for status in [
        ' ', 'x', 'X', '/', '-', '>', '<', '?', '!', '*', '"', 'l', 'b', 'i', 'S', 'I', 'p', 'c', 'f', 'k', 'w', 'u',
        'd', '1', '✅', 'é', '&', '[', '\\',
    ] {
        for marker in ["-", "*", "+", "1.", "2)"] {
            let html = view(&format!("{marker} [{status}] a"), false);
            let escaped = match status {
                '"' => "&quot;".to_owned(),
                '&' => "&amp;".to_owned(),
                '<' => "&lt;".to_owned(),
                '>' => "&gt;".to_owned(),
                other => other.to_string(),
            };
            assert!(html.contains(&format!("data-task=\"{escaped}\"")), "{marker} {status:?} {html}");
            assert_eq!(html.contains("is-checked"), status != ' ', "{marker} {status:?} {html}");
        }
    }
    for text in
        ["- [] a", "- [ab] a", "- [ ]a", "- \\[ ] a", "[ ] a", "- a [ ] b", "- [\t] a", "- `[ ]` a", "-\n  [ ] a"]
    {
        let html = view(text, false);
        assert!(!html.contains("data-task"), "{text:?} {html}");
    }
}

#[test]
fn a_task_knows_the_line_of_its_brackets() {
    let text = "---\na: b\n---\n- [ ] a\n  - [x] b\n\n    1. [/] c\n       more\n> - [-] d\n> > * [>] e\n\n+ [!] f\r\n+ [?] g\r- - [*] h\n";
    let html = view(text, false);
    let mut n = 0;
    for tag in html.split("<li ").skip(1).filter(|tag| tag.contains("data-task=")) {
        let value = |name: &str| tag.split_once(&format!("{name}=\"")).unwrap().1.split_once('"').unwrap().0;
        let line: usize = value("data-line").parse().unwrap();
        let status = value("data-task").replace("&gt;", ">");
        let text = note::NoteText::from_str(text);
        let start = text.line_start(line as u32);
        let end = text.as_str()[start..].find(['\n', '\r']).map_or(text.as_str().len(), |at| start + at);
        assert!(text.as_str()[start..end].contains(&format!("[{status}]")), "[{status}] is not on line {line}");
        n += 1;
    }
    assert_eq!(n, 8);
}

#[test]
fn footnotes_are_numbered_as_they_are_met() {
    check(
        "a[^b] c[^1] d[^B] e^[in *f*] g[^none]\n\n[^1]: One\n[^b]: Two\n  goes on\n\n    more\n\n    - item\n",
        expect![[r##"
            <p data-line="1">a<sup class="footnote-ref" id="fnref-1"><a class="footnote-link" href="#fn-1" data-footnote="1">1</a></sup> c<sup class="footnote-ref" id="fnref-2"><a class="footnote-link" href="#fn-2" data-footnote="2">2</a></sup> d<sup class="footnote-ref" id="fnref-1-2"><a class="footnote-link" href="#fn-1" data-footnote="1">1</a></sup> e<sup class="footnote-ref" id="fnref-3"><a class="footnote-link" href="#fn-3" data-footnote="3">3</a></sup> g[^none]</p>
            <section class="footnotes"><ol><li id="fn-1" data-footnote="1" data-line="4"><p data-line="4">Two<br>
            goes on</p>
            <p data-line="7">more</p>
            <ul data-line="9"><li data-line="9">item</li></ul> <a class="footnote-backref" href="#fnref-1">↩</a></li>
            <li id="fn-2" data-footnote="2" data-line="3"><p data-line="3">One <a class="footnote-backref" href="#fnref-2">↩</a></p></li>
            <li id="fn-3" data-footnote="3" data-line="1">in <em>f</em> <a class="footnote-backref" href="#fnref-3">↩</a></li>
            </ol></section>"##]],
    );
}

#[test]
fn math_and_diagrams_are_marked_for_the_window() {
    check(
        "$a<b$ $$c$$ \\$d\\$ $5 and $6\n\n$$\ne\n\n> f\n$$\n\n```mermaid\ng-->h\n```\n\n| $i\\|j$ |\n|---|\n",
        expect![[r#"
            <p data-line="1"><span class="math inline">a&lt;b</span> </p><div class="math block" data-line="1">c</div>
            <p data-line="1">$d$ $5 and $6</p>
            <div class="math block" data-line="3">e

            &gt; f</div>
            <pre class="mermaid" data-line="9"><code class="language-mermaid">g--&gt;h
            </code></pre>
            <table data-line="13"><thead><tr data-line="13"><th><span class="math inline">i|j</span></th></tr></thead></table>"#]],
    );
}

#[test]
fn code_names_its_language() {
    check(
        "```rust\na\n```\n\n```JS title=\"x\"\nb\n```\n\n```\nc\n```\n\n~~~c++ {1}\nd\n~~~\n\n    e\n\n```dataview\nf\n```\n\n`` g`h ``",
        expect![[r#"
            <pre data-line="1"><code class="language-rust">a
            </code></pre>
            <pre data-line="5"><code class="language-js">b
            </code></pre>
            <pre data-line="9"><code>c
            </code></pre>
            <pre data-line="13"><code class="language-c++">d
            </code></pre>
            <pre data-line="17"><code>e
            </code></pre>
            <pre data-line="19"><code class="language-dataview">f
            </code></pre>
            <p data-line="23"><code>g`h</code></p>"#]],
    );
}

#[test]
fn a_single_line_break_breaks_the_line_unless_strict() {
    for (text, loose, strict) in [
        ("a\nb", "a<br>\nb", "a\nb"),
        ("a  \nb", "a<br>\nb", "a<br>\nb"),
        ("a\\\nb", "a<br>\nb", "a<br>\nb"),
        ("a<br>\nb", "a<br><br>\nb", "a<br>\nb"),
        ("a\r\nb", "a<br>\nb", "a\nb"),
        ("a\rb", "a<br>\nb", "a\nb"),
        ("*a\nb*", "<em>a<br>\nb</em>", "<em>a\nb</em>"),
    ] {
        for (is_strict, expected) in [(false, loose), (true, strict)] {
            let html = view(text, is_strict);
            assert_eq!(html.trim_end(), format!("<p data-line=\"1\">{expected}</p>"), "{text:?}");
            let item = view(&format!("- {}", text.replace('\n', "\n  ")), is_strict);
            assert!(item.contains(expected), "{text:?} {item}");
        }
    }
}

#[test]
fn every_block_knows_its_line() {
    check(
        "---\na: b\n---\n# h\n\np\n\n- i\n- j\n\n> q\n> r\n\n| t |\n|---|\n| u |\n\n```\nc\n```\n\n---\n\n<div>d</div>\n\n$$\nm\n$$\n\n> [!tip] k\n> l\n\n![[Other#^one]]\n\nz[^1]\n\n[^1]: f",
        expect![[r##"
            <h1 data-line="4" data-heading="h" id="heading-0">h</h1><p data-line="6">p</p>
            <ul data-line="8"><li data-line="8">i</li><li data-line="9">j</li></ul><blockquote data-line="11"><p data-line="11">q<br>
            r</p>
            </blockquote><table data-line="14"><thead><tr data-line="14"><th>t</th></tr></thead><tbody><tr data-line="16"><td>u</td></tr></tbody></table>
            <pre data-line="18"><code>c
            </code></pre>
            <hr data-line="22">
            <div class="html-block" data-line="24"><div>d</div></div>
            <div class="math block" data-line="26">m</div>
            <div class="callout" data-callout="tip" data-callout-type="tip" data-line="30"><div class="callout-title"><div class="callout-title-inner">k</div></div><div class="callout-content"><p data-line="31">l</p>
            </div></div>
            <div class="internal-embed markdown-embed" data-href="Other#^one" data-path="Other.md" data-line="33"><div class="embed-title"><a class="internal-link" data-href="Other#^one" data-path="Other.md" href="#">Other &gt; ^one</a></div><div class="embed-content"><p>Said here. <span class="block-anchor" data-block-id="one"></span></p>
            </div></div>
            <p data-line="35">z<sup class="footnote-ref" id="fnref-1"><a class="footnote-link" href="#fn-1" data-footnote="1">1</a></sup></p>
            <section class="footnotes"><ol><li id="fn-1" data-footnote="1" data-line="37"><p data-line="37">f <a class="footnote-backref" href="#fnref-1">↩</a></p></li>
            </ol></section>"##]],
    );
}
