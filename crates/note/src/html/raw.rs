//! HTML that stands in a note: made well nested, shallow, and free of anything that loads or runs.
//!
//! Ammonia has the last word on what is safe. This pass comes first because only here it is known
//! that a tag came from the note: pictures and frames from elsewhere become buttons that ask, and a
//! tag that is never closed cannot swallow what follows.

use super::external::{self, Destination};
use super::tokens::{Token, tag_name, token};
use super::writer::{Attributes, escape};

/// Elements nested deeper than this are left out; their content stays.
const MAX_DEPTH: usize = 32;

/// The element that a tag in a sentence opens around Markdown; `None` for one that holds only HTML.
pub(super) fn phrase(html: &str) -> Option<(&'static str, Attributes)> {
    let Token::Start { attributes, .. } = token(html) else { return None };
    let name = tag_name(html).to_ascii_lowercase();
    if name == "a" {
        return Some(("a", link_attributes(&attributes)));
    }
    Some((named(PHRASES, &name)?, kept(&attributes)))
}

/// Whether an element stands in a sentence.
pub(super) fn is_phrase(name: &str) -> bool {
    name == "a" || named(PHRASES, name).is_some()
}

/// Whether tags of a name exist in HTML as we show it.
pub(super) fn is_known(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    element(&name).is_some() || is_dropped(&name) || matches!(name.as_str(), "img" | "a" | "video" | "audio" | "source")
}

/// Whether elements of a name have no content and no end tag.
pub(super) fn is_void(name: &str) -> bool {
    named(VOID, &name.to_ascii_lowercase()).is_some()
}

/// HTML that is safe to stand inside other HTML.
pub(super) struct Tamed {
    pub html: String,
    /// Whether it holds elements that cannot stand in a paragraph.
    pub has_blocks: bool,
}

/// Makes HTML of a note safe to stand inside other HTML.
pub(super) fn tame(source: &str, inside_link: bool) -> Tamed {
    let mut out = Tree { out: String::new(), open: Vec::new(), inside_link, has_blocks: false };
    let mut rest = source;
    while let Some(at) = rest.find('<') {
        out.text(&rest[..at]);
        rest = &rest[at..];
        let token = token(rest);
        rest = &rest[token.len()..];
        match token {
            Token::Text(text) => escape(&mut out.out, text),
            Token::Hidden(_) => {}
            Token::End(tag) => out.end(&tag_name(tag).to_ascii_lowercase()),
            Token::Start { source, attributes } => {
                let name = tag_name(source).to_ascii_lowercase();
                if is_dropped(&name) {
                    if name == "iframe" {
                        out.remote("remote-frame", &attributes);
                    }
                    if !is_void(&name) {
                        rest = after_end_tag(rest, &name);
                    }
                } else {
                    out.start(&name, &attributes);
                }
            }
        }
    }
    out.text(rest);
    while let Some(name) = out.open.pop() {
        out.close_tag(name);
    }
    Tamed { html: out.out, has_blocks: out.has_blocks }
}

/// Skips the content of an element and its end tag.
fn after_end_tag<'s>(source: &'s str, name: &str) -> &'s str {
    let mut rest = source;
    while let Some(at) = rest.find("</") {
        rest = &rest[at..];
        if tag_name(rest).eq_ignore_ascii_case(name) {
            return rest.find('>').map_or("", |end| &rest[end + 1..]);
        }
        rest = &rest[2..];
    }
    ""
}

/// The HTML that is written, well nested whatever comes in.
struct Tree {
    out: String,
    open: Vec<&'static str>,
    inside_link: bool,
    has_blocks: bool,
}

impl Tree {
    fn text(&mut self, text: &str) {
        // Character references stay as they are; a `>` alone is harmless.
        self.out.push_str(text);
    }

    fn start(&mut self, name: &str, attributes: &[(&str, String)]) {
        match name {
            "img" => return self.image(attributes),
            "source" | "video" | "audio" => return self.remote("remote-media", attributes),
            "a" => return self.link(attributes),
            _ => {}
        }
        let Some(element) = element(name) else { return };
        self.close_implied(element);
        self.has_blocks |= is_block(element);
        let attributes = kept(attributes);
        if is_void(element) {
            self.open_tag(element, &attributes);
        } else if self.open.len() < MAX_DEPTH {
            self.open_tag(element, &attributes);
            self.open.push(element);
        }
    }

