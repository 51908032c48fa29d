//! What of a stylesheet is left, and that it reaches nothing but notes.

use super::*;
use expect_test::{Expect, expect};
use proptest::prelude::*;

/// Shows the rules that are left, without the frame that all have.
fn check(css: &str, left: Expect) {
    let contained = contained(css);
    let inner = contained.strip_prefix("@scope (.vault-look) {\n").and_then(|rest| rest.strip_suffix("}\n"));
    left.assert_eq(inner.unwrap_or_default());
}

#[test]
fn simple_snippets_stay_as_they_are() {
    check(
        "/* wide */ .markdown-preview-view h1,\n.cm-header-1 { color: #c0ffee; font-weight: 700 !important }",
        expect![[r#"
            :scope .markdown-preview-view h1, :scope .cm-header-1 { color: #c0ffee; font-weight: 700 !important; }
        "#]],
    );
    check(
        ".callout[data-callout=\"recipe\"] { --callout-color: 8, 109, 221; --callout-icon: lucide-soup }",
        expect![[r#"
            :scope .callout[data-callout="recipe"] { --callout-color: rgb(8, 109, 221); --callout-icon: lucide-soup; }
        "#]],
    );
    check(
        "li::marker { content: '→ ' } a:not(.tag):hover { color: hsl(calc(var(--h) - 1.5e2), 50%, .5turn) }",
        expect![[r#"
            :scope li::marker { content: "→ "; }
            :scope a:not(.tag):hover { color: hsl(calc(var(--h) - 1.5e2), 50%, .5turn); }
        "#]],
    );
    check(
        "@media (min-width: 40em) { p { margin: -1px } } @layer x { p { top: +2px } }",
        expect![[r#"
            @media (min-width: 40em) {
            :scope p { margin: -1px; }
            }
            :scope p { top: +2px; }
        "#]],
    );
    check(
        "blockquote { color: red; & > p { margin: 0 } em, strong { color: blue } @media print { color: black } }",
        expect![[r#"
            :scope blockquote { color: red; & > p { margin: 0; } em, strong { color: blue; } @media print {
            color: black; }
            }
        "#]],
    );
    check(".\\31 0 { width: 10px }", expect![[":scope .\\31 0 { width: 10px; }\n"]]);
}

#[test]
fn what_stands_around_notes_is_one_element() {
    check(":root, body { --a: 1 }", expect![[":scope, :scope { --a: 1; }\n"]]);
    check(
        "body.theme-dark, .theme-light { --background-primary: #111 }",
        expect![[":scope.theme-dark, :scope.theme-light { --background-primary: #111; }\n"]],
    );
    check(
        ".theme-dark .workspace-leaf-content[data-type=\"markdown\"] > .view-content h2 { color: red }",
        expect![[":scope.theme-dark h2 { color: red; }\n"]],
    );
    check("body:not(.is-mobile) h2 { color: red }", expect![[":scope h2 { color: red; }\n"]]);
    check(".workspace-leaf-content[data-type=graph] h2 { color: red }", expect![[""]]);
    check("body.is-mobile h2, body.my-option h2 { color: red }", expect![[""]]);
    check("body + div, :root ~ .status, html > body + * { color: red }", expect![[""]]);
}

#[test]
fn nothing_is_loaded() {
    for value in [
        "url(https://x.example/a.png)",
        "url('//x.example')",
        "URL( \"https://x.example\" )",
        "u\\72l(https://x.example)",
        "\\75rl(x.png)",
        "url(/etc/passwd)",
        "url(file:///etc/passwd)",
        "url(javascript:x)",
        "url(data:text/html,x)",
        "image-set('https://x.example' 1x)",
        "-webkit-image-set(url(x) 1x)",
        "src('https://x.example')",
        "cross-fade(url(x), url(y))",
        "var(--x, url(https://x.example))",
        "url(https://x.example",
        "url(a b)",
    ] {
        check(&format!("p {{ background: {value} }}"), expect![[""]]);
        // What is left open takes the rest of the rule with it.
        if value.ends_with(')') {
            check(&format!("p {{ --x: {value}; color: red }}"), expect![[":scope p { color: red; }\n"]]);
        }
    }
    check("@import 'https://x.example/a.css'; p { color: red }", expect![[":scope p { color: red; }\n"]]);
    check("@im\\70ort url(x); p { color: red }", expect![[":scope p { color: red; }\n"]]);
    check("@font-face { font-family: x; src: url(x.woff) } p { color: red }", expect![[":scope p { color: red; }\n"]]);
    check("@namespace url(x); @charset \"x\"; @page { margin: 0 } @property --x { syntax: '*' }", expect![[""]]);
    check("@supports (background: url(x)) { p { color: red } }", expect![[""]]);
    check(
        "p { background: url(data:image/png;base64,AA==) }",
        expect![[":scope p { background: url(\"data:image/png;base64,AA==\"); }\n"]],
    );
    check("p { behavior: x; -moz-binding: url(x); width: expression(alert(1)) }", expect![[""]]);
}

#[test]
fn nothing_gets_out_of_its_frame() {
    check(
        "} } .review { display: none } p { color: red }",
        expect![[":scope .review { display: none; }\n:scope p { color: red; }\n"]],
    );
    check("p { color: red } } @scope (html) { * { display: none } }", expect![[":scope p { color: red; }\n"]]);
    check("p { x: '}'; y: \"\\\"}\"; z: \\} }", expect![[":scope p { x: \"}\"; y: \"\\22 }\"; z: \\7d ; }\n"]]);
    check("p { color: red", expect![[":scope p { color: red; }\n"]]);
    check("p { content: '\n} body { color: red }", expect![[":scope { color: red; }\n"]]);
    check("& , &:hover .x { color: red }", expect![[""]]);
    check("p { :root:has(&) .review { display: none } color: red }", expect![[":scope p { color: red; }\n"]]);
    check("p { --x: { color: red }; color: blue }", expect![[":scope p { color: blue; }\n"]]);
    check("<!-- p { color: red } -->", expect![[":scope p { color: red; }\n"]]);
    check("p { content: '</style><script>' }", expect![[":scope p { content: \"\\3c /style>\\3c script>\"; }\n"]]);
    check("@keyframes late { from { color: red } }", expect![[""]]);
    check("a) { color: red } b] { color: red } c { color: rgb(1; d: e }", expect![[""]]);
    check("", expect![[""]]);
    let deep = "@media all {".repeat(100) + "p { color: red }" + &"}".repeat(100);
    check(&deep, expect![[""]]);
}

#[test]
fn fonts_are_names_and_nothing_more() {
    assert_eq!(font_list("Fira Sans,'Noto Serif CJK', "), "\"Fira Sans\", \"Noto Serif CJK\"");
    assert_eq!(font_list("x\"; } * { color: red"), "\"x    color red\"");
    assert_eq!(font_list(" , \"\""), "");
}

/// Whether braces and quotes pair up as a browser would count them.
fn is_closed(css: &str) -> bool {
    let mut depth = 0_i32;
    for word in tokens(css) {
        match word {
            Token::Delim('{') => depth += 1,
            Token::Delim('}') => depth -= 1,
            Token::Bad => return false,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

fn css() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "a",
        ".x",
        ":root",
        "body",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ";",
        ":",
        ",",
        "'",
        "\"",
        "\\",
        "/*",
        "*/",
        "url(",
        "@import",
        "@media",
        "&",
        ">",
        "+",
        "~",
        "--x",
        "#1",
        "10px",
        "-",
        "<!--",
        "-->",
        "\n",
        " ",
        "!",
        "é",
        "https://x.example",
        ")",
    ]);
    prop::collection::vec(word, 0..40).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn whatever_is_written_is_closed_and_reads_back_as_itself(css in css()) {
        let once = contained(&css);
        prop_assert!(is_closed(&once), "{once:?}");
        let words = tokens(&once);
        prop_assert!(!words.iter().any(|word| matches!(word, Token::Url(address) if !is_picture(address))), "{once:?}");
        let inner = once.strip_prefix("@scope (.vault-look) {\n").and_then(|rest| rest.strip_suffix("}\n")).unwrap_or("");
        // Every rule of the outermost level is about the element or what is in it.
        prop_assert!(inner.lines().all(|line| line.starts_with(":scope") || line.starts_with('@') || line == "}" || inner.contains("@media")), "{inner:?}");
        prop_assert_eq!(tokens(&written(&words)), words);
    }

    #[test]
    fn any_text_ends(text in "\\PC*") {
        prop_assert!(is_closed(&contained(&text)));
    }
}
