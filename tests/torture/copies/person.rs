//! What a person does with notes through the program, and every text that came of it.

use crate::chance::Chance;
use anyhow::{Context, Result};
use engine::{DecideError, Engine, Intent, NoteRef, OperationView, RelPath, Saved};
use note::SectionRef;
use std::collections::BTreeSet;

/// A person at one of the two places.
pub struct Person {
    name: &'static str,
    n_deeds: [usize; 5],
    n_refused: usize,
    n_texts: usize,
    texts: Vec<Text>,
    /// Every name that a note had here.
    paths: BTreeSet<RelPath>,
}

/// A text that was in a file because of this person.
pub struct Text {
    pub path: RelPath,
    pub text: String,
    /// The person typed on within minutes: the list shows the run of saves as one version, its last.
    pub typed_over: bool,
    is_save: bool,
}

impl Person {
    /// Introduces a person.
    pub fn new(name: &'static str) -> Person {
        Person { name, n_deeds: [0; 5], n_refused: 0, n_texts: 0, texts: Vec::new(), paths: BTreeSet::new() }
    }

    /// Returns every text so far.
    pub fn texts(&self) -> &[Text] {
        &self.texts
    }

    /// Returns every name so far.
    pub fn paths(&self) -> &BTreeSet<RelPath> {
        &self.paths
    }

    /// Says how often what was done.
    pub fn deeds(&self) -> String {
        let [saves, renames, moves, creations, deletions] = self.n_deeds;
        format!(
            "{}: {saves} saves, {renames} headings renamed, {moves} notes moved, {creations} made, {deletions} deleted ({} refused)",
            self.name, self.n_refused
        )
    }

    /// Does one thing.
    pub fn act(&mut self, engine: &Engine, chance: &mut Chance) -> Result<()> {
        let notes = engine.view().notes("");
        for note in &notes {
            self.see(engine, &note.path)?;
        }
        self.n_texts += 1;
        // A vault of a few dozen notes: enough to meet, few enough to meet often.
        let deed = match notes.len() {
            0..6 => 3,
            40.. => 4,
            _ => *chance.pick(&[0, 0, 0, 0, 1, 1, 1, 2, 3, 4]),
        };
        if deed == 3 {
            let path = format!("Made {}/{} {}.md", self.n_texts % 3, self.name, self.n_texts);
            let path = self.free_again(engine, chance).unwrap_or(crate::past::rel(&path)?);
            let text = format!("# Made\n\n## Part\n\nText {} of {}. [[Note 1#Part]]\n", self.n_texts, self.name);
            return self.carry(engine, 3, Intent::CreateNote { path, text });
        }
        let path = crate::past::rel(&chance.pick(&notes).path)?;
        match deed {
            0 => self.save(engine, &path),
            1 => {
                let new_heading = format!("Part {} {}", self.name, self.n_texts);
                let at = SectionRef::Index(1);
                self.carry(
                    engine,
                    1,
                    Intent::RenameSection { path, at, new_heading, update_links: true, allow_h1: false },
                )
            }
            2 => {
                let to = crate::past::rel(&format!("Moved {}/{}", self.n_texts % 3, path.file_name()))?;
                let to = self.free_again(engine, chance).unwrap_or(to);
                self.carry(engine, 2, Intent::MoveNote { path, to })
            }
            _ => self.carry(engine, 4, Intent::DeleteNote { path }),
        }
    }

    /// Picks, now and then, the name of a note that is gone: whoever takes its place must not hide its past.
    fn free_again(&self, engine: &Engine, chance: &mut Chance) -> Option<RelPath> {
        let known: Vec<&RelPath> = self.paths.iter().collect();
        let path: RelPath = (*chance.pick(&known)).clone();
        let is_free = engine.view().note(&NoteRef::Path(path.as_str().to_owned())).is_err();
        (is_free && chance.below(2) == 0).then_some(path)
    }

    fn save(&mut self, engine: &Engine, path: &RelPath) -> Result<()> {
        let open = engine.open_note(&NoteRef::Path(path.as_str().to_owned()))?;
        let text = format!("{}Line {} of {}.\n", open.text.lf(), self.n_texts, self.name);
        match engine.save(path, open.text.hash(), text.clone())? {
            Saved::Saved { .. } => {
                let before = self.texts.iter_mut().rev().find(|known| known.path == *path);
                if let Some(before) = before
                    && before.is_save
                    && before.text == open.text.lf()
                {
                    before.typed_over = true;
                }
                self.wrote(path, text, true);
                self.n_deeds[0] += 1;
            }
            Saved::Stale { .. } => self.n_refused += 1,
        }
        Ok(())
    }

    fn carry(&mut self, engine: &Engine, deed: usize, intent: Intent) -> Result<()> {
        match engine.carry(intent) {
            Ok(done) => {
                self.n_deeds[deed] += 1;
                self.take_in(engine, &done)
            }
            // A heading that is no longer there, a name that is taken.
            Err(DecideError::Blocked(_)) => {
                self.n_refused += 1;
                Ok(())
            }
            Err(error) => Err(error).context("a deed failed"),
        }
    }

    /// Remembers what an operation left in each file.
    fn take_in(&mut self, engine: &Engine, done: &OperationView) -> Result<()> {
        for file in &done.files {
            if let Ok(open) = engine.view().note(&NoteRef::Path(file.path.as_str().to_owned())) {
                self.wrote(&file.path, open.text.lf(), false);
            }
        }
        Ok(())
    }

    /// Remembers a name, and at the beginning the text too: later texts are those of the two persons, who remember them.
    fn see(&mut self, engine: &Engine, path: &str) -> Result<()> {
        let path = crate::past::rel(path)?;
        if self.n_texts == 0 {
            let open = engine.view().note(&NoteRef::Path(path.as_str().to_owned()))?;
            self.wrote(&path, open.text.lf(), false);
        }
        self.paths.insert(path);
        Ok(())
    }

    fn wrote(&mut self, path: &RelPath, text: String, is_save: bool) {
        self.paths.insert(path.clone());
        self.texts.push(Text { path: path.clone(), text, typed_over: false, is_save });
    }
}
