//! What a commit costs, beside a bare write, fsync and rename of the same files in the same run.
//!
//! `cargo bench -p engine`. The bare write keeps no version, no journal and no promise; it is the floor of the disk: the
//! text goes to a temporary file, which is synced and renamed, and then the folder is synced. It is done in the vault's own
//! folder, under names that the engine passes over: ext4 gives each folder a place of its own on the disk, and a new file
//! costs five times as much in one of them as in another, by what was deleted there lately.
//!
//! A save is timed until it is answered: the text is durable then, and can be had back. The index is told afterwards;
//! that is timed by itself, and over before the bare write begins. What either leaves unsynced is synced before the other
//! is timed: else the next sync, whoever asks for it, pays for it. An agent's rename is timed until search and links
//! know it.

#![allow(clippy::print_stdout, reason = "it reports to whoever started it")]

use engine::{Engine, Intent, OpenVault, RelPath, Request, Saved, Writes};
use note::{ContentHash, SectionRef};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

const SAVES: usize = 60;
const RENAMES: usize = 12;
const LINKING: usize = 50;

fn main() {
    let dir = tempfile::tempdir().expect("a temporary folder can be made");
    let root = dir.path().join("vault");
    std::fs::create_dir(&root).expect("a folder can be made");
    let body = "A line of prose that is about as long as a line of prose tends to be.\n".repeat(60);
    std::fs::write(root.join("Lead.md"), format!("# Lead\n\n## Title 0\n\n{body}")).expect("a file can be written");
    for n in 0..LINKING {
        std::fs::write(root.join(format!("Note {n}.md")), format!("{body}[[Lead#Title 0]]\n"))
            .expect("a file can be written");
    }
    let cfg = OpenVault {
        root: root.clone(),
        state: dir.path().join("state"),
        name: "bench".into(),
        vault_key: "bench".into(),
        system_trash: None,
    };
    let engine = Engine::open(cfg).expect("the vault opens");
    assert!(engine.wait_indexed(Duration::from_secs(60)), "the vault is indexed");

    alternate(
        "one note saved",
        SAVES,
        |n| save(&engine, &root, n),
        |n| bare(&root.join(".bare"), &format!("{body}{n}\n")),
        || engine.catch_up(),
        || settle(&root),
    );
    let what = format!("one heading renamed with {LINKING} notes linking to it");
    alternate(
        &what,
        RENAMES,
        |n| rename(&engine, n),
        |n| {
            (0..=LINKING).for_each(|file| bare(&root.join(format!(".{file}")), &format!("{body}{n}\n")));
        },
        || (),
        || settle(&root),
    );
    engine.close();
}

/// Times the two in turn, and what is left to do after ours: how fast a disk is changes from one second to the next.
fn alternate(what: &str, times: usize, ours: impl Fn(usize), bare: impl Fn(usize), rest: impl Fn(), settle: impl Fn()) {
    let (mut all_ours, mut all_bare, mut all_rest) = (Vec::new(), Vec::new(), Vec::new());
    for n in 0..times {
        settle();
        all_ours.push(time(|| ours(n)));
        all_rest.push(time(&rest));
        settle();
        all_bare.push(time(|| bare(n)));
    }
    report(what, median(all_ours), median(all_bare), median(all_rest));
}

fn save(engine: &Engine, root: &Path, n: usize) {
    let path = RelPath::new("Note 0.md").expect("a plain path");
    let text = std::fs::read_to_string(root.join("Note 0.md")).expect("it can be read");
    let base = ContentHash::of(text.as_bytes());
    match engine.save(&path, base, format!("{text}typed {n}\n")) {
        Ok(Saved::Saved { changed: true, .. }) => {}
        other => panic!("the save did not go through: {other:?}"),
    }
}

fn rename(engine: &Engine, n: usize) {
    let intent = Intent::RenameSection {
        path: RelPath::new("Lead.md").expect("a plain path"),
        at: SectionRef::Heading { text: format!("Title {n}"), level: None, nth: None },
        new_heading: format!("Title {}", n + 1),
        update_links: true,
        allow_h1: false,
    };
    let done =
        engine.desk("bench", Writes::Allow).propose(intent, Request::default()).expect("the rename goes through");
    assert_eq!(done.summary.n_links as usize, LINKING);
}

fn bare(path: &Path, text: &str) {
    let temp = path.with_extension("tmp");
    let mut file = File::create(&temp).expect("a file can be made");
    file.write_all(text.as_bytes()).expect("it can be written");
    file.sync_all().expect("it can be synced");
    std::fs::rename(&temp, path).expect("it can be renamed");
    File::open(path.parent().expect("it has a folder"))
        .and_then(|folder| folder.sync_all())
        .expect("a folder can be synced");
}

/// Waits for everything that was written so far, by either: a journaling file system writes it out with this file.
fn settle(root: &Path) {
    (0..2).for_each(|_| bare(&root.join(".settled"), "settled"));
}

fn time(what: impl FnOnce()) -> Duration {
    let start = Instant::now();
    what();
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn report(what: &str, ours: Duration, bare: Duration, rest: Duration) {
    let ratio = ours.as_secs_f64() / bare.as_secs_f64();
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!("{what}: {:.2} ms, bare {:.2} ms, {ratio:.2}x; {:.2} ms afterwards", ms(ours), ms(bare), ms(rest));
}
