//! Symbolic links that move along with their folder, as the links that they are.
//!
//! Like a folder, a link has no text of its own. What it says changes only where it is certain what it would have to say
//! from its new place to lead where it led.

use std::path::{Component, Path, PathBuf};

use note::RelPath;
use serde::{Deserialize, Serialize};

use crate::disk::Kind;
use crate::error::CommitError;
use crate::place::{is_off_limits, place};
use crate::scan::{Reader, Walked};
use crate::{Vault, commit};

/// One link that gets another path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkMove {
    /// Where it is.
    pub from: RelPath,
    /// Where it goes.
    pub to: RelPath,
    /// What it says before and after; `None` if it stays byte for byte what it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub says: Option<(String, String)>,
}

impl LinkMove {
    /// Returns the way back.
    pub fn reversed(&self) -> LinkMove {
        let says = self.says.clone().map(|(before, after)| (after, before));
        LinkMove { from: self.to.clone(), to: self.from.clone(), says }
    }
}

/// What is known of where a link leads from its new place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leads {
    /// Where it led.
    There,
    /// It stays as it is, for nobody can say what would be right; this is what it says.
    Unsure(String),
}

impl Reader {
    /// Lists the links in a folder and below it, whatever they lead to. Hidden names are left out.
    pub fn links_below(&self, folder: &RelPath) -> Vec<RelPath> {
        let path = |walked| match walked {
            Walked::File(found) => found.stat.is_symlink.then_some(found.path),
            Walked::Skipped(skipped) => RelPath::new(&skipped.path).ok().filter(|path| self.is_link(path)),
            Walked::Folder(_) => None,
        };
        let mut links: Vec<RelPath> = self.walk_folder(folder).filter_map(path).collect();
        links.sort_unstable();
        links
    }

    /// Says whether a link could be moved so: it is there, and says what it should.
    pub fn can_move_link(&self, link: &LinkMove) -> bool {
        let says = self.disk().read_link(&self.root().join(link.from.as_str()));
        says.is_ok_and(|says| link.says.as_ref().is_none_or(|(before, _)| says == Path::new(before)))
    }

    /// Works out how a link moves along when a folder gets another path.
    pub fn move_link(&self, link: &RelPath, to: &RelPath, folder: (&RelPath, &RelPath)) -> (LinkMove, Leads) {
        let as_it_is = LinkMove { from: link.clone(), to: to.clone(), says: None };
        let at = |path: &RelPath| self.root().join(path.as_str());
        let says = self.disk().read_link(&at(link)).unwrap_or_default();
        let old_dir = at(link).parent().map(Path::to_path_buf).unwrap_or_default();
        let new_dir = at(to).parent().map(Path::to_path_buf).unwrap_or_default();
        let meant = plain(&old_dir.join(&says));
        let then = match meant.strip_prefix(at(folder.0)) {
            Ok(rest) if rest.as_os_str().is_empty() => at(folder.1),
            Ok(rest) => at(folder.1).join(rest),
            Err(_) => meant.clone(),
        };
        let (now, then) = match says.is_absolute() {
            true => (meant.clone(), then),
            false => (relative(&old_dir, &meant), relative(&new_dir, &then)),
        };
        if now == then {
            return (as_it_is, Leads::There);
        }
        // Names alone say where it leads only if no link is among the folders on the way, there and from here.
        let real = |path: &Path| self.disk().canonical(path).ok();
        let is_plain = real(&at(link)).is_some_and(|end| real(&meant) == Some(end))
            && place(self.disk(), self.root(), folder.1).is_ok_and(|place| place.name == at(folder.1));
        match (is_plain, says.to_str(), then.to_str()) {
            (true, Some(says), Some(then)) => {
                (LinkMove { says: Some((says.to_owned(), then.to_owned())), ..as_it_is }, Leads::There)
            }
            _ => (as_it_is, Leads::Unsure(says.to_string_lossy().into_owned())),
        }
    }

    fn is_link(&self, path: &RelPath) -> bool {
        self.disk().stat(&self.root().join(path.as_str())).is_ok_and(|meta| meta.kind == Kind::Link)
    }
}

impl Vault {
    /// Moves a link, never what it leads to. Nothing is replaced.
    pub fn move_link(&mut self, link: &LinkMove) -> Result<(), CommitError> {
        if let Some(reason) = self.own().err().or_else(|| self.reader.is_read_only()) {
            return Err(CommitError::ReadOnly { path: link.from.clone(), reason });
        }
        let (from, to) = (self.link_place(&link.from)?, self.link_place(&link.to)?);
        let refuse = |source| CommitError::from_io(&link.from, source);
        if self.disk.stat(&from).map_err(refuse)?.kind != Kind::Link || !self.reader.can_move_link(link) {
            let reason = "it is not the link that was to move".to_owned();
            return Err(CommitError::Invalid { path: link.from.clone(), reason });
        }
        match &link.says {
            None => self.disk.rename_new(&from, &to),
            // The old one goes only when the new one is there.
            Some((_, says)) => self.disk.make_link(Path::new(says), &to).and_then(|()| self.disk.remove(&from)),
        }
        .map_err(refuse)?;
        let dirs: Vec<&Path> = [&from, &to].into_iter().filter_map(|path| path.parent()).collect();
        self.disk.sync_dirs(&dirs).map_err(refuse)
    }

    /// Finds where a link is itself, without following it.
    fn link_place(&self, path: &RelPath) -> Result<PathBuf, CommitError> {
        if is_off_limits(path) {
            return Err(CommitError::Outside { path: path.clone() });
        }
        let dir = match RelPath::new(path.parent()) {
            Ok(parent) => place(&*self.disk, self.reader.root(), &parent).map_err(|no| commit::refuse(path, no))?.file,
            Err(_) => self.reader.root().to_path_buf(),
        };
        Ok(dir.join(path.file_name()))
    }
}

/// Takes `.` and `..` out of a path by its names alone.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// Returns the way from a folder to a path, both without `.` and `..`.
fn relative(dir: &Path, to: &Path) -> PathBuf {
    let n_common = dir.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let up = dir.components().skip(n_common).map(|_| Component::ParentDir);
    let way: PathBuf = up.chain(to.components().skip(n_common)).collect();
    if way.as_os_str().is_empty() { PathBuf::from(".") } else { way }
}
