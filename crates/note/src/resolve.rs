//! Which file a link means, by Obsidian's rules, as a function of the names in the vault.

use crate::path::{RelPath, fold};

/// The names of a vault's files, as resolving asks for them.
pub trait FileNames {
    /// The files whose [folded](fold) file name is this one.
    fn named(&self, folded_name: &str) -> Vec<RelPath>;

    /// The files whose folded path is this one.
    fn at(&self, folded_path: &str) -> Vec<RelPath> {
        let mut twins = self.named(last_segment(folded_path));
        twins.retain(|twin| twin.fold() == folded_path);
        twins
    }
}

impl<F: Fn(&str) -> Vec<RelPath> + ?Sized> FileNames for F {
    fn named(&self, folded_name: &str) -> Vec<RelPath> {
        self(folded_name)
    }
}

/// The file that a link's path means in the note `from`.
///
/// An exact vault path wins; then the note's own folder, where folders above it count for nothing;
/// then the shortest path string. An empty path means the note itself. Aliases never resolve.
/// Everything is compared composed and without regard to case, and the answer is the path as it is
/// on disk.
pub fn resolve_link(linkpath: &str, from: &RelPath, names: &(impl FileNames + ?Sized)) -> Option<RelPath> {
    let tidy = tidy(linkpath);
    let linkpath = tidy.trim();
    if linkpath.is_empty() {
        return Some(from.clone());
    }
    // A name with a dot may carry its extension already; every name may lack `.md`.
    let has_dot = last_segment(linkpath).contains('.');
    let as_it_is = if has_dot { resolve_name(linkpath, from, names) } else { None };
    as_it_is.or_else(|| resolve_name(&format!("{linkpath}.md"), from, names))
}

/// The [folded](fold) file name that a link's path asks for, without the `.md` that it may lack;
/// empty for a link to its own note.
pub fn linked_name(linkpath: &str) -> String {
    fold(last_segment(tidy(linkpath).trim()))
}

fn resolve_name(linkpath: &str, from: &RelPath, names: &(impl FileNames + ?Sized)) -> Option<RelPath> {
    if is_relative(linkpath) {
        return exact(&join(from.parent(), linkpath)?, names);
    }
    if let Some(absolute) = linkpath.strip_prefix('/') {
        return exact(absolute, names);
    }
    if let Some(found) = exact(linkpath, names) {
        return Some(found);
    }
    let folded = fold(linkpath);
    let with_slash = folded.contains('/').then(|| format!("/{folded}"));
    let own_folder = match from.parent() {
        "" => folded.clone(),
        parent => fold(&format!("{parent}/{linkpath}")),
    };
    let name_differs = |path: &RelPath| path.file_name() != last_segment(linkpath);
    names
        .named(last_segment(&folded))
        .into_iter()
        .map(|path| (path.fold(), path))
        .filter(|(folded, _)| with_slash.as_ref().is_none_or(|suffix| folded.ends_with(suffix.as_str())))
        .min_by_key(|(folded, path)| {
            (*folded != own_folder, path.as_str().chars().count(), name_differs(path), path.clone())
        })
        .map(|(_, path)| path)
}

/// The file at this path; of twins that differ in case or composition only, the one as written.
pub(crate) fn exact(path: &str, names: &(impl FileNames + ?Sized)) -> Option<RelPath> {
    let mut twins = names.at(&fold(path));
    twins.sort();
    let as_written = twins.iter().position(|twin| twin.as_str() == path);
    (!twins.is_empty()).then(|| twins.swap_remove(as_written.unwrap_or(0)))
}

