//! The history grows old: it takes less, and what a person or an agent may still ask for is there.

use crate::bench::{Bench, PATIENCE, rel};
use engine::{Decision, OpState, PlanDigest, Saved, Version};
use note::ContentHash;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

impl Bench {
    fn journal(&self) -> PathBuf {
        self.dir.path().join("state/journal.jsonl")
    }

    /// Moves what the journal tells into the past: each line by as much as `age_ms` says of it.
    fn grow_old(&self, age_ms: impl Fn(usize) -> u64) {
        let mut old = String::new();
        for (n, line) in std::fs::read_to_string(self.journal()).unwrap().lines().enumerate() {
            let record = line.split_once("\"record\":").unwrap().1.strip_suffix('}').unwrap();
            let mut record: serde_json::Value = serde_json::from_str(record).unwrap();
            for time in ["at_ms", "done_at_ms"] {
                if let Some(at_ms) = record[time].as_u64() {
                    record[time] = (at_ms - age_ms(n)).into();
                }
            }
            let record = record.to_string();
            let sum = &ContentHash::of(record.as_bytes()).to_string()[..16];
            old += &format!("{{\"blake3\":\"{sum}\",\"record\":{record}}}\n");
        }
        std::fs::write(self.journal(), old).unwrap();
    }

    fn type_into(&self, path: &str, texts: impl Iterator<Item = String>) {
        for text in texts {
            let base = ContentHash::of(self.read(path).as_bytes());
            assert!(matches!(self.engine.save(&rel(path), base, text), Ok(Saved::Saved { changed: true, .. })));
        }
    }

    /// Waits until the journal was rewritten. Nothing tells of that: it concerns nobody.
    fn wait_for_housekeeping(&self) {
        let (len, end) = (|| std::fs::metadata(self.journal()).unwrap().len(), Instant::now() + PATIENCE);
        let before = len();
        while len() >= before {
            assert!(Instant::now() < end, "the journal is still as long as before");
            std::thread::sleep(Duration::from_millis(20));
        }
        // Whatever is asked from now on is answered after it.
        self.engine.catch_up();
    }
}

/// How long ago noon was some days before today, UTC: what is typed in an hour from then on is of one day, whenever the
/// test runs.
fn days_before_noon(days: u64) -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let of_day = u64::try_from(now.as_millis()).unwrap() % DAY_MS;
    days * DAY_MS + of_day - DAY_MS / 2
}

fn assert_chain(newest_first: &[Version]) {
    for two in newest_first.windows(2) {
        assert_eq!(two[0].before_hash, two[1].after_hash, "{two:#?}");
    }
}

#[test]
fn old_typing_takes_little_and_what_waits_is_still_there() {
    let mut bench = Bench::new("//- /a.md\n# A\n\n## Old\n\n0\n//- /b.md\n[[a#Old]]\n");
    let text = |n: usize| format!("# A\n\n## Old\n\n{n}\n");
    bench.type_into("a.md", (1..=60).map(text));
    let waiting = bench.rename("a.md", "Old", "New", Some("wait")).unwrap();
    let approved = bench.rename("b.md", "b", "c", None);
    assert!(approved.is_err(), "b.md has no heading");
    let before = bench.engine.history(&rel("a.md"));
    bench.engine.close();
    // A save every minute, two months ago; the proposal is of today.
    let day = days_before_noon(60);
    bench.grow_old(|line| if line < 120 { day - (line as u64 / 2) * 60_000 } else { 0 });
    bench.reopen();
    bench.wait_for_housekeeping();

    let history = bench.engine.history(&rel("a.md"));
    assert_chain(&history);
    // What was typed on one day two months ago is one version now; beside it stands the text that was found.
    assert_eq!(history.len(), 2, "{history:#?}");
    assert!(history.iter().all(|version| version.restorable && !version.can_undo));
    assert_eq!(history[0].after_hash, before[0].after_hash);
    assert_eq!(bench.engine.version_text(&rel("a.md"), "as-found").unwrap(), text(0));

    let again = bench.rename("a.md", "Old", "New", Some("wait")).unwrap();
    assert_eq!((again.id, again.replayed), (waiting.id, true));
    let seen = PlanDigest(bench.engine.review(waiting.id).unwrap().digest.unwrap());
    let done = bench.engine.decide(waiting.id, Decision::Approve { seen }).unwrap();
    assert_eq!((done.state, done.can_undo), (OpState::Done, true));
    bench.engine.undo(waiting.id).unwrap();
    bench.engine.restore(&rel("a.md"), "as-found").unwrap();
    assert_eq!(bench.read("a.md"), text(0));
    assert_eq!(bench.read("b.md"), "[[a#Old]]\n");
}

#[test]
fn recent_typing_is_a_version_for_every_five_minutes() {
    let mut bench = Bench::new("//- /a.md\n0\n");
    bench.type_into("a.md", (1..=60).map(|n| format!("{n}\n")));
    bench.engine.close();
    bench.grow_old(|line| DAY_MS - (line as u64 / 2) * 60_000);
    bench.reopen();
    let shown = bench.engine.history(&rel("a.md"));
    bench.wait_for_housekeeping();
    let history = bench.engine.history(&rel("a.md"));
    assert_chain(&history);
    // Five or six saves, a minute and a little apart, lie within five minutes.
    assert!((11..=13).contains(&history.len()), "{}", history.len());
    let what = |versions: &[Version]| {
        versions.iter().map(|version| (version.id.clone(), version.before_hash.clone())).collect::<Vec<_>>()
    };
    assert_eq!(what(&history), what(&shown), "what is kept is what was shown");
    for version in &history {
        assert!(version.restorable);
        bench.engine.version_text(&rel("a.md"), &version.id).unwrap();
    }
    // A new save does not grow into what was folded.
    bench.type_into("a.md", ["new\n".to_owned()].into_iter());
    assert_eq!(bench.engine.history(&rel("a.md")).len(), history.len() + 1);
}
