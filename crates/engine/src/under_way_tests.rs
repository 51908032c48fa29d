//! What is told of a proposal while it is being written, seen from another thread at every call to the disk.

use crate::{Decision, Engine, Intent, OpState, OpenVault, PlanDigest, Request, Writes};
use note::{RelPath, SectionRef};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use vault::OpId;
use vault::fault::FaultDisk;

fn opened(disk: &Arc<FaultDisk>, root: &Path, state: &Path) -> Engine {
    let (root, state, name, vault_key) = (root.to_owned(), state.to_owned(), "v".to_owned(), "key".to_owned());
    let cfg = OpenVault { root, state, name, vault_key, system_trash: None };
    let engine = Engine::open_on(disk.clone(), cfg).unwrap();
    engine.catch_up();
    engine
}

fn rename() -> Intent {
    Intent::RenameSection {
        path: RelPath::new("Kit.md").unwrap(),
        at: SectionRef::Heading { text: "Old tools".to_owned(), level: None, nth: None },
        new_heading: "Tools".to_owned(),
        update_links: true,
        allow_h1: false,
    }
}

/// Approves a rename over three notes, and returns in which states the operation was seen meanwhile, in short.
fn seen_while_approved(is_read_only: bool) -> (Vec<String>, OpState) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("vault");
    std::fs::create_dir(&root).unwrap();
    std::fs::write(root.join("Kit.md"), "# Kit\n\n## Old tools\n").unwrap();
    for name in ["A.md", "B.md"] {
        std::fs::write(root.join(name), "[[Kit#Old tools]]\n").unwrap();
    }
    let disk = Arc::new(FaultDisk::new());
    let engine = Arc::new(opened(&disk, &root, &dir.path().join("state")));
    let proposed = engine.desk("agent", Writes::Review).propose(rename(), Request::default()).unwrap();
    let id: OpId = proposed.id;
    let digest = engine.review(id).unwrap().digest.unwrap();

    let seen = Arc::new(Mutex::new(Vec::new()));
    let looks = Arc::new(AtomicBool::new(false));
    let first = disk.n_calls();
    for nth in first..first + 40_000 {
        let (engine, seen, looks) = (engine.clone(), seen.clone(), looks.clone());
        disk.before(nth, move || {
            if looks.swap(true, Ordering::SeqCst) {
                return;
            }
            let told = engine.operation(id).unwrap();
            let review = engine.review(id).unwrap();
            let listed = engine.operations().into_iter().filter(|one| one.id == told.id).count();
            seen.lock().unwrap().push(format!(
                "{:?} {:?}, review {:?} {:?}, listed {listed}",
                told.state, told.readiness, review.operation.state, review.operation.readiness
            ));
            looks.store(false, Ordering::SeqCst);
        });
    }
    disk.set_read_only(is_read_only.then_some(&root));
    let decided = engine.decide(id, Decision::Approve { seen: PlanDigest(digest) });
    assert_eq!(decided.is_err(), is_read_only, "{decided:?}");
    looks.store(true, Ordering::SeqCst);
    let mut seen = seen.lock().unwrap().clone();
    seen.dedup();
    (seen, engine.operation(id).unwrap().state)
}

#[test]
fn a_proposal_that_is_being_written_is_never_told_of_as_blocked() {
    let ready = "Proposed Some(Ready), review Proposed Some(Ready), listed 1".to_owned();
    let begun = "Begun None, review Begun None, listed 1".to_owned();
    let done = "Done None, review Done None, listed 1".to_owned();
    assert_eq!(seen_while_approved(false), (vec![ready.clone(), begun.clone(), done], OpState::Done));
    // What could not be written waits for a decision as before.
    assert_eq!(seen_while_approved(true), (vec![ready.clone(), begun, ready], OpState::Proposed));
}

#[test]
fn who_proposes_is_told_that_a_proposal_is_not_kept_for_good() {
    let dir = tempfile::tempdir().unwrap();
    let (root, state) = (dir.path().join("vault"), dir.path().join("state"));
    std::fs::create_dir(&root).unwrap();
    std::fs::write(root.join("Kit.md"), "# Kit\n\n## Old tools\n").unwrap();
    let disk = Arc::new(FaultDisk::new());
    let engine = opened(&disk, &root, &state);
    let propose = || engine.desk("agent", Writes::Review).propose(rename(), Request::default()).unwrap();
    let said = |warnings: &[String]| warnings.iter().any(|warning| warning.contains("only until the program"));
    assert!(!said(&propose().summary.warnings));
    disk.set_read_only(Some(&state));
    let proposed = propose();
    assert!(said(&proposed.summary.warnings), "{:?}", proposed.summary);
    assert_eq!(engine.operation(proposed.id).unwrap().state, OpState::Proposed);
    disk.set_read_only(None);
    assert!(!said(&propose().summary.warnings));
}
