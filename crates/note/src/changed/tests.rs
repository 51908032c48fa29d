use expect_test::{Expect, expect};

use super::*;
use crate::{AppendAt, FindReplace, MoveTo, NoteText, SectionEditError, SectionRef};

const LOGS: &str = "# T\n\n## Log\nx ^one\n\n## End\n\n## Log\n\n### Deep\ny ^two\n";

/// Shows what becomes of links with these subpaths.
fn shown(changed: &NoteChanged<'_>, subpaths: &[&str]) -> String {
    let lost: Vec<String> = subpaths
        .iter()
        .filter_map(|subpath| changed.lost_target(subpath).map(|what| format!("#{subpath} {what}\n")))
        .collect();
    assert!(lost.is_empty() || !changed.keeps_all());
    lost.concat()
}

fn check_sections(
    before: &str,
    act: impl Fn(&NoteText, &Note) -> Result<SectionEdited, SectionEditError>,
    subpaths: &[&str],
    expected: Expect,
) {
    let text = NoteText::from_str(before);
    let note = crate::parse(&text);
    let edited = act(&text, &note).unwrap();
    expected.assert_eq(&shown(&edited.changed(&note), subpaths));
}

/// Replaces each quoted piece once.
fn check_text(before: &str, edits: &[(&str, &str)], subpaths: &[&str], expected: Expect) {
    let text = NoteText::from_str(before);
    let note = crate::parse(&text);
    let edit = |&(find, replace): &(&str, &str)| FindReplace {
        find: find.to_owned(),
        replace: replace.to_owned(),
        expected_count: 1,
    };
    let edited = crate::edit_text(&text, &note, &edits.iter().map(edit).collect::<Vec<_>>()).unwrap();
    expected.assert_eq(&shown(&NoteChanged::by_edits(&note, &edited.note, &edited.edits), subpaths));
}

#[test]
fn a_section_that_goes_away_or_elsewhere() {
    let all = ["Log", "T#Log", "^one", "^TWO", "Deep", "End#Deep", "gone", "T#gone", ""];
    check_sections(
        LOGS,
        |text, note| crate::delete_section(text, note, &SectionRef::Index(1)),
        &all,
        expect![[r#"
            #Log meant `Log` (line 3) and now means `Log` (line 8, line 5 afterwards)
            #T#Log meant `Log` (line 3) and now means `Log` (line 8, line 5 afterwards)
            #^one meant the block on line 4, which is gone
        "#]],
    );
    check_sections(
        LOGS,
        |text, note| {
            let (from, to) = (SectionRef::Index(3), SectionRef::Index(1));
            crate::move_section(text, note, &from, &to, MoveTo::Before, false)
        },
        &all,
        expect![[r#"
            #Log meant `Log` (line 3) and now means `Log` (line 8, line 3 afterwards)
            #T#Log meant `Log` (line 3) and now means `Log` (line 8, line 3 afterwards)
            #End#Deep meant `Deep` (line 10) and now means no heading
        "#]],
    );
    // A later duplicate that only a chain reaches.
    check_sections(
        "## it\n\n### Plan\n\n#### T1\n\n# Ist\n\n### T5\n\n### Plan\n\n## one\n",
        |text, note| crate::delete_section(text, note, &SectionRef::Index(5)),
        &["Plan", "it#Plan", "Ist#Plan", "Ist#one"],
        expect![[r#"
            #Ist#Plan meant `Plan` (line 11) and now means no heading
        "#]],
    );
    // A level that ends the chain.
    check_sections(
        "# P\n\n## Q ^q\n\nx\n",
        |text, note| {
            let (from, to) = (SectionRef::Index(1), SectionRef::Index(0));
            crate::move_section(text, note, &from, &to, MoveTo::After, true)
        },
        &["P", "Q", "P#Q", "^q"],
        expect![[r#"
            #P#Q meant `Q` (line 3) and now means no heading
        "#]],
    );
}

#[test]
fn a_section_that_gets_another_text() {
    let before = "## A\nx ^id1\n\ny ^id2\n\n### C\n\n## B\n\n### C\nz ^id1\n";
    let all = ["A", "C", "A#C", "B#C", "^id1", "^id2"];
    let patch = |content: &'static str, include_children: bool| {
        move |text: &NoteText, note: &Note| {
            crate::patch_section(text, note, &SectionRef::Index(0), content, include_children)
        }
    };
    check_sections(before, patch("new ^id1\n\nnew ^ID2\n", false), &all, expect![""]);
    check_sections(
        before,
        patch("new\n", true),
        &all,
        expect![[r#"
            #C meant `C` (line 6) and now means `C` (line 10, line 6 afterwards)
            #A#C meant `C` (line 6) and now means `C` (line 10, line 6 afterwards)
            #^id1 meant the block on line 2 and now means another of that id (line 11, line 7 afterwards)
            #^id2 meant the block on line 4, which is gone
        "#]],
    );
    check_sections(
        before,
        |text, note| crate::append_to_section(text, note, &SectionRef::Index(0), "### B\n", AppendAt::End),
        &["A", "B", "B#C"],
        expect![[r#"
            #B meant `B` (line 8) and now means `B` (new, line 8 afterwards)
            #B#C meant `C` (line 10) and now means no heading
        "#]],
    );
}

#[test]
fn pieces_of_the_text_that_change() {
    let all = ["Log", "T#Log", "^one", "^two", "Deep", "End#Deep"];
    for kept in [
        ("x ^one", "other words ^one"),
        ("## Log\nx", "## Log\n\n\nlonger"),
        ("## Log\nx", "##  LOG ##\nx"),
        ("# T\n", "Before.\n\n# T\n\n%% quiet %%\n"),
        ("y ^two", "y\n\nz ^two"),
        ("### Deep\ny", "#### Deep\ny"),
    ] {
        check_text(LOGS, &[kept], &all, expect![""]);
    }
    check_text(
        LOGS,
        &[("## Log\nx ^one\n\n## End", "## Ending")],
        &all,
        expect![[r#"
            #Log meant `Log` (line 3) and now means `Log` (line 8, line 5 afterwards)
            #T#Log meant `Log` (line 3) and now means `Log` (line 8, line 5 afterwards)
            #^one meant the block on line 4, which is gone
            #End#Deep meant `Deep` (line 10) and now means no heading
        "#]],
    );
    check_text(
        LOGS,
        &[("# T\n", "# T\n\n## Log\n"), (" ^two", "")],
        &all,
        expect![[r#"
            #Log meant `Log` (line 3) and now means `Log` (new, line 3 afterwards)
            #T#Log meant `Log` (line 3) and now means `Log` (new, line 3 afterwards)
            #^two meant the block on line 11, which is gone
        "#]],
    );
    // What a fence takes in is no heading any more.
    check_text(
        LOGS,
        &[("# T\n", "# T\n```\n"), ("## End", "```\n## End")],
        &all,
        expect![[r#"
            #Log meant `Log` (line 3) and now means `Log` (line 8, line 10 afterwards)
            #T#Log meant `Log` (line 3) and now means `Log` (line 8, line 10 afterwards)
            #^one meant the block on line 4, which is gone
        "#]],
    );
}
