//! Whatever a note says, its HTML neither runs nor loads anything.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::note_of;
use crate::{NoteText, parse};

/// Reads tags of well-formed HTML: names with their attributes.
fn tags(html: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut tags = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let name_len = rest.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(rest.len());
        let name = rest[..name_len].to_lowercase();
        rest = &rest[name_len..];
        let mut attributes = Vec::new();
        loop {
            rest = rest.trim_start();
            if let Some(after) = rest.strip_prefix('>') {
                rest = after;
                break;
            }
            let Some((attribute, after)) = rest.split_once("=\"") else {
                panic!("tag <{name} is not well-formed in {html:?}");
            };
            let Some((value, after)) = after.split_once('"') else {
                panic!("value of {attribute} is not closed in {html:?}");
            };
            attributes.push((attribute.to_lowercase(), value.to_owned()));
            rest = after;
        }
        tags.push((name, attributes));
    }
    tags
}

fn assert_harmless(source: &str) {
    let html = note_of(source, false).page();
    for (name, attributes) in tags(&html) {
        let element = name.trim_start_matches('/');
        assert!(
            !matches!(
                element,
                "script"
                    | "style"
                    | "iframe"
                    | "object"
                    | "embed"
                    | "svg"
                    | "math"
                    | "link"
                    | "meta"
                    | "base"
                    | "form"
                    | "video"
                    | "audio"
                    | "source"
                    | "template"
                    | "noscript"
            ),
            "<{element}> survives in {html:?} of {source:?}"
        );
        for (attribute, value) in attributes {
            let bare: String =
                value.replace("&amp;", "&").chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
            let bare = bare.to_lowercase();
            assert!(!attribute.starts_with("on"), "{attribute} survives in {html:?} of {source:?}");
            assert!(!matches!(
                attribute.as_str(),
                "srcset" | "srcdoc" | "formaction" | "action" | "background" | "poster" | "xlink:href"
            ));
            for scheme in ["javascript:", "vbscript:", "data:text", "data:image/svg"] {
                assert!(!bare.starts_with(scheme), "{attribute}={value} survives in {html:?} of {source:?}");
            }
            match attribute.as_str() {
                "href" => assert!(
                    ["#", "http:", "https:", "mailto:"].iter().any(|start| bare.starts_with(start)),
                    "href={value}"
                ),
                "src" => assert!(bare.starts_with("data:image/"), "src={value} loads in {html:?}"),
                "style" => assert!(!bare.contains("url(") && !bare.contains("position"), "style={value}"),
                _ => {}
            }
        }
    }
}

