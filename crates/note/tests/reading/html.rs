//! HTML in a note: shown, but with no Markdown in it, and never able to do anything.

use expect_test::expect;

use super::{check_view as check, view};

#[test]
fn elements_in_a_sentence_hold_markdown_and_blocks_do_not() {
    check(
        "a <u>*b*</u> <kbd>c</kbd> <mark>[[Other]]</mark> d<sub>e</sub> <span style=\"color: red\">f</span>",
        expect![[
            r##"<p data-line="1">a <u><em>b</em></u> <kbd>c</kbd> <mark><a class="internal-link" data-href="Other" data-path="Other.md" href="#">Other</a></mark> d<sub>e</sub> <span style="color:red">f</span></p>"##
        ]],
    );
    check(
        "<div>\n*b* [[Other]] #c ==d==\n</div>",
        expect![[r#"
        <div class="html-block" data-line="1"><div>
        *b* [[Other]] #c ==d==
        </div></div>"#]],
    );
    check(
        "<div>\n\n*b*\n\n</div>",
        expect![[r#"
        <div class="html-block" data-line="1"><div>
        </div></div>
        <p data-line="3"><em>b</em></p>"#]],
    );
    check(
        "<details><summary>a</summary>b</details>",
        expect![[r#"<div class="html-block" data-line="1"><details><summary>a</summary>b</details></div>"#]],
    );
    check(
        "a <div>*b*</div> c <hr> d <ul><li>*e*</li></ul>",
        expect![[
            r#"<p data-line="1">a </p><div>*b*</div><p data-line="1">c </p><hr><p data-line="1">d </p><ul><li>*e*</li></ul>"#
        ]],
    );
    check(
        "> <p>a\n> *b*</p>\n\n- <p>c</p>",
        expect![[r#"
        <blockquote data-line="1"><div class="html-block" data-line="1"><p>a
        *b*</p></div>
        </blockquote><ul data-line="4"><li data-line="4"><div class="html-block" data-line="4"><p>c</p></div>
        </li></ul>"#]],
    );
}

#[test]
fn elements_that_only_show_are_kept() {
    check(
        "<progress value=\"3\" max=\"10\"></progress> <meter value=0.5>half</meter> <ruby>a<rt>b</rt></ruby> <abbr title=\"c\">d</abbr> <br> <wbr> <font color=\"red\">e</font>",
        expect![[
            r#"<p data-line="1"><progress value="3" max="10"></progress> <meter value="0.5">half</meter> <ruby>a<rt>b</rt></ruby> <abbr title="c">d</abbr> <br> <wbr> <font color="red">e</font></p>"#
        ]],
    );
    check(
        "<table><tr><th colspan=2>a<tr><td>b<td>c</table>\n\n<dl><dt>d<dd>e</dl>\n\n<center>f</center>",
        expect![[r#"
        <div class="html-block" data-line="1"><table><tbody><tr><th colspan="2">a</th></tr><tr><td>b</td><td>c</td></tr></tbody></table></div>
        <div class="html-block" data-line="3"><dl><dt>d</dt><dd>e</dd></dl></div>
        <div class="html-block" data-line="5"><center>f</center></div>"#]],
    );
}

#[test]
fn what_would_load_asks_first() {
    check(
        "<iframe src=\"https://a.example/x\" width=100></iframe>\n\n<img src=\"https://a.example/p.png\" alt=a>\n\n<video src=\"https://a.example/v.mp4\"></video>",
        expect![[r#"
            <div class="html-block" data-line="1"><span class="remote-frame" role="button" tabindex="0" data-src="https://a.example/x" data-width="100" title="https://a.example/x">Load frame from a.example</span></div>
            <div class="html-block" data-line="3"><span class="remote-image" role="button" tabindex="0" data-src="https://a.example/p.png" data-alt="a" title="https://a.example/p.png">Load image from a.example</span></div>
            <p data-line="5"><span class="remote-media" role="button" tabindex="0" data-src="https://a.example/v.mp4" title="https://a.example/v.mp4">Load media from a.example</span></p>"#]],
    );
    check(
        "<iframe src=\"javascript:x\"></iframe><iframe srcdoc=\"<b>x\"></iframe><img src=\"file:///etc/passwd\"><audio src=x>\n\n<embed src=x><object data=x></object>",
        expect![[r#"<div class="html-block" data-line="1"><img></div>"#]],
    );
}

/// What an HTML parser would do something with.
const ACTIVE: &[&str] = &[
    "<script",
    "<style",
    "<iframe",
    "<object",
    "<embed",
    "<svg",
    "<math",
    "<link",
    "<meta",
    "<base",
    "<form",
    "<video",
    "<audio",
    "<source",
    "<template",
    "<noscript",
    "<textarea",
    "<select",
    "<frame",
    "<applet",
    "<xmp",
    "<title",
    "<body",
    "<html",
    "<head",
    "<portal",
    "<button",
    "<animate",
    "<!--",
    "<![",
    "<?",
];

/// Reads the tags of well-formed HTML: what stands between `<` and `>`.
fn tags(html: &str) -> Vec<&str> {
    let mut tags = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let mut is_quoted = false;
        let end = rest[at..].bytes().position(|b| {
            is_quoted ^= b == b'"';
            b == b'>' && !is_quoted
        });
        let end = at + end.unwrap_or_else(|| panic!("a tag never ends in {html:?}"));
        tags.push(&rest[at..=end]);
        rest = &rest[end + 1..];
    }
    tags
}

fn assert_harmless(text: &str) {
    let html = view(text, false);
    for tag in tags(&html) {
        let lower = tag.to_lowercase();
        for active in ACTIVE {
            let rest = lower.strip_prefix(active);
            let is_it = rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-'));
            assert!(!is_it, "{tag} survives {text:?}");
        }
        for (name, value) in attributes(&lower) {
            assert!(!name.starts_with("on"), "{tag} survives {text:?}");
            let loads = [
                "srcset",
                "srcdoc",
                "action",
                "formaction",
                "background",
                "poster",
                "xlink:href",
                "ping",
                "data",
                "is",
                "name",
                "content",
                "http-equiv",
                "lowsrc",
                "dynsrc",
                "manifest",
                "codebase",
                "classid",
                "autofocus",
                "contenteditable",
                "target",
                "download",
                "usemap",
                "form",
                "slot",
                "part",
            ];
            assert!(!loads.contains(&name), "{tag} survives {text:?}");
            let bare: String = value.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
            for scheme in
                ["javascript:", "vbscript:", "data:text", "data:application", "data:image/svg", "blob:", "filesystem:"]
            {
                assert!(!bare.starts_with(scheme), "{tag} survives {text:?}");
            }
            match name {
                "href" => assert!(
                    ["#", "http:", "https:", "mailto:"].iter().any(|start| bare.starts_with(start)),
                    "{tag} survives {text:?}"
                ),
                "src" => assert!(bare.starts_with("data:image/"), "{tag} loads in {text:?}"),
                "id" => {
                    let own = ["heading-", "fn-", "fnref-", "^", "e1-", "e2-"];
                    assert!(own.iter().any(|own| bare.starts_with(own)), "{tag} survives {text:?}");
                }
                "style" => {
                    for word in [
                        "url",
                        "expression",
                        "position",
                        "import",
                        "behavior",
                        "-moz-binding",
                        "\\",
                        "@",
                        "content",
                        "z-index",
                        "inset",
                        "transform",
                        "animation",
                    ] {
                        assert!(!bare.contains(word), "{tag} survives {text:?}");
                    }
                }
                _ => {}
            }
        }
    }
}

fn attributes(tag: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = tag.trim_end_matches('>');
    rest = &rest[rest.find(char::is_whitespace).unwrap_or(rest.len())..];
    while let Some((name, after)) = rest.split_once("=\"") {
        let (value, after) = after.split_once('"').unwrap();
        found.push((name.trim(), value));
        rest = after;
    }
    found
}

/// One attack a line; `⏎` is a line break, `⇥` a tab and `∅` a zero byte.
const HOSTILE: &str = include_str!("hostile.txt");

#[test]
fn hostile_html_never_survives() {
    let attacks: Vec<String> = HOSTILE
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| line.replace('⏎', "\n").replace('⇥', "\t").replace('∅', "\0"))
        .collect();
    assert!(attacks.len() >= 60);
    for attack in &attacks {
        assert_harmless(attack);
        assert_harmless(&format!("text {attack} text"));
        assert_harmless(&format!("<div>{attack}</div>"));
        assert_harmless(&format!("<div>\n{attack}\n\n{attack}\n</div>"));
        assert_harmless(&format!("> [!tip] {attack}\n> {attack}\n\n- {attack}\n\n| {attack} |\n|---|\n| {attack} |"));
        assert_harmless(&format!(
            "# {attack}\n\n[[Other|{attack}]] [{attack}](Other.md) ![{attack}](p.png) `{attack}` ==_{attack}_== ^[{attack}]"
        ));
        assert_harmless(&format!("<b>{attack} <a href='https://a.example'>{attack}</b>"));
        assert_harmless(&format!(
            "[[{attack}]] ![[{attack}]] [x](<{attack}>) ![x](<{attack}>) <a href=\"{attack}\"> <img src='{attack}'>"
        ));
    }
}

#[test]
fn hostile_html_next_to_hostile_html_never_survives() {
    let attacks: Vec<&str> = HOSTILE.lines().filter(|line| !line.is_empty()).collect();
    for (at, one) in attacks.iter().enumerate() {
        for other in attacks.iter().skip(at % 7).step_by(7) {
            assert_harmless(&format!("{one}{other}").replace('⏎', "\n").replace('⇥', "\t").replace('∅', "\0"));
        }
    }
}
