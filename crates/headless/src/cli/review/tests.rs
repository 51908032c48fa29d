use super::*;
use crate::cli::VaultArg;
use crate::cli::interrupted_tests::Interrupted;
use crate::control::{self, Control, Role};
use crate::{owner, vaults};

const PLAIN: Paint = Paint::PLAIN;

fn finish(there: &Interrupted) -> ReviewCommand {
    ReviewCommand::Finish { id: there.id.clone(), vault: VaultArg { vault: there.vault.clone() } }
}

fn undo(there: &Interrupted) -> ReviewCommand {
    ReviewCommand::Undo { id: there.id.clone(), vault: VaultArg { vault: there.vault.clone() } }
}

fn state(reach: &mut Reach, id: &str) -> OpState {
    let operations: Vec<OperationView> = reach.ask(Request::Operations).unwrap();
    operations.iter().find(|operation| operation.id == id).unwrap().state
}

#[test]
fn what_was_interrupted_is_listed_with_its_files_and_the_way_out() {
    let there = Interrupted::new();
    let mut reach = Reach::find(&there.store, &there.vault).unwrap();
    let operations: Vec<OperationView> = reach.ask(Request::Operations).unwrap();
    let [operation] = &operations[..] else { panic!("{operations:?}") };
    let text = listed(operation, PLAIN);
    for part in ["interrupted\n", "    a.md\n", "    b.md\n", "half-way", "review finish", "review undo"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let review: Review = reach.ask(Request::Review { id: there.id.clone() }).unwrap();
    assert!(written(&review, PLAIN).contains("review finish"));
    reach.close();
}

#[test]
fn it_is_finished_or_taken_back_and_only_once() {
    let ends = [
        (true, "# A\n\n## New\n\ntheirs\n", "[[a#New]]\n", OpState::Done),
        (false, "# A\n\n## Old\n\ntheirs\n", "[[a#Old]]\n", OpState::Undone),
    ];
    for (finishes, a, b, then) in ends {
        let there = Interrupted::new();
        let what = || if finishes { finish(&there) } else { undo(&there) };
        let mut reach = Reach::find(&there.store, &there.vault).unwrap();
        assert_eq!(decide(&mut reach, what()).unwrap(), DONE);
        assert_eq!((there.read("a.md").as_str(), there.read("b.md").as_str()), (a, b));
        assert_eq!(state(&mut reach, &there.id), then);
        assert!(decide(&mut reach, what()).unwrap_err().message.contains("decided already"));
        reach.close();
    }
}

#[test]
fn approving_or_declining_it_names_the_way_out() {
    let there = Interrupted::new();
    let mut reach = Reach::find(&there.store, &there.vault).unwrap();
    let vault = || VaultArg { vault: there.vault.clone() };
    let (id, lower) = (there.id.clone(), there.id.to_lowercase());
    let approve = ReviewCommand::Approve { id: Some(id), all: false, yes: true, vault: vault() };
    let decline = ReviewCommand::Decline { id: lower, comment: None, vault: vault() };
    for what in [approve, decline] {
        let stop = decide(&mut reach, what).unwrap_err();
        assert!(stop.message.contains("interrupted"), "{stop:?}");
        assert!(stop.hint.contains("review finish") && stop.hint.contains("review undo"), "{stop:?}");
    }
    assert_eq!(state(&mut reach, &there.id), OpState::Interrupted);
    reach.close();
}

#[test]
fn the_owner_settles_it_when_it_is_open_elsewhere() {
    let there = Interrupted::new();
    let folder = vaults::locate(&there.store, &there.vault).unwrap();
    let engine = owner::open(&there.store, &folder).unwrap();
    engine.catch_up();
    let (answering, socket) = (engine.clone(), there.store.sockets(&folder.key).control);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let answer = move |line: &_| control::answer(&answering, Role::Window, line, || false);
    let _control = runtime.block_on(async { Control::start(&socket, answer) }).unwrap();
    let mut reach = Reach::find(&there.store, &there.vault).unwrap();
    assert!(matches!(reach, Reach::There(_)));
    assert_eq!(decide(&mut reach, finish(&there)).unwrap(), DONE);
    assert_eq!(there.read("a.md"), "# A\n\n## New\n\ntheirs\n");
    assert_eq!(state(&mut reach, &there.id), OpState::Done);
    engine.close();
}
