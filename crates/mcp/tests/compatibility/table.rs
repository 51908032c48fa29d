//! `docs/compatibility.md` names tests of this folder, and all of them.

use std::collections::BTreeSet;
use std::path::Path;

/// The sections of the page, and the files with the tests that they name.
const SECTIONS: &[(&str, &[&str])] = &[
    ("Datacron: get_note", &["datacron_get_note", "datacron_get_note_chunks"]),
    ("Datacron: rename_note_section", &["datacron_rename_note_section"]),
    ("Kybase: get_note", &["kybase_get_note"]),
];

/// Every argument and every field of an answer that is documented for a section's tool.
const DOCUMENTED: &[(&str, &str, &str)] = &[
    (
        "Datacron: get_note",
        "id_or_path format offset limit heading_path heading_occurrence",
        "id tags title total format offset aliases content created note_id section updated chunk_id headings line_end rel_path \
         returned writable truncated line_start chunk_count frontmatter header_path next_offset total_chars content_hash \
         source_mount source_vault limit_applied metadata_json next_chunk_id prev_chunk_id returned_chars estimated_tokens \
         note_content_hash chunk_content_hash metadata_truncated content_hash_contract returned_estimated_tokens \
         heading_path heading_occurrence matching_headings",
    ),
    (
        "Datacron: rename_note_section",
        "rel_path heading new_heading expected_hash request_id heading_level heading_occurrence",
        "indexed renamed rel_path replayed committed content_hash operation_id",
    ),
    (
        "Kybase: get_note",
        "id title limit offset section resolve_links include_content",
        "id title folder_path content content_truncated content_total_length next_offset headings updated_at \
         content_updated_at",
    ),
];

/// The rows of a section of the page: what is documented, what is done here, and which tests assert it.
fn rows<'p>(page: &'p str, title: &str) -> Vec<[&'p str; 3]> {
    let section = page.split(&format!("\n## {title}\n")).nth(1).unwrap().split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with('|')).skip(2);
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        cells.try_into().unwrap_or_else(|_| panic!("not three cells: {row}"))
    })
    .collect()
}

fn page() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/compatibility.md")).unwrap()
}

/// What stands between backticks.
fn quoted(cell: &str) -> impl Iterator<Item = String> + '_ {
    cell.split('`').skip(1).step_by(2).map(str::to_owned)
}

#[test]
fn the_page_goes_through_everything_that_is_documented() {
    let page = page();
    for (title, arguments, fields) in DOCUMENTED {
        let named: BTreeSet<String> =
            rows(&page, title).into_iter().flat_map(|[documented, ..]| quoted(documented)).collect();
        let all = arguments.split_whitespace().chain(fields.split_whitespace());
        let missing: Vec<&str> = all.filter(|name| !named.contains(*name)).collect();
        assert!(missing.is_empty(), "{title}: not gone through: {missing:?}");
    }
}

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
    let page = page();
    let titles: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(titles, SECTIONS.iter().map(|(title, _)| *title).collect::<Vec<_>>());
    for (title, files) in SECTIONS {
        let tests = tests(files);
        let mut named = BTreeSet::new();
        for [documented, _, last] in rows(&page, title) {
            let in_row: Vec<String> = quoted(last).collect();
            assert!(!in_row.is_empty(), "no test asserts: {documented}");
            named.extend(in_row);
        }
        let missing: Vec<_> = named.difference(&tests).collect();
        assert!(missing.is_empty(), "{title}: tests that do not exist: {missing:?}");
        let unnamed: Vec<_> = tests.difference(&named).collect();
        assert!(unnamed.is_empty(), "{title}: tests that are not named: {unnamed:?}");
    }
}
