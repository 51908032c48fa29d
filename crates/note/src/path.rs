//! Paths inside a vault, as values.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use unicode_normalization::UnicodeNormalization;

/// A path relative to the vault's root: `/` between segments, never empty, never leaving the vault.
///
/// The bytes are those on disk (composed or decomposed Unicode is kept); compare with
/// [`RelPath::fold`] when looking something up.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RelPath(#[cfg_attr(feature = "specta", specta(type = String))] Arc<str>);

/// Why a text is not a path inside a vault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// There is no text at all.
    #[error("path is empty")]
    Empty,
    /// The path starts at the file system's root or at a drive.
    #[error("path is absolute: `{0}`")]
    Absolute(String),
    /// A segment is `..`.
    #[error("path goes up with `..`: `{0}`")]
    Parent(String),
    /// A segment is `.`.
    #[error("path holds a `.` segment: `{0}`")]
    Dot(String),
    /// The path holds a NUL character.
    #[error("path holds a NUL character: `{}`", .0.escape_debug())]
    Nul(String),
    /// Two slashes follow each other, or the path ends with one.
    #[error("path has an empty segment: `{0}`")]
    EmptySegment(String),
    /// The path holds a backslash, which separates folders on Windows only.
    #[error("path holds a backslash: `{0}`")]
    Backslash(String),
}

impl RelPath {
    /// Checks a path without changing it.
    pub fn new(path: &str) -> Result<RelPath, PathError> {
        let owned = || path.to_owned();
        if path.is_empty() {
            return Err(PathError::Empty);
        }
        if path.contains('\0') {
            return Err(PathError::Nul(owned()));
        }
        if path.starts_with('/') || starts_with_drive(path) {
            return Err(PathError::Absolute(owned()));
        }
        if path.contains('\\') {
            return Err(PathError::Backslash(owned()));
        }
        for segment in path.split('/') {
            match segment {
                "" => return Err(PathError::EmptySegment(owned())),
                "." => return Err(PathError::Dot(owned())),
                ".." => return Err(PathError::Parent(owned())),
                _ => {}
            }
        }
        Ok(RelPath(path.into()))
    }

    /// Checks a path that somebody typed: leading `./` and doubled slashes are forgiven.
    pub fn lenient(path: &str) -> Result<RelPath, PathError> {
        let mut rest = path;
        while let Some(stripped) = rest.strip_prefix("./") {
            rest = stripped.trim_start_matches('/');
        }
        if !rest.contains("//") {
            return RelPath::new(rest);
        }
        let mut squeezed = String::with_capacity(rest.len());
        for c in rest.chars() {
            if c == '/' && squeezed.ends_with('/') {
                continue;
            }
            squeezed.push(c);
        }
        RelPath::new(&squeezed)
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last segment.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The file name without its last extension.
    pub fn stem(&self) -> &str {
        let name = self.file_name();
        match name.rfind('.') {
            Some(dot) if dot > 0 => &name[..dot],
            _ => name,
        }
    }

    /// The folder, `""` at the vault's root.
    pub fn parent(&self) -> &str {
        match self.0.rfind('/') {
            Some(slash) => &self.0[..slash],
            None => "",
        }
    }

    /// The last extension, without its dot.
    pub fn extension(&self) -> Option<&str> {
        let name = self.file_name();
        match name.rfind('.') {
            Some(dot) if dot > 0 => Some(&name[dot + 1..]),
            _ => None,
        }
    }

    /// Whether this names a Markdown note (`.md` in any case).
    pub fn is_note(&self) -> bool {
        self.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
    }

    /// The form to compare by when looking up: composed and lower case.
    pub fn fold(&self) -> String {
        fold(&self.0)
    }

    /// Whether any segment starts with a dot.
    pub fn is_hidden(&self) -> bool {
        self.0.split('/').any(|segment| segment.starts_with('.'))
    }
}

/// Folds a text for lookup: NFC and lower case, the same everywhere.
///
/// The final sigma folds to the plain one, so that a word equals itself in capitals.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfc().flat_map(char::to_lowercase).map(|c| if c == 'ς' { 'σ' } else { c }).nfc().collect()
}

fn starts_with_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() >= 3 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && matches!(bytes[2], b'/' | b'\\')
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl AsRef<str> for RelPath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl FromStr for RelPath {
    type Err = PathError;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        RelPath::new(s)
    }
}

impl TryFrom<String> for RelPath {
    type Error = PathError;

    fn try_from(s: String) -> Result<Self, Self::Error> {
        RelPath::new(&s)
    }
}

impl Serialize for RelPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for RelPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let path = String::deserialize(deserializer)?;
        RelPath::new(&path).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_could_leave_the_vault() {
        for (path, wrong) in [
            ("", PathError::Empty),
            ("/etc/passwd", PathError::Absolute("/etc/passwd".into())),
            ("C:/x.md", PathError::Absolute("C:/x.md".into())),
            ("a/../b.md", PathError::Parent("a/../b.md".into())),
            ("./b.md", PathError::Dot("./b.md".into())),
            ("a//b.md", PathError::EmptySegment("a//b.md".into())),
            ("a/", PathError::EmptySegment("a/".into())),
            ("a\\b.md", PathError::Backslash("a\\b.md".into())),
            ("a\0.md", PathError::Nul("a\0.md".into())),
        ] {
            assert_eq!(RelPath::new(path), Err(wrong));
        }
    }

    #[test]
    fn takes_apart() {
        let path = RelPath::new("plans/2026/June.v2.MD").unwrap();
        assert_eq!(path.file_name(), "June.v2.MD");
        assert_eq!(path.stem(), "June.v2");
        assert_eq!(path.parent(), "plans/2026");
        assert_eq!(path.extension(), Some("MD"));
        assert!(path.is_note());
        assert!(!path.is_hidden());
        let hidden = RelPath::new(".trash/x").unwrap();
        assert!(hidden.is_hidden());
        assert_eq!(hidden.extension(), None);
        assert_eq!(RelPath::new(".md").unwrap().stem(), ".md");
    }

    #[test]
    fn lenient_forgives_only_spelling() {
        assert_eq!(RelPath::lenient(".//a//b.md").unwrap().as_str(), "a/b.md");
        assert!(RelPath::lenient("../a.md").is_err());
        assert!(RelPath::lenient("//a.md").is_err());
    }

    #[test]
    fn folding_is_stable_and_meets_both_normal_forms() {
        assert_eq!(fold("Caf\u{e9}"), fold("CAFE\u{301}"));
        assert_eq!(fold("ΟΔΟΣ"), fold("οδος"));
        for text in ["İstanbul", "ΟΔΟΣ", "ﬀ", "Straße"] {
            assert_eq!(fold(&fold(text)), fold(text));
        }
    }
}
