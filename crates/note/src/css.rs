//! A vault's own stylesheets made harmless: they dress notes, load nothing, and reach nothing beside them.
//!
//! The text is read as a browser reads it and written anew word by word, so that nothing in the result can mean something
//! else than it meant here. What is not known to be harmless is left out.

mod tokens;

use tokens::{Token, tokens, write};

/// The class of the one element that a vault's stylesheets reach, with everything in it.
pub const SCOPE: &str = "vault-look";
/// Rules within rules, deeper than anybody writes.
const DEEPEST: usize = 12;
/// What stands around the notes in Obsidian's window. Here it is all one element.
const AROUND: [&str; 14] = [
    "app-container",
    "horizontal-main-container",
    "is-focused",
    "markdown-view",
    "mod-active",
    "mod-root",
    "mod-vertical",
    "view-content",
    "workspace",
    "workspace-leaf",
    "workspace-leaf-content",
    "workspace-split",
    "workspace-tab-container",
    "workspace-tabs",
];
/// Functions that load something by an address that is no `url(…)`, or that draw other elements.
const LOADING: [&str; 9] = [
    "cross-fade",
    "-webkit-cross-fade",
    "element",
    "expression",
    "image",
    "image-set",
    "-webkit-image-set",
    "paint",
    "src",
];

/// Makes a stylesheet that dresses notes of one that was written for Obsidian; empty if nothing of it can be used.
///
/// `:root`, `body` and the classes around a note mean the element of the class [`SCOPE`]; `.theme-light` and
/// `.theme-dark` stand on it, too.
pub fn contained(css: &str) -> String {
    let words = tokens(css);
    let rules = rules(&words, 0);
    if rules.is_empty() { rules } else { format!("@scope (.{SCOPE}) {{\n{rules}}}\n") }
}

/// Returns the names of the fonts in a list of them, each in quotes; empty if it names none.
pub fn font_list(list: &str) -> String {
    let names = list.split(',').map(|name| {
        let plain = name.trim().trim_matches(|c| c == '"' || c == '\'');
        plain.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.')).collect::<String>()
    });
    let quoted: Vec<String> = names.filter(|name| !name.trim().is_empty()).map(|name| format!("\"{name}\"")).collect();
    quoted.join(", ")
}

/// Finds the end of what stands at `from`: the place of the first word outside of brackets that `is_end`.
fn end_of(words: &[Token], from: usize, is_end: impl Fn(&Token) -> bool) -> usize {
    let mut open: Vec<char> = Vec::new();
    for (at, word) in words.iter().enumerate().skip(from) {
        if open.is_empty() && is_end(word) {
            return at;
        }
        match word {
            Token::Function(_) => open.push(')'),
            Token::Delim('(') => open.push(')'),
            Token::Delim('[') => open.push(']'),
            Token::Delim('{') => open.push('}'),
            Token::Delim(c) if open.last() == Some(c) => drop(open.pop()),
            _ => {}
        }
    }
    words.len()
}

fn is(c: char) -> impl Fn(&Token) -> bool {
    move |word| *word == Token::Delim(c)
}

/// Returns what stands between the brace at `open` and its partner, and where it goes on behind.
fn block(words: &[Token], open: usize) -> (&[Token], usize) {
    let end = end_of(words, open + 1, is('}'));
    (words.get(open + 1..end).unwrap_or_default(), (end + 1).min(words.len()))
}

fn rules(words: &[Token], depth: usize) -> String {
    let mut out = String::new();
    let mut at = 0;
    while depth < DEEPEST && at < words.len() {
        match &words[at] {
            Token::Blank | Token::Delim(';' | '}') => at += 1,
            Token::At(name) => {
                let end = end_of(words, at, |word| matches!(word, Token::Delim(';' | '{')));
                if words.get(end) != Some(&Token::Delim('{')) {
                    at = end + 1;
                    continue;
                }
                let (inside, next) = block(words, end);
                let head = &words[at + 1..end];
                at = next;
                match name.to_ascii_lowercase().as_str() {
                    "layer" => out.push_str(&rules(inside, depth + 1)),
                    name @ ("media" | "supports" | "container") if is_harmless(head) => {
                        push_group(&mut out, name, head, &rules(inside, depth + 1));
                    }
                    // The others load something, or reach beyond the element: their names are those of the whole page.
                    _ => {}
                }
            }
            _ => {
                let open = end_of(words, at, is('{'));
                if open == words.len() {
                    return out;
                }
                let (inside, next) = block(words, open);
                let selectors = selectors(&words[at..open]);
                let body = body(inside, depth + 1);
                if !selectors.is_empty() && !body.is_empty() {
                    out.push_str(&format!("{selectors} {{ {body}}}\n"));
                }
                at = next;
            }
        }
    }
    out
}

