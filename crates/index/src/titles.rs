//! Finding a note by what a person or an agent calls it.

use note::{RelPath, fold};

use crate::catalog::Catalog;

/// How many near names are offered when nothing matches.
const N_NEAREST: usize = 5;

/// What a title stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TitleMatch {
    /// One note.
    One(RelPath),
    /// Several equally good notes, in path order.
    Many(Vec<RelPath>),
    /// No note; the notes with the nearest names, best first.
    None {
        /// At most five.
        nearest: Vec<RelPath>,
    },
}

impl Catalog {
    /// Looks among file names, titles, first H1s and aliases of the notes that are admitted: equal, else the beginning,
    /// else any part, without regard to case and composition.
    pub(crate) fn find_title(&self, title: &str, admits: &dyn Fn(&RelPath) -> bool) -> TitleMatch {
        let wanted = fold(title.trim());
        if wanted.is_empty() {
            return TitleMatch::None { nearest: Vec::new() };
        }
        let without_extension = wanted.strip_suffix(".md").unwrap_or(&wanted);
        for name in [wanted.as_str(), without_extension] {
            if let Some(found) = one_or_many(self.by_title.paths(name), admits) {
                return found;
            }
        }
        let begins: fn(&str, &str) -> bool = |name, wanted| name.starts_with(wanted);
        let contains: fn(&str, &str) -> bool = |name, wanted| name.contains(wanted);
        for matches in [begins, contains] {
            let hits = self.by_title.iter().filter(|(name, _)| matches(name, without_extension));
            if let Some(found) = one_or_many(hits.flat_map(|(_, paths)| paths.iter()), admits) {
                return found;
            }
        }
        TitleMatch::None { nearest: self.nearest(without_extension, admits) }
    }

    pub(crate) fn nearest(&self, wanted: &str, admits: &dyn Fn(&RelPath) -> bool) -> Vec<RelPath> {
        let wanted = pairs(wanted);
        let mut scored: Vec<(u32, &RelPath)> = self
            .by_title
            .iter()
            .filter_map(|(name, paths)| Some((likeness(&wanted, &pairs(name))?, paths)))
            .flat_map(|(score, paths)| paths.iter().map(move |path| (score, path)))
            .collect();
        scored.sort_by(|(a_score, a), (b_score, b)| b_score.cmp(a_score).then_with(|| a.cmp(b)));
        let mut nearest: Vec<RelPath> = Vec::new();
        for (_, path) in scored {
            if !nearest.contains(path) && admits(path) {
                nearest.push(path.clone());
            }
            if nearest.len() == N_NEAREST {
                break;
            }
        }
        nearest
    }
}

fn one_or_many<'p>(
    paths: impl IntoIterator<Item = &'p RelPath>,
    admits: &dyn Fn(&RelPath) -> bool,
) -> Option<TitleMatch> {
    let mut paths: Vec<RelPath> = paths.into_iter().filter(|path| admits(path)).cloned().collect();
    paths.sort();
    paths.dedup();
    match paths.len() {
        0 => None,
        1 => paths.pop().map(TitleMatch::One),
        _ => Some(TitleMatch::Many(paths)),
    }
}

/// The sorted pairs of neighboring characters, with the ends of words marked.
fn pairs(name: &str) -> Vec<(char, char)> {
    let mut pairs = Vec::with_capacity(name.len() + 1);
    let mut before = ' ';
    for c in name.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).chain([' ']) {
        if (before, c) != (' ', ' ') {
            pairs.push((before, c));
        }
        before = c;
    }
    pairs.sort_unstable();
    pairs
}

/// Twice the shared pairs in thousandths of all pairs (Dice); `None` below a third: not near.
fn likeness(a: &[(char, char)], b: &[(char, char)]) -> Option<u32> {
    let all = a.len() + b.len();
    // Names too different in length cannot reach a third, whatever they share.
    if 6 * a.len().min(b.len()) < all {
        return None;
    }
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                shared += 1;
                i += 1;
                j += 1;
            }
        }
    }
    let score = u32::try_from(2000 * shared / all.max(1)).unwrap_or(0);
    (score >= 333).then_some(score)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Vault;

    fn check(title: &str, expected: &str) {
        let view = Vault::new(&[
            ("plans/June.md", "---\ntitle: Summer plan\naliases: [Sommer, \"J-06\"]\n---\n# The sixth month\n"),
            ("plans/June review.md", "# What went well\n"),
            ("a/Log.md", ""),
            ("b/Log.md", ""),
            ("cafe\u{301}.md", "# Coffee house\n"),
            ("June.png", ""),
        ])
        .view();
        let shown = match view.find_title(title) {
            TitleMatch::One(path) => path.to_string(),
            TitleMatch::Many(paths) => paths.iter().map(RelPath::as_str).collect::<Vec<_>>().join(" | "),
            TitleMatch::None { nearest } => {
                format!("? {}", nearest.iter().map(RelPath::as_str).collect::<Vec<_>>().join(" | "))
            }
        };
        assert_eq!(shown, expected, "{title}");
    }

    #[test]
    fn equal_then_beginning_then_part() {
        for (title, expected) in [
            ("june", "plans/June.md"),
            ("June.md", "plans/June.md"),
            ("SUMMER PLAN", "plans/June.md"),
            ("the sixth month", "plans/June.md"),
            ("sommer", "plans/June.md"),
            ("june r", "plans/June review.md"),
            ("jun", "plans/June review.md | plans/June.md"),
            ("sixth", "plans/June.md"),
            ("log", "a/Log.md | b/Log.md"),
            ("CAF\u{c9}", "cafe\u{301}.md"),
            ("coffee", "cafe\u{301}.md"),
            ("  Log  ", "a/Log.md | b/Log.md"),
        ] {
            check(title, expected);
        }
    }

    #[test]
    fn what_is_not_admitted_neither_answers_nor_stands_in_the_way() {
        let view = Vault::new(&[("a/June.md", ""), ("b/June review.md", ""), ("a/July.md", "")]).view();
        let find = |title: &str| view.find_title_where(title, &|path| path.parent() == "b");
        let review = TitleMatch::One(RelPath::new("b/June review.md").unwrap());
        assert_eq!((find("june"), find("June review")), (review.clone(), review));
        for title in ["july", "Jnue", "a/June"] {
            let TitleMatch::None { nearest } = find(title) else { panic!("{title} is found") };
            assert!(nearest.iter().all(|path| path.parent() == "b"), "{title}: {nearest:?}");
        }
    }

    #[test]
    fn near_names_are_offered() {
        check("Jnue review", "? plans/June review.md");
        check("Sumer plan", "? plans/June.md");
        check("xyzzy", "? ");
        check("", "? ");
    }
}
