//! The vault's excluded files (`userIgnoreFilters`): out of search and counts, still link targets.

use note::{RelPath, fold};
use regex::{Regex, RegexBuilder};

/// Filters as the vault's settings hold them: `/regex/`, or the beginning of a path.
#[derive(Debug, Clone, Default)]
pub struct IgnoreFilters {
    filters: Vec<Filter>,
}

#[derive(Debug, Clone)]
enum Filter {
    Prefix(String),
    Pattern(Regex),
}

impl IgnoreFilters {
    /// Reads the filters; what is empty or not a valid expression excludes nothing.
    pub fn new<S: AsRef<str>>(filters: &[S]) -> IgnoreFilters {
        let filters = filters.iter().filter_map(|filter| {
            let filter = filter.as_ref().trim();
            if filter.len() > 2 && filter.starts_with('/') && filter.ends_with('/') {
                let pattern = &filter[1..filter.len() - 1];
                return RegexBuilder::new(pattern).case_insensitive(true).build().ok().map(Filter::Pattern);
            }
            (!filter.is_empty()).then(|| Filter::Prefix(fold(filter)))
        });
        IgnoreFilters { filters: filters.collect() }
    }

    /// True if no file can be excluded.
    pub fn is_empty(&self) -> bool {
        self.filters.is_empty()
    }

    /// True if the file is excluded.
    pub fn excludes(&self, path: &RelPath) -> bool {
        if self.filters.is_empty() {
            return false;
        }
        let folded = path.fold();
        self.filters.iter().any(|filter| match filter {
            Filter::Prefix(prefix) => folded.starts_with(prefix.as_str()),
            Filter::Pattern(pattern) => pattern.is_match(path.as_str()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_path_prefixes_or_expressions() {
        let filters = IgnoreFilters::new(&["Archive/", " templates ", "/\\.excalidraw/", "/[/", "", "//"]);
        let excluded = |path: &str| filters.excludes(&RelPath::new(path).unwrap());
        let expected = [
            ("archive/Old.md", true),
            ("Archived.md", false),
            ("Templates/Daily.md", true),
            ("templates.md", true),
            ("x/Templates/Daily.md", false),
            ("draw/a.EXCALIDRAW.md", true),
            ("note.md", false),
        ];
        for (path, is) in expected {
            assert_eq!(excluded(path), is, "{path}");
        }
    }
}
