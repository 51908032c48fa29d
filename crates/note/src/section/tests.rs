use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;
use crate::parse::parse;
use crate::text::NoteText;

const NOTE: &str = "# Top\n\n## Log\na\n### Sub\nb\n## Log\nc\n### Sub\nd\n#### Deep\n# End\n## Log\ne\n### *Use* `x`\n### Cafe\u{301} ^id\n### a / b > c # d\nf\n";

/// What a name finds: its lines and counts, or what is wrong with it.
fn check(at: SectionRef, expect: Expect) {
    let note = parse(&NoteText::from_str(NOTE));
    let candidates = |candidates: &[SectionCandidate]| {
        candidates
            .iter()
            .map(|c| {
                format!("\n  {} h{} line {} nth {}", c.heading_path.join(" > "), c.level, c.line, c.heading_occurrence)
            })
            .collect::<String>()
    };
    let found = match note.section(&at) {
        Ok(s) => format!(
            "{} lines {}-{} occurrence {} of {} own {:?}",
            s.path.join(" > "),
            s.line_start,
            s.line_end,
            s.occurrence,
            s.matching,
            &NOTE[s.span.start..s.own_end]
        ),
        Err(error) => {
            let listed = match &error {
                SectionError::NotFound { nearest, .. } => candidates(nearest),
                SectionError::Ambiguous { candidates: c, .. } => candidates(c),
                SectionError::OccurrenceOutOfRange { candidates: c, .. } => candidates(c),
            };
            format!("{error}{listed}")
        }
    };
    expect.assert_eq(&found);
}

fn titled(text: &str, level: Option<u8>, nth: Option<u32>) -> SectionRef {
    SectionRef::Heading { text: text.to_owned(), level, nth }
}

fn path(names: &[&str], nth: Option<u32>) -> SectionRef {
    SectionRef::Path { path: names.iter().map(|name| (*name).to_owned()).collect(), nth }
}

