//! A real process that really ends: this test starts itself again, to die at a named point.

use std::process::Command;

use super::*;
use crate::SettledOutcome;

const FILES: &[(&str, &str)] = &[("a.md", "A"), ("b.md", "B"), ("c.md", "C")];
const STEPS: &[Asked<'static>] = &[
    ("a.md", Some("A"), Some("A2")),
    ("x/b.md", None, Some("B")),
    ("b.md", Some("B"), None),
    ("c.md", Some("C"), None),
    ("n.md", None, Some("N")),
];

/// Runs only in the process that is to die.
#[test]
fn child() {
    let Ok(dir) = std::env::var("VIDIMUS_TEST_CRASH_DIR") else {
        return;
    };
    let dir = PathBuf::from(dir);
    let (mut vault, _) =
        Vault::open(&dir.join("vault"), StateDir::new(dir.join("state/of/it")), Arc::new(RealDisk)).unwrap();
    vault.commit(change(1, STEPS)).unwrap();
}

#[test]
fn a_process_that_dies_at_a_named_point_is_all_or_none() {
    let before = files(FILES);
    let after = files(&[("a.md", "A2"), ("x/b.md", "B"), ("n.md", "N")]);
    let points = [
        ("blobs:1", &before),
        ("begun:1", &after),
        ("temp:1", &after),
        ("temp:2", &after),
        ("swap:1", &after),
        ("look:1", &after),
        ("swap:2", &after),
        ("swap:3", &after),
        ("swap:4", &after),
        ("look:2", &after),
        ("syncdir:1", &after),
        ("done:1", &after),
    ];
    for (point, expected) in points {
        let world = World::new(FILES);
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "tests::crashes::child"])
            .env("VIDIMUS_TEST_CRASH_DIR", world.dir.path())
            .env("VIDIMUS_CRASH_AT", point)
            .output()
            .unwrap()
            .status;
        assert!(!status.success(), "nothing happened at {point}");
        let (vault, settled) = world.open();
        assert!(settled.iter().all(|settled| settled.outcome == SettledOutcome::Done), "{point}");
        assert_eq!(vault.interrupted(), []);
        drop(vault);
        assert_eq!(world.files(), *expected, "{point}");
    }
}
