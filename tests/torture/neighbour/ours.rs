//! The product, as an agent drives it whose writes are allowed: every rename goes through the engine.

use super::{Group, Renamer, lines_in};
use crate::asked::Ground;
use crate::past;
use anyhow::{Context, Result, ensure};
use engine::{Engine, Intent, NoteRef, OpId, OpState, ProposeError, Request, WriteError, Writes};
use note::SectionRef;
use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

pub(super) struct Ours {
    vault: PathBuf,
    state: PathBuf,
    engine: Engine,
    n_renames: usize,
    n_files: usize,
    /// Plans that were refused because the note had changed.
    n_conflicts: usize,
    /// Notes that were met half-written.
    n_half: usize,
    n_interrupted: usize,
    n_mended: usize,
}

impl Ours {
    pub(super) fn new(ground: &Ground) -> Result<Ours> {
        let (vault, state) = (ground.path("vault"), ground.path("state"));
        let engine = past::open(&vault, &state, "neighbour")?;
        Ok(Ours {
            vault,
            state,
            engine,
            n_renames: 0,
            n_files: 0,
            n_conflicts: 0,
            n_half: 0,
            n_interrupted: 0,
            n_mended: 0,
        })
    }

    /// The other program writes old links back; they are led to the section again, as a person would by hand.
    fn mend_links(&mut self, group: Group, title: &str) -> Result<()> {
        let right = group.links(title);
        for note in group.linking() {
            let path = past::rel(&note)?;
            let Ok(open) = self.engine.open_note(&NoteRef::Path(note)) else { continue };
            let text = open.text.lf();
            let Some((start, rest)) = text.find("[[").map(|at| (at, &text[at..])) else { continue };
            let Some(len) = rest.find("]]") else { continue };
            let mended = format!("{}{right}{}", &text[..start], &rest[len + 2..]);
            if mended != text && self.engine.save(&path, open.text.hash(), mended).is_ok() {
                self.n_mended += 1;
            }
        }
        Ok(())
    }

    /// What another program's write stopped half-way is what a person would be asked about.
    fn settle(&mut self) -> Result<()> {
        let waiting = |engine: &Engine| -> Vec<OpId> {
            let all = engine.operations().into_iter();
            all.filter(|op| op.state == OpState::Interrupted).filter_map(|op| op.id.parse().ok()).collect()
        };
        for round in 0..100 {
            let stopped = waiting(&self.engine);
            if stopped.is_empty() {
                return Ok(());
            }
            for id in stopped {
                self.n_interrupted += usize::from(round == 0);
                // That it cannot be finished now, since somebody wrote again, is one more conflict.
                let _ = self.engine.settle(id, (self.n_interrupted + round).is_multiple_of(2));
            }
        }
        anyhow::bail!("an operation stays interrupted: {:?}", waiting(&self.engine))
    }
}

impl Renamer for Ours {
    fn rename(&mut self, group: Group) -> Result<bool> {
        let path = past::rel(&group.lead())?;
        let desk = self.engine.desk("Torture", Writes::Allow);
        let Ok(open) = desk.note(&NoteRef::Path(group.lead())) else {
            self.n_half += 1;
            return Ok(false);
        };
        let title = format!("Part {}", self.n_renames);
        let intent = Intent::RenameSection {
            path,
            at: SectionRef::Index(1),
            new_heading: title.clone(),
            update_links: true,
            allow_h1: false,
        };
        let request = Request { expect: Some(open.text.hash()), ..Request::default() };
        match desk.propose(intent, request) {
            Ok(done) => {
                self.n_renames += 1;
                self.n_files += done.files.len();
                if done.files.len() <= super::LINKING {
                    self.mend_links(group, &title)?;
                }
                return Ok(done.files.len() > 1);
            }
            Err(ProposeError::Conflict { .. } | ProposeError::Write(WriteError::Stale { .. })) => self.n_conflicts += 1,
            Err(ProposeError::Write(WriteError::Interrupted { .. })) => self.settle()?,
            Err(ProposeError::Plan(_)) => self.n_half += 1,
            Err(error) => return Err(error).context("a rename failed"),
        }
        Ok(false)
    }

    fn end(self, notes: &BTreeSet<String>) -> Result<HashSet<u32>> {
        self.engine.close();
        // What a person can have back is asked of a program that was started again.
        let engine = past::open(&self.vault, &self.state, "neighbour")?;
        ensure!(
            !engine.operations().iter().any(|op| op.state == OpState::Interrupted),
            "an operation waits for a person"
        );
        let mut lines = HashSet::new();
        for note in notes {
            for text in past::versions(&engine, &past::rel(note)?)? {
                lines.extend(lines_in(text.as_bytes()));
            }
        }
        engine.close();
        Ok(lines)
    }

    fn met(&self) -> String {
        format!(
            "Vidimus ({} files in {} renames; {} conflicts, {} met half-written, {} interrupted and settled, {} links mended)",
            self.n_files, self.n_renames, self.n_conflicts, self.n_half, self.n_interrupted, self.n_mended
        )
    }
}