#[test]
fn by_title() {
    check(titled("Top", None, None), expect![[r##"Top lines 1-11 occurrence 1 of 1 own "# Top\n\n""##]]);
    check(
        titled("Log", Some(2), Some(3)),
        expect![[r###"End > Log lines 13-18 occurrence 1 of 1 own "## Log\ne\n""###]],
    );
    check(
        titled("Use x", None, None),
        expect![[r####"End > Log > Use x lines 15-15 occurrence 1 of 1 own "### *Use* `x`\n""####]],
    );
    check(
        titled(" *Use* `x` ", Some(3), None),
        expect![[r####"End > Log > Use x lines 15-15 occurrence 1 of 1 own "### *Use* `x`\n""####]],
    );
    check(
        titled("Caf\u{e9}", None, None),
        expect![[r####"End > Log > Café lines 16-16 occurrence 1 of 1 own "### Cafe\u{301} ^id\n""####]],
    );
    check(
        titled("Cafe\u{301} ^id", None, None),
        expect![[r####"End > Log > Café lines 16-16 occurrence 1 of 1 own "### Cafe\u{301} ^id\n""####]],
    );
    check(
        titled("#### Deep", None, None),
        expect![[r#####"Top > Log > Sub > Deep lines 11-11 occurrence 1 of 1 own "#### Deep\n""#####]],
    );
    check(
        titled("#### Deep", Some(4), Some(1)),
        expect![[r#####"Top > Log > Sub > Deep lines 11-11 occurrence 1 of 1 own "#### Deep\n""#####]],
    );
}

#[test]
fn by_title_in_vain() {
    check(
        titled("Log", None, None),
        expect![[r#"
        3 sections are called `Log`; choose one with heading_level or heading_occurrence
          Top > Log h2 line 3 nth 1
          Top > Log h2 line 7 nth 2
          End > Log h2 line 13 nth 3"#]],
    );
    check(
        titled("Sub", Some(3), Some(3)),
        expect![[r#"
        heading_occurrence 3 is out of range: 2 sections match
          Top > Log > Sub h3 line 5 nth 1
          Top > Log > Sub h3 line 9 nth 2"#]],
    );
    check(
        titled("Sub", Some(3), Some(0)),
        expect![[r#"
        heading_occurrence 0 is out of range: 2 sections match
          Top > Log > Sub h3 line 5 nth 1
          Top > Log > Sub h3 line 9 nth 2"#]],
    );
    check(
        titled("log", None, None),
        expect![[r#"
        no section is called `log`
          Top > Log h2 line 3 nth 1
          Top > Log h2 line 7 nth 2
          End > Log h2 line 13 nth 3"#]],
    );
    check(
        titled("Deeper", Some(2), None),
        expect![[r#"
        no section is called `Deeper`
          Top > Log > Sub > Deep h4 line 11 nth 1"#]],
    );
    check(
        titled("## Deep", None, None),
        expect![[r#"
        no section is called `## Deep`
          Top > Log > Sub > Deep h4 line 11 nth 1"#]],
    );
    check(
        titled("#### Deep", Some(2), None),
        expect![[r#"
        no section is called `#### Deep`
          Top > Log > Sub > Deep h4 line 11 nth 1"#]],
    );
    check(titled("", None, None), expect!["no section is called ``"]);
    check(SectionRef::Index(99), expect!["no section is called `#99`"]);
}

#[test]
fn by_path() {
    check(path(&["Top", "Log"], Some(2)), expect![[r###"Top > Log lines 7-11 occurrence 2 of 2 own "## Log\nc\n""###]]);
    check(
        path(&["Top", "Log", "Sub", "Deep"], None),
        expect![[r#####"Top > Log > Sub > Deep lines 11-11 occurrence 1 of 1 own "#### Deep\n""#####]],
    );
    check(
        path(&["Sub", "Deep"], None),
        expect![[r#####"Top > Log > Sub > Deep lines 11-11 occurrence 1 of 1 own "#### Deep\n""#####]],
    );
    check(
        path(&["End", "Log", "a / b > c # d"], None),
        expect![[r####"End > Log > a / b > c # d lines 17-18 occurrence 1 of 1 own "### a / b > c # d\nf\n""####]],
    );
    check(
        path(&["Top", "Log"], None),
        expect![[r#"
        2 sections are called `Top > Log`; choose one with heading_level or heading_occurrence
          Top > Log h2 line 3 nth 1
          Top > Log h2 line 7 nth 2"#]],
    );
    check(
        path(&["Log"], Some(1)),
        expect![[r#"
        3 sections are called `Log`; choose one with heading_level or heading_occurrence
          Top > Log h2 line 3 nth 1
          Top > Log h2 line 7 nth 2
          End > Log h2 line 13 nth 1"#]],
    );
    check(
        path(&["Log", "Sub"], Some(1)),
        expect![[r####"Top > Log > Sub lines 5-6 occurrence 1 of 2 own "### Sub\nb\n""####]],
    );
    check(
        path(&["Log", "Sub"], Some(3)),
        expect![[r#"
        heading_occurrence 3 is out of range: 2 sections match
          Top > Log > Sub h3 line 5 nth 1
          Top > Log > Sub h3 line 9 nth 2"#]],
    );
    check(
        path(&["Top", "Deep"], None),
        expect![[r#"
        no section is called `Top > Deep`
          Top > Log > Sub > Deep h4 line 11 nth 1"#]],
    );
    check(path(&[], None), expect!["no section is called ``"]);
}

#[test]
fn by_loose_title() {
    let loose = |text: &str| SectionRef::Loose { text: text.to_owned() };
    check(loose("LOG"), expect![[r###"Top > Log lines 3-6 occurrence 1 of 3 own "## Log\na\n""###]]);
    check(
        loose("a-b-c-d"),
        expect![[r####"End > Log > a / b > c # d lines 17-18 occurrence 1 of 1 own "### a / b > c # d\nf\n""####]],
    );
    check(loose("use-x"), expect![[r####"End > Log > Use x lines 15-15 occurrence 1 of 1 own "### *Use* `x`\n""####]]);
    check(loose(" "), expect!["no section is called ` `"]);
    check(loose("nothing like it"), expect!["no section is called `nothing like it`"]);
}

#[test]
fn a_title_is_nearer_than_a_slug_and_slugs_come_in_two_ways() {
    let note = parse(&NoteText::from_str("# Q&A\n# QA\n# C/C++ notes_x\n# C C\n"));
    for (text, title) in [
        ("qa", "QA"),
        ("q&a", "Q&A"),
        ("q-a", "Q&A"),
        ("cc-notes_x", "C/C++ notes_x"),
        ("c-c-notes-x", "C/C++ notes_x"),
        ("c-c", "C C"),
    ] {
        let found = note.section(&SectionRef::Loose { text: text.to_owned() }).unwrap();
        assert_eq!((found.heading.text.as_str(), found.matching), (title, 1), "{text}");
    }
}

#[test]
fn every_heading_is_found_by_what_it_is_called() {
    let note = parse(&NoteText::from_str(
        "# \u{a0}Top\u{a0}\n##\n## \u{2028}\n## **\u{3000}x**\n##\n## e\u{301} \u{202e}rtl\n### \\# a\n## a\u{feff}\n## &nbsp;b\n##  ##\nset\u{a0}\n---\n",
    ));
    assert_eq!(note.headings.len(), 11);
    for (index, heading) in note.headings.iter().enumerate() {
        let (level, nth) = (Some(heading.level), Some(heading.same_text.nth));
        let named = note.section(&SectionRef::Heading { text: heading.text.clone(), level, nth });
        assert_eq!(named.map(|section| section.index), Ok(index), "{:?}", heading.text);
        let at = SectionRef::Path { path: note.heading_path(index), nth: Some(heading.same_path.nth) };
        assert_eq!(note.section(&at).map(|section| section.index), Ok(index), "{:?}", heading.text);
    }
}

#[test]
fn a_fence_does_not_end_a_section() {
    let note = parse(&NoteText::from_str("# A\n```\n# B\n```\n> # C\n\ntail\n\n# D"));
    let section = note.section_at(0);
    assert_eq!((section.line_start, section.line_end, section.own_end), (1, 8, section.span.end));
    let last = note.section_at(1);
    assert_eq!((last.line_start, last.line_end, last.span.end), (9, 9, note.len));
}

#[test]
fn chains_walk_down() {
    let note = parse(&NoteText::from_str(NOTE));
    for (subpath, chain) in [
        ("Log", Some(vec![1])),
        ("#log", Some(vec![1])),
        ("End#Log", Some(vec![6, 7])),
        ("Top#Log#Deep", Some(vec![0, 1, 5])),
        ("Log##Sub#", Some(vec![1, 2])),
        ("Sub#Log", None),
        ("use  `x`!", Some(vec![8])),
        ("CAF\u{c9}", Some(vec![9])),
        ("a b c#d", None),
        ("^id", None),
        ("", None),
        ("#", None),
    ] {
        assert_eq!(note.find_heading(subpath), chain, "{subpath}");
    }
}

proptest! {
    /// What is handed out to name a heading names it, whatever the others are called.
    #[test]
    fn a_heading_is_found_by_its_title_and_by_its_path(
        lines in prop::collection::vec(
            (1usize..5, prop::sample::select(vec![
                "a", "`a`", "\\`a\\`", "*a*", "\\*a\\*", "a ", "\u{a0}a", "a\u{a0}", "A", "# a", "\\# a", "## a", "a ^id", "a \\^id", "", "&nbsp;",
                "caf\u{e9}", "cafe\u{301}", "[[a]]", "[[b|a]]", "a > a", "a/a",
            ])), 1..12),
    ) {
        let text: String = lines.iter().map(|(level, title)| format!("{} {title}\n\n", "#".repeat(*level))).collect();
        let note = parse(&NoteText::from_str(&text));
        for (index, heading) in note.headings.iter().enumerate() {
            let (level, nth) = (Some(heading.level), (heading.same_text.of > 1).then_some(heading.same_text.nth));
            let named = note.section(&SectionRef::Heading { text: heading.text.clone(), level, nth });
            prop_assert_eq!(named.map(|section| section.index), Ok(index), "{:?} in {:?}", heading.text, text);
            for nth in [Some(heading.same_path.nth), (heading.same_path.of > 1).then_some(heading.same_path.nth)] {
                let at = SectionRef::Path { path: note.heading_path(index), nth };
                prop_assert_eq!(note.section(&at).map(|section| section.index), Ok(index), "{:?} in {:?}", at, text);
            }
        }
    }
}
