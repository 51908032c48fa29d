//! A note's past: the journal's steps, with the texts that are kept as blobs.

use crate::find::n32;
use crate::ledger::Past;
use crate::plan::any_text;
use crate::view::rfc3339;
use crate::{
    Actor, ChangedFile, DecideError, Engine, Hunk, Intent, OperationView, PlanError, Summary, Version, View, diff,
};
use note::{ContentHash, RelPath};
use std::sync::PoisonError;
use thiserror::Error;
use vault::OpId;

/// A person's saves of one note within this time of the first show as one version; the vault folds them by the same rule.
const FOLD_MS: i64 = 5 * 60 * 1000;

/// The id of the text that a note had before anything here touched it.
const AS_FOUND: &str = "as-found";

/// Why a version cannot be shown.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HistoryError {
    #[error("the note has no version `{version}`")]
    UnknownVersion { version: String },
    #[error("that version's text is no longer kept")]
    Gone,
}

/// A run of steps shown as one version, oldest step first.
struct Fold {
    /// Where the note was then.
    path: RelPath,
    steps: Vec<Past>,
}

impl Engine {
    /// Lists every version of a note that is known, newest first.
    pub fn history(&self, path: &RelPath) -> Vec<Version> {
        let view = self.view();
        let current = view.reader.read(path).ok().map(|file| file.hash);
        let folds = folds(&view, path);
        let found = folds.first().and_then(|fold| fold.steps.first()).and_then(|first| as_found(&view, first, current));
        // That a text was found which was never kept is nothing to show.
        let says =
            |version: &Version| version.restorable || version.before_hash.is_some() || version.after_hash.is_none();
        let listed = folds.iter().rev().map(|fold| self.version(&view, fold, current)).filter(says);
        listed.chain(found).collect()
    }

    fn version(&self, view: &View, fold: &Fold, current: Option<ContentHash>) -> Version {
        let first = fold.steps.first().expect("a fold begins with a step");
        let last = fold.steps.last().expect("a fold begins with a step");
        let (chars_added, chars_removed) = self.chars(view, first.before, last.after);
        Version { chars_added, chars_removed, ..version(view, fold, current) }
    }

    /// Counts what changed between two texts. A list is asked for again with every change, and old texts stay as they are,
    /// so each pair is compared once.
    fn chars(&self, view: &View, before: Option<ContentHash>, after: Option<ContentHash>) -> (u32, u32) {
        let counted = || self.shared.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = counted().get(&(before, after)) {
            return *known;
        }
        match (text_of(view, before), text_of(view, after)) {
            (Ok(old), Ok(new)) => {
                let n_chars = diff::count_chars(&old, &new);
                counted().insert((before, after), n_chars);
                n_chars
            }
            _ => (0, 0),
        }
    }

    /// Returns the text (line feeds only) that a version left.
    ///
    /// # Errors
    /// The version is not known or its text is no longer kept.
    pub fn version_text(&self, path: &RelPath, version: &str) -> Result<String, HistoryError> {
        let view = self.view();
        let (_, after) = find(&view, path, version)?;
        text_of(&view, after)
    }

    /// Compares two versions; without `from`, with the text before `to`; without `to`, with the text of now.
    ///
    /// # Errors
    /// A version is not known or its text is no longer kept.
    pub fn diff(&self, path: &RelPath, from: Option<&str>, to: Option<&str>) -> Result<Vec<Hunk>, HistoryError> {
        let view = self.view();
        let (before, after) = match to {
            Some(version) => find(&view, path, version)?,
            None => (None, view.reader.read(path).ok().map(|file| file.hash)),
        };
        let old = match from {
            Some(version) => text_of(&view, find(&view, path, version)?.1)?,
            None if to.is_none() => String::new(),
            None => text_of(&view, before)?,
        };
        let new = match to {
            Some(_) => text_of(&view, after)?,
            None => view.reader.read(path).ok().map(|file| any_text(file.bytes).lf()).unwrap_or_default(),
        };
        Ok(diff::hunks(&old, &new))
    }

