use expect_test::expect;

use super::*;

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
        "> - [ ] a\n>   - [x] b\n>     1. [ ] c\n",
        expect![[
            r#"<blockquote data-line="1"><ul data-line="1"><li class="task-list-item" data-task=" " data-line="1"><input class="task-list-item-checkbox" type="checkbox" data-line="1"> a<ul data-line="2"><li class="task-list-item is-checked" data-task="x" data-line="2"><input class="task-list-item-checkbox" type="checkbox" data-line="2" checked=""> b<ol data-line="3"><li class="task-list-item" data-task=" " data-line="3"><input class="task-list-item-checkbox" type="checkbox" data-line="3"> c</li></ol></li></ul></li></ul></blockquote>"#
        ]],
    );
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
            <ul data-line="4"><li class="task-list-item is-checked" data-task="-" data-line="4"><input class="task-list-item-checkbox" type="checkbox" data-line="4" checked=""> c</li></ul></li></ul>"#]],
    );
    check(
        "- \\[ ] a\n- [x](y.md)\n- `[ ]`",
        expect![[
            r##"<ul data-line="1"><li data-line="1">[ ] a</li><li data-line="2"><a class="internal-link is-unresolved" data-href="y.md" href="#">x</a></li><li data-line="3"><code>[ ]</code></li></ul>"##
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

#[test]
fn properties_as_a_list() {
    let path = RelPath::new("Self.md").unwrap();
    let options =
        RenderOptions { path: &path, resolve: &resolve, embed: &|_| None, strict_line_breaks: false, asset_base: None };
    let text = NoteText::from_str(
        "---\nt: a <b>\ndone: true\ntags: [a, '#b']\nlinks: ['[[Note]]', '[[Nowhere#x|y]]', https://x.example]\nempty:\n---\n# A",
    );
    expect![[r##"
        <dl class="properties" data-line="1"><dt data-line="2">t</dt><dd data-kind="text"><span class="property-value">a &lt;b&gt;</span></dd><dt data-line="3">done</dt><dd data-kind="checkbox"><input type="checkbox" disabled="" checked=""></dd><dt data-line="4">tags</dt><dd data-kind="tags"><a class="tag" data-tag="a" href="#">#a</a> <a class="tag" data-tag="b" href="#">#b</a></dd><dt data-line="5">links</dt><dd data-kind="list"><a class="internal-link" data-href="Note" data-path="Note.md" href="#">Note</a> <a class="internal-link is-unresolved" data-href="Nowhere#x" href="#">y</a> <a class="external-link" href="https://x.example" data-external="https://x.example" rel="noopener nofollow">https://x.example</a></dd><dt data-line="6">empty</dt><dd data-kind="empty"></dd></dl>
        <h1 data-line="8" data-heading="a" id="heading-0">A</h1>"##]].assert_eq(&render(&text, &parse(&text), &options).page());
    let text = NoteText::from_str("---\na: [\n---\nb");
    expect![[r#"
        <p class="properties-error" data-line="1">properties are not valid YAML: while parsing a node, did not find expected node content</p>
        <p data-line="4">b</p>
    "#]].assert_eq(&render(&text, &parse(&text), &options).page());
}
