//! Files that a person puts into a note.

use crate::bench::{Bench, rel};
use engine::{AddedFile, DecideError, Engine, OpId, OpState, PlanError};

/// Bytes that are no text, and that end a line in neither way.
const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\x00\xff\xfe\r";

fn add(engine: &Engine, note: &str, name: &str) -> Result<AddedFile, DecideError> {
    engine.add_file(&rel(note), name, PICTURE.to_vec())
}

fn refusal(added: Result<AddedFile, DecideError>) -> String {
    let Err(DecideError::Blocked(error)) = added else { panic!("{added:?}") };
    error.to_string()
}

fn id(text: &str) -> OpId {
    text.parse().unwrap()
}

#[test]
fn a_file_goes_where_the_vaults_settings_say_and_is_linked_as_they_say() {
    let all = "//- /trips/ice/Log.md\n# Log\n//- /Media/other.txt\n\n";
    for (settings, path, link) in [
        ("{}", "a b.png", "![[a b.png]]"),
        (r#"{"attachmentFolderPath":""}"#, "a b.png", "![[a b.png]]"),
        (r#"{"attachmentFolderPath":"/"}"#, "a b.png", "![[a b.png]]"),
        (r#"{"attachmentFolderPath":"./"}"#, "trips/ice/a b.png", "![[a b.png]]"),
        (r#"{"attachmentFolderPath":"./img/small/"}"#, "trips/ice/img/small/a b.png", "![[a b.png]]"),
        (r#"{"attachmentFolderPath":"Files/In"}"#, "Files/In/a b.png", "![[a b.png]]"),
        // As the folder is spelled on disk.
        (r#"{"attachmentFolderPath":"/media/"}"#, "Media/a b.png", "![[a b.png]]"),
        (r#"{"attachmentFolderPath":"./x","newLinkFormat":"relative"}"#, "trips/ice/x/a b.png", "![[x/a b.png]]"),
        (r#"{"newLinkFormat":"relative"}"#, "a b.png", "![[../../a b.png]]"),
        (r#"{"attachmentFolderPath":"F","newLinkFormat":"absolute"}"#, "F/a b.png", "![[F/a b.png]]"),
        (r#"{"attachmentFolderPath":"F","useMarkdownLinks":true}"#, "F/a b.png", "![](a%20b.png)"),
        (
            r#"{"attachmentFolderPath":"F","useMarkdownLinks":true,"newLinkFormat":"relative"}"#,
            "F/a b.png",
            "![](../../F/a%20b.png)",
        ),
    ] {
        let bench = Bench::new(&format!("{all}//- /.obsidian/app.json\n{settings}\n"));
        let added = add(&bench.engine, "trips/ice/Log.md", "a b.png").unwrap();
        assert_eq!((added.path.as_str(), added.link.as_str()), (path, link), "{settings}");
        assert_eq!(bench.files()[path], PICTURE, "{settings}");
        let view = bench.engine.view();
        let target = link.trim_start_matches("![[").trim_end_matches("]]");
        if !link.starts_with("![]") {
            assert_eq!(view.resolve_link(&rel("trips/ice/Log.md"), target).unwrap().path, path, "{settings}");
        }
    }
}

#[test]
fn a_name_that_is_taken_gets_a_number_and_nothing_is_replaced() {
    let bench = Bench::new("//- /Log.md\n//- /a.png\nold\n//- /A 1.PNG\nold\n//- /none\nold\n//- /x.tar.gz\nold\n");
    let before = bench.files();
    for (name, expected) in [
        ("a.png", "a 2.png"),
        ("a.png", "a 3.png"),
        ("none", "none 1"),
        ("x.tar.gz", "x.tar 1.gz"),
        ("q#[1].png", "q#[1].png"),
    ] {
        assert_eq!(add(&bench.engine, "Log.md", name).unwrap().path, expected);
    }
    let after = bench.files();
    assert!(before.iter().all(|(path, bytes)| after[path] == *bytes));
    // No wikilink can say such a name.
    assert_eq!(add(&bench.engine, "Log.md", "q#[1].png").unwrap().link, "![](q%23%5B1%5D%201.png)");
}

#[test]
fn undo_takes_the_file_away_and_redo_brings_it_back_byte_for_byte() {
    let mut bench =
        Bench::new("//- /Log.md\ntext\r\n//- /.obsidian/app.json\n{\"attachmentFolderPath\":\"Files/In\"}\n");
    let before = bench.files();
    let added = add(&bench.engine, "Log.md", "a.png").unwrap();
    let with = bench.files();
    assert!(added.operation.can_undo);
    assert_eq!((added.operation.kind.as_str(), added.operation.path.as_str()), ("add_file", "Files/In/a.png"));
    // What was done is in the journal, not only in memory.
    bench.reopen();
    let undone = bench.engine.undo(id(&added.operation.id)).unwrap();
    assert_eq!(bench.files(), before);
    assert!(!bench.root().join("Files").exists());
    assert_eq!(bench.engine.operation(id(&added.operation.id)).unwrap().state, OpState::Undone);
    bench.engine.undo(id(&undone.id)).unwrap();
    assert_eq!(bench.files(), with);
    // No picture is shown as text.
    let review = bench.engine.review(id(&added.operation.id)).unwrap();
    assert!(review.files[0].creates && review.files[0].hunks.is_empty());
}

#[test]
fn undo_leaves_a_file_that_was_changed_since_and_names_the_links_that_lose_it() {
    let bench = Bench::new("//- /Log.md\ntext\n");
    let added = add(&bench.engine, "Log.md", "a.png").unwrap();
    std::fs::write(bench.root().join("a.png"), b"\xffother").unwrap();
    let refused = bench.engine.undo(id(&added.operation.id)).unwrap_err();
    let DecideError::Blocked(PlanError::ChangedSince { paths }) = refused else { panic!("{refused}") };
    assert_eq!(paths, [rel("a.png")]);
    assert_eq!(bench.files()["a.png"], b"\xffother");

    let second = add(&bench.engine, "Log.md", "b.png").unwrap();
    bench.write("Log.md", &format!("text {}\n", second.link));
    let undone = bench.engine.undo(id(&second.operation.id)).unwrap();
    assert!(!bench.root().join("b.png").exists());
    let warnings = undone.summary.warnings.join("\n");
    assert!(warnings.contains("Log.md"), "{warnings}");
}

#[test]
fn what_cannot_be_a_file_of_the_vault_is_refused_and_leaves_nothing() {
    let outside = r#"{"attachmentFolderPath":"../x"}"#;
    let hidden = r#"{"attachmentFolderPath":".files"}"#;
    let hidden_beside = r#"{"attachmentFolderPath":"./.files"}"#;
    let in_the_way = r#"{"attachmentFolderPath":"Log.md"}"#;
    let long = "x".repeat(252) + ".png";
    for (settings, name, expected) in [
        ("{}", "", "not a name for a file: ``"),
        ("{}", "..", "not a name for a file: `..`"),
        ("{}", "../a.png", "not a name for a file: `../a.png`"),
        ("{}", "a\\b.png", "not a name for a file: `a\\b.png`"),
        ("{}", "a\nb.png", "not a name for a file: `a\nb.png`"),
        ("{}", ".env", "folders and files whose name begins with a dot are not part of the vault: `.env`"),
        ("{}", &long, "the path is longer than the system allows"),
        (outside, "a.png", "the vault's own settings keep attachments in a folder that is not part of it: `../x`"),
        (hidden, "a.png", "the vault's own settings keep attachments in a folder that is not part of it: `.files`"),
        (
            hidden_beside,
            "a.png",
            "the vault's own settings keep attachments in a folder that is not part of it: `./.files`",
        ),
        (in_the_way, "a.png", "`Log.md` is in the way: it is a file, not a folder"),
    ] {
        let bench = Bench::new(&format!("//- /Log.md\n//- /.obsidian/app.json\n{settings}\n"));
        let before = bench.files();
        let refused = refusal(add(&bench.engine, "Log.md", name));
        assert!(refused.starts_with(expected), "{settings} {name}: {refused}");
        assert_eq!(bench.files(), before);
        assert!(bench.engine.operations().is_empty());
    }
}

#[test]
fn a_file_that_is_too_large_is_named_with_its_size() {
    let bench = Bench::new("//- /Log.md\n");
    let bytes = vec![0; usize::try_from(engine::MOST_ADDED_BYTES).unwrap() + 1];
    let refused = refusal(bench.engine.add_file(&rel("Log.md"), "film.mp4", bytes));
    assert_eq!(refused, "`film.mp4` is larger than what can be put into a note here: 101 MB, at most 100 MB");
    assert_eq!(bench.files().len(), 1);
}

#[test]
fn links_to_a_file_of_the_same_name_stay_on_it() {
    let bench = Bench::new("//- /Log.md\n![[a.png]]\n//- /old/a.png\nold\n//- /Other.md\n[x](a.png)\n");
    let added = add(&bench.engine, "Log.md", "a.png").unwrap();
    assert_eq!((added.path.as_str(), added.link.as_str()), ("a.png", "![[a.png]]"));
    assert_eq!(bench.read("Log.md"), "![[old/a.png]]\n");
    assert_eq!(bench.read("Other.md"), "[x](old/a.png)\n");
    assert_eq!(added.operation.summary.n_links, 2);
    bench.engine.undo(id(&added.operation.id)).unwrap();
    assert_eq!(bench.read("Log.md"), "![[a.png]]\n");
}

#[test]
fn a_note_that_is_dropped_is_a_note_and_is_linked() {
    let bench = Bench::new("//- /Log.md\n");
    let text = "---\ntags: [x]\n---\n# Ice\r\n";
    let added = bench.engine.add_file(&rel("Log.md"), "Ice.md", text.as_bytes().to_vec()).unwrap();
    assert_eq!((added.path.as_str(), added.link.as_str()), ("Ice.md", "[[Ice]]"));
    assert_eq!(bench.read("Ice.md"), text);
    assert_eq!(bench.engine.view().tags()[0].tag, "x");
}
