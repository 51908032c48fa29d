//! Which file a link means, by Obsidian's rules.
//!
//! Links are found by file name anywhere in the vault. An exact vault path wins; then the source
//! note's own folder, where folders above it count for nothing; then the shortest path string.
//! Aliases never resolve. Everything is compared composed and without regard to case, and the
//! answer is the path as it is on disk.

use note::{RelPath, fold};

use crate::catalog::Catalog;

impl Catalog {
    /// The file that `linkpath` means in the note `from`.
    pub(crate) fn resolve(&self, linkpath: &str, from: &RelPath) -> Option<RelPath> {
        let linkpath = tidy(linkpath);
        if linkpath.is_empty() {
            return Some(from.clone());
        }
        // A name with a dot may carry its extension already; every name may lack `.md`.
        let has_dot = linkpath
            .rsplit('/')
            .next()
            .is_some_and(|name| name.contains('.'));
        if has_dot && let Some(found) = self.resolve_name(&linkpath, from) {
            return Some(found);
        }
        self.resolve_name(&format!("{linkpath}.md"), from)
    }

    fn resolve_name(&self, linkpath: &str, from: &RelPath) -> Option<RelPath> {
        if linkpath.starts_with("./") || linkpath.starts_with("../") {
            return self.exact(&join(from.parent(), linkpath)?);
        }
        if let Some(absolute) = linkpath.strip_prefix('/') {
            return self.exact(absolute);
        }
        if let Some(found) = self.exact(linkpath) {
            return Some(found);
        }
        let folded = fold(linkpath);
        let name = folded.rsplit('/').next().unwrap_or(&folded);
        let candidates = self.by_name.paths(name);
        let with_slash = folded.contains('/').then(|| format!("/{folded}"));
        let own_folder = fold(&match from.parent() {
            "" => linkpath.to_owned(),
            parent => format!("{parent}/{linkpath}"),
        });
        candidates
            .iter()
            .map(|path| (path, path.fold()))
            .filter(|(_, path)| {
                with_slash
                    .as_ref()
                    .is_none_or(|suffix| path.ends_with(suffix.as_str()))
            })
            .min_by_key(|(path, folded)| {
                (
                    *folded != own_folder,
                    path.as_str().chars().count(),
                    file_name_differs(path, linkpath),
                    *path,
                )
            })
            .map(|(path, _)| path.clone())
    }

    /// The file at this path; of twins that differ in case or composition only, the one as written.
    fn exact(&self, path: &str) -> Option<RelPath> {
        let twins = self.by_folded.paths(fold(path).as_str());
        twins
            .iter()
            .find(|twin| twin.as_str() == path)
            .or_else(|| twins.first())
            .cloned()
    }
}

fn file_name_differs(path: &RelPath, linkpath: &str) -> bool {
    path.file_name() != linkpath.rsplit('/').next().unwrap_or(linkpath)
}

/// The folded last segment of a link target, as the link graph files it; empty for a self-link.
pub(crate) fn last_segment(target: &str) -> String {
    let target = tidy(target);
    fold(target.rsplit('/').next().unwrap_or_default())
}

/// Turns no-break spaces into spaces, as Obsidian does with paths, and drops blanks at the ends.
fn tidy(linkpath: &str) -> String {
    linkpath
        .replace(['\u{a0}', '\u{202f}'], " ")
        .trim()
        .to_owned()
}

/// Follows a relative path from a folder; `None` if it leaves the vault or names no file.
fn join(folder: &str, relative: &str) -> Option<String> {
    let mut segments: Vec<&str> = folder
        .split('/')
        .filter(|segment| !segment.is_empty())
        .collect();
    for segment in relative.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            name => segments.push(name),
        }
    }
    Some(segments.join("/"))
}
