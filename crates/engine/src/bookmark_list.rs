//! The bookmarks that Obsidian keeps in a vault, to be shown and followed; they are never written here.

use crate::View;
use note::RelPath;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Nobody looks through more.
const MOST: usize = 5000;

/// One bookmark, or a group of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct BookmarkView {
    pub kind: BookmarkKind,
    pub title: String,
    /// From 1; what a group holds follows it one level deeper.
    pub level: u32,
    /// Of a file or a folder.
    pub path: Option<String>,
    /// The heading chain or block id, without its first `#`.
    pub subpath: Option<String>,
    /// Of a search.
    pub query: Option<String>,
    /// Of a page of the web.
    pub url: Option<String>,
    /// Whether the file or folder is not there.
    pub missing: bool,
}

/// What a bookmark leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum BookmarkKind {
    Group,
    File,
    Heading,
    Block,
    Folder,
    Search,
    Url,
    /// Something that this program does not show, a graph for one.
    Other,
}

impl View {
    /// Lists the bookmarks in their own order. What is not as Obsidian writes it is left out.
    pub fn bookmarks(&self) -> Vec<BookmarkView> {
        let file: Value = self
            .reader
            .read_config("bookmarks.json")
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        let mut found = Vec::new();
        self.bookmarks_in(&file, 1, &mut found);
        found
    }

    fn bookmarks_in(&self, group: &Value, level: u32, found: &mut Vec<BookmarkView>) {
        for item in group.get("items").and_then(Value::as_array).into_iter().flatten() {
            if found.len() == MOST {
                return;
            }
            let Some(bookmark) = self.bookmark(item, level) else { continue };
            let is_group = bookmark.kind == BookmarkKind::Group;
            found.push(bookmark);
            if is_group {
                self.bookmarks_in(item, level + 1, found);
            }
        }
    }

    fn bookmark(&self, item: &Value, level: u32) -> Option<BookmarkView> {
        let text = |key: &str| item.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        let subpath = text("subpath").map(|subpath| subpath.strip_prefix('#').unwrap_or(subpath));
        let kind = match text("type")? {
            "group" => BookmarkKind::Group,
            "file" if subpath.is_some_and(|subpath| subpath.starts_with('^')) => BookmarkKind::Block,
            "file" if subpath.is_some() => BookmarkKind::Heading,
            "file" => BookmarkKind::File,
            "folder" => BookmarkKind::Folder,
            "search" => BookmarkKind::Search,
            "url" => BookmarkKind::Url,
            _ => BookmarkKind::Other,
        };
        let path = text("path").filter(|_| !matches!(kind, BookmarkKind::Search | BookmarkKind::Url));
        let there = path.and_then(|path| self.bookmarked(path, kind));
        let usual = match kind {
            BookmarkKind::Group => Some("Group"),
            BookmarkKind::Search => text("query"),
            BookmarkKind::Url => text("url"),
            BookmarkKind::Heading => subpath.and_then(|subpath| subpath.rsplit('#').next()),
            _ => path.map(|path| path.rsplit('/').next().unwrap_or(path)),
        };
        let title = text("title").or(usual).unwrap_or("Bookmark");
        let title = if kind == BookmarkKind::File { title.strip_suffix(".md").unwrap_or(title) } else { title };
        Some(BookmarkView {
            kind,
            title: title.to_owned(),
            level,
            missing: path.is_some() && there.is_none(),
            path: there.or_else(|| path.map(str::to_owned)),
            subpath: subpath.map(str::to_owned),
            query: text("query").map(str::to_owned),
            url: text("url").map(str::to_owned),
        })
    }

    /// The file or folder that a bookmark means, as it is spelled on disk.
    fn bookmarked(&self, path: &str, kind: BookmarkKind) -> Option<String> {
        let rel = RelPath::lenient(path).ok()?;
        if kind == BookmarkKind::Folder {
            return self.index.has_folder(rel.as_str()).then(|| rel.to_string());
        }
        let exact = self.index.entry(&rel).map(|entry| entry.path.to_string());
        exact.or_else(|| self.index.lookup_folded(rel.as_str()).first().map(ToString::to_string))
    }
}