#[test]
fn known_attacks_do_nothing() {
    for attack in [
        "<script>alert(1)</script>",
        "<scr<script>ipt>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<img src=`x` onerror=alert(1)//>",
        "<svg/onload=alert(1)>",
        "<svg><style><img src=x onerror=alert(1)></style></svg>",
        "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
        "<a href=\"java\tscript:alert(1)\">x</a>",
        "<a href=\"&#x6A;avascript:alert(1)\">x</a>",
        "<a href=\"&#106;&#97;vascript&colon;alert(1)\">x</a>",
        "[x](javascript:alert(1))",
        "[x](java&#10;script:alert(1))",
        "[x](\\j\\avascript:alert(1))",
        "[x](<javascript:alert(1)>)",
        "[x]( javascript&colon;alert(1))",
        "[x][r]\n\n[r]: javascript:alert(1)",
        "<javascript:alert(1)>",
        "![x](javascript:alert(1))",
        "![[javascript:alert(1)]]",
        "[[javascript:alert(1)|x]]",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "<iframe src=javascript:alert(1)></iframe>",
        "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
        "<object data=javascript:alert(1)></object><embed src=javascript:alert(1)>",
        "<form action=javascript:alert(1)><button formaction=javascript:alert(1)>x</button></form>",
        "<div style=\"background:url(javascript:alert(1))\">x</div>",
        "<div style=\"width:expression(alert(1))\">x</div>",
        "<div style=\"position:fixed;top:0;left:0\">x</div>",
        "<input onfocus=alert(1) autofocus>",
        "<details open ontoggle=alert(1)>",
        "<video><source onerror=alert(1)></video>",
        "<body onload=alert(1)>",
        "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
        "<link rel=stylesheet href=https://evil.example/x.css>",
        "<base href=javascript:alert(1)//>",
        "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
        "<p title='\"><script>alert(1)</script>'>x</p>",
        "```\"><script>alert(1)</script>\nx\n```",
        "```x\" onclick=\"alert(1)\nx\n```",
        "> [!note\" onclick=\"alert(1)] x",
        "> [!javascript:alert(1)] x",
        "> [!note|javascript:alert(1)] x",
        "- [\"] x",
        "- [<] x",
        "#tag\"onclick=alert(1)",
        "[^\"><script>]\n\n[^\"><script>]: x",
        "$</span><script>alert(1)</script>$",
        "$$\n</div><img src=x onerror=alert(1)>\n$$",
        "![x\" onerror=\"alert(1)](https://x.example/\"onerror=alert(1))",
        "![[pic.png|x\" onerror=\"alert(1)]]",
        "[[Note|<img src=x onerror=alert(1)>]]",
        "[[<img src=x onerror=alert(1)>]]",
        "==<script>alert(1)</script>==",
        "^[<script>alert(1)</script>]",
        "# <img src=x onerror=alert(1)>\" onclick=\"x",
        "| <script>alert(1)</script> |\n|---|\n| \"><img src=x onerror=alert(1)> |",
        "https://x.example/\"onmouseover=\"alert(1)",
        "<https://x.example/\"onmouseover=\"alert(1)>",
        "<a href=x%%\nonclick=alert(1)%%>y</a>",
        "<!--><script>alert(1)</script>-->",
        "<![CDATA[<script>alert(1)</script>]]>",
        "<?php <script>alert(1)</script> ?>",
        "<textarea><script>alert(1)</script></textarea>",
        "<select><template><script>alert(1)</script></template></select>",
        "<table><td><svg><desc><td></desc><script>alert(1)</script>",
        "<span class=\"remote-image\" data-src=\"javascript:alert(1)\">x</span>",
        "<span data-external=\"javascript:alert(1)\" class=external-link>x</span>",
    ] {
        assert_harmless(attack);
        assert_harmless(&format!("---\n{attack}: {attack}\nlink: '[[{attack}]]'\ntags: [{attack}]\n---\n{attack}"));
        let quoted = attack.replace(['"', '\\', '\n'], "");
        assert_harmless(&format!("---\n\"{quoted}\": \"{quoted}\"\nl: [\"[[{quoted}]]\", \"{quoted}\"]\n---\n"));
        assert_harmless(&format!("> {attack}\n\ntext {attack} text\n\n- {attack}"));
    }
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec![
            "<", ">", "\"", "'", "=", "/", "&", ";", "\\", "`", "*", "_", "[", "]", "(", ")", "!", "#", "|", "^", "~", "$",
            "%", "\n", "\n\n", "\r", "\r\n", "\t", " ", ">", "- ", "1. ", "    ", "\u{0}", "\u{feff}", "é", "日本", "👩‍👩‍👧",
        ]).prop_map(str::to_owned),
        4 => prop::sample::select(vec![
            "<script>", "</script>", "<img src=x ", "onerror=alert(1)", "<svg>", "</svg>", "<math>", "<style>", "</style>",
            "<a href=", "javascript:alert(1)", "data:text/html,x", "<div ", "<span ", "onclick='x'", "</div>", "</span>",
            "<b>", "</b>", "<iframe src=", "<!--", "-->", "&#x6A;", "&colon;", "&Tab;", "<table>", "<tr>", "<td>", "<p>",
            "style=\"background:url(x)\"", "title=\"", "<noscript>", "<template>", "<textarea>", "</textarea>",
        ]).prop_map(str::to_owned),
        4 => prop::sample::select(vec![
            "[[", "]]", "![[", "![", "](", "[^1]", "[^1]: ", "^[", "==", "%%", "$$", "~~", "**", "> [!note]- ", "> ", "- [x] ", "---\nk: ",
            "```\n", "```js\n", "| a | b |\n|---|---|\n", "---\n", "#tag", " ^id", "Note", "pic.png", "https://x.example/",
            "[r]: ", "# ", "===\n", "<https://", "|300", "![[Loop]]", "![[#A]]", "# A\n",
        ]).prop_map(str::to_owned),
        1 => "\\PC{0,8}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_html_that_acts(pieces in prop::collection::vec(piece(), 0..24)) {
        assert_harmless(&pieces.concat());
    }

    /// What is covered up for the reading view does not change which headings there are.
    #[test]
    fn the_headings_of_the_view_are_those_of_the_note(pieces in prop::collection::vec(piece(), 0..24)) {
        let source = pieces.concat();
        let text = NoteText::from_str(&source);
        let headings: Vec<(String, String)> =
            parse(&text).headings.iter().map(|heading| (format!("h{}", heading.level), heading.line.to_string())).collect();
        let shown: Vec<(String, String)> = tags(&note_of(&source, false).html)
            .into_iter()
            .filter_map(|(name, attributes)| {
                let value = |name: &str| attributes.iter().find(|(given, _)| given == name).map(|(_, value)| value.clone());
                value("id").filter(|id| id.starts_with("heading-"))?;
                Some((name, value("data-line")?))
            })
            .collect();
        prop_assert_eq!(shown, headings, "{:?}", source);
    }

    #[test]
    fn any_text_is_rendered(text in "\\PC{0,200}") {
        assert_harmless(&text);
    }
}