fn push_group(out: &mut String, name: &str, head: &[Token], inside: &str) {
    if !inside.is_empty() {
        let head = written(head);
        out.push_str(&format!("@{name} {} {{\n{inside}}}\n", head.trim()));
    }
}

fn written(words: &[Token]) -> String {
    let mut out = String::new();
    for word in words {
        write(word, &mut out);
    }
    out
}

/// What stands in a rule: declarations, and rules of their own.
fn body(words: &[Token], depth: usize) -> String {
    let mut out = String::new();
    let mut at = 0;
    while depth < DEEPEST && at < words.len() {
        if matches!(words[at], Token::Blank | Token::Delim(';' | '}')) {
            at += 1;
            continue;
        }
        let is_own = matches!(&words[at], Token::Ident(name) if name.starts_with("--"));
        let end = end_of(words, at, |word| matches!(word, Token::Delim(';')) || (!is_own && is('{')(word)));
        let head = &words[at..end];
        if words.get(end) != Some(&Token::Delim('{')) {
            declaration(head, &mut out);
            at = end + 1;
            continue;
        }
        let (inside, next) = block(words, end);
        at = next;
        let inside = body(inside, depth + 1);
        match head {
            [Token::At(name), head @ ..] => {
                let name = name.to_ascii_lowercase();
                if matches!(name.as_str(), "media" | "supports" | "container") && is_harmless(head) {
                    push_group(&mut out, &name, head, &inside);
                }
            }
            // `&` anywhere but in front would let the rest of the selector stand outside.
            [_, rest @ ..] if !rest.contains(&Token::Delim('&')) && is_harmless(head) && !inside.is_empty() => {
                out.push_str(&format!("{} {{ {inside}}} ", written(head).trim()));
            }
            _ => {}
        }
    }
    out
}

/// Words that can stand in a selector or a condition and load nothing.
fn is_harmless(words: &[Token]) -> bool {
    words.iter().all(|word| match word {
        Token::Bad | Token::Url(_) | Token::At(_) => false,
        Token::Delim(c) => c.is_ascii_graphic() && !matches!(c, '{' | '}' | ';' | '<' | '\\' | '@'),
        Token::Function(name) => !is_loading(name),
        _ => true,
    }) && is_balanced(words)
}

fn is_balanced(words: &[Token]) -> bool {
    let mut open = Vec::new();
    words.iter().all(|word| match word {
        Token::Function(_) | Token::Delim('(') => {
            open.push(')');
            true
        }
        Token::Delim('[') => {
            open.push(']');
            true
        }
        Token::Delim(c @ (')' | ']')) => open.pop() == Some(*c),
        _ => true,
    }) && open.is_empty()
}

fn is_loading(name: &str) -> bool {
    LOADING.iter().any(|loading| name.eq_ignore_ascii_case(loading))
}

fn declaration(words: &[Token], out: &mut String) {
    let [Token::Ident(name), rest @ ..] = words else { return };
    let rest = match rest {
        [Token::Delim(':'), value @ ..] | [Token::Blank, Token::Delim(':'), value @ ..] => value,
        _ => return,
    };
    let value = trimmed(rest);
    let is_harmless = value.iter().all(|word| match word {
        Token::Url(address) => is_picture(address),
        Token::Bad | Token::At(_) => false,
        Token::Function(name) => !is_loading(name),
        Token::Delim(c) => c.is_ascii_graphic() && !matches!(c, '{' | '}' | ';' | '<' | '\\' | '@'),
        _ => true,
    });
    if value.is_empty() || !is_harmless || !is_balanced(value) || name.eq_ignore_ascii_case("behavior") {
        return;
    }
    let mut text = written(value);
    // Obsidian writes this one color as three numbers.
    if name == "--callout-color" && !value.is_empty() && value.iter().all(is_of_three_numbers) {
        text = format!("rgb({text})");
    }
    write(&Token::Ident(name.clone()), out);
    out.push_str(": ");
    out.push_str(&text);
    out.push_str("; ");
}