/// Turns no-break spaces into spaces, as Obsidian does with paths.
fn tidy(linkpath: &str) -> std::borrow::Cow<'_, str> {
    match linkpath.contains(['\u{a0}', '\u{202f}']) {
        true => linkpath.replace(['\u{a0}', '\u{202f}'], " ").into(),
        false => linkpath.into(),
    }
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
    fn the_golden_set() {
        let all = ["Note.md", "b/Note.md", "a/b/Note.md", "zzzz/Note.md", "s.md", "zzzz/deep/s.md", "b/s.md"];
        check(
            &all,
            &[
                // An exact vault path wins, even over the source's own folder.
                ("Note", "s.md", "Note.md"),
                ("Note", "b/s.md", "Note.md"),
                ("Note", "zzzz/deep/s.md", "Note.md"),
                ("b/Note", "s.md", "b/Note.md"),
                ("b/Note", "zzzz/deep/s.md", "b/Note.md"),
                ("b/Note", "a/s.md", "b/Note.md"),
                ("a/b/Note", "b/s.md", "a/b/Note.md"),
                ("/Note", "b/s.md", "Note.md"),
                ("./Note", "b/s.md", "b/Note.md"),
                ("../Note", "zzzz/deep/s.md", "zzzz/Note.md"),
            ],
        );
        check(
            &all[1..],
            &[
                // Then the own folder; a folder above it counts for nothing.
                ("Note", "b/s.md", "b/Note.md"),
                ("Note", "a/b/s.md", "a/b/Note.md"),
                ("Note", "zzzz/s.md", "zzzz/Note.md"),
                ("Note", "zzzz/deep/s.md", "b/Note.md"),
                ("Note", "s.md", "b/Note.md"),
                ("/Note", "b/s.md", ""),
            ],
        );
        // Then the shortest path string, not the fewest folders.
        check(&["a/b/Note.md", "zzzz/Note.md"], &[("Note", "s.md", "a/b/Note.md")]);
        // The end of a path is enough.
        check(&all[2..], &[("b/Note", "s.md", "a/b/Note.md"), ("zz/Note", "s.md", ""), ("/b/Note", "s.md", "")]);
    }

    #[test]
    fn names_with_and_without_extension() {
        check(
            &["Ext.MD", "a/Figure 1.png", "v1.2.md", "x.canvas", "x.canvas.md", "LICENSE", "d/data.txt"],
            &[
                ("Ext", "s.md", "Ext.MD"),
                ("ext.md", "s.md", "Ext.MD"),
                ("EXT", "a/s.md", "Ext.MD"),
                ("Figure 1.png", "s.md", "a/Figure 1.png"),
                ("figure 1.PNG", "s.md", "a/Figure 1.png"),
                ("Figure 1", "s.md", ""),
                ("v1.2", "s.md", "v1.2.md"),
                ("x.canvas", "s.md", "x.canvas"),
                ("x.canvas.md", "s.md", "x.canvas.md"),
                ("x", "s.md", ""),
                ("LICENSE", "s.md", ""),
                ("data", "s.md", ""),
                ("data.txt", "s.md", "d/data.txt"),
            ],
        );
    }

    #[test]
    fn relative_paths_are_exact() {
        check(
            &["a/Note.md", "a/b/Other.md", "Root.md", "a/b/pic.png"],
            &[
                ("./Note", "a/s.md", "a/Note.md"),
                ("./note.md", "a/s.md", "a/Note.md"),
                ("./Note", "a/b/s.md", ""),
                ("../Note.md", "a/b/s.md", "a/Note.md"),
                ("../../Root", "a/b/s.md", "Root.md"),
                ("../../../Root", "a/b/s.md", ""),
                ("./Missing", "a/s.md", ""),
                ("./b/../b/pic.png", "a/s.md", "a/b/pic.png"),
                ("../b/Other", "a/b/s.md", "a/b/Other.md"),
                ("./", "a/s.md", ""),
            ],
        );
    }

    #[test]
    fn case_composition_and_blanks() {
        // The first is decomposed on disk, as some systems write it.
        check(
            &["re\u{301}sume\u{301}.md", "Stra\u{df}e.md", "Log.md", "A B.md", "a/Ω.md"],
            &[
                ("r\u{e9}sum\u{e9}", "s.md", "re\u{301}sume\u{301}.md"),
                ("R\u{c9}SUM\u{c9}", "s.md", "re\u{301}sume\u{301}.md"),
                ("resume", "s.md", ""),
                ("STRA\u{1e9e}E", "s.md", "Stra\u{df}e.md"),
                ("LOG", "s.md", "Log.md"),
                (" Log ", "s.md", "Log.md"),
                ("A\u{a0}B", "s.md", "A B.md"),
                ("ω", "s.md", "a/Ω.md"),
                ("", "s.md", "s.md"),
                ("Log/", "s.md", ""),
                ("https://example.org", "s.md", ""),
            ],
        );
        // Twins: the one that is spelled like the link.
        check(
            &["x/Twin.md", "x/twin.md", "TOP.md", "Top.md"],
            &[
                ("twin", "x/s.md", "x/twin.md"),
                ("Twin", "x/s.md", "x/Twin.md"),
                ("x/twin", "s.md", "x/twin.md"),
                ("Top", "s.md", "Top.md"),
                ("TOP", "s.md", "TOP.md"),
                ("top", "s.md", "TOP.md"),
            ],
        );
    }
}
