//! Measures the index over a folder of notes: `cargo run --release -p index --example measure -- VAULT STATE`.
//!
//! `STATE` is a folder for the index; it is used as it is, so a second run measures how little a
//! known vault costs. The vault is only read.

#![allow(clippy::print_stdout, missing_docs)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use index::{Fact, Index, IndexError, IndexStat, IndexView, Query};
use note::{ContentHash, Note, NoteId, NoteText, RelPath, canvas_links, parse};

/// What the engine reads between two looks at its messages.
const BATCH: usize = 128;

/// How many notes are saved one after the other.
const N_SAVES: usize = 300;

/// How often a question is asked.
const N_TIMES: usize = 25;

fn main() -> Result<(), IndexError> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(vault), Some(state)) = (arguments.next(), arguments.next()) else {
        println!("usage: measure VAULT STATE");
        return Ok(());
    };
    let (took, (mut index, view)) = time(|| Index::open(&state))?;
    println!("open: {took:.1?}, {:?}, {} files", index.opened(), view.n_files());
    drop(view);
    let mut paths = Vec::new();
    list(&vault, "", &mut paths);
    tell_all(&mut index, &vault, &paths)?;
    println!("flush: {:.1?}", time(|| index.flush())?.0);
    size(&state);
    println!("memory: {}", memory());
    saves(&mut index, &vault, &paths, &state)?;
    ask(&index.view());
    println!("memory after all of that: {}", memory());
    index.flush()?;
    index = open_again(index, &state, "after a flush")?;
    let notes = paths.iter().filter(|path| path.is_note());
    for path in notes.take(10) {
        index.apply(&[edited(&vault, path, "once more").fact()])?;
    }
    open_again(index, &state, "without a flush")?;
    Ok(())
}

/// The whole vault, as at the first start.
fn tell_all(index: &mut Index, vault: &Path, paths: &[RelPath]) -> Result<(), IndexError> {
    let (mut reading, mut parsing) = (Duration::ZERO, Duration::ZERO);
    let (mut applying, mut n_bytes) = (Vec::new(), 0);
    for batch in paths.chunks(BATCH) {
        let start = Instant::now();
        let texts: Vec<NoteText> = batch.iter().map(|path| read(vault, path)).collect();
        reading += start.elapsed();
        n_bytes += texts.iter().map(|text| text.bytes().len()).sum::<usize>();
        let start = Instant::now();
        let read: Vec<Read> = batch.iter().zip(texts).map(|(path, text)| Read::new(path.clone(), text)).collect();
        parsing += start.elapsed();
        let facts: Vec<Fact<'_>> = read.iter().map(Read::fact).collect();
        applying.push(time(|| index.apply(&facts))?.0);
    }
    let n = u32::try_from(paths.len()).unwrap_or(u32::MAX).max(1);
    println!("first start, {} files, {:.1} MB:", paths.len(), n_bytes as f64 / 1e6);
    println!("  read and hash: {reading:.2?}");
    println!("  parse: {parsing:.2?}, {:.0?} each", parsing / n);
    let applied: Duration = applying.iter().sum();
    println!("  apply, {BATCH} at a time: {applied:.2?}, {:.0?} each; batches: {}", applied / n, spread(&mut applying));
    Ok(())
}

/// One save after another, each with a text that was never seen.
fn saves(index: &mut Index, vault: &Path, paths: &[RelPath], state: &Path) -> Result<(), IndexError> {
    let notes: Vec<&RelPath> = paths.iter().filter(|path| path.is_note()).collect();
    let chosen = || notes.iter().step_by(notes.len() / N_SAVES + 1);
    let (mut took, mut parsing, mut flushing) = (Vec::new(), Vec::new(), Vec::new());
    for path in chosen() {
        let text = read(vault, path);
        let start = Instant::now();
        drop(parse(&text));
        parsing.push(start.elapsed());
        let read = edited(vault, path, "first");
        took.push(time(|| index.apply(&[read.fact()]))?.0);
    }
    println!("parse of one note: {}", spread(&mut parsing));
    println!("save of one note, another each time: {}", spread(&mut took));
    took.clear();
    for n in 0..N_SAVES {
        let read = edited(vault, notes[notes.len() / 2], &n.to_string());
        took.push(time(|| index.apply(&[read.fact()]))?.0);
    }
    println!("save of one note, always the same: {}", spread(&mut took));
    took.clear();
    for path in chosen().step_by(10) {
        index.apply(&[edited(vault, path, "second").fact()])?;
        flushing.push(time(|| index.flush())?.0);
        // Known bytes: only the catalog has work to do, and `before` forces it to copy.
        let (read, before) = (edited(vault, path, "second"), index.view());
        took.push(time(|| index.apply(&[read.fact()]))?.0);
        drop(before);
    }
    println!("flush after one save: {}", spread(&mut flushing));
    println!("save that the index knows already: {}", spread(&mut took));
    size(state);
    Ok(())
}