    /// Gives a note the text of one of its versions back, as a new operation that can itself be undone.
    ///
    /// # Errors
    /// The version's text is no longer kept, or the note cannot be written.
    pub fn restore(&self, path: &RelPath, version: &str) -> Result<OperationView, DecideError> {
        let gone = || DecideError::Blocked(PlanError::VersionGone);
        let to = find(&self.view(), path, version).ok().and_then(|(_, after)| after).ok_or_else(gone)?;
        self.carry(Intent::Restore { path: path.clone(), to })
    }
}

/// Groups a person's typing; everything else stands alone.
fn folds(view: &View, path: &RelPath) -> Vec<Fold> {
    let ledger = view.ledger();
    let typing = |past: &Past| {
        ledger
            .get(past.op)
            .is_some_and(|op| op.actor == Actor::Person && matches!(op.intent, Intent::SaveText { .. }) && !op.folded)
    };
    let mut folds: Vec<Fold> = Vec::new();
    for (path, past) in ledger.lineage(path) {
        // Counted from the first of them: who writes for hours has more than one version.
        let continues = folds.last().filter(|fold| fold.path == path).is_some_and(|fold| {
            let (first, last) = (&fold.steps[0], &fold.steps[fold.steps.len() - 1]);
            typing(last) && typing(&past) && past.at - first.at <= FOLD_MS && past.before == last.after
        });
        match folds.last_mut() {
            Some(fold) if continues => fold.steps.push(past),
            _ => folds.push(Fold { path, steps: vec![past] }),
        }
    }
    folds
}

fn version(view: &View, fold: &Fold, current: Option<ContentHash>) -> Version {
    let first = fold.steps.first().expect("a fold begins with a step");
    let last = fold.steps.last().expect("a fold begins with a step");
    let operation = view.ledger().get(last.op).cloned();
    let file = operation.as_ref().and_then(|op| op.files.iter().find(|file| file.path == fold.path));
    let kept = |hash: Option<ContentHash>| hash.is_some_and(|hash| view.reader.has_blob(&hash));
    Version {
        id: last.op.to_string(),
        at: rfc3339(last.at),
        actor: if last.outside { Actor::Disk } else { operation.as_ref().map_or(Actor::Disk, |op| op.actor.clone()) },
        kind: if last.outside {
            "outside".to_owned()
        } else {
            operation.as_ref().map_or("outside", |op| op.intent.kind()).to_owned()
        },
        summary: operation.as_ref().map(|op| op.summary.clone()).unwrap_or_else(Summary::default),
        before_hash: first.before.map(|hash| hash.to_string()),
        after_hash: last.after.map(|hash| hash.to_string()),
        chars_added: 0,
        chars_removed: 0,
        is_link_repair: file.is_some_and(|file| file.link_repair),
        restorable: kept(last.after),
        request_id: operation.as_ref().and_then(|op| op.request_id.clone()),
        n_files: operation.as_ref().map_or(1, |op| n_files(&op.files)),
        can_undo: fold.steps.len() == 1 && operation.as_ref().is_some_and(|op| crate::review::can_undo(view, op)),
        is_current: last.after.is_some() && last.after == current,
    }
}

/// How many files an operation touched; one that moved, also into the trash, counts once.
fn n_files(files: &[ChangedFile]) -> u32 {
    let n = |is_there: fn(&ChangedFile) -> bool| files.iter().filter(|file| is_there(file)).count();
    n32(n(|file| file.before.is_some()).max(n(|file| file.after.is_some())))
}

/// The text before the first step is a version too, though no step made it.
fn as_found(view: &View, first: &Past, current: Option<ContentHash>) -> Option<Version> {
    let hash = first.before.filter(|hash| view.reader.has_blob(hash))?;
    Some(Version {
        id: AS_FOUND.to_owned(),
        at: rfc3339(first.at),
        actor: Actor::Disk,
        kind: "as_found".to_owned(),
        summary: Summary::default(),
        before_hash: None,
        after_hash: Some(hash.to_string()),
        chars_added: 0,
        chars_removed: 0,
        is_link_repair: false,
        restorable: true,
        request_id: None,
        n_files: 1,
        can_undo: false,
        is_current: Some(hash) == current,
    })
}

