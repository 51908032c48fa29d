//! The product's flows on real files: open, save, propose, review, decide, undo, reopen.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod add_file;
mod allowed_folders;
mod asking;
mod bench;
mod beside;
mod dated;
mod folders;
mod following;
mod keeping;
mod lineage;
mod new_link;
mod panes;
mod properties;
mod room;
mod state_folder;
mod warnings;

use bench::{Bench, PATIENCE, rel};
use engine::{
    Actor, DecideError, Decision, Event, Intent, NoteRef, OpState, PlanDigest, ProposeError, Readiness, Request, Saved,
    Writes,
};
use note::SectionRef;
use std::sync::mpsc::Receiver;

fn await_event(events: &Receiver<Event>, wanted: impl Fn(&Event) -> bool) -> Event {
    loop {
        let event = events.recv_timeout(PATIENCE).expect("the event comes");
        if wanted(&event) {
            return event;
        }
    }
}

const GLACIER: &str = "\
//- /Glacier.md
# Glacier

## Old tools

See [[#Old tools|here]].
//- /Kit.md
Probes: [[Glacier#Old tools]] and `[[Glacier#Old tools]]`.
//- /deep/Daily.md
![[Glacier#Glacier#Old tools]]
//- /Other.md
[[Glacier#Unknown]] [[Kit]]
";

#[test]
fn opening_and_closing_changes_no_byte() {
    let bench = Bench::new(GLACIER);
    let before = bench.files();
    bench.engine.close();
    assert_eq!(bench.files(), before);
}

#[test]
fn a_proposal_writes_nothing_until_it_is_approved_and_undo_takes_every_file_back() {
    let bench = Bench::new(GLACIER);
    let before = bench.files();
    let proposed = bench.rename("Glacier.md", "Old tools", "Instruments", None).unwrap();
    assert_eq!(bench.files(), before);
    assert_eq!(proposed.operation.as_ref().unwrap().state, OpState::Proposed);
    assert_eq!((proposed.summary.n_links, proposed.summary.n_notes), (3, 3));

    let review = bench.engine.review(proposed.id).unwrap();
    assert_eq!(review.operation.readiness, Some(Readiness::Ready));
    assert_eq!(
        review.files.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(),
        ["Glacier.md", "Kit.md", "deep/Daily.md"]
    );

    let done = bench.approve(proposed.id).unwrap();
    assert_eq!(done.state, OpState::Done);
    assert_eq!(bench.read("Glacier.md"), "# Glacier\n\n## Instruments\n\nSee [[#Instruments|here]].\n");
    assert_eq!(bench.read("Kit.md"), "Probes: [[Glacier#Instruments]] and `[[Glacier#Old tools]]`.\n");
    assert_eq!(bench.read("deep/Daily.md"), "![[Glacier#Glacier#Instruments]]\n");
    assert_eq!(bench.read("Other.md"), "[[Glacier#Unknown]] [[Kit]]\n");

    bench.engine.undo(proposed.id).unwrap();
    assert_eq!(bench.files(), before);
    assert_eq!(bench.engine.operation(proposed.id).unwrap().state, OpState::Undone);
}

#[test]
fn a_declined_proposal_writes_nothing_and_the_agent_learns_why() {
    let bench = Bench::new(GLACIER);
    let before = bench.files();
    let id = bench.rename("Glacier.md", "Old tools", "Instruments", None).unwrap().id;
    bench.engine.decide(id, Decision::Decline { comment: Some("keep it".to_owned()) }).unwrap();
    let seen = bench.desk(Writes::Review).wait(id, PATIENCE).unwrap();
    assert_eq!((seen.state, seen.comment.as_deref()), (OpState::Declined, Some("keep it")));
    assert_eq!(bench.files(), before);
    assert!(matches!(bench.approve_blind(id), Err(DecideError::NotOpen { state: OpState::Declined })));
}

impl Bench {
    fn approve_blind(&self, id: engine::OpId) -> Result<engine::OperationView, DecideError> {
        self.engine.decide(id, Decision::Approve { seen: PlanDigest(String::new()) })
    }
}

#[test]
fn what_a_person_approves_is_what_the_person_saw() {
    let bench = Bench::new(GLACIER);
    let id = bench.rename("Glacier.md", "Old tools", "Instruments", None).unwrap().id;
    let seen = PlanDigest(bench.engine.review(id).unwrap().digest.unwrap());
    bench.write("Other.md", "now a link: [[Glacier#Old tools]]\n");
    let before = bench.files();
    assert!(matches!(bench.engine.decide(id, Decision::Approve { seen }), Err(DecideError::Changed)));
    assert_eq!(bench.files(), before);
    let review = bench.engine.review(id).unwrap();
    assert_eq!(review.operation.readiness, Some(Readiness::ChangedSince));
    assert_eq!(review.files.len(), 4);
    bench.approve(id).unwrap();
    assert_eq!(bench.read("Other.md"), "now a link: [[Glacier#Instruments]]\n");
}

#[test]
fn a_proposal_survives_a_restart_and_can_be_decided_then() {
    let mut bench = Bench::new(GLACIER);
    let id = bench.rename("Glacier.md", "Old tools", "Instruments", None).unwrap().id;
    bench.reopen();
    assert_eq!(bench.engine.operation(id).unwrap().state, OpState::Proposed);
    bench.approve(id).unwrap();
    bench.reopen();
    assert_eq!(bench.engine.operation(id).unwrap().state, OpState::Done);
    assert!(bench.engine.operation(id).unwrap().can_undo);
}

#[test]
fn a_proposal_whose_section_is_gone_says_so_and_cannot_be_approved() {
    let bench = Bench::new(GLACIER);
    let id = bench.rename("Glacier.md", "Old tools", "Instruments", None).unwrap().id;
    bench.write("Glacier.md", "# Glacier\n\nnothing else\n");
    let review = bench.engine.review(id).unwrap();
    assert!(matches!(review.operation.readiness, Some(Readiness::Blocked { .. })), "{review:?}");
    assert!(review.digest.is_none());
    assert!(matches!(bench.approve_blind(id), Err(DecideError::Blocked(_))));
}

#[test]
fn a_repeated_request_id_does_nothing_twice() {
    let bench = Bench::new(GLACIER);
    let first = bench.rename("Glacier.md", "Old tools", "Instruments", Some("r-1")).unwrap();
    let again = bench.rename("Glacier.md", "Old tools", "Instruments", Some("r-1")).unwrap();
    assert!(again.replayed && again.id == first.id);
    assert!(matches!(
        bench.rename("Glacier.md", "Old tools", "Other", Some("r-1")),
        Err(ProposeError::RequestIdReused { .. })
    ));
    bench.approve(first.id).unwrap();
    assert!(bench.rename("Glacier.md", "Old tools", "Instruments", Some("r-1")).unwrap().replayed);
    bench.write("Glacier.md", "changed\n");
    assert!(matches!(
        bench.rename("Glacier.md", "Old tools", "Instruments", Some("r-1")),
        Err(ProposeError::RequestIdReused { .. })
    ));
}

#[test]
fn a_call_whose_process_died_before_the_commit_is_carried_out_when_it_is_repeated() {
    let mut bench = Bench::new(GLACIER);
    let rename = |bench: &Bench, writes: Writes| {
        let at = SectionRef::Heading { text: "Old tools".to_owned(), level: None, nth: None };
        let (path, new_heading) = (rel("Glacier.md"), "Instruments".to_owned());
        let intent = Intent::RenameSection { path, at, new_heading, update_links: true, allow_h1: false };
        let request = Request { request_id: Some("r1".to_owned()), fingerprint: "f".to_owned(), ..Request::default() };
        bench.desk(writes).propose(intent, request)
    };
    let proposed = rename(&bench, Writes::Review).unwrap();
    bench.reopen();
    let done = rename(&bench, Writes::Allow).unwrap();
    assert_eq!((done.id, done.operation.unwrap().state), (proposed.id, OpState::Done));
    assert!(bench.read("Kit.md").starts_with("Probes: [[Glacier#Instruments]]"));
    let again = rename(&bench, Writes::Allow).unwrap();
    assert_eq!((again.id, again.replayed), (proposed.id, true));

    // What was proposed on another text is not done to this one.
    let bench = Bench::new(GLACIER);
    rename(&bench, Writes::Review).unwrap();
    bench.write("Glacier.md", "# Glacier\n\n## Old tools\n\nMore.\n");
    let before = bench.files();
    assert!(matches!(rename(&bench, Writes::Allow), Err(ProposeError::Conflict { .. })));
    assert_eq!(bench.files(), before);
}

#[test]
fn a_wrong_hash_is_a_conflict_with_the_current_one() {
    let bench = Bench::new(GLACIER);
    let desk = bench.desk(Writes::Allow);
    let hash = desk.note(&NoteRef::Path("Glacier".to_owned())).unwrap().text.hash();
    bench.write("Glacier.md", "# Glacier\n\n## Old tools\n\nmore\n");
    let intent = Intent::RenameSection {
        path: rel("Glacier.md"),
        at: SectionRef::Heading { text: "Old tools".to_owned(), level: None, nth: None },
        new_heading: "New".to_owned(),
        update_links: true,
        allow_h1: false,
    };
    let request = Request { expect: Some(hash), ..Request::default() };
    match desk.propose(intent, request) {
        Err(ProposeError::Conflict { current, .. }) => {
            assert_eq!(current, note::ContentHash::of(bench.read("Glacier.md").as_bytes()))
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_outside_edit_arrives_as_an_event_and_becomes_a_version() {
    let bench = Bench::new(GLACIER);
    let events = bench.engine.subscribe();
    bench.write("Kit.md", "rewritten elsewhere\n");
    await_event(
        &events,
        |event| matches!(event, Event::NotesChanged { changed, .. } if changed.iter().any(|c| c.path == "Kit.md")),
    );
    let history = bench.engine.history(&rel("Kit.md"));
    assert_eq!((history[0].actor.clone(), history[0].restorable, history[0].is_current), (Actor::Disk, true, true));
    assert_eq!(
        bench.engine.view().search(&engine::Query { text: "elsewhere".to_owned(), ..Default::default() }).hits[0].path,
        "Kit.md"
    );
}

#[test]
fn a_save_on_old_bytes_hands_back_what_is_on_disk() {
    let bench = Bench::new("//- /a.md\none\ntwo\n");
    let base = note::ContentHash::of(b"one\ntwo\n");
    bench.write("a.md", "zero\none\ntwo\n");
    match bench.engine.save(&rel("a.md"), base, "one\ntwo\nthree\n".to_owned()).unwrap() {
        Saved::Stale { hash, text } => {
            assert_eq!(text, "zero\none\ntwo\n");
            let saved =
                bench.engine.save(&rel("a.md"), hash.parse().unwrap(), "zero\none\ntwo\nthree\n".to_owned()).unwrap();
            assert!(matches!(saved, Saved::Saved { changed: true, .. }));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(bench.read("a.md"), "zero\none\ntwo\nthree\n");
}

#[test]
fn a_save_keeps_the_line_endings_it_did_not_touch() {
    let bench = Bench::new("//- /a.md\nplaceholder\n");
    bench.write("a.md", "\u{feff}one\r\ntwo\nthree\r\n");
    let base = note::ContentHash::of("\u{feff}one\r\ntwo\nthree\r\n".as_bytes());
    bench.engine.save(&rel("a.md"), base, "one\ntwo\nthree!\n".to_owned()).unwrap();
    assert_eq!(bench.read("a.md"), "\u{feff}one\r\ntwo\nthree!\r\n");
}

#[test]
fn typing_folds_into_one_version_and_a_version_can_be_restored() {
    let bench = Bench::new("//- /a.md\none\n");
    let mut base = note::ContentHash::of(b"one\n");
    for text in ["one two\n", "one two three\n"] {
        let Saved::Saved { hash, .. } = bench.engine.save(&rel("a.md"), base, text.to_owned()).unwrap() else {
            panic!()
        };
        base = hash.parse().unwrap();
    }
    let id = bench.engine.carry(Intent::CreateNote { path: rel("new/b.md"), text: "b\n".to_owned() }).unwrap().id;
    assert_eq!(bench.read("new/b.md"), "b\n");
    bench.engine.undo(id.parse().unwrap()).unwrap();
    assert!(!bench.root().join("new/b.md").exists());

    let history = bench.engine.history(&rel("a.md"));
    let kinds: Vec<_> = history.iter().map(|version| version.kind.as_str()).collect();
    assert_eq!(kinds, ["save_text", "as_found"]);
    assert_eq!(bench.engine.version_text(&rel("a.md"), &history[0].id).unwrap(), "one two three\n");
    let restored = bench.engine.restore(&rel("a.md"), &history[1].id).unwrap();
    assert_eq!(bench.read("a.md"), "one\n");
    bench.engine.undo(restored.id.parse().unwrap()).unwrap();
    assert_eq!(bench.read("a.md"), "one two three\n");
}

#[test]
fn allowed_writes_are_committed_at_once_and_off_refuses() {
    let bench = Bench::new(GLACIER);
    let intent = |new: &str| Intent::RenameSection {
        path: rel("Glacier.md"),
        at: SectionRef::Heading { text: "Old tools".to_owned(), level: None, nth: None },
        new_heading: new.to_owned(),
        update_links: true,
        allow_h1: false,
    };
    assert!(matches!(bench.desk(Writes::Off).propose(intent("X"), Request::default()), Err(ProposeError::WritesOff)));
    let done = bench.desk(Writes::Allow).propose(intent("New"), Request::default()).unwrap();
    let operation = done.operation.unwrap();
    assert_eq!((operation.state, operation.decided_by.as_deref()), (OpState::Done, Some("allowed")));
    assert_eq!(done.content_hash, Some(note::ContentHash::of(bench.read("Glacier.md").as_bytes())));
    assert_eq!(bench.read("Kit.md"), "Probes: [[Glacier#New]] and `[[Glacier#Old tools]]`.\n");
}

#[test]
fn ids_do_not_need_the_index_and_follow_a_move() {
    let mut bench = Bench::new(GLACIER);
    let id = |bench: &Bench, path: &str| bench.engine.view().note(&NoteRef::Path(path.to_owned())).unwrap().id;
    let kit = id(&bench, "Kit.md");
    bench.engine.close();
    std::fs::remove_dir_all(bench.dir.path().join("state/index")).unwrap();
    bench.reopen();
    assert_eq!(id(&bench, "Kit.md"), kit);
    std::fs::rename(bench.root().join("Kit.md"), bench.root().join("deep/Kit 2.md")).unwrap();
    bench.engine.catch_up();
    assert_eq!(id(&bench, "deep/Kit 2.md"), kit);
    bench.reopen();
    assert_eq!(id(&bench, "deep/Kit 2.md"), kit);
}

#[test]
fn an_agents_read_waits_for_what_a_person_just_typed() {
    let bench = Bench::new("//- /a.md\none\n");
    let events = bench.engine.subscribe();
    bench.engine.editing(&rel("a.md"), true);
    let engine = bench.engine.clone();
    let window = std::thread::spawn(move || {
        await_event(&events, |event| matches!(event, Event::FlushWanted { path } if path == "a.md"));
        engine.save(&rel("a.md"), note::ContentHash::of(b"one\n"), "one, typed\n".to_owned()).unwrap();
        engine.editing(&rel("a.md"), false);
    });
    let open = bench.desk(Writes::Review).note(&NoteRef::Path("a.md".to_owned())).unwrap();
    assert_eq!(open.text.as_str(), "one, typed\n");
    window.join().unwrap();
}

#[test]
fn sections_quotes_and_properties_change_nothing_else() {
    use engine::SectionEdit;
    let bench = Bench::new(
        "//- /a.md\n---\nkey: 1 # kept\n---\n# A\n\n## B\nold\n\n### B child\nx\n\n## C\nc\n//- /l.md\n[[a#B]] [[a#B child]]\n",
    );
    let desk = bench.desk(Writes::Allow);
    let at = |text: &str| SectionRef::Heading { text: text.to_owned(), level: None, nth: None };
    let section = |of: &str, edit: SectionEdit| Intent::EditSection { path: rel("a.md"), at: at(of), edit };
    let patch = SectionEdit::Patch { content: "new $1".to_owned(), include_children: false };
    desk.propose(section("B", patch), Request::default()).unwrap();
    let quote = note::FindReplace { find: "c\n".to_owned(), replace: "d\n".to_owned(), expected_count: 1 };
    assert!(matches!(
        desk.propose(
            Intent::EditText {
                path: rel("a.md"),
                edits: vec![note::FindReplace { expected_count: 9, ..quote.clone() }]
            },
            Request::default()
        ),
        Err(ProposeError::Plan(engine::PlanError::Text { .. }))
    ));
    desk.propose(Intent::EditText { path: rel("a.md"), edits: vec![quote] }, Request::default()).unwrap();
    let set = serde_json::json!({"due": "14:30"}).as_object().unwrap().clone();
    desk.propose(Intent::SetProperties { path: rel("a.md"), set, remove: Vec::new() }, Request::default()).unwrap();
    assert_eq!(
        bench.read("a.md"),
        "---\nkey: 1 # kept\ndue: \"14:30\"\n---\n# A\n\n## B\nnew $1\n\n### B child\nx\n\n## C\nd\n"
    );
    let gone = desk.propose(section("B", SectionEdit::Delete), Request::default()).unwrap();
    assert_eq!(bench.read("a.md"), "---\nkey: 1 # kept\ndue: \"14:30\"\n---\n# A\n\n## C\nd\n");
    let warnings = gone.summary.warnings.join("\n");
    assert!(warnings.contains("`B child`") && warnings.contains("`l.md` line 1"), "{warnings}");
}

#[test]
fn undo_keeps_what_was_written_elsewhere_since_and_refuses_where_both_meet() {
    let bench = Bench::new(GLACIER);
    let id = bench.rename("Glacier.md", "Old tools", "Instruments", None).unwrap().id;
    bench.approve(id).unwrap();
    bench.write("Kit.md", "Probes: [[Glacier#Instruments]] and `[[Glacier#Old tools]]`.\n\nWritten since.\n");
    bench.write("deep/Daily.md", "Written since.\n");
    let met = bench.engine.undo(id);
    let paths = [rel("deep/Daily.md")];
    assert!(
        matches!(met, Err(DecideError::Blocked(engine::PlanError::ChangedSince { paths: ref met })) if *met == paths),
        "{met:?}"
    );
    assert_eq!(bench.read("Glacier.md"), "# Glacier\n\n## Instruments\n\nSee [[#Instruments|here]].\n");
    bench.write("deep/Daily.md", "First.\n\n![[Glacier#Glacier#Instruments]]\n");
    bench.engine.undo(id).unwrap();
    assert_eq!(bench.read("Glacier.md"), "# Glacier\n\n## Old tools\n\nSee [[#Old tools|here]].\n");
    assert_eq!(bench.read("Kit.md"), "Probes: [[Glacier#Old tools]] and `[[Glacier#Old tools]]`.\n\nWritten since.\n");
    assert_eq!(bench.read("deep/Daily.md"), "First.\n\n![[Glacier#Glacier#Old tools]]\n");
}

#[test]
fn a_moved_note_keeps_its_id_and_its_links_and_undo_brings_it_back() {
    use engine::Wish;
    let bench = Bench::new(
        "//- /Kit.md\n[r](deep/Daily.md)\n//- /deep/Daily.md\nSee [[Kit]], [[Kit#x|k]] and `[[Kit]]`.\n//- /Plan.canvas\n{\"nodes\":[{\"id\":\"a\",\"type\":\"file\",\"file\":\"Kit.md\"}]}\n",
    );
    let before = bench.files();
    let id = |path: &str| bench.engine.view().note(&NoteRef::Path(path.to_owned())).unwrap().id;
    let kit = id("Kit.md");
    let wish = Wish::MoveNote { path: "Kit.md".to_owned(), to: "gear/Kit list.md".to_owned() };
    let shown = bench.engine.preview(&wish).unwrap();
    assert_eq!(bench.files(), before);
    assert_eq!(shown.summary.new_path.as_deref(), Some("gear/Kit list.md"));
    let done = bench.engine.grant(&wish, Some(PlanDigest(shown.digest))).unwrap();
    assert_eq!(bench.read("deep/Daily.md"), "See [[Kit list]], [[Kit list#x|k]] and `[[Kit]]`.\n");
    assert!(bench.read("Plan.canvas").contains("\"file\":\"gear/Kit list.md\""), "{}", bench.read("Plan.canvas"));
    assert!(!bench.root().join("Kit.md").exists());
    assert_eq!(id("gear/Kit list.md"), kit);
    bench.engine.undo(done.id.parse().unwrap()).unwrap();
    assert_eq!(bench.files(), before);
    let taken = Wish::MoveNote { path: "Kit.md".to_owned(), to: "deep/daily.md".to_owned() };
    assert!(matches!(bench.engine.preview(&taken), Err(DecideError::Blocked(engine::PlanError::PathTaken { .. }))));
}

#[test]
fn a_deleted_note_goes_where_the_vault_says_and_can_be_had_back() {
    use engine::Wish;
    let bench = Bench::new("//- /a.md\none\n//- /b.md\n[[a]]\n//- /.obsidian/app.json\n{\"trashOption\":\"local\"}\n");
    let before = bench.files();
    let wish = Wish::DeleteNote { path: "a.md".to_owned() };
    let warnings = bench.engine.preview(&wish).unwrap().summary.warnings;
    assert_eq!(warnings, ["1 link to it in 1 note will lead nowhere: `b.md`"]);
    let done = bench.engine.grant(&wish, None).unwrap();
    assert!(!bench.root().join("a.md").exists());
    assert_eq!(bench.read(".trash/a.md"), "one\n");
    bench.engine.undo(done.id.parse().unwrap()).unwrap();
    assert_eq!(bench.files(), before);
    bench.write(".obsidian/app.json", "{}");
    bench.engine.grant(&wish, None).unwrap();
    assert!(!bench.root().join("a.md").exists() && !bench.root().join(".trash").join("a.md").exists());
}

#[test]
fn a_person_may_rename_the_first_heading_and_only_what_was_shown_happens() {
    use engine::Wish;
    let bench = Bench::new(GLACIER);
    let wish = Wish::RenameHeading { path: "Glacier.md".to_owned(), index: 0, new_heading: "Ice".to_owned() };
    let shown = bench.engine.preview(&wish).unwrap();
    bench.write("Other.md", "[[Glacier#Glacier]]\n");
    assert!(matches!(bench.engine.grant(&wish, Some(PlanDigest(shown.digest))), Err(DecideError::Changed)));
    bench.engine.grant(&wish, None).unwrap();
    assert_eq!(bench.read("Other.md"), "[[Glacier#Ice]]\n");
    assert_eq!(bench.read("deep/Daily.md"), "![[Glacier#Ice#Old tools]]\n");
}

#[test]
fn the_index_may_be_deleted_at_any_time() {
    let bench = Bench::new(GLACIER);
    let index = bench.dir.path().join("state/index");
    for n in 0..3 {
        std::fs::remove_dir_all(&index).unwrap();
        bench.write("Other.md", &format!("outside {n}\n"));
        let base = note::ContentHash::of(bench.read("Kit.md").as_bytes());
        let text = format!("typed {n} [[Glacier#Old tools]]\n");
        assert!(matches!(bench.engine.save(&rel("Kit.md"), base, text.clone()), Ok(Saved::Saved { .. })));
        assert_eq!(bench.read("Kit.md"), text);
        bench.engine.catch_up();
        bench.engine.catch_up();
        let hits = bench.engine.view().search(&engine::Query { text: format!("\"typed {n}\""), ..Default::default() });
        assert_eq!(hits.hits.len(), 1, "{hits:?}");
    }
    let done = bench.desk(Writes::Allow).propose(
        Intent::RenameSection {
            path: rel("Glacier.md"),
            at: SectionRef::Heading { text: "Old tools".to_owned(), level: None, nth: None },
            new_heading: "New".to_owned(),
            update_links: true,
            allow_h1: false,
        },
        Request::default(),
    );
    assert_eq!(done.unwrap().summary.n_notes, 3);
    assert_eq!(bench.read("Kit.md"), "typed 2 [[Glacier#New]]\n");
}

#[cfg(unix)]
#[test]
fn a_note_has_one_path_however_many_names_lead_to_it() {
    let bench = Bench::new(
        "//- /plain.md\n# P\n\n## S\n//- /d/deep.md\n## S\n//- /l.md\n[[plain#S]] [[inlink#S]] [[d/deep#S]]\n",
    );
    let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, bench.root().join(at)).unwrap();
    link("plain.md", "inlink.md");
    link("d", "dirlink");
    std::fs::hard_link(bench.root().join("l.md"), bench.root().join("twin.md")).unwrap();
    bench.engine.catch_up();
    let rename = |path: &str, new: &str| {
        let at = SectionRef::Heading { text: "S".to_owned(), level: None, nth: None };
        let path = bench.desk(Writes::Allow).locate(&NoteRef::Path(path.to_owned())).unwrap();
        let new_heading = new.to_owned();
        let intent = Intent::RenameSection { path, at, new_heading, update_links: true, allow_h1: false };
        bench.desk(Writes::Allow).propose(intent, Request::default()).unwrap()
    };
    assert_eq!(rename("inlink.md", "T").lead, rel("plain.md"));
    assert_eq!(bench.read("l.md"), "[[plain#T]] [[inlink#T]] [[d/deep#S]]\n");
    assert_eq!(rename("dirlink/deep.md", "U").lead, rel("d/deep.md"));
    assert_eq!(bench.read("l.md"), "[[plain#T]] [[inlink#T]] [[d/deep#U]]\n");
    assert_eq!(bench.read("twin.md"), bench.read("l.md"));
    assert!(bench.root().join("inlink.md").is_symlink());
    assert!(bench.engine.history(&rel("plain.md")).iter().any(|version| version.kind == "rename_section"));
}

#[cfg(unix)]
#[test]
fn what_cannot_be_read_is_named_and_not_called_gone() {
    use std::os::unix::ffi::OsStrExt;
    let bench = Bench::new(GLACIER);
    let bad = bench.root().join(std::ffi::OsStr::from_bytes(b"bad\xff.md"));
    std::fs::write(bad, "[[Glacier#Old tools]]").unwrap();
    let proposed = bench.rename("Glacier.md", "Old tools", "New", None).unwrap();
    let warnings = proposed.summary.warnings.join("\n");
    assert!(warnings.contains("could not be read") && warnings.contains("bad"), "{warnings}");
    assert!(bench.engine.info().health.iter().any(|notice| notice.message.contains("could not be read")));
    assert_eq!(bench.engine.info().n_notes, 4);
}
