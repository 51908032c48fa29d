//! What a link says that leads to a place in a vault: `vidimus://open?vault=NAME&file=PATH`, or one of Obsidian's.
//!
//! A link can only show something. Whatever else one asks for (a new note, text to add) is refused here, so that no
//! page of the web can write through it.

use crate::fault::Fault;
use engine::RelPath;
use std::path::{Path, PathBuf};

/// The scheme that the desktop hands to this program.
pub const SCHEME: &str = "vidimus";
/// Obsidian's own, which is followed inside notes and never taken from Obsidian.
const OBSIDIAN: &str = "obsidian";
/// Longer ones are no links but attempts.
const LONGEST: usize = 4096;

/// A link that was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub vault: VaultNamed,
    /// What to show there; absent shows the vault as it was left.
    pub spot: Option<Spot>,
}

/// Which vault a link means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VaultNamed {
    /// The one that is open.
    Open,
    /// By the name of its folder.
    Name(String),
    /// By the path of a file on this computer that lies in it.
    Around(PathBuf),
}

/// A place in a vault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// A path from the vault's root, or the name of a note as a link in a note would say it.
    pub file: String,
    /// The titles of a heading, joined by `#`, or a block with its `^`.
    pub heading: Option<String>,
    /// From 1.
    pub line: Option<u32>,
}

/// Why a link is not followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    #[error("not a link to a note: `{}`", cut(url))]
    Foreign { url: String },
    #[error("this link would do more than open a note: `{}`", cut(action))]
    Acts { action: String },
    #[error("the link cannot be read: {reason}")]
    Malformed { reason: &'static str },
    #[error("this path leaves the vault or is none: `{}`", cut(path))]
    Outside { path: String },
}

impl From<LinkError> for Fault {
    fn from(error: LinkError) -> Fault {
        let hint = match &error {
            LinkError::Foreign { .. } | LinkError::Malformed { .. } => {
                "a link reads `vidimus://open?vault=NAME&file=PATH`, with spaces as `%20`"
            }
            LinkError::Acts { .. } => "links only show things here; do it in the window",
            LinkError::Outside { .. } => "name the note by its path from the vault's folder",
        };
        Fault::new("bad_link", error.to_string(), hint)
    }
}

/// Enough of a foreign text to recognize it by.
fn cut(text: &str) -> String {
    const SHOWN: usize = 100;
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut shown: String = plain.clone().take(SHOWN).collect();
    if plain.count() > SHOWN {
        shown.push('…');
    }
    shown
}

/// Tells whether an argument of the command line is a link and not a folder.
pub fn is_link(text: &str) -> bool {
    scheme_of(text).is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case(SCHEME))
}

