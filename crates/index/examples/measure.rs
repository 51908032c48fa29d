//! Measures the index over a folder of notes: `cargo run -p index --example measure -- VAULT STATE`.
//!
//! `STATE` is a folder for the index; it is used as it is, so a second run measures a warm start.

#![allow(clippy::print_stdout, missing_docs)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use index::{Fact, Index, IndexError, IndexStat, IndexView, Query};
use note::{ContentHash, Note, NoteId, NoteText, RelPath, canvas_links, parse};

struct Read {
    path: RelPath,
    text: NoteText,
    note: Note,
}

fn main() -> Result<(), IndexError> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(vault), Some(state)) = (arguments.next(), arguments.next()) else {
        println!("usage: measure VAULT STATE");
        return Ok(());
    };
    let (opened, (mut index, view)) = time(|| Index::open(&state))?;
    println!("open: {opened:?}, {:?}, {} files", index.opened(), view.n_files());
    let (parsed, files) = time(|| {
        let mut files = Vec::new();
        read_folder(&vault, "", &mut files);
        Ok(files)
    })?;
    println!("read and parse {} files: {parsed:?}", files.len());
    let (applied, view) = time(|| {
        let mut view = index.view();
        for batch in files.chunks(256) {
            view = index.apply(&batch.iter().map(fact).collect::<Vec<_>>())?;
        }
        Ok(view)
    })?;
    println!("apply in batches of 256: {applied:?}");
    println!("flush: {:?}", time(|| index.flush())?.0);
    saves(&mut index, &files)?;
    println!("flush: {:?}", time(|| index.flush())?.0);
    ask(&view, &files);
    println!("peak memory: {} MB", peak_megabytes());
    Ok(())
}

/// One save after another, each with a text that was never seen.
fn saves(index: &mut Index, files: &[Read]) -> Result<(), IndexError> {
    let notes = files.iter().filter(|read| read.path.is_note()).step_by(files.len() / 20 + 1);
    let edited: Vec<Read> = notes
        .map(|read| new(read.path.clone(), format!("{}\nedited {:?}\n", read.text.as_str(), Instant::now())))
        .collect();
    let mut worst = Duration::ZERO;
    let mut sum = Duration::ZERO;
    for read in &edited {
        let (took, _) = time(|| index.apply(&[fact(read)]))?;
        worst = worst.max(took);
        sum += took;
    }
    println!("one save: {:?} on average, {worst:?} at worst", sum / u32::try_from(edited.len()).unwrap_or(1));
    let (took, _) = time(|| {
        for read in &edited {
            // Known bytes: only the catalog has work to do, and `before` forces it to copy.
            let before = index.view();
            index.apply(&[fact(read)])?;
            drop(before);
        }
        Ok(())
    })?;
    println!("one save, catalog alone: {:?}", took / u32::try_from(edited.len()).unwrap_or(1));
    Ok(())
}

fn ask(view: &IndexView, files: &[Read]) {
    for text in [
        "river",
        "a",
        "stone mar",
        "\"river stone\"",
        "設定",
        "river OR stone OR copper",
        "/not a h.ading/",
        "task:river",
    ] {
        let query = Query { text: text.into(), ..Query::default() };
        if let Ok((took, hits)) = time(|| Ok(view.search(&query))) {
            println!("search {text}: {took:?}, {} hits", hits.map_or(0, |hits| hits.total));
        }
    }
    let most = view.files().map(|entry| (view.linking_notes(&entry.path).len(), entry)).max_by_key(|(n, _)| *n);
    if let Some((n, entry)) = most
        && let Ok((took, links)) = time(|| Ok(view.backlinks(&entry.path)))
    {
        println!("backlinks of the most linked note ({n} notes, {} links): {took:?}", links.len());
    }
    let unresolved = time(|| Ok(view.unresolved("").len()));
    println!("resolve every link of the vault: {unresolved:?}");
    for title in ["copper river 7", "copp", "opper ri", "no such note at all"] {
        println!("find_title {title}: {:?}", time(|| Ok(view.find_title(title))).map(|(took, _)| took));
    }
    println!("tags: {:?}", time(|| Ok(view.tags().len())));
    println!("list the root: {:?}", time(|| Ok(view.folder("").len())));
    let _ = files;
}

fn time<T>(act: impl FnOnce() -> Result<T, IndexError>) -> Result<(Duration, T), IndexError> {
    let start = Instant::now();
    act().map(|value| (start.elapsed(), value))
}

fn new(path: RelPath, text: String) -> Read {
    let text = NoteText::lossy(text.into_bytes());
    let note = parse(&text);
    Read { path, text, note }
}

fn read_folder(root: &Path, folder: &str, files: &mut Vec<Read>) {
    let Ok(children) = std::fs::read_dir(root.join(folder)) else { return };
    for child in children.flatten() {
        let Ok(name) = child.file_name().into_string() else { continue };
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        if name.starts_with('.') {
            continue;
        }
        if child.path().is_dir() {
            read_folder(root, &path, files);
        } else if let (Ok(rel), Ok(bytes)) = (RelPath::new(&path), std::fs::read(child.path())) {
            let text = if rel.is_note() || rel.extension() == Some("canvas") { bytes } else { Vec::new() };
            let text = NoteText::lossy(text);
            let note = parse(&text);
            files.push(Read { path: rel, text, note });
        }
    }
}

fn fact(read: &Read) -> Fact<'_> {
    let (path, hash) = (read.path.clone(), read.text.hash());
    let stat = IndexStat { len: read.text.bytes().len() as u64, mtime_ns: 1, created_ns: None };
    if path.is_note() {
        return Fact::Seen { id: id_of(&path), path, stat, hash, note: &read.note, text: read.text.as_str() };
    }
    match path.extension() {
        Some("canvas") => {
            Fact::Canvas { path, stat, hash, links: canvas_links(read.text.as_str()), text: String::new() }
        }
        _ => Fact::Attachment { path, stat },
    }
}

fn id_of(path: &RelPath) -> NoteId {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&ContentHash::of(path.as_str().as_bytes()).as_bytes()[..16]);
    NoteId(ulid::Ulid::from_bytes(bytes))
}

fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) / 1024
}
