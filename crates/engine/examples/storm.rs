//! Renames every renameable heading of a vault there and back through the engine, as an agent with a person's approval,
//! and checks after each that every heading link that resolved still resolves to the same section.
//!
//! `cargo run --release -p engine --example storm -- DIR [--most N] [--linked]`. Works on a copy; DIR is never written.

#![allow(clippy::print_stdout, reason = "it reports to whoever started it")]

use engine::{
    Decision, Desk, Engine, Intent, NoteRef, OpId, OpenNote, OpenVault, PlanDigest, ProposeError, RelPath, Request,
    Writes,
};
use note::SectionRef;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Where a heading link leads: its note, and the place of the heading there.
type Leads = BTreeMap<(RelPath, usize), (RelPath, usize)>;

#[derive(Default)]
struct Tally {
    headings: usize,
    links_rewritten: usize,
    files_written: usize,
    refusals: BTreeMap<String, usize>,
    warnings: usize,
    broken: usize,
}

fn main() {
    let mut args = std::env::args().skip(1);
    let dir = PathBuf::from(args.next().expect("usage: storm DIR [--most N] [--linked]"));
    let (mut most, mut linked) = (usize::MAX, false);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--most" => most = args.next().and_then(|n| n.parse().ok()).expect("--most takes a number"),
            "--linked" => linked = true,
            other => panic!("unknown argument `{other}`"),
        }
    }
    let temp = std::env::temp_dir().join(format!("vidimus-storm-{}", std::process::id()));
    let root = temp.join("vault");
    copy(&dir, &root);
    let before = files(&root);
    let cfg = OpenVault {
        root: root.clone(),
        state: temp.join("state"),
        name: "storm".to_owned(),
        vault_key: "storm".to_owned(),
    };
    let start = Instant::now();
    let engine = Engine::open(cfg).expect("the vault opens");
    assert!(engine.wait_indexed(Duration::from_secs(600)), "the vault is indexed");
    println!("{} notes indexed in {:.2} s", engine.info().n_notes, start.elapsed().as_secs_f64());

    let desk = engine.desk("storm", Writes::Review);
    let paths: Vec<RelPath> =
        engine.view().notes("").into_iter().filter_map(|item| RelPath::new(&item.path).ok()).collect();
    let all: usize = paths.iter().map(|path| leads_from(&desk, path).len()).sum();
    println!("{all} heading links resolve");
    let mut tally = Tally::default();
    let start = Instant::now();
    'notes: for path in &paths {
        for index in 0..open(&desk, path).map_or(0, |open| open.note.headings.len()) {
            if tally.headings >= most {
                break 'notes;
            }
            storm(&engine, &desk, path, index, linked, &mut tally);
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let after: usize = paths.iter().map(|path| leads_from(&desk, path).len()).sum();
    engine.close();
    let identical = files(&root) == before;
    println!(
        "{} headings renamed there and back, {} links rewritten in {} files written, {} warnings, {} links broken, {seconds:.1} s",
        tally.headings, tally.links_rewritten, tally.files_written, tally.warnings, tally.broken
    );
    println!("refused: {:?}", tally.refusals);
    println!(
        "{after} heading links resolve; {}",
        if identical { "byte-identical to the start" } else { "BYTES DIFFER" }
    );
    println!("state folder: {} KiB for {} KiB of notes", size(&temp.join("state")) / 1024, size(&root) / 1024);
    let whole = identical && tally.broken == 0 && after == all;
    std::fs::remove_dir_all(&temp).expect("the copy can be removed");
    std::process::exit(i32::from(!whole));
}