fn ask(view: &IndexView) {
    println!("questions:");
    for text in [
        "river",
        "river stone",
        "river stone copper",
        "r",
        "ri",
        "riv",
        "stone mar",
        "\"river stone\"",
        "\"copper village paper\"",
        "設定",
        "nothinglikeit",
        "river OR stone OR copper",
        "river -stone",
        "tag:river stone",
        "path:01 river",
        "line:(river stone)",
        "task:river",
        "/not a h.ading/",
        "",
    ] {
        let query = Query { text: text.into(), ..Query::default() };
        let ask = || view.search(&query).map_or(0, |hits| hits.total);
        println!("  search {text}: {}, {} hits", often(ask), ask());
    }
    let mut linked: Vec<_> = view.files().map(|entry| (view.linking_notes(&entry.path).len(), &entry.path)).collect();
    linked.sort();
    for (n, path) in [linked[linked.len() / 2], linked[linked.len() - 1]] {
        println!("  backlinks of a note that {n} files link to: {}", often(|| view.backlinks(path).len()));
    }
    for title in ["copper river 7", "copp", "opper ri", "no such note at all"] {
        println!("  find_title {title}: {}", often(|| view.find_title(title)));
    }
    println!("  every link of the vault resolved: {}", often(|| view.unresolved("").len()));
    println!("  tags: {}", often(|| view.tags().len()));
    println!("  the root listed: {}", often(|| view.folder("").len()));
}

fn open_again(index: Index, state: &Path, how: &str) -> Result<Index, IndexError> {
    drop(index);
    let (took, (index, view)) = time(|| Index::open(state))?;
    println!("open {how}: {took:.1?}, {:?}, {} files", index.opened(), view.n_files());
    let query = Query { text: "river".into(), ..Query::default() };
    println!("  first search: {:.1?}", time(|| Ok(view.search(&query).map_or(0, |hits| hits.total)))?.0);
    Ok(index)
}

fn time<T>(act: impl FnOnce() -> Result<T, IndexError>) -> Result<(Duration, T), IndexError> {
    let start = Instant::now();
    act().map(|value| (start.elapsed(), value))
}

fn often<T>(ask: impl Fn() -> T) -> String {
    let mut took = Vec::new();
    for _ in 0..N_TIMES {
        let start = Instant::now();
        drop(ask());
        took.push(start.elapsed());
    }
    spread(&mut took)
}

fn spread(took: &mut [Duration]) -> String {
    took.sort();
    let at = |percent: usize| took.get(took.len() * percent / 100).copied().unwrap_or_default();
    format!("p50 {:.2?}, p95 {:.2?}, worst {:.2?}", at(50), at(95), took.last().copied().unwrap_or_default())
}

struct Read {
    path: RelPath,
    text: NoteText,
    note: Note,
}

impl Read {
    fn new(path: RelPath, text: NoteText) -> Read {
        let note = parse(&text);
        Read { path, text, note }
    }

    fn fact(&self) -> Fact<'_> {
        let (path, hash) = (self.path.clone(), self.text.hash());
        let stat = IndexStat { len: self.text.bytes().len() as u64, mtime_ns: 1, created_ns: None };
        if path.is_note() {
            return Fact::Seen { id: id_of(&path), path, stat, hash, note: &self.note, text: self.text.as_str() };
        }
        match path.extension() {
            Some("canvas") => {
                Fact::Canvas { path, stat, hash, links: canvas_links(self.text.as_str()), text: String::new() }
            }
            _ => Fact::Attachment { path, stat },
        }
    }
}

fn edited(vault: &Path, path: &RelPath, how: &str) -> Read {
    let text = format!("{}\nedited {how}\n", read(vault, path).as_str());
    Read::new(path.clone(), NoteText::lossy(text.into_bytes()))
}

fn read(vault: &Path, path: &RelPath) -> NoteText {
    let is_text = path.is_note() || path.extension() == Some("canvas");
    let bytes = if is_text { std::fs::read(vault.join(path.as_str())).unwrap_or_default() } else { Vec::new() };
    let text = NoteText::lossy(bytes);
    text.hash();
    text
}

fn list(root: &Path, folder: &str, paths: &mut Vec<RelPath>) {
    let Ok(children) = std::fs::read_dir(root.join(folder)) else { return };
    let mut names: Vec<String> = children.flatten().filter_map(|child| child.file_name().into_string().ok()).collect();
    names.sort();
    for name in names.iter().filter(|name| !name.starts_with('.')) {
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        if root.join(&path).is_dir() {
            list(root, &path, paths);
        } else if let Ok(path) = RelPath::new(&path) {
            paths.push(path);
        }
    }
}

fn id_of(path: &RelPath) -> NoteId {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&ContentHash::of(path.as_str().as_bytes()).as_bytes()[..16]);
    NoteId(ulid::Ulid::from_bytes(bytes))
}

/// What lies on disk.
fn size(state: &Path) {
    let length = |path: PathBuf| path.metadata().map_or(0.0, |metadata| metadata.len() as f64 / 1e6);
    let files: Vec<PathBuf> =
        std::fs::read_dir(state.join("text")).into_iter().flatten().flatten().map(|file| file.path()).collect();
    let n_segments = files.iter().filter(|file| file.extension().is_some_and(|own| own == "store")).count();
    let text: f64 = files.into_iter().map(length).sum();
    println!(
        "on disk: text {text:.1} MB in {n_segments} segments, catalog {:.1} MB",
        length(state.join("catalog.bin"))
    );
}

/// What the process holds, mapped files left out.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let megabytes = |key: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(key));
        line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) / 1024
    };
    format!("{} MB of its own, {} MB with mapped files at most", megabytes("RssAnon:"), megabytes("VmHWM:"))
}
