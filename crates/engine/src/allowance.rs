//! How far a client's writes go without a person: nowhere, to the review, or at once, everywhere or in some folders.

use crate::scope::Scope;
use crate::{Intent, Plan, View, Writes};
use note::RelPath;
use std::sync::Arc;

/// What a person said beforehand about a client's writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Allowance {
    pub writes: Writes,
    /// Where [`Writes::Allow`] holds; `None` is everywhere. Elsewhere a proposal waits.
    pub folders: Option<Arc<[RelPath]>>,
    /// What the client may see; what would write the name of anything else there waits.
    pub scope: Scope,
}

impl Allowance {
    /// Whether a plan is carried out at once: every file that it touches, were it only for a link, lies where that is
    /// allowed. A symbolic link lies where the file is that it leads to.
    pub(crate) fn covers(&self, plan: &Plan, intent: &Intent, view: &View) -> bool {
        let is_told = || self.scope.view(view.clone()).is_told_by(plan, &intent.said());
        let is_allowed = || self.writes == Writes::Allow && !is_told();
        let Some(folders) = &self.folders else { return is_allowed() };
        let is_inside = |path: &RelPath| folders.iter().any(|folder| is_within(path, folder));
        let lies_within =
            |path: &RelPath| is_inside(path) && view.reader.real(path).is_none_or(|real| is_inside(&real));
        let files = plan.files.iter().map(|file| &file.path);
        let carried = plan.carried.iter().flat_map(|carried| [carried.from.as_ref(), carried.to.as_ref()]).flatten();
        is_allowed() && files.chain(carried).chain([&plan.lead]).all(lies_within)
    }
}

/// Whether a file or a folder lies in a folder or below it.
pub(crate) fn is_within(path: &RelPath, folder: &RelPath) -> bool {
    path.as_str().strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::is_within;
    use note::RelPath;

    #[test]
    fn a_folder_holds_what_is_below_it_and_nothing_of_a_like_name() {
        let path = |text: &str| RelPath::new(text).unwrap();
        assert!(is_within(&path("a/b.md"), &path("a")));
        assert!(is_within(&path("a/b/c.md"), &path("a/b")));
        for other in ["ab/c.md", "a.md", "b/a/c.md", "A/b.md", "a"] {
            assert!(!is_within(&path(other), &path("a")), "{other}");
        }
    }
}