fn scheme_of(text: &str) -> Option<(&str, &str)> {
    text.split_once(':').filter(|(scheme, _)| scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

impl Link {
    /// Understands a link.
    ///
    /// # Errors
    /// It is no link to a place in a vault, asks for more than to show one, or names a path that leaves the vault.
    pub fn read(text: &str) -> Result<Link, LinkError> {
        let text = text.trim();
        let foreign = || LinkError::Foreign { url: text.to_owned() };
        if text.len() > LONGEST {
            return Err(LinkError::Malformed { reason: "it is too long" });
        }
        let (scheme, rest) = scheme_of(text).ok_or_else(foreign)?;
        let is_obsidian = scheme.eq_ignore_ascii_case(OBSIDIAN);
        if !is_obsidian && !scheme.eq_ignore_ascii_case(SCHEME) {
            return Err(foreign());
        }
        let rest = rest.strip_prefix("//").ok_or_else(foreign)?;
        // Obsidian's short form names a file of this computer: `obsidian:///home/ada/notes/June.md`.
        if is_obsidian && rest.starts_with('/') {
            return around(&decoded(rest)?);
        }
        // What stands behind a bare `#` is the heading, as in any URL.
        let (rest, fragment) = rest.split_once('#').map_or((rest, None), |(rest, fragment)| (rest, Some(fragment)));
        let (action, query) = rest.split_once('?').unwrap_or((rest, ""));
        let action = action.trim_end_matches('/');
        if let Some(short) = is_obsidian.then(|| action.strip_prefix("vault/")).flatten() {
            let (vault, file) = short.split_once('/').unwrap_or((short, ""));
            return to_file(Some(decoded(vault)?), decoded(file)?, fragment.map(decoded).transpose()?, None);
        }
        if !action.eq_ignore_ascii_case("open") {
            return Err(LinkError::Acts { action: action.to_owned() });
        }
        let (mut vault, mut file, mut path, mut line) = (None, String::new(), None, None);
        let mut heading = fragment.map(decoded).transpose()?;
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = decoded(value)?;
            match name {
                "vault" => vault = Some(value).filter(|vault| !vault.is_empty()),
                "file" => file = value,
                "path" if is_obsidian => path = Some(value),
                "heading" => heading = Some(value),
                "line" => {
                    let number: Option<u32> = value.parse().ok().filter(|line| *line > 0);
                    line = Some(number.ok_or(LinkError::Malformed { reason: "`line` is a number from 1 on" })?);
                }
                // Others may be added by whoever made the link; nothing is done for them.
                _ => {}
            }
        }
        match path {
            Some(path) => around(&path),
            None => to_file(vault, file, heading, line),
        }
    }

    /// Says where in a vault a file lies that the link named by its place on this computer.
    ///
    /// # Errors
    /// It is not in the vault.
    pub fn within(self, root: &Path) -> Result<Option<Spot>, LinkError> {
        let VaultNamed::Around(file) = self.vault else { return Ok(self.spot) };
        let outside = || LinkError::Outside { path: file.display().to_string() };
        let inside = file.strip_prefix(root).map_err(|_| outside())?;
        let segments: Option<Vec<&str>> = inside.iter().map(|segment| segment.to_str()).collect();
        let file = segments.ok_or_else(outside)?.join("/");
        if file.is_empty() {
            return Ok(None);
        }
        spot(file, self.spot.and_then(|spot| spot.heading), None)
    }
}

/// A file of this computer, with its heading behind a `#` that was written as `%23`.
fn around(path: &str) -> Result<Link, LinkError> {
    let (path, heading) = path.split_once('#').map_or((path, None), |(path, heading)| (path, Some(heading)));
    let file = PathBuf::from(path);
    if !file.is_absolute() || file.components().any(|part| matches!(part, std::path::Component::ParentDir)) {
        return Err(LinkError::Outside { path: path.to_owned() });
    }
    let spot = heading.map(|heading| Spot { file: String::new(), heading: Some(heading.to_owned()), line: None });
    Ok(Link { vault: VaultNamed::Around(file), spot })
}

fn to_file(vault: Option<String>, file: String, heading: Option<String>, line: Option<u32>) -> Result<Link, LinkError> {
    let vault = vault.map_or(VaultNamed::Open, VaultNamed::Name);
    Ok(Link { vault, spot: spot(file, heading, line)? })
}

fn spot(file: String, heading: Option<String>, line: Option<u32>) -> Result<Option<Spot>, LinkError> {
    // Obsidian writes the heading into the path: `file=June%23Plans`.
    let (file, inner) = match file.split_once('#') {
        Some((file, heading)) => (file.to_owned(), Some(heading.to_owned())),
        None => (file, None),
    };
    let heading = heading.or(inner).filter(|heading| !heading.trim().is_empty());
    let file = file.trim_start_matches('/').to_owned();
    if file.is_empty() {
        let asks_for_more = heading.is_some() || line.is_some();
        return if asks_for_more { Err(LinkError::Malformed { reason: "`file` is missing" }) } else { Ok(None) };
    }
    let checked = RelPath::lenient(&file).map_err(|_| LinkError::Outside { path: file.clone() })?;
    // A dot-folder holds no notes: it is other programs' own, and the desktop's trash of the vault.
    if checked.as_str().split('/').any(|segment| segment.starts_with('.')) {
        return Err(LinkError::Outside { path: file });
    }
    Ok(Some(Spot { file: checked.as_str().to_owned(), heading, line }))
}

fn decoded(text: &str) -> Result<String, LinkError> {
    let text = decode(text).ok_or(LinkError::Malformed { reason: "it is not UTF-8" })?;
    if text.contains('\0') {
        return Err(LinkError::Malformed { reason: "it holds a NUL" });
    }
    Ok(text)
}

/// Decodes `%XX`; what is not UTF-8 names no file of a vault.
pub fn decode(path: &str) -> Option<String> {
    let bytes = path.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = (bytes[at] == b'%').then(|| path.get(at + 1..at + 3)).flatten();
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    /// Reads a link and says in one line what it means.
    fn check(link: &str, means: Expect) {
        let said = match Link::read(link) {
            Ok(link) => {
                let vault = match &link.vault {
                    VaultNamed::Open => "the open vault".to_owned(),
                    VaultNamed::Name(name) => format!("vault {name:?}"),
                    VaultNamed::Around(path) => format!("the vault around {path:?}"),
                };
                let spot = link.spot.map_or(String::new(), |spot| {
                    let heading = spot.heading.map_or(String::new(), |heading| format!(" heading {heading:?}"));
                    let line = spot.line.map_or(String::new(), |line| format!(" line {line}"));
                    format!(": {:?}{heading}{line}", spot.file)
                });
                format!("{vault}{spot}")
            }
            Err(error) => format!("refused: {error}"),
        };
        means.assert_eq(&said);
    }

    #[test]
    fn paths_are_decoded_as_they_were_written() {
        assert_eq!(decode("a%20b/%C3%A9.png").unwrap(), "a b/\u{e9}.png");
        assert_eq!(decode("100%.png").unwrap(), "100%.png");
        assert_eq!(decode("%ff.png"), None);
    }

    #[test]
    fn a_link_names_a_vault_and_a_place_in_it() {
        let at = |link: &str, means| check(&format!("vidimus://open{link}"), means);
        at("?vault=notes&file=Trips%2FJune.md", expect![[r#"vault "notes": "Trips/June.md""#]]);
        at("?vault=my%20notes&file=Trips/J%C3%BCni", expect![[r#"vault "my notes": "Trips/Jüni""#]]);
        at("?vault=n&file=a.md&heading=Old%20Plans", expect![[r#"vault "n": "a.md" heading "Old Plans""#]]);
        at("?vault=n&file=a.md#Old%20Plans", expect![[r#"vault "n": "a.md" heading "Old Plans""#]]);
        at("?vault=n&file=a%23Old%23Plans", expect![[r#"vault "n": "a" heading "Old#Plans""#]]);
        at("?vault=n&file=a.md&line=12", expect![[r#"vault "n": "a.md" line 12"#]]);
        at("?vault=n", expect![[r#"vault "n""#]]);
        at("/?file=a", expect![[r#"the open vault: "a""#]]);
        at("", expect!["the open vault"]);
        check("  VIDIMUS://OPEN?vault=n&file=/a ", expect![[r#"vault "n": "a""#]]);
        at("?vault=n&file=a+b", expect![[r#"vault "n": "a+b""#]]);
        at("?vault=n&file=100%&more=x", expect![[r#"vault "n": "100%""#]]);
    }

    #[test]
    fn links_of_obsidian_are_understood() {
        check("obsidian://open?vault=n&file=a%23H", expect![[r#"vault "n": "a" heading "H""#]]);
        check(
            "obsidian://open?vault=n&file=a%23%5Eblock&paneType=tab",
            expect![[r#"vault "n": "a" heading "^block""#]],
        );
        check("obsidian://vault/my%20notes/Trips/June", expect![[r#"vault "my notes": "Trips/June""#]]);
        check("obsidian://vault/n", expect![[r#"vault "n""#]]);
        check("obsidian:///home/ada/notes/a.md", expect![[r#"the vault around "/home/ada/notes/a.md""#]]);
        check(
            "obsidian://open?path=%2Fhome%2Fada%2Fa.md%23H",
            expect![[r#"the vault around "/home/ada/a.md": "" heading "H""#]],
        );
    }

    #[test]
    fn nothing_but_showing_is_done_for_a_link() {
        check(
            "obsidian://new?vault=n&name=x&content=y",
            expect!["refused: this link would do more than open a note: `new`"],
        );
        check("obsidian://daily", expect!["refused: this link would do more than open a note: `daily`"]);
        check("vidimus://approve?id=01A", expect!["refused: this link would do more than open a note: `approve`"]);
        check("vidimus://", expect!["refused: this link would do more than open a note: ``"]);
        // What asks for text to be added is shown, and nothing is added.
        check("obsidian://open?vault=n&file=a&append&content=x", expect![[r#"vault "n": "a""#]]);
    }

    #[test]
    fn no_path_leaves_the_vault() {
        let at = |file: &str, means| check(&format!("vidimus://open?vault=n&file={file}"), means);
        at("..%2F..%2Fetc%2Fpasswd", expect!["refused: this path leaves the vault or is none: `../../etc/passwd`"]);
        at("a/../../b", expect!["refused: this path leaves the vault or is none: `a/../../b`"]);
        at(".obsidian/app.json", expect!["refused: this path leaves the vault or is none: `.obsidian/app.json`"]);
        at("a/.git/config", expect!["refused: this path leaves the vault or is none: `a/.git/config`"]);
        at("%2Fetc%2Fpasswd", expect![[r#"vault "n": "etc/passwd""#]]);
        at("a%00b", expect!["refused: the link cannot be read: it holds a NUL"]);
        at("%ff", expect!["refused: the link cannot be read: it is not UTF-8"]);
        check(
            "obsidian:///home/ada/../eve/a.md",
            expect!["refused: this path leaves the vault or is none: `/home/ada/../eve/a.md`"],
        );
        check("obsidian://open?path=a.md", expect!["refused: this path leaves the vault or is none: `a.md`"]);
    }

    #[test]
    fn what_is_no_link_is_said_so() {
        check("https://example.org", expect!["refused: not a link to a note: `https://example.org`"]);
        check("vidimus:open", expect!["refused: not a link to a note: `vidimus:open`"]);
        check("notes", expect!["refused: not a link to a note: `notes`"]);
        check("vidimus://open?vault=n&line=3", expect!["refused: the link cannot be read: `file` is missing"]);
        check(
            "vidimus://open?vault=n&file=a&line=0",
            expect!["refused: the link cannot be read: `line` is a number from 1 on"],
        );
        check(
            &format!("vidimus://open?file={}", "a".repeat(5000)),
            expect!["refused: the link cannot be read: it is too long"],
        );
        let long = LinkError::Foreign { url: "x".repeat(300) }.to_string();
        assert!(long.chars().count() < 140, "{long}");
        assert!(is_link("Vidimus://open") && !is_link("./vidimus:x") && !is_link("obsidian://open"));
    }

    #[test]
    fn a_file_of_this_computer_is_found_in_its_vault_only() {
        let link = || Link::read("obsidian:///home/ada/notes/Trips/June.md").unwrap();
        let spot = link().within(Path::new("/home/ada/notes")).unwrap().unwrap();
        assert_eq!(spot.file, "Trips/June.md");
        assert!(link().within(Path::new("/home/eve")).is_err());
        let root = Link::read("obsidian:///home/ada/notes").unwrap();
        assert_eq!(root.within(Path::new("/home/ada/notes")), Ok(None));
    }
}