fn storm(engine: &Engine, desk: &Desk, path: &RelPath, index: usize, linked: bool, tally: &mut Tally) {
    let Some(lead) = open(desk, path) else { return };
    let heading = &lead.note.headings[index];
    let raw = heading.raw.clone();
    let affected: Vec<RelPath> = engine
        .view()
        .backlinks(path)
        .iter()
        .filter_map(|link| RelPath::new(&link.path).ok())
        .chain([path.clone()])
        .collect();
    let before: Leads = affected.iter().flat_map(|from| leads_from(desk, from)).collect();
    if linked && !before.iter().any(|((from, _), to)| from != path && *to == (path.clone(), index)) {
        return;
    }
    let there = match rename(engine, desk, path, index, &format!("Zz {raw} storm")) {
        Ok(done) => done,
        Err(code) => {
            *tally.refusals.entry(code).or_default() += 1;
            return;
        }
    };
    tally.headings += 1;
    tally.links_rewritten += there.0 as usize;
    tally.files_written += there.1;
    tally.warnings += there.2;
    let after: Leads = affected.iter().flat_map(|from| leads_from(desk, from)).collect();
    for (link, was) in &before {
        if after.get(link) != Some(was) {
            tally.broken += 1;
            println!(
                "broken: link {} of {} led to heading {} of {}, now {:?}",
                link.1,
                link.0,
                was.1,
                was.0,
                after.get(link)
            );
        }
    }
    engine.undo(there.3).unwrap_or_else(|error| panic!("{path} heading {index} cannot be taken back: {error}"));
}

/// Proposes, shows and approves one rename; returns links, files, warnings and the operation.
fn rename(
    engine: &Engine,
    desk: &Desk,
    path: &RelPath,
    index: usize,
    title: &str,
) -> Result<(u32, usize, usize, OpId), String> {
    let intent = Intent::RenameSection {
        path: path.clone(),
        at: SectionRef::Index(index),
        new_heading: title.to_owned(),
        update_links: true,
        allow_h1: false,
    };
    let proposed = desk.propose(intent, Request::default()).map_err(|error| match error {
        ProposeError::Plan(engine::PlanError::Rename { error, .. }) => kind(&format!("{error:?}")),
        ProposeError::Plan(error) => kind(&format!("{error:?}")),
        other => kind(&format!("{other:?}")),
    })?;
    let review = engine.review(proposed.id).map_err(|error| error.to_string())?;
    let seen = PlanDigest(review.digest.expect("a fresh proposal can be approved"));
    let done = engine.decide(proposed.id, Decision::Approve { seen }).map_err(|error| error.to_string())?;
    Ok((proposed.summary.n_links, done.files.len(), proposed.summary.warnings.len(), proposed.id))
}

fn kind(debug: &str) -> String {
    debug.split([' ', '(', '{']).next().unwrap_or(debug).to_owned()
}

fn open(desk: &Desk, path: &RelPath) -> Option<OpenNote> {
    desk.note(&NoteRef::Path(path.as_str().to_owned())).ok()
}

fn leads_from(desk: &Desk, from: &RelPath) -> Leads {
    let view = desk.view();
    let Some(source) = open(desk, from) else { return Leads::new() };
    let mut leads = Leads::new();
    for (place, link) in source.note.links.iter().enumerate() {
        let Some(subpath) = link.subpath.as_deref().filter(|subpath| !subpath.starts_with('^')) else { continue };
        let Some(to) = view.resolve_path(from, &link.target) else { continue };
        let target = if to == *from { Some(source.clone()) } else { open(desk, &to) };
        if let Some(index) =
            target.and_then(|target| target.note.find_heading(subpath)).and_then(|chain| chain.last().copied())
        {
            leads.insert((from.clone(), place), (to, index));
        }
    }
    leads
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder can be made");
    for entry in std::fs::read_dir(from).expect("the vault can be listed") {
        let entry = entry.expect("an entry can be read");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("it has a type").is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("a file can be copied");
        }
    }
}

fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(root).expect("a folder can be listed") {
        let path = entry.expect("an entry can be read").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path.clone(), std::fs::read(&path).expect("a file can be read"));
        }
    }
    found
}

fn size(folder: &Path) -> u64 {
    files(folder).values().map(|bytes| bytes.len() as u64).sum()
}
