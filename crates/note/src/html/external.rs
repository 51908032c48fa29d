//! What leads out of the vault: links, and pictures that would be loaded from elsewhere.

use percent_encoding::percent_decode_str;

use super::writer::{Attributes, is_active};

/// Where the URL of a link leads.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// Out of the vault, by a URL with a scheme.
    External(String),
    /// To a note or file, as link text.
    Internal(String),
    /// Nowhere: a URL that runs something or reads a local file.
    Refused,
}

/// Tells where a URL leads.
pub(super) fn destination(url: &str) -> Destination {
    let url: String = url.trim().chars().filter(|c| !c.is_control()).collect();
    match scheme(&url) {
        Some(_) if is_active(&url) || is_refused(&url) => Destination::Refused,
        Some(_) => Destination::External(url),
        None if url.starts_with("//") => Destination::External(format!("https:{url}")),
        None => Destination::Internal(percent_decode_str(&url).decode_utf8_lossy().into_owned()),
    }
}

/// The scheme of a URL, as written.
pub(super) fn scheme(url: &str) -> Option<&str> {
    let (scheme, _) = url.split_once(':')?;
    // One letter is a drive, not a scheme.
    let known = scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    known.then_some(scheme)
}

fn is_refused(url: &str) -> bool {
    scheme(url).is_some_and(|scheme| {
        ["data", "blob", "about", "view-source", "jar", "ms-msdt", "search-ms", "tauri", "ipc", "asset"]
            .iter()
            .any(|refused| scheme.eq_ignore_ascii_case(refused))
    })
}

/// The attributes of a link that leads out of the vault.
///
/// Only web and mail addresses stand in `href`. Whatever else the system may have a program for
/// stands in `data-external` alone, so that nothing opens without the window having looked at it.
pub(super) fn link(attributes: Attributes, url: &str) -> Attributes {
    let is_web = scheme(url)
        .is_some_and(|scheme| ["http", "https", "mailto"].iter().any(|web| scheme.eq_ignore_ascii_case(web)));
    attributes
        .with("class", "external-link")
        .with("href", if is_web { url } else { "#" })
        .with("data-external", url)
        .with("rel", "noopener nofollow")
}

/// Whether a picture would be loaded from elsewhere.
pub(super) fn is_remote(url: &str) -> bool {
    let url = url.trim();
    url.starts_with("//")
        || scheme(url).is_some_and(|scheme| ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web)))
}

/// Whether a picture is written out in its URL.
pub(super) fn is_inline_image(url: &str) -> bool {
    let start: String = url.trim_start().chars().take(32).flat_map(char::to_lowercase).collect();
    ["png", "jpeg", "jpg", "gif", "webp", "avif"].iter().any(|format| {
        start.strip_prefix("data:image/").is_some_and(|rest| rest.starts_with(&format!("{format};base64,")))
    })
}

/// A button in the place of something that would be loaded from elsewhere.
pub(super) fn placeholder(class: &str, url: &str, alt: &str, width: Option<&str>, height: Option<&str>) -> String {
    let url = url.trim();
    let url = if url.starts_with("//") { format!("https:{url}") } else { url.to_owned() };
    let what = match class {
        "remote-image" => "image",
        "remote-frame" => "frame",
        _ => "media",
    };
    let attributes = Attributes::class(class)
        .with("role", "button")
        .with("tabindex", "0")
        .with("data-src", &url)
        .maybe("data-alt", Some(alt).filter(|alt| !alt.is_empty()))
        .maybe("data-width", width)
        .maybe("data-height", height)
        .with("title", &url);
    let mut out = format!("<span{}>", attributes.as_str());
    super::writer::escape(&mut out, &format!("Load {what} from {}", host(&url)));
    out.push_str("</span>");
    out
}

fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    authority.rsplit_once('@').map_or(authority, |(_, host)| host)
}

/// The length of the web address that `text` starts with, without the punctuation that ends a
/// sentence or a bracket opened before it.
pub(super) fn bare_url_len(text: &str) -> Option<usize> {
    let scheme = ["https://", "http://"]
        .into_iter()
        .find(|scheme| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))?;
    let end =
        text.find(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | '"')).unwrap_or(text.len());
    let mut url = &text[..end];
    let mut surplus = url.matches(')').count().saturating_sub(url.matches('(').count());
    loop {
        if surplus > 0 && url.ends_with(')') {
            surplus -= 1;
            url = &url[..url.len() - 1];
            continue;
        }
        let trimmed = url.trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_', '~', '\'']);
        if trimmed.len() == url.len() {
            break;
        }
        url = trimmed;
    }
    (url.len() > scheme.len()).then_some(url.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_lead_out_or_in_or_nowhere() {
        let external = |url: &str| Destination::External(url.to_owned());
        let internal = |url: &str| Destination::Internal(url.to_owned());
        for (url, expected) in [
            ("https://a.example/x", external("https://a.example/x")),
            ("//a.example/x", external("https://a.example/x")),
            ("obsidian://open?vault=v", external("obsidian://open?vault=v")),
            ("Three%20laws.md#A", internal("Three laws.md#A")),
            ("C:/x.md", internal("C:/x.md")),
            ("java\nscript:alert(1)", Destination::Refused),
            ("data:text/html,x", Destination::Refused),
            ("blob:x", Destination::Refused),
        ] {
            assert_eq!(destination(url), expected, "{url:?}");
        }
    }

    #[test]
    fn a_bare_url_ends_before_the_punctuation_of_the_sentence() {
        for (text, url) in [
            ("https://a.example/x.", Some("https://a.example/x")),
            ("https://a.example/(x)).", Some("https://a.example/(x)")),
            ("https://a.example/a_b_c and", Some("https://a.example/a_b_c")),
            ("HTTP://A.example", Some("HTTP://A.example")),
            ("https://", None),
            ("https:// x", None),
            ("ftp://x", None),
        ] {
            assert_eq!(bare_url_len(text).map(|len| &text[..len]), url, "{text:?}");
        }
    }

    #[test]
    fn hosts_are_named_without_what_could_mislead() {
        assert_eq!(host("https://good.example@evil.example/x"), "evil.example");
        assert_eq!(host("https://a.example:8080?x"), "a.example:8080");
    }
}
