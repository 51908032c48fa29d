//! The state folder is gone or cannot be written: the notes stay readable, and nothing is lost.

use crate::bench::{Bench, PATIENCE, rel};
use engine::{DecideError, Decision, Engine, Event, Intent, NoteRef, OpenVault, PlanDigest, Saved};
use note::ContentHash;
use std::time::Duration;

#[cfg(target_os = "linux")]
#[test]
fn a_vault_whose_state_cannot_be_written_can_be_read_and_searched() {
    let bench = Bench::new("//- /a.md\n# A\n\n[[b]] and words\n//- /b.md\nb\n");
    bench.engine.close();
    let before = bench.files();
    let engine = Engine::open(OpenVault {
        root: bench.root(),
        // Nobody can make a folder there, not even root.
        state: "/proc/vidimus/state".into(),
        name: "Test".to_owned(),
        vault_key: "key".to_owned(),
        system_trash: None,
    })
    .unwrap();
    assert!(engine.wait_indexed(PATIENCE));
    let info = engine.info();
    let reason = info.read_only.unwrap();
    assert!(reason.contains("/proc/vidimus/state") && reason.contains("make it writable"), "{reason}");
    assert!(info.health.iter().any(|notice| notice.message.contains(&reason)), "{:?}", info.health);
    let open = engine.open_note(&NoteRef::Path("a.md".to_owned())).unwrap();
    assert_eq!(open.writable, Err(reason.clone()));
    let hits = engine.view().search(&engine::Query { text: "words".to_owned(), ..Default::default() });
    assert_eq!(hits.hits.len(), 1);
    assert_eq!(engine.view().backlinks(&rel("b.md")).len(), 1);

    let saved = engine.save(&rel("a.md"), open.text.hash(), "new\n".to_owned());
    let said = format!("{:?}", saved.unwrap_err());
    assert!(said.contains("make it writable"), "{said}");
    let made = engine.carry(Intent::CreateNote { path: rel("c.md"), text: "c".to_owned() });
    assert!(matches!(made, Err(DecideError::Blocked(_))), "{made:?}");
    // What other programs write is seen all the same.
    bench.write("b.md", "other words\n");
    engine.catch_up();
    let hits = engine.view().search(&engine::Query { text: "words".to_owned(), ..Default::default() });
    assert_eq!(hits.hits.len(), 2);
    engine.close();
    bench.write("b.md", "b\n");
    assert_eq!(bench.files(), before);
}

#[cfg(unix)]
#[test]
fn the_state_folder_may_be_removed_while_the_vault_is_open() {
    let mut bench = Bench::new("//- /a.md\n# A\n\n## Old\n//- /b.md\n[[a#Old]]\n");
    let waiting = bench.rename("a.md", "Old", "New", None).unwrap();
    let events = bench.engine.subscribe();
    std::fs::remove_dir_all(bench.dir.path().join("state")).unwrap();
    let other = Engine::open(OpenVault {
        root: bench.root(),
        state: bench.dir.path().join("state"),
        name: "Test".to_owned(),
        vault_key: "key".to_owned(),
        system_trash: None,
    });
    assert!(other.err().unwrap().is_locked());

    let base = ContentHash::of(bench.read("b.md").as_bytes());
    let saved = bench.engine.save(&rel("b.md"), base, "[[a#Old]] more\n".to_owned());
    assert!(matches!(saved, Ok(Saved::Saved { changed: true, .. })), "{saved:?}");
    loop {
        let event = events.recv_timeout(PATIENCE).expect("the person is told");
        let Event::Health { notices } = event else { continue };
        if notices.iter().any(|notice| notice.message.contains("state folder was removed")) {
            break;
        }
    }
    // The proposal outlives it, over a restart too.
    bench.reopen();
    assert!(bench.engine.wait_indexed(Duration::from_secs(20)));
    let seen = PlanDigest(bench.engine.review(waiting.id).unwrap().digest.unwrap());
    bench.engine.decide(waiting.id, Decision::Approve { seen }).unwrap();
    assert_eq!(bench.read("b.md"), "[[a#New]] more\n");
    let history = bench.engine.history(&rel("b.md"));
    assert!(history.iter().all(|version| version.restorable), "{history:#?}");
}
