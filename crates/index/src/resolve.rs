//! The names that resolving a link asks for, from the catalog.

use note::{FileNames, RelPath};

use crate::catalog::Catalog;

impl FileNames for Catalog {
    fn named(&self, folded_name: &str) -> Vec<RelPath> {
        self.by_name.paths(folded_name).to_vec()
    }

    fn at(&self, folded_path: &str) -> Vec<RelPath> {
        self.by_folded.paths(folded_path).to_vec()
    }
}

impl Catalog {
    /// The file that `linkpath` means in the note `from`.
    pub(crate) fn resolve(&self, linkpath: &str, from: &RelPath) -> Option<RelPath> {
        note::resolve_link(linkpath, from, self)
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Vault, rel};

    #[test]
    fn links_find_files_but_never_aliases() {
        let note = "---\naliases: [AI]\ntitle: Machines\n---\n# Other\n";
        let files = [("Artificial Intelligence.md", note), ("x/Twin.md", ""), ("x/twin.md", ""), ("y/a.b.md", "")];
        let view = Vault::new(&files).view();
        for (linkpath, expected) in [
            ("artificial intelligence", Some("Artificial Intelligence.md")),
            ("x/twin", Some("x/twin.md")),
            ("TWIN", Some("x/Twin.md")),
            ("a.b", Some("y/a.b.md")),
            ("AI", None),
            ("Machines", None),
            ("Other", None),
        ] {
            let found = view.resolve(linkpath, &rel("s.md"));
            assert_eq!(found.as_ref().map(|path| path.as_str()), expected, "{linkpath}");
        }
    }
}