    fn open_tag(&mut self, name: &str, attributes: &Attributes) {
        self.out.push('<');
        self.out.push_str(name);
        self.out.push_str(attributes.as_str());
        self.out.push('>');
    }

    fn close_tag(&mut self, name: &str) {
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
    }

    fn end(&mut self, name: &str) {
        if let Some(at) = self.open.iter().rposition(|open| *open == name) {
            self.close_through(at);
        }
    }

    fn close_through(&mut self, at: usize) {
        while self.open.len() > at {
            if let Some(name) = self.open.pop() {
                self.close_tag(name);
            }
        }
    }

    /// Closes what the start of an element ends, as an HTML parser would.
    fn close_implied(&mut self, name: &str) {
        let (closes, within): (&[&str], &[&str]) = match name {
            "li" => (&["li"], &["ul", "ol"]),
            "dt" | "dd" => (&["dt", "dd"], &["dl"]),
            "td" | "th" => (&["td", "th"], &["tr", "table"]),
            "tr" => (&["tr"], &["table"]),
            "thead" | "tbody" | "tfoot" => (&["thead", "tbody", "tfoot"], &["table"]),
            _ if is_block(name) => (&["p"], &["td", "th", "table", "caption"]),
            _ => return,
        };
        let found = self.open.iter().rposition(|open| closes.contains(open) || within.contains(open));
        if let Some(at) = found.filter(|&at| closes.contains(&self.open[at])) {
            self.close_through(at);
        }
    }

    fn link(&mut self, attributes: &[(&str, String)]) {
        if self.inside_link || self.open.len() >= MAX_DEPTH {
            return;
        }
        if let Some(at) = self.open.iter().position(|open| *open == "a") {
            self.close_through(at);
        }
        self.open_tag("a", &link_attributes(attributes));
        self.open.push("a");
    }

    fn image(&mut self, attributes: &[(&str, String)]) {
        let source = value(attributes, "src").unwrap_or_default();
        let given = kept(attributes);
        if external::is_inline_image(source) {
            self.open_tag("img", &given.with("src", source));
        } else if external::is_remote(source) {
            self.remote("remote-image", attributes);
        } else {
            self.open_tag("img", &given);
        }
    }

    /// A button in the place of something that would be loaded from elsewhere.
    fn remote(&mut self, class: &str, attributes: &[(&str, String)]) {
        let Some(source) = value(attributes, "src").filter(|source| external::is_remote(source)) else { return };
        let alt = value(attributes, "alt").or(value(attributes, "title")).unwrap_or_default();
        self.out.push_str(&external::placeholder(
            class,
            source,
            alt,
            value(attributes, "width"),
            value(attributes, "height"),
        ));
    }
}

/// The attributes of a link, which leads out of the vault or to a note.
fn link_attributes(attributes: &[(&str, String)]) -> Attributes {
    let given = kept_besides(attributes, "class");
    match value(attributes, "href").map(external::destination) {
        Some(Destination::External(url)) => external::link(given, &url),
        Some(Destination::Internal(to)) => {
            given.with("class", "internal-link").with("data-href", &to).with("href", "#")
        }
        Some(Destination::Refused) | None => given,
    }
}

fn value<'a>(attributes: &'a [(&str, String)], name: &str) -> Option<&'a str> {
    attributes.iter().find(|(given, _)| given.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

fn kept(attributes: &[(&str, String)]) -> Attributes {
    kept_besides(attributes, "")
}

/// The attributes that only change how an element looks.
fn kept_besides(attributes: &[(&str, String)], left_out: &str) -> Attributes {
    ATTRIBUTES
        .split(' ')
        .filter(|name| *name != left_out)
        .fold(Attributes::new(), |kept, name| kept.maybe(name, value(attributes, name)))
}

/// Elements that disappear with their content.
const DROPPED: &str = "script style iframe template object embed noscript noembed noframes svg math title head \
    textarea select xmp plaintext applet frameset canvas";

/// The elements that are kept, besides links and pictures.
const KEPT: &str = "abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd \
    del details dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i ins kbd li main \
    mark meter nav ol p pre progress q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th \
    thead time tr tt u ul var wbr";

/// Elements that stand in a sentence and may hold Markdown there.
const PHRASES: &str = "abbr b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strike strong \
    sub sup time tt u var";

/// Elements that end an open paragraph.
const BLOCKS: &str = "address article aside blockquote center dd details div dl dt figcaption figure footer \
    h1 h2 h3 h4 h5 h6 header hgroup hr li main nav ol p pre section summary table ul";

/// Elements without content.
const VOID: &str = "br hr img wbr col source input embed area link meta track base";

/// Attributes that only change how an element looks.
const ATTRIBUTES: &str = "class style title lang dir alt align valign width height colspan rowspan start reversed type \
    open datetime color face size span value min max low high optimum";

fn named<'n>(names: &'n str, name: &str) -> Option<&'n str> {
    names.split(' ').find(|known| *known == name)
}

