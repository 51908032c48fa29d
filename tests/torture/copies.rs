//! Two copies of a vault, each with its own program and state, edited apart and merged by a sync tool, again and again.

mod person;
mod sync;

use crate::asked::{Asked, Ground, write};
use crate::chance::Chance;
use crate::past;
use anyhow::{Context, Result, ensure};
use engine::{ContentHash, Engine, Intent, NoteRef, OpState, RelPath, Request, Writes};
use person::Person;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

/// Deeds of each person between two merges.
const DEEDS: usize = 12;

/// An id that notes carry in their properties, and take along when they are copied.
const ID: &str = "01HZXW5E7K8Q9R0S1T2V3W4X5Y";

/// Runs the rounds and prints what they met.
pub fn run(asked: &Asked) -> Result<()> {
    let ground = Ground::new("copies")?;
    let outcome = merge(&ground, asked.count(200), asked.chance());
    ground.end(outcome)
}

/// One of the two places.
struct Place {
    root: PathBuf,
    state: PathBuf,
    name: &'static str,
    engine: Option<Engine>,
    person: Person,
}

fn merge(ground: &Ground, count: usize, mut chance: Chance) -> Result<()> {
    let mut places = ["left", "right"].map(|name| Place {
        root: ground.path(name),
        state: ground.path(&format!("{name}-state")),
        name,
        engine: None,
        person: Person::new(name),
    });
    for place in &places {
        sow(&place.root)?;
    }
    let mut base = sync::Base::of(&places[0].root)?;
    let mut merged = sync::Merged::default();
    for round in 0..count {
        for place in &mut places {
            place.open()?;
            let engine = place.engine.clone().context("it is open")?;
            for _ in 0..DEEDS {
                place.person.act(&engine, &mut chance).with_context(|| format!("round {round}, {}", place.name))?;
            }
            // The sync tool comes while the program runs, or when it is closed.
            if chance.below(2) == 0 {
                place.close();
            }
        }
        let [left, right] = &places;
        merged.add(sync::merge(&left.root, &right.root, &mut base, round)?);
        for place in &mut places {
            place.open()?;
            place.check().with_context(|| format!("round {round}, {}", place.name))?;
        }
    }
    let figures = nothing_is_lost(&mut places)?;
    println!("copies: {count} merges of two copies, {} deeds in each between two merges", DEEDS);
    let [left, right] = &places;
    println!("  {}; {}", left.person.deeds(), right.person.deeds());
    println!(
        "  the sync tool carried {} files over, removed {}, and made {} conflict copies",
        merged.carried, merged.removed, merged.conflicts
    );
    println!(
        "  of {} different texts, {} are in files, {} in versions, {} were typed over within minutes and are kept unlisted, nowhere 0",
        figures.texts, figures.in_files, figures.in_versions, figures.typed_over
    );
    println!(
        "  {} notes carry the same id property; ids given twice 0, operations waiting for a person 0",
        figures.same_id
    );
    Ok(())
}

impl Place {
    fn open(&mut self) -> Result<()> {
        if let Some(engine) = &self.engine {
            engine.catch_up();
            return Ok(());
        }
        self.engine = Some(past::open(&self.root, &self.state, self.name)?);
        Ok(())
    }

    fn close(&mut self) {
        if let Some(engine) = self.engine.take() {
            engine.close();
        }
    }

    /// Tells whether a text could be put back, though no list shows it.
    fn keeps(&self, path: &RelPath, text: &str) -> bool {
        let restore = Intent::Restore { path: path.clone(), to: ContentHash::of(text.as_bytes()) };
        let desk = self.engine.as_ref().map(|engine| engine.desk("Torture", Writes::Review));
        desk.is_some_and(|desk| desk.preview(restore, Request::default()).is_ok())
    }

    /// Every note has an id of its own, which leads to it; nothing waits for a person.
    fn check(&self) -> Result<()> {
        let engine = self.engine.as_ref().context("it is open")?;
        let waiting = engine.operations().iter().filter(|op| op.state == OpState::Interrupted).count();
        ensure!(waiting == 0, "{waiting} operations wait for a person");
        let mut ids = HashMap::new();
        let view = engine.view();
        for item in view.notes("") {
            let open =
                view.note(&NoteRef::PathOrId(item.id.clone())).with_context(|| format!("{} by id", item.path))?;
            ensure!(open.path.as_str() == item.path, "{} and {} have the id {}", item.path, open.path, item.id);
            if let Some(other) = ids.insert(item.id.clone(), item.path.clone()) {
                anyhow::bail!("{other} and {} have the id {}", item.path, item.id);
            }
        }
        let there = sync::files(&self.root)?;
        let notes = there.keys().filter(|path| path.ends_with(".md")).count();
        ensure!(notes == ids.len(), "{} notes are known of {notes} on disk", ids.len());
        ensure!(
            !there.keys().any(|path| path.ends_with(".tmp")),
            "something of ours is left in the vault: {:?}",
            there.keys()
        );
        Ok(())
    }
}

struct Figures {
    texts: usize,
    in_files: usize,
    in_versions: usize,
    typed_over: usize,
    same_id: usize,
}

/// Looks for every text that anyone wrote: in the files, then in the versions that each place lists after a restart.
fn nothing_is_lost(places: &mut [Place; 2]) -> Result<Figures> {
    let mut in_files = BTreeSet::new();
    let mut in_versions = BTreeSet::new();
    let mut same_id = 0;
    let mut written: BTreeMap<String, (RelPath, bool)> = BTreeMap::new();
    for place in places.iter_mut() {
        place.close();
        place.open()?;
        place.check()?;
        let engine = place.engine.as_ref().context("it is open")?;
        let files = sync::files(&place.root)?;
        same_id = files.values().filter(|file| file.text.contains(ID)).count();
        in_files.extend(files.into_values().map(|file| file.text));
        for text in place.person.texts() {
            let known = written.entry(text.text.clone()).or_insert_with(|| (text.path.clone(), text.typed_over));
            known.1 &= text.typed_over;
        }
        for path in place.person.paths() {
            in_versions.extend(past::versions(engine, path)?);
        }
    }
    // A version may be listed under the name that a sync tool gave to a conflict copy, or at the other place alone.
    let mut figures = Figures { texts: written.len(), in_files: 0, in_versions: 0, typed_over: 0, same_id };
    for (text, (path, typed_over)) in &written {
        if in_files.contains(text) {
            figures.in_files += 1;
        } else if in_versions.contains(text) {
            figures.in_versions += 1;
        } else if *typed_over && places.iter().any(|place| place.keeps(path, text)) {
            figures.typed_over += 1;
        } else {
            anyhow::bail!("a text of {path} is nowhere:\n{text}");
        }
    }
    for place in places.iter_mut() {
        place.close();
    }
    Ok(figures)
}

fn sow(root: &std::path::Path) -> Result<()> {
    for n in 0..8 {
        let id = if n < 3 { format!("---\nid: {ID}\n---\n") } else { String::new() };
        let links: String = (0..8).map(|to| format!("[[Note {to}#Part]] ")).collect();
        write(root, &format!("Note {n}.md"), &format!("{id}# Note {n}\n\n## Part\n\n{links}\n"))?;
    }
    Ok(())
}