/// Rendering is linear whatever is repeated: a quadratic step would take minutes. The time says
/// nothing about speed.
fn check_in_time(unit: &str, len: usize) {
    let source = unit.repeat(len / unit.len());
    let start = Instant::now();
    let html = note_of(&source, false).page();
    let taken = start.elapsed();
    assert!(taken < Duration::from_secs(60), "{unit:?} took {taken:?}, {} bytes", html.len());
}

#[test]
fn a_megabyte_of_one_mark_is_rendered_in_time() {
    for unit in ["[", "*", ">", "`", "=", "<", "![[", "%%", "| ", "_a"] {
        check_in_time(unit, 1 << 20);
    }
}

#[test]
fn much_of_anything_is_rendered_in_time() {
    for unit in [
        "<b>",
        "<div>",
        "<p><i>",
        "<b a=1><i>",
        "</b>",
        "<a b ",
        "<b><i></b></i>",
        "<!--",
        "<script>",
        "$$",
        "$a$ ",
        "%%a%% ",
        "^[a]",
        "^[",
        "[^1]",
        "[^1]: a\n\n",
        "==a ",
        "==a== ",
        "*a **b ",
        "*a $$x$$ ",
        "~a ",
        "~a~ ",
        "[a](b) [[c]] ",
        "![[",
        "![](",
        "![[Nowhere]] ",
        "![[Other]]\n\n",
        "#tag ",
        "a ^id\n\n",
        "- ",
        "- a\n",
        "- [ ] a\n",
        "  - a\n",
        "> [!x]\n",
        "> [!x]- a\n>> ",
        "1. ",
        "|a|b|\n|-|-|\n",
        "|-|\n",
        "# a\n",
        "a\n=\n",
        "```\n",
        "https://",
        "https://a.example ",
        "a://",
        "[a]: b\n",
        "[a]\n\n[a]: b\n",
        "&amp;",
        "\\",
        "\r",
        "\u{0}",
    ] {
        check_in_time(unit, 1 << 15);
    }
}
