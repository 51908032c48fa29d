//! Which of several known words somebody probably meant.

/// Returns the known word nearest to `wanted`, if one is near enough to be worth naming.
pub(crate) fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = wanted.to_lowercase();
    known
        .into_iter()
        .filter_map(|word| {
            let contained = word.len().min(folded.len()) >= 2 && (word.contains(&folded) || folded.contains(word));
            let steps = distance(&folded, word);
            let bound = word.chars().count().max(folded.chars().count()).div_ceil(2);
            match (contained, steps < bound) {
                (true, _) => Some((steps.min(2), steps, word)),
                (false, true) => Some((steps, steps, word)),
                (false, false) => None,
            }
        })
        .min()
        .map(|(_, _, word)| word)
}

/// Counts the insertions, deletions, replacements and swaps of neighbors between two words.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(64).collect(), b.chars().take(64).collect());
    let mut rows = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let same = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + same);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_and_short_forms_find_the_word_that_was_meant() {
        let known = ["rel_path", "heading", "new_heading", "expected_hash", "request_id", "dry_run"];
        for (wanted, found) in [
            ("expected_hsh", Some("expected_hash")),
            ("path", Some("rel_path")),
            ("hash", Some("expected_hash")),
            ("Heading", Some("heading")),
            ("requestId", Some("request_id")),
            ("dryrun", Some("dry_run")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(wanted, known), found, "{wanted}");
        }
    }
}
