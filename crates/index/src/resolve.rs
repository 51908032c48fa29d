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
        let has_dot = linkpath.rsplit('/').next().is_some_and(|name| name.contains('.'));
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
            .filter(|(_, path)| with_slash.as_ref().is_none_or(|suffix| path.ends_with(suffix.as_str())))
            .min_by_key(|(path, folded)| {
                (*folded != own_folder, path.as_str().chars().count(), file_name_differs(path, linkpath), *path)
            })
            .map(|(path, _)| path.clone())
    }

    /// The file at this path; of twins that differ in case or composition only, the one as written.
    fn exact(&self, path: &str) -> Option<RelPath> {
        let twins = self.by_folded.paths(fold(path).as_str());
        twins.iter().find(|twin| twin.as_str() == path).or_else(|| twins.first()).cloned()
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
    linkpath.replace(['\u{a0}', '\u{202f}'], " ").trim().to_owned()
}

/// Follows a relative path from a folder; `None` if it leaves the vault or names no file.
fn join(folder: &str, relative: &str) -> Option<String> {
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
    use crate::fixture::{Vault, rel};

    /// Resolves `(linkpath, from)` to the expected path, `""` for none.
    fn check(files: &[&str], expected: &[(&str, &str, &str)]) {
        let files: Vec<(&str, &str)> = files.iter().map(|path| (*path, "")).collect();
        let view = Vault::new(&files).view();
        for (linkpath, from, to) in expected {
            let found = view.resolve(linkpath, &rel(from));
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

    #[test]
    fn aliases_never_resolve() {
        let note = "---\naliases: [AI]\ntitle: Machines\n---\n# Other\n";
        let view = Vault::new(&[("Artificial Intelligence.md", note)]).view();
        for linkpath in ["AI", "Machines", "Other"] {
            assert_eq!(view.resolve(linkpath, &rel("s.md")), None, "{linkpath}");
        }
    }
}
