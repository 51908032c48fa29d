//! Renames every renameable heading of a vault there and back through the engine, as an agent with a person's approval,
//! and checks after each that every heading link that resolved still resolves to the same section.
//!
//! `cargo xtask storm DIR [--most N] [--linked]`. Works on a copy in the temporary folder; DIR is never written. `--linked`
//! leaves out headings that no other note links to.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it reports to whoever started it")]

use engine::{
    Decision, Desk, Engine, Intent, OpId, OpenVault, PlanDigest, ProposeError, RelPath, Request, Summary, View, Writes,
};
use note::{ContentHash, Note, NoteText, SectionRef};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Where a heading link leads: its note, and the place of the heading there.
type Leads = BTreeMap<(RelPath, usize), (RelPath, usize)>;

#[derive(Default)]
struct Tally {
    headings: usize,
    links_rewritten: usize,
    files_written: usize,
    /// How many came back to the same bytes by a second rename; the others were undone.
    came_back: usize,
    refusals: BTreeMap<String, usize>,
    warnings: usize,
    broken: usize,
}

/// The vault under the storm.
struct Storm {
    root: PathBuf,
    engine: Engine,
    desk: Desk,
    /// The notes as they were read last: most files do not change between two looks.
    read: HashMap<RelPath, (ContentHash, Rc<Note>)>,
    tally: Tally,
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
        system_trash: None,
    };
    let start = Instant::now();
    let engine = Engine::open(cfg).expect("the vault opens");
    assert!(engine.wait_indexed(Duration::from_secs(600)), "the vault is indexed");
    println!("{} notes indexed in {:.2} s", engine.info().n_notes, start.elapsed().as_secs_f64());

    let desk = engine.desk("storm", Writes::Review);
    let mut storm = Storm { root: root.clone(), engine, desk, read: HashMap::new(), tally: Tally::default() };
    let paths: Vec<RelPath> =
        storm.engine.view().notes("").into_iter().filter_map(|item| RelPath::new(&item.path).ok()).collect();
    let all = storm.leads(&paths).len();
    println!("{all} heading links resolve");
    let start = Instant::now();
    'notes: for path in &paths {
        for index in 0..storm.note(path).map_or(0, |note| note.headings.len()) {
            if storm.tally.headings >= most {
                break 'notes;
            }
            storm.there_and_back(path, index, linked);
            if storm.tally.headings > 0 && storm.tally.headings.is_multiple_of(1000) {
                eprintln!("{} headings, {:.0} s", storm.tally.headings, start.elapsed().as_secs_f64());
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let after = storm.leads(&paths).len();
    storm.engine.close();
    let tally = storm.tally;
    let identical = files(&root) == before;
    println!(
        "{} headings renamed there and back, {} links rewritten in {} files written, {} warnings, {} links broken, {seconds:.1} s",
        tally.headings, tally.links_rewritten, tally.files_written, tally.warnings, tally.broken
    );
    println!("{} came back to the same bytes by a second rename, the others by undo", tally.came_back);
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

/// What a rename did.
struct Renamed {
    id: OpId,
    links: usize,
    files: Vec<RelPath>,
    warnings: usize,
}

impl Storm {
    fn there_and_back(&mut self, path: &RelPath, index: usize, linked: bool) {
        let Some(lead) = self.note(path) else { return };
        let raw = lead.headings[index].raw.clone();
        let affected = self.affected(path);
        let before = self.leads(&affected);
        if linked && !before.iter().any(|((from, _), to)| from != path && *to == (path.clone(), index)) {
            return;
        }
        let bytes = self.bytes(&affected);
        let there = match self.rename(path, index, &format!("Zz {raw} storm")) {
            Ok(done) => done,
            Err(code) => {
                *self.tally.refusals.entry(code).or_default() += 1;
                return;
            }
        };
        self.tally.headings += 1;
        self.tally.links_rewritten += there.links;
        self.tally.files_written += there.files.len();
        self.tally.warnings += there.warnings;
        self.compare(&affected, &before);
        let back = self.rename(path, index, &raw);
        if back.is_ok() {
            self.compare(&affected, &before);
        }
        if self.bytes(&affected) == bytes {
            self.tally.came_back += 1;
            return;
        }
        for id in back.ok().map(|back| back.id).into_iter().chain([there.id]) {
            self.engine.undo(id).unwrap_or_else(|error| panic!("{path} heading {index} cannot be taken back: {error}"));
        }
    }

    /// Proposes, shows and approves one rename.
    fn rename(&self, path: &RelPath, index: usize, title: &str) -> Result<Renamed, String> {
        let intent = Intent::RenameSection {
            path: path.clone(),
            at: SectionRef::Index(index),
            new_heading: title.to_owned(),
            update_links: true,
            allow_h1: false,
        };
        let proposed = self.desk.propose(intent, Request::default()).map_err(|error| match error {
            ProposeError::Plan(engine::PlanError::Rename { error, .. }) => kind(&format!("{error:?}")),
            ProposeError::Plan(error) => kind(&format!("{error:?}")),
            other => kind(&format!("{other:?}")),
        })?;
        let review = self.engine.review(proposed.id).map_err(|error| error.to_string())?;
        let seen = PlanDigest(review.digest.expect("a fresh proposal can be approved"));
        self.engine.decide(proposed.id, Decision::Approve { seen }).map_err(|error| error.to_string())?;
        let files = review.files.iter().filter_map(|file| RelPath::new(&file.path).ok()).collect();
        let Summary { n_links, n_bookmarks, warnings, .. } = proposed.summary;
        Ok(Renamed { id: proposed.id, links: (n_links + n_bookmarks) as usize, files, warnings: warnings.len() })
    }

    /// The note itself and every file that links to it.
    fn affected(&self, path: &RelPath) -> Vec<RelPath> {
        let view = self.engine.view();
        let mut affected: Vec<RelPath> = view
            .backlinks(path)
            .iter()
            .filter_map(|link| RelPath::new(&link.path).ok())
            .chain([path.clone()])
            .collect();
        affected.sort();
        affected.dedup();
        affected
    }

    fn compare(&mut self, affected: &[RelPath], before: &Leads) {
        let after = self.leads(affected);
        for (link, was) in before {
            let now = after.get(link);
            if now != Some(was) {
                self.tally.broken += 1;
                println!("broken: link {} of {} led to heading {} of {}, now {now:?}", link.1, link.0, was.1, was.0);
            }
        }
    }

    fn leads(&mut self, paths: &[RelPath]) -> Leads {
        let view = self.engine.view();
        let mut leads = Leads::new();
        for from in paths {
            self.leads_from(&view, from, &mut leads);
        }
        leads
    }

    fn leads_from(&mut self, view: &View, from: &RelPath, leads: &mut Leads) {
        let Some(source) = self.note(from) else { return };
        for (place, link) in source.links.iter().enumerate() {
            let Some(subpath) = link.subpath.as_deref().filter(|subpath| !subpath.starts_with('^')) else { continue };
            let Some(to) = view.resolve_path(from, &link.target) else { continue };
            let target = if to == *from { Some(Rc::clone(&source)) } else { self.note(&to) };
            if let Some(index) =
                target.and_then(|target| target.find_heading(subpath)).and_then(|chain| chain.last().copied())
            {
                leads.insert((from.clone(), place), (to, index));
            }
        }
    }

    fn bytes(&self, paths: &[RelPath]) -> Vec<Option<Vec<u8>>> {
        paths.iter().map(|path| std::fs::read(self.root.join(path.as_str())).ok()).collect()
    }

    /// Reads a note from the disk, not through the engine; only what changed is parsed again.
    fn note(&mut self, path: &RelPath) -> Option<Rc<Note>> {
        let text = NoteText::new(std::fs::read(self.root.join(path.as_str())).ok()?).ok()?;
        if let Some((hash, note)) = self.read.get(path)
            && *hash == text.hash()
        {
            return Some(Rc::clone(note));
        }
        let note = Rc::new(note::parse(&text));
        self.read.insert(path.clone(), (text.hash(), Rc::clone(&note)));
        Some(note)
    }
}

fn kind(debug: &str) -> String {
    debug.split([' ', '(', '{']).next().unwrap_or(debug).to_owned()
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
