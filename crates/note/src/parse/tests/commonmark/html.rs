//! Reads HTML as it stands in the spec and as we write it, as far as the two are to be compared.

use std::collections::BTreeMap;

use crate::link::percent_decode;

/// A tag or a text.
#[derive(Debug, PartialEq)]
pub enum Piece {
    Start { name: String, attributes: BTreeMap<String, String> },
    End(String),
    Text(String),
}

/// The tags and texts of HTML, comments left out.
pub fn pieces(html: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = html;
    while !rest.is_empty() {
        let end = rest.find('<').unwrap_or(rest.len());
        if end > 0 {
            pieces.push(Piece::Text(unescape(&rest[..end])));
            rest = &rest[end..];
            continue;
        }
        let length = rest.find('>').map_or(rest.len(), |end| end + 1);
        let tag = &rest[1..length];
        rest = &rest[length..];
        let tag = tag.trim_end_matches('>').trim_end_matches('/').trim();
        if let Some(name) = tag.strip_prefix('/') {
            pieces.push(Piece::End(name.trim().to_owned()));
        } else if !tag.starts_with(['!', '?']) {
            pieces.push(start(tag));
        }
    }
    pieces
}

fn start(tag: &str) -> Piece {
    let (name, mut rest) = tag.split_at(tag.find(char::is_whitespace).unwrap_or(tag.len()));
    let mut attributes = BTreeMap::new();
    while let Some((key, behind)) = rest.split_once("=\"") {
        let Some((value, behind)) = behind.split_once('"') else { break };
        attributes.insert(key.trim().to_owned(), unescape(value));
        rest = behind;
    }
    Piece::Start { name: name.to_owned(), attributes }
}

fn unescape(text: &str) -> String {
    let quotes = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
    quotes.replace("&nbsp;", "\u{a0}").replace("&amp;", "&")
}

/// HTML without what is only ours or only theirs: line endings between blocks, the way to escape,
/// and attributes that say the same in other words.
pub fn plain(html: &str) -> String {
    let mut out = String::new();
    let mut is_pre = false;
    // How deep one is inside of a block of HTML, whose frame is ours.
    let mut framed: Option<usize> = None;
    for piece in pieces(html) {
        match piece {
            Piece::Start { name, mut attributes } => {
                if name == "tbody" {
                    continue;
                }
                is_pre |= name == "pre";
                if name == "div" {
                    let is_frame = attributes.get("class").is_some_and(|class| class == "html-block");
                    framed = framed.map(|depth| depth + 1).or(is_frame.then_some(0));
                    if is_frame {
                        continue;
                    }
                }
                let mut take = |name: &str| attributes.remove(name);
                let kept = match name.as_str() {
                    "a" => {
                        let to = take("data-href").or_else(|| take("data-external")).or_else(|| take("href"));
                        to.map(|to| format!(" href={:?}", percent_decode(&to)))
                    }
                    "img" => {
                        let source = take("data-vault-src").map(|source| source.trim_end_matches(".png").to_owned());
                        let source = source.or_else(|| take("src")).unwrap_or_default();
                        let alt = take("alt").unwrap_or_default();
                        Some(format!(" src={:?} alt={alt:?}", percent_decode(source.trim_start_matches('/'))))
                    }
                    "ol" => take("start").map(|start| format!(" start={start}")),
                    "code" => take("class").map(|class| format!(" {class}")),
                    "th" | "td" => {
                        let style = take("style").map(|style| style.replace("text-align: ", ""));
                        take("align").or(style).map(|align| format!(" {align}"))
                    }
                    "input" => take("checked").map(|_| " checked".to_owned()),
                    _ => None,
                };
                out += &format!("<{name}{}>", kept.unwrap_or_default());
            }
            Piece::End(name) if name == "tbody" => {}
            Piece::End(name) if name == "div" && framed == Some(0) => framed = None,
            Piece::End(name) => {
                is_pre &= name != "pre";
                if name == "div" {
                    framed = framed.map(|depth| depth - 1);
                }
                out += &format!("</{name}>");
            }
            Piece::Text(text) if is_pre => out += &text,
            Piece::Text(text) => {
                let lines: Vec<&str> = text.split('\n').collect();
                let between: Vec<&str> = lines.into_iter().filter(|line| !line.trim().is_empty()).collect();
                let between = between.join("\n");
                let is_task = out.ends_with("<input>") || out.ends_with("<input checked>");
                out += if is_task { between.trim_start() } else { &between };
            }
        }
    }
    out
}
