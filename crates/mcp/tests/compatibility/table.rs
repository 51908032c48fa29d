//! `docs/compatibility.md` names tests of this folder, and all of them.

use std::collections::BTreeSet;
use std::path::Path;

/// The sections of the page, and the files with the tests that they name.
const SECTIONS: &[(&str, &[&str])] = &[
    ("Datacron: get_note", &["datacron_get_note", "datacron_get_note_chunks"]),
    ("Datacron: rename_note_section", &["datacron_rename_note_section"]),
    ("Kybase: get_note", &["kybase_get_note"]),
];

/// The tests of some files.
fn tests(files: &[&str]) -> BTreeSet<String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compatibility");
    let mut names = BTreeSet::new();
    for file in files {
        let source = std::fs::read_to_string(here.join(format!("{file}.rs"))).unwrap();
        let mut lines = source.lines();
        while let Some(line) = lines.next() {
            if line == "#[tokio::test]" {
                let name = lines.next().unwrap().trim_start_matches("async fn ").split('(').next().unwrap();
                names.insert(name.to_owned());
            }
        }
    }
    names
}

#[test]
fn the_page_names_every_test_and_none_that_is_not_there() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/compatibility.md");
    let page = std::fs::read_to_string(page).unwrap();
    let titles: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(titles, SECTIONS.iter().map(|(title, _)| *title).collect::<Vec<_>>());
    for (title, files) in SECTIONS {
        let tests = tests(files);
        let section = page.split(&format!("\n## {title}\n")).nth(1).unwrap().split("\n## ").next().unwrap();
        let rows = section.lines().filter(|line| line.starts_with('|')).skip(2);
        let mut named = BTreeSet::new();
        for row in rows {
            let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
            let [documented, _, last] = cells.as_slice() else { panic!("not three cells: {row}") };
            let in_row: Vec<String> = last.split('`').skip(1).step_by(2).map(str::to_owned).collect();
            assert!(!in_row.is_empty(), "no test asserts: {documented}");
            named.extend(in_row);
        }
        let missing: Vec<_> = named.difference(&tests).collect();
        assert!(missing.is_empty(), "{title}: tests that do not exist: {missing:?}");
        let unnamed: Vec<_> = tests.difference(&named).collect();
        assert!(unnamed.is_empty(), "{title}: tests that are not named: {unnamed:?}");
    }
}
