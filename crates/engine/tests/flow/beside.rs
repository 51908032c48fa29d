//! Other programs beside us: what they write is a version, what they copy is another note, and what they change is a
//! conflict for whoever read it before.

use crate::bench::{Bench, rel};
use engine::{ContentHash, Engine, Intent, NoteRef, ProposeError, Request, Writes};
use note::SectionRef;
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;

const ID: &str = "01HZXW5E7K8Q9R0S1T2V3W4X5Y";

fn with_id(title: &str) -> String {
    format!("---\nid: {ID}\n---\n# {title}\n")
}

/// Returns the path of every note by its id, after asking each by its id.
fn ids(engine: &Engine) -> BTreeMap<String, String> {
    let view = engine.view();
    let mut ids = BTreeMap::new();
    for item in view.notes("") {
        let open = view.note(&NoteRef::PathOrId(item.id.clone())).unwrap();
        assert_eq!(open.path.as_str(), item.path);
        assert_eq!(open.id.to_string(), item.id);
        assert_eq!(ids.insert(item.id, item.path), None, "an id was given twice: {ids:?}");
    }
    ids
}

#[test]
fn copies_with_one_id_property_stay_apart() {
    let note = |path: &str| format!("//- /{path}\n{}", with_id(path));
    let mut bench = Bench::new(&["B.md", "A.md", "C/B.md"].map(note).concat());
    let first = ids(&bench.engine);
    assert_eq!((first.len(), first[ID].as_str()), (3, "A.md"));
    // One more comes while the first goes: the id goes along with the text that it belonged to.
    bench.write("0.md", &with_id("A copy of A, changed"));
    std::fs::rename(bench.root().join("A.md"), bench.root().join("Z.md")).unwrap();
    bench.engine.catch_up();
    let second = ids(&bench.engine);
    assert_eq!((second.len(), second[ID].as_str()), (4, "Z.md"));
    bench.reopen();
    assert_eq!(ids(&bench.engine), second);
}

#[test]
fn a_new_note_where_another_one_was_gets_an_id_of_its_own() {
    let mut bench = Bench::new("//- /A.md\nA\n");
    let all = |bench: &Bench| ids(&bench.engine).into_values().collect::<Vec<_>>();
    let carry = |bench: &Bench, path: &str, to: &str| {
        bench.engine.carry(Intent::MoveNote { path: rel(path), to: rel(to) }).unwrap();
    };
    let first = ids(&bench.engine).into_keys().next().unwrap();
    carry(&bench, "A.md", "B.md");
    carry(&bench, "B.md", "C.md");
    for path in ["A.md", "B.md"] {
        bench.engine.carry(Intent::CreateNote { path: rel(path), text: "new\n".to_owned() }).unwrap();
    }
    assert_eq!(all(&bench).len(), 3);
    assert_eq!(ids(&bench.engine)[&first], "C.md");
    let before = ids(&bench.engine);
    // Without the index, the journal still says whose the id is.
    bench.engine.close();
    std::fs::remove_dir_all(bench.dir.path().join("state/index")).unwrap();
    bench.reopen();
    assert_eq!(ids(&bench.engine), before);
}

#[test]
fn what_another_program_writes_late_is_a_version_of_its_own() {
    let mut bench = Bench::new("//- /A.md\n# A\n\n## Old\n");
    let mut held = OpenOptions::new().append(true).open(bench.root().join("A.md")).unwrap();
    let desk = bench.engine.desk("Test agent", Writes::Allow);
    let at = SectionRef::Heading { text: "Old".to_owned(), level: None, nth: None };
    let rename = Intent::RenameSection {
        path: rel("A.md"),
        at,
        new_heading: "New".to_owned(),
        update_links: true,
        allow_h1: false,
    };
    desk.propose(rename, Request::default()).unwrap();
    held.write_all(b"late\n").unwrap();
    bench.reopen();
    let versions = bench.engine.history(&rel("A.md"));
    let mut texts = Vec::new();
    for version in &versions {
        assert!(version.restorable);
        let text = bench.engine.version_text(&rel("A.md"), &version.id).unwrap();
        assert_eq!(version.after_hash.as_deref(), Some(ContentHash::of(text.as_bytes()).to_string().as_str()));
        texts.push(text);
    }
    texts.sort();
    assert_eq!(texts, ["# A\n\n## New\n", "# A\n\n## Old\n", "# A\n\n## Old\nlate\n"]);
    let late = versions.iter().find(|version| version.kind == "outside").unwrap();
    bench.engine.restore(&rel("A.md"), &late.id).unwrap();
    assert_eq!(bench.read("A.md"), "# A\n\n## Old\nlate\n");
}