fn is_of_three_numbers(word: &Token) -> bool {
    matches!(word, Token::Number(_, _) | Token::Delim(',') | Token::Blank)
}

/// A picture that is written out in its address.
fn is_picture(address: &str) -> bool {
    let start: String = address.trim_start().chars().take(24).flat_map(char::to_lowercase).collect();
    ["png", "jpeg", "gif", "webp", "avif", "svg+xml"]
        .iter()
        .any(|kind| start.strip_prefix("data:image/").is_some_and(|rest| rest.starts_with(kind)))
}

fn trimmed(words: &[Token]) -> &[Token] {
    let from = usize::from(words.first() == Some(&Token::Blank));
    let to = words.len() - usize::from(words.len() > from && words.last() == Some(&Token::Blank));
    &words[from..to]
}

/// Rewrites a list of selectors; those that can match nothing here are left out.
fn selectors(words: &[Token]) -> String {
    let mut all = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let end = end_of(words, at, is(','));
        all.extend(selector(trimmed(&words[at..end])));
        at = end + 1;
    }
    all.join(", ")
}

fn selector(words: &[Token]) -> Option<String> {
    if words.is_empty() || !is_harmless(words) || words.contains(&Token::Delim('&')) {
        return None;
    }
    let mut theme = "";
    let mut rest = words;
    while let Some(first) = rest.first() {
        if *first == Token::Delim('>') || *first == Token::Blank {
            rest = &rest[1..];
            continue;
        }
        let end = end_of(rest, 0, |word| matches!(word, Token::Blank | Token::Delim('>' | '+' | '~')));
        match around(&rest[..end])? {
            Around::Note(said) => theme = said.unwrap_or(theme),
            Around::Not => break,
        }
        rest = &rest[end..];
        // What stands beside the element is not in it.
        if matches!(trimmed(rest).first(), Some(Token::Delim('+' | '~'))) {
            return None;
        }
    }
    let inner = written(trimmed(rest));
    let space = if inner.is_empty() { "" } else { " " };
    Some(format!(":scope{theme}{space}{inner}"))
}

/// What the first part of a selector means here.
enum Around {
    /// The element around the notes, perhaps in one theme only.
    Note(Option<&'static str>),
    /// Something in a note.
    Not,
}

/// Reads one compound of a selector; `None` if it stands for something around the notes that is never there.
fn around(words: &[Token]) -> Option<Around> {
    let mut theme = None;
    let mut is_around = false;
    let mut more = false;
    let mut at = 0;
    while at < words.len() {
        match &words[at..] {
            [Token::Ident(name), ..] if ["html", "body"].iter().any(|root| name.eq_ignore_ascii_case(root)) => {
                is_around = true;
                at += 1;
            }
            [Token::Delim(':'), Token::Ident(name), ..] if name.eq_ignore_ascii_case("root") => {
                is_around = true;
                at += 2;
            }
            [Token::Delim('.'), Token::Ident(name), ..] => {
                match name.as_str() {
                    "theme-dark" => theme = Some(".theme-dark"),
                    "theme-light" => theme = Some(".theme-light"),
                    name if AROUND.contains(&name) => {}
                    _ => more = true,
                }
                is_around |= theme.is_some() || AROUND.contains(&name.as_str());
                at += 2;
            }
            // What a root is not, it is seldom here either: no phone, no full screen.
            [Token::Delim(':'), Token::Function(name), ..] if name.eq_ignore_ascii_case("not") => {
                at = end_of(words, at + 2, is(')')) + 1;
            }
            [Token::Delim('['), Token::Ident(name), ..] if name == "data-type" => {
                let end = end_of(words, at + 1, is(']'));
                let is_markdown = words[at..end].iter().any(|word| match word {
                    Token::Text(value) | Token::Ident(value) => value == "markdown",
                    _ => false,
                });
                more |= !is_markdown;
                at = end + 1;
            }
            _ => {
                more = true;
                at += 1;
            }
        }
    }
    match (is_around, more) {
        (true, false) => Some(Around::Note(theme)),
        (true, true) => None,
        (false, _) => Some(Around::Not),
    }
}

#[cfg(test)]
mod tests;
