//! Which file a link means.

use note::{RelPath, fold, resolve_link};

/// Resolves `(link, note, file)`; no file is `""`.
fn check(files: &[&str], expected: &[(&str, &str, &str)]) {
    let path = |path: &str| RelPath::new(path).unwrap();
    let named =
        |name: &str| files.iter().map(|file| path(file)).filter(|file| fold(file.file_name()) == name).collect();
    for (link, from, to) in expected {
        let found = resolve_link(link, &path(from), &named);
        assert_eq!(found.as_ref().map_or("", RelPath::as_str), *to, "[[{link}]] in {from}");
    }
}

#[test]
fn an_empty_path_is_the_note_itself() {
    check(&["a.md"], &[("", "dir/x.md", "dir/x.md"), (" ", "x.md", "x.md")]);
}

#[test]
fn a_name_that_only_one_file_has_is_enough() {
    check(
        &["deep/in/Note.md", "deep/Fig.png"],
        &[
            ("Note", "x.md", "deep/in/Note.md"),
            ("Note.md", "x.md", "deep/in/Note.md"),
            ("Fig.png", "x.md", "deep/Fig.png"),
        ],
    );
}

#[test]
fn only_notes_go_without_their_ending() {
    check(
        &["Fig.png", "Board.canvas", "List.base", "v1.2.md", "a.b", "a.b.md"],
        &[
            ("Fig", "x.md", ""),
            ("Board", "x.md", ""),
            ("List", "x.md", ""),
            ("Board.canvas", "x.md", "Board.canvas"),
            ("v1.2", "x.md", "v1.2.md"),
            ("a.b", "x.md", "a.b"),
            ("a.b.md", "x.md", "a.b.md"),
        ],
    );
}

#[test]
fn case_and_composition_do_not_count() {
    check(
        &["Log.MD", "Cafe\u{301}.md", "dir/Stra\u{df}e.md"],
        &[
            ("log", "x.md", "Log.MD"),
            ("LOG", "x.md", "Log.MD"),
            ("LOG.md", "x.md", "Log.MD"),
            ("CAF\u{c9}", "x.md", "Cafe\u{301}.md"),
            ("DIR/stra\u{df}e", "x.md", "dir/Stra\u{df}e.md"),
        ],
    );
    check(&["note.md", "Note.md"], &[("Note", "x.md", "Note.md"), ("note", "x.md", "note.md")]);
}

#[test]
fn a_path_from_the_root_wins_over_a_neighbour() {
    let files = ["Note.md", "b/Note.md", "a/b/Note.md", "zzzz/Note.md"];
    check(
        &files,
        &[
            ("Note", "x.md", "Note.md"),
            ("Note", "b/x.md", "Note.md"),
            ("Note", "zzzz/deep/x.md", "Note.md"),
            ("b/Note", "a/x.md", "b/Note.md"),
            ("b/Note", "a/b/x.md", "b/Note.md"),
            ("zzzz/Note", "b/x.md", "zzzz/Note.md"),
        ],
    );
}

#[test]
fn then_the_own_folder_then_the_shortest_path() {
    let files = ["b/Note.md", "a/b/Note.md", "zzzz/Note.md"];
    check(
        &files,
        &[
            ("Note", "b/x.md", "b/Note.md"),
            ("Note", "a/b/x.md", "a/b/Note.md"),
            ("Note", "zzzz/x.md", "zzzz/Note.md"),
            // The folders around the own one count for nothing.
            ("Note", "zzzz/deep/x.md", "b/Note.md"),
            ("Note", "a/x.md", "b/Note.md"),
        ],
    );
    // Characters are counted, not folders.
    check(&["zzzz/Note.md", "a/b/Note.md"], &[("Note", "x.md", "a/b/Note.md")]);
    check(&["\u{e9}\u{e9}\u{e9}/Note.md", "aaaa/Note.md"], &[("Note", "x.md", "\u{e9}\u{e9}\u{e9}/Note.md")]);
}

#[test]
fn a_path_may_be_the_end_of_a_longer_one() {
    check(
        &["a/b/Note.md", "ab/Note.md"],
        &[
            ("b/Note", "x.md", "a/b/Note.md"),
            ("a/b/Note", "x.md", "a/b/Note.md"),
            ("c/Note", "x.md", ""),
            ("b/Note", "a/x.md", "a/b/Note.md"),
        ],
    );
}

#[test]
fn dots_start_at_the_own_folder_and_find_nothing_else() {
    check(
        &["Note.md", "b/Note.md", "b/c/Deep.md"],
        &[
            ("./Note", "b/x.md", "b/Note.md"),
            ("../Note", "b/x.md", "Note.md"),
            ("../Note.md", "b/c/x.md", "b/Note.md"),
            ("./c/Deep", "b/x.md", "b/c/Deep.md"),
            ("./Deep", "b/x.md", ""),
            ("./Note", "b/c/x.md", ""),
            ("../../Note", "b/x.md", ""),
            ("./NOTE", "b/x.md", "b/Note.md"),
        ],
    );
}

#[test]
fn a_slash_starts_at_the_root_and_finds_nothing_else() {
    check(
        &["b/Note.md", "Top.md"],
        &[
            ("/b/Note", "x.md", "b/Note.md"),
            ("/Note", "b/x.md", ""),
            ("/Top", "b/x.md", "Top.md"),
            ("/b/Note.md", "x.md", "b/Note.md"),
        ],
    );
}

#[test]
fn a_folder_a_web_address_and_an_alias_are_no_files() {
    check(
        &["dir/Note.md", "Artificial Intelligence.md"],
        &[("dir", "x.md", ""), ("dir/", "x.md", ""), ("https://a.example/Note", "x.md", ""), ("AI", "x.md", "")],
    );
}

#[test]
fn other_blanks_are_blanks() {
    check(
        &["My Note.md"],
        &[
            ("My\u{a0}Note", "x.md", "My Note.md"),
            ("My\u{202f}Note", "x.md", "My Note.md"),
            (" My Note ", "x.md", "My Note.md"),
        ],
    );
}
