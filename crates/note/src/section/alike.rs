//! What a title is called by whoever does not send it as it stands.

use crate::path::fold;

/// The GitHub way to name a heading in a URL, good enough to recognise one that somebody sends.
pub(crate) fn slug(title: &str) -> String {
    let mut slug = String::new();
    for c in fold(title).chars() {
        if c.is_alphanumeric() || c == '_' {
            slug.push(c);
        } else if (c.is_whitespace() || c == '-') && !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

/// Another way to make a slug: everything but letters and digits becomes one dash.
pub(super) fn dashes(title: &str) -> String {
    let words = fold(title);
    let words = words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

/// The pairs of neighbouring characters of a text's start, sorted.
pub(super) fn pairs(text: &str) -> Vec<(char, char)> {
    let start = text.chars().take(200);
    let mut pairs: Vec<(char, char)> = std::iter::once(' ').chain(start.clone()).zip(start.chain([' '])).collect();
    pairs.sort_unstable();
    pairs
}

/// How alike two sets of pairs are, from 0 to 1000.
pub(super) fn likeness(a: &[(char, char)], b: &[(char, char)]) -> u32 {
    let (mut i, mut j, mut n_shared) = (0, 0, 0);
    while let (Some(left), Some(right)) = (a.get(i), b.get(j)) {
        match left.cmp(right) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                n_shared += 1;
                i += 1;
                j += 1;
            }
        }
    }
    (2000 * n_shared / (a.len() + b.len()).max(1)) as u32
}