#[test]
fn who_read_another_text_is_told_so_before_anything_else() {
    let bench = Bench::new("//- /A.md\n# A\n\n## New\n");
    let read = ContentHash::of(b"# A\n\n## Old\n");
    let at = || SectionRef::Heading { text: "Old".to_owned(), level: None, nth: None };
    let (path, desk) = (rel("A.md"), bench.engine.desk("Test agent", Writes::Allow));
    let rename = Intent::RenameSection {
        path: path.clone(),
        at: at(),
        new_heading: "Newer".to_owned(),
        update_links: true,
        allow_h1: false,
    };
    let delete = Intent::EditSection { path: path.clone(), at: at(), edit: engine::SectionEdit::Delete };
    let replace = note::FindReplace { find: "Old".to_owned(), replace: "Newer".to_owned(), expected_count: 1 };
    let edit = Intent::EditText { path, edits: vec![replace] };
    for intent in [rename, delete, edit] {
        let unread = desk.propose(intent.clone(), Request::default()).unwrap_err();
        assert!(matches!(unread, ProposeError::Plan(_)), "{unread:?}");
        let request = Request { expect: Some(read), ..Request::default() };
        let error = desk.propose(intent, request).unwrap_err();
        let now = ContentHash::of(b"# A\n\n## New\n");
        assert!(matches!(&error, ProposeError::Conflict { current, .. } if *current == now), "{error:?}");
    }
}

/// Returns the text of every version that a note's list has, each asked for by its id.
fn texts(bench: &Bench, path: &str) -> Vec<String> {
    let versions = bench.engine.history(&rel(path)).into_iter().filter(|version| version.after_hash.is_some());
    let text = |version: engine::Version| bench.engine.version_text(&rel(path), &version.id).unwrap();
    let mut texts: Vec<String> = versions.map(text).collect();
    texts.sort();
    texts.dedup();
    texts
}

#[test]
fn a_note_that_moves_to_where_others_were_hides_none_of_their_texts() {
    let mut bench = Bench::new("//- /A.md\nA1\n//- /B.md\nB1\n//- /C.md\nC1\n");
    let save = |bench: &Bench, path: &str, text: &str| {
        let base = bench.engine.open_note(&NoteRef::Path(path.to_owned())).unwrap().text.hash();
        bench.engine.save(&rel(path), base, text.to_owned()).unwrap();
    };
    let carry = |bench: &Bench, intent: Intent| drop(bench.engine.carry(intent).unwrap());
    let moves = |path: &str, to: &str| Intent::MoveNote { path: rel(path), to: rel(to) };
    save(&bench, "A.md", "A2\n");
    carry(&bench, Intent::DeleteNote { path: rel("A.md") });
    save(&bench, "B.md", "B2\n");
    carry(&bench, moves("B.md", "A.md"));
    save(&bench, "A.md", "B3\n");
    let a_and_b = ["A1\n", "A2\n", "B1\n", "B2\n", "B3\n"];
    for _ in 0..2 {
        assert_eq!(texts(&bench, "A.md"), a_and_b);
        bench.reopen();
    }
    // It moves on, another comes, and it comes back to yet another place: all of it goes along.
    carry(&bench, moves("A.md", "D.md"));
    carry(&bench, moves("C.md", "A.md"));
    save(&bench, "A.md", "C2\n");
    carry(&bench, moves("D.md", "E.md"));
    let all = |paths: &[&str]| {
        let mut all: Vec<String> = paths.iter().flat_map(|path| texts(&bench, path)).collect();
        all.sort();
        all.dedup();
        all
    };
    assert_eq!(all(&["E.md"]), ["B1\n", "B2\n", "B3\n"]);
    assert_eq!(all(&["A.md"]), ["A1\n", "A2\n", "C1\n", "C2\n"]);
}

#[test]
fn what_came_and_went_unseen_is_not_offered() {
    let mut bench = Bench::new("//- /B.md\nB\n");
    bench.engine.close();
    bench.write("A.md", "came while nobody looked\n");
    bench.reopen();
    std::fs::remove_file(bench.root().join("A.md")).unwrap();
    bench.engine.catch_up();
    bench.engine.carry(Intent::MoveNote { path: rel("B.md"), to: rel("A.md") }).unwrap();
    let versions = bench.engine.history(&rel("A.md"));
    assert!(versions.iter().all(|version| version.restorable || version.after_hash.is_none()), "{versions:?}");
    assert_eq!(texts(&bench, "A.md"), ["B\n"]);
}

#[test]
fn one_operation_on_two_notes_of_one_list_is_two_versions() {
    let bench = Bench::new("//- /Lead.md\n## Part\n//- /A.md\nA [[Lead#Part]]\n//- /B.md\nB [[Lead#Part]]\n");
    let rename = Intent::RenameSection {
        path: rel("Lead.md"),
        at: SectionRef::Index(0),
        new_heading: "New".to_owned(),
        update_links: true,
        allow_h1: false,
    };
    bench.engine.carry(rename).unwrap();
    bench.engine.carry(Intent::DeleteNote { path: rel("A.md") }).unwrap();
    bench.engine.carry(Intent::MoveNote { path: rel("B.md"), to: rel("A.md") }).unwrap();
    let all = ["A [[Lead#New]]\n", "A [[Lead#Part]]\n", "B [[Lead#New]]\n", "B [[Lead#Part]]\n"];
    assert_eq!(texts(&bench, "A.md"), all);
}
