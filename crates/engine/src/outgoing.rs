//! Where a note's links lead, and where a note goes that a link asks for.

use crate::View;
use crate::find::link_kind;
use crate::listing::{EntryKind, kind_of};
use note::RelPath;
use serde::{Deserialize, Serialize};

/// A link of a note, seen from that note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OutgoingLink {
    /// The path part as it is written, decoded.
    pub target: String,
    pub subpath: Option<String>,
    /// 1-based.
    pub line: u32,
    /// `wiki`, `markdown`, `embed`, `property`, `canvas`.
    pub kind: String,
    /// The file that it leads to, if there is one.
    pub path: Option<String>,
    /// The title of that file, else what the link says.
    pub title: String,
    /// The path that a note of this name would get, if it leads nowhere and could be one.
    pub creates: Option<String>,
}

impl View {
    /// Lists the links of a note to other files, in the order of its text; those of properties come first.
    pub fn outgoing(&self, from: &RelPath) -> Vec<OutgoingLink> {
        let Some(entry) = self.index.entry(from) else { return Vec::new() };
        let link = |fact: &index::LinkFact| {
            let path = self.index.resolve(&fact.target, from);
            let title = path.as_ref().and_then(|path| self.index.entry(path)).map(|entry| entry.title.clone());
            OutgoingLink {
                target: fact.target.to_string(),
                subpath: fact.subpath.as_deref().map(str::to_owned),
                line: fact.line,
                kind: link_kind(fact).to_owned(),
                title: title.unwrap_or_else(|| fact.target.to_string()),
                creates: match path {
                    Some(_) => None,
                    None => self.new_note_path(from, &fact.target).map(|path| path.to_string()),
                },
                path: path.map(|path| path.to_string()),
            }
        };
        let links = entry.links.iter().filter(|fact| !fact.target.is_empty()).map(link);
        links.filter(|link| link.path.as_deref() != Some(from.as_str())).collect()
    }

    /// Says where a note goes that a link in `from` asks for, by the vault's own settings; nothing if no note can be
    /// called that.
    pub fn new_note_path(&self, from: &RelPath, target: &str) -> Option<RelPath> {
        let target = target.split('#').next().unwrap_or_default().trim();
        let bare = target.strip_suffix(".md").unwrap_or(target);
        let is_sign = |c: char| matches!(c, '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' | '^' | '[' | ']');
        if bare.is_empty() || bare.contains(is_sign) {
            return None;
        }
        let is_relative = bare.starts_with("./") || bare.starts_with("../");
        let folder = if is_relative {
            from.parent().to_owned()
        } else if bare.contains('/') {
            String::new()
        } else {
            match self.setting("newFileLocation").as_deref() {
                Some("current") => from.parent().to_owned(),
                Some("folder") => self.setting("newFileFolderPath").unwrap_or_default(),
                _ => String::new(),
            }
        };
        let mut names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
        for name in bare.split('/') {
            match name {
                "" | "." => {}
                ".." => drop(names.pop()?),
                name => names.push(name),
            }
        }
        let path = RelPath::lenient(&names.join("/")).ok()?;
        let is_file = !matches!(kind_of(&path), EntryKind::Note | EntryKind::Other);
        let path = RelPath::lenient(&format!("{path}.md")).ok()?;
        (!is_file && !path.is_hidden()).then_some(path)
    }
}
