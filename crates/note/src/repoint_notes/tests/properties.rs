use proptest::prelude::*;

use super::*;

fn any_path() -> impl Strategy<Value = String> {
    "([ab]/){0,2}[n-p]\\.md"
}

/// Names that a link says only in full, or not at all.
fn odd_path() -> impl Strategy<Value = String> {
    "(d/| /)?[a\u{a0} ][]a.# |%^'\"\u{a0}é(]{0,3}(\\.md|\\.png)?\\.md"
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Whatever moves, every link leads where it led, and only targets change.
    #[test]
    fn links_lead_where_they_led(
        files in prop::collection::btree_set(any_path(), 1..6),
        to in any_path(),
        which in 0usize..6,
        source in 0usize..6,
        links in prop::collection::vec("(\\./|\\.\\./|/)?([ab]/){0,2}[n-p](\\.md)?", 1..5),
        format in 0u8..3,
    ) {
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let from = files[source % files.len()];
        let mut moves = vec![(files[which % files.len()], to.as_str())];
        moves.retain(|(_, to)| !files.contains(to));
        let format = [LinkFormat::Shortest, LinkFormat::Relative, LinkFormat::Absolute][format as usize];
        let text: String = links.iter().map(|link| format!("[[{link}#H|x]] [y]({link}#H)\n")).collect();
        let after = follow(&files, &moves, format, from, &text);
        prop_assert!(!after.contains("warning"), "{}", after);
        if moves.is_empty() {
            prop_assert_eq!(after, text);
        }
    }

    /// Whatever a note is called, every link leads to it, or a warning names the link's line.
    #[test]
    fn no_link_is_left_behind_unsaid(
        others in prop::collection::btree_set(prop_oneof![odd_path(), Just("a.md".to_owned()), Just("a.png".to_owned())], 0..3),
        to in odd_path(),
    ) {
        let others: Vec<&str> = others.iter().map(String::as_str).filter(|other| fold(other) != fold(&to)).collect();
        named_in_full(&others, &to);
    }
}