/// Returns what was there before a version and what it left.
fn find(
    view: &View,
    path: &RelPath,
    version: &str,
) -> Result<(Option<ContentHash>, Option<ContentHash>), HistoryError> {
    let unknown = || HistoryError::UnknownVersion { version: version.to_owned() };
    if version == AS_FOUND {
        let first = view.ledger().lineage(path).first().and_then(|(_, first)| first.before);
        return first.map(|hash| (None, Some(hash))).ok_or_else(unknown);
    }
    let id: OpId = version.parse().map_err(|_| unknown())?;
    let fold =
        folds(view, path).into_iter().find(|fold| fold.steps.iter().any(|step| step.op == id)).ok_or_else(unknown)?;
    let first = fold.steps.first().expect("a fold begins with a step");
    let last = fold.steps.last().expect("a fold begins with a step");
    Ok((first.before, last.after))
}

fn text_of(view: &View, hash: Option<ContentHash>) -> Result<String, HistoryError> {
    let Some(hash) = hash else { return Ok(String::new()) };
    let bytes = view.reader.blob(&hash).ok().flatten().ok_or(HistoryError::Gone)?;
    Ok(any_text(bytes).lf())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OpenVault;
    use crate::operation::OpRecord;

    fn opened(dir: &std::path::Path, text: &str) -> Engine {
        let (root, state) = (dir.join("vault"), dir.join("state"));
        std::fs::create_dir(&root).unwrap();
        std::fs::write(root.join("a.md"), text).unwrap();
        let (name, vault_key) = ("v".to_owned(), "key".to_owned());
        let engine = Engine::open(OpenVault { root, state, name, vault_key, system_trash: None }).unwrap();
        engine.catch_up();
        engine
    }

    #[test]
    fn a_list_leaves_no_version_out() {
        const N: u64 = 3_000;
        let dir = tempfile::tempdir().unwrap();
        let engine = opened(dir.path(), "text 0\n");
        let path = RelPath::new("a.md").unwrap();
        let text = |n: u64| ContentHash::of(format!("text {n}\n").as_bytes());
        let ids: Vec<OpId> = (1..=N).map(|n| OpId::from_parts(1_700_000_000_000 + n, 0)).collect();
        for (n, id) in (1..).zip(&ids) {
            let outside = OpRecord::Outside { path: path.clone(), before: Some(text(n - 1)), after: Some(text(n)) };
            engine.shared.ledger.write().unwrap().record(*id, i64::try_from(id.at_ms()).unwrap(), outside);
        }
        let listed: Vec<String> = engine.history(&path).into_iter().map(|version| version.id).collect();
        let wanted: Vec<String> = ids.iter().rev().map(ToString::to_string).collect();
        assert_eq!(listed, wanted);
        engine.close();
    }

    #[test]
    fn texts_are_counted_once() {
        let dir = tempfile::tempdir().unwrap();
        let engine = opened(dir.path(), "one\n");
        let path = RelPath::new("a.md").unwrap();
        engine.save(&path, ContentHash::of(b"one\n"), "one\ntwo\n".to_owned()).unwrap();
        let told = |engine: &Engine| -> Vec<(u32, u32)> {
            engine.history(&path).iter().map(|version| (version.chars_added, version.chars_removed)).collect()
        };
        assert_eq!(told(&engine), [(4, 0), (0, 0)]);
        let counted = engine.shared.counted.lock().unwrap().clone();
        assert_eq!(counted.into_values().collect::<Vec<_>>(), [(4, 0)]);
        // What is known is not looked up again, though the texts be gone.
        std::fs::remove_dir_all(dir.path().join("state/blobs")).unwrap();
        assert_eq!(told(&engine)[0], (4, 0));
        engine.close();
    }
}