fn is_dropped(name: &str) -> bool {
    named(DROPPED, name).is_some()
}

fn element(name: &str) -> Option<&'static str> {
    named(KEPT, name)
}

fn is_block(name: &str) -> bool {
    named(BLOCKS, name).is_some()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(source: &str, expected: Expect) {
        expected.assert_eq(&tame(source, false).html);
    }

    #[test]
    fn html_comes_out_well_nested() {
        check("<div><b>a</div>c", expect!["<div><b>a</b></div>c"]);
        check("</div>a</b>", expect!["a"]);
        check("<p>a<p>b<div>c", expect!["<p>a</p><p>b</p><div>c</div>"]);
        check("<ul><li>a<li>b<ul><li>c</ul></ul>", expect!["<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>"]);
        check(
            "<table><tr><td>a<td>b<tr><td>c</table>",
            expect!["<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>"],
        );
        check("a < b <3 <", expect!["a &lt; b &lt;3 &lt;"]);
        check("a <b", expect!["a &lt;b"]);
        check("x<br/>y<hr>", expect!["x<br>y<hr>"]);
    }

    #[test]
    fn what_runs_or_loads_is_gone() {
        check("<script>x</script >a<STYLE>b</STYLE>c", expect!["ac"]);
        check(
            "<div onclick=x ONLOAD='y' id=z data-q=1 style='color:red'>a</div>",
            expect![[r#"<div style="color:red">a</div>"#]],
        );
        check("<svg><script>x</script><a xlink:href='javascript:x'>y</a></svg>z", expect!["z"]);
        check("<a href='java&#115;cript:x'>y</a>", expect!["<a>y</a>"]);
        check("<a href=' JAVA\tSCRIPT:x'>y</a>", expect!["<a>y</a>"]);
        check("<form action=x><input value=1>q</form>", expect!["q"]);
        check("<!-- <b> -->a<!DOCTYPE x>b<?php ?>", expect!["ab"]);
        check("<script>never closed", expect![""]);
    }

    #[test]
    fn pictures_and_frames_from_elsewhere_ask_first() {
        check(
            "<img src='https://a.example/i.png' alt=x width=20>",
            expect![[
                r#"<span class="remote-image" role="button" tabindex="0" data-src="https://a.example/i.png" data-alt="x" data-width="20" title="https://a.example/i.png">Load image from a.example</span>"#
            ]],
        );
        check(
            "<iframe src=https://v.example/1>no</iframe>b",
            expect![[
                r#"<span class="remote-frame" role="button" tabindex="0" data-src="https://v.example/1" title="https://v.example/1">Load frame from v.example</span>b"#
            ]],
        );
        check("<iframe src='data:text/html,x'></iframe><img src=x>", expect!["<img>"]);
    }

    #[test]
    fn links_lead_out_or_to_notes() {
        check(
            "<a href='https://x.example/?a=1&amp;b' target=_top>x</a>",
            expect![[
                r#"<a class="external-link" href="https://x.example/?a=1&amp;b" data-external="https://x.example/?a=1&amp;b" rel="noopener nofollow">x</a>"#
            ]],
        );
        check(
            "<a class=c href='My%20Note.md#H'>x",
            expect![[r##"<a class="internal-link" data-href="My Note.md#H" href="#">x</a>"##]],
        );
        check(
            "<a href=x>1<a href=y>2</a></a>",
            expect![[
                r##"<a class="internal-link" data-href="x" href="#">1</a><a class="internal-link" data-href="y" href="#">2</a>"##
            ]],
        );
    }
}
