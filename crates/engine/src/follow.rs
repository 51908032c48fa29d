//! Links in other files that follow what they lead to.

use crate::plan::any_text;
use crate::{PlannedFile, Summary, View};
use note::{BookmarkLink, NoteText, RelPath, Repointed};

/// Repoints the links of one file; `None` if none of them changes. What cannot follow is said in the summary; `old` is
/// what such a link still names.
pub(crate) fn follow(
    view: &View,
    path: &RelPath,
    old: &str,
    repoint: &dyn Fn(&NoteText) -> Repointed,
    summary: &mut Summary,
) -> Option<PlannedFile> {
    let Ok(file) = view.reader.read(path) else {
        summary.warnings.push(format!("`{path}` could not be read; a link in it may still name {old}"));
        return None;
    };
    let text = any_text(file.bytes);
    let repointed = repoint(&text);
    warn(summary, path, &repointed);
    if repointed.n_links == 0 {
        return None;
    }
    let n_links = repointed.n_links;
    if !text.is_exact() || !file.writable {
        let why = if text.is_exact() { "is read-only" } else { "is not UTF-8" };
        let names = if n_links == 1 { "names" } else { "name" };
        summary.warnings.push(format!("`{path}` {why}: {n_links} link{} in it still {names} {old}", plural(n_links)));
        return None;
    }
    let after = repointed.edits.apply(&text).expect("the edits were made from this very text");
    Some(PlannedFile { path: path.clone(), before: Some(text), after: Some(after), n_links, link_repair: true })
}

/// Repoints Obsidian's bookmarks, if the vault has any.
pub(crate) fn follow_bookmarks(
    view: &View,
    old: &str,
    repoint: &dyn Fn(&NoteText) -> Repointed,
    summary: &mut Summary,
) -> Option<PlannedFile> {
    let path = bookmarks_path();
    if matches!(view.reader.stat(&path), Err(vault::ReadError::Missing { .. })) {
        return None;
    }
    follow(view, &path, old, repoint, summary)
}

pub(crate) fn bookmarks_path() -> RelPath {
    RelPath::new(vault::BOOKMARKS).expect("it is a path inside a vault")
}

/// Lists Obsidian's bookmarks, if the vault has any.
pub(crate) fn bookmarks(view: &View) -> Vec<BookmarkLink> {
    bookmarks_in(view, None)
}

/// Lists the bookmarks of the text that they will have, or of what is on disk.
pub(crate) fn bookmarks_in(view: &View, text: Option<&NoteText>) -> Vec<BookmarkLink> {
    match text {
        Some(text) => note::bookmark_links(text),
        None => view
            .reader
            .read(&bookmarks_path())
            .map_or_else(|_| Vec::new(), |file| note::bookmark_links(&any_text(file.bytes))),
    }
}

impl Summary {
    /// Counts what follows, the files that it is in, and all that change.
    pub(crate) fn count(&mut self, files: &[&PlannedFile]) {
        let (bookmarks, files): (Vec<&PlannedFile>, Vec<&PlannedFile>) =
            files.iter().copied().partition(|file| file.path.as_str() == vault::BOOKMARKS);
        let n = |canvas: bool, linking: bool| {
            let counted = |file: &PlannedFile| is_canvas(&file.path) == canvas && (file.n_links > 0 || !linking);
            u32::try_from(files.iter().filter(|file| counted(file)).count()).unwrap_or(u32::MAX)
        };
        self.n_links = files.iter().map(|file| file.n_links).sum();
        self.n_bookmarks = bookmarks.iter().map(|file| file.n_links).sum();
        (self.n_linking_notes, self.n_linking_canvases) = (n(false, true), n(true, true));
        (self.n_notes, self.n_canvases) = (n(false, false), n(true, false));
    }
}

pub(crate) fn is_canvas(path: &RelPath) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("canvas"))
}

pub(crate) fn warn(summary: &mut Summary, path: &RelPath, repointed: &Repointed) {
    summary
        .warnings
        .extend(repointed.warnings.iter().map(|warning| format!("`{path}` line {}: {}", warning.line, warning.text)));
}

pub(crate) fn plural(n: u32) -> &'static str {
    if n == 1 { "" } else { "s" }
}
