//! Which file a link means, by Obsidian's rules, as a function of the names in the vault.

use crate::path::{RelPath, fold};

/// The file that a link's path means in the note `from`.
///
/// `named` gives the files whose [folded](fold) file name is the one asked for. An exact vault path
/// wins; then the note's own folder; then the shortest path string. An empty path means the note
/// itself.
pub fn resolve_link(linkpath: &str, from: &RelPath, named: &dyn Fn(&str) -> Vec<RelPath>) -> Option<RelPath> {
    let tidy = linkpath.replace(['\u{a0}', '\u{202f}'], " ");
    let linkpath = tidy.trim();
    if linkpath.is_empty() {
        return Some(from.clone());
    }
    // A name with a dot may carry its extension already; every name may lack `.md`.
    let has_dot = last_segment(linkpath).contains('.');
    let as_it_is = if has_dot { resolve_name(linkpath, from, named) } else { None };
    as_it_is.or_else(|| resolve_name(&format!("{linkpath}.md"), from, named))
}

fn resolve_name(linkpath: &str, from: &RelPath, named: &dyn Fn(&str) -> Vec<RelPath>) -> Option<RelPath> {
    if is_relative(linkpath) {
        return exact(&join(from.parent(), linkpath)?, named);
    }
    if let Some(absolute) = linkpath.strip_prefix('/') {
        return exact(absolute, named);
    }
    if let Some(found) = exact(linkpath, named) {
        return Some(found);
    }
    let folded = fold(linkpath);
    let with_slash = folded.contains('/').then(|| format!("/{folded}"));
    let own_folder = match from.parent() {
        "" => folded.clone(),
        parent => fold(&format!("{parent}/{linkpath}")),
    };
    let name_differs = |path: &RelPath| path.file_name() != last_segment(linkpath);
    named(last_segment(&folded))
        .into_iter()
        .map(|path| (path.fold(), path))
        .filter(|(folded, _)| with_slash.as_ref().is_none_or(|suffix| folded.ends_with(suffix.as_str())))
        .min_by_key(|(folded, path)| {
            (*folded != own_folder, path.as_str().chars().count(), name_differs(path), path.clone())
        })
        .map(|(_, path)| path)
}

/// The file at this path; of twins that differ in case or composition only, the one as written.
pub(crate) fn exact(path: &str, named: &dyn Fn(&str) -> Vec<RelPath>) -> Option<RelPath> {
    let folded = fold(path);
    let mut twins = named(last_segment(&folded));
    twins.retain(|twin| twin.fold() == folded);
    twins.sort();
    let as_written = twins.iter().position(|twin| twin.as_str() == path);
    (!twins.is_empty()).then(|| twins.swap_remove(as_written.unwrap_or(0)))
}

/// Whether a link's path starts at the folder of its note.
pub(crate) fn is_relative(linkpath: &str) -> bool {
    linkpath.starts_with("./") || linkpath.starts_with("../")
}

pub(crate) fn last_segment(linkpath: &str) -> &str {
    linkpath.rsplit('/').next().unwrap_or(linkpath)
}

/// Follows a relative path from a folder; `None` if it leaves the vault.
pub(crate) fn join(folder: &str, relative: &str) -> Option<String> {
    let mut segments: Vec<&str> = folder.split('/').filter(|segment| !segment.is_empty()).collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Resolves `(linkpath, from)` to the expected path, `""` for none.
    fn check(files: &[&str], expected: &[(&str, &str, &str)]) {
        let files: Vec<RelPath> = files.iter().map(|path| RelPath::new(path).unwrap()).collect();
        let named = |name: &str| files.iter().filter(|file| fold(file.file_name()) == name).cloned().collect();
        for (linkpath, from, to) in expected {
            let found = resolve_link(linkpath, &RelPath::new(from).unwrap(), &named);
            assert_eq!(found.as_ref().map_or("", |path| path.as_str()), *to, "[[{linkpath}]] in {from}");
        }
    }

    #[test]
    fn an_exact_path_then_the_own_folder_then_the_shortest() {
        let all = ["Note.md", "b/Note.md", "a/b/Note.md", "zzzz/Note.md"];
        check(
            &all,
            &[
                ("Note", "b/s.md", "Note.md"),
                ("b/Note", "a/s.md", "b/Note.md"),
                ("./Note", "b/s.md", "b/Note.md"),
                ("../Note", "zzzz/deep/s.md", "zzzz/Note.md"),
                ("../../Note", "b/s.md", ""),
                ("/Note", "b/s.md", "Note.md"),
                ("", "b/s.md", "b/s.md"),
            ],
        );
        check(
            &all[1..],
            &[
                ("Note", "a/b/s.md", "a/b/Note.md"),
                ("Note", "zzzz/deep/s.md", "b/Note.md"),
                ("/Note", "b/s.md", ""),
                ("b/Note", "s.md", "b/Note.md"),
            ],
        );
        check(&["a/b/Note.md", "zzzz/Note.md"], &[("Note", "s.md", "a/b/Note.md"), ("b/Note", "s.md", "a/b/Note.md")]);
    }

    #[test]
    fn names_in_any_case_with_and_without_extension() {
        check(
            &["Ext.MD", "a/Fig 1.png", "v1.2.md", "x.canvas", "Cafe\u{301}.md", "t.md", "T.md"],
            &[
                ("ext", "s.md", "Ext.MD"),
                ("fig\u{a0}1.png", "s.md", "a/Fig 1.png"),
                ("Fig 1", "s.md", ""),
                ("v1.2", "s.md", "v1.2.md"),
                ("x.canvas", "s.md", "x.canvas"),
                ("CAF\u{c9}", "s.md", "Cafe\u{301}.md"),
                ("t", "s.md", "t.md"),
                ("T", "s.md", "T.md"),
            ],
        );
    }
}
