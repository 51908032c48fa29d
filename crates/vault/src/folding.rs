//! A disk that takes names for the same whatever their case, as the usual ones of macOS and Windows do; for tests.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use note::ContentHash;

use crate::disk::{Audience, Disk, Listed, Meta, RealDisk, Seen};

/// The disk of this machine, seen through names without case.
#[derive(Debug, Clone, Copy, Default)]
pub struct FoldingDisk;

/// Spells a path as it is on the disk, as far as there is something.
fn spelled(path: &Path) -> PathBuf {
    let mut real = PathBuf::new();
    for part in path {
        let exact = real.join(part);
        let is_like = |listed: &Listed| match (listed.name.to_str(), part.to_str()) {
            (Some(name), Some(part)) => note::fold(name) == note::fold(part),
            _ => false,
        };
        let like = || RealDisk.list(&real).ok()?.into_iter().find(is_like).map(|listed| real.join(listed.name));
        real = if RealDisk.stat(&exact).is_ok() { exact } else { like().unwrap_or(exact) };
    }
    real
}

fn all_spelled(paths: &[&Path]) -> Vec<PathBuf> {
    paths.iter().map(|path| spelled(path)).collect()
}

fn refs(paths: &[PathBuf]) -> Vec<&Path> {
    paths.iter().map(PathBuf::as_path).collect()
}

impl Disk for FoldingDisk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        RealDisk.read(&spelled(path))
    }

    fn read_part(&self, path: &Path, at: u64, max_len: usize) -> io::Result<Vec<u8>> {
        RealDisk.read_part(&spelled(path), at, max_len)
    }

    fn hash(&self, path: &Path) -> io::Result<ContentHash> {
        RealDisk.hash(&spelled(path))
    }

    fn stat(&self, path: &Path) -> io::Result<Meta> {
        RealDisk.stat(&spelled(path))
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<Listed>> {
        RealDisk.list(&spelled(dir))
    }

    fn look_into(&self, dir: &Path) -> io::Result<Vec<Seen>> {
        RealDisk.look_into(&spelled(dir))
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        RealDisk.canonical(&spelled(path))
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        RealDisk.read_link(&spelled(path))
    }

    fn refusal(&self, path: &Path) -> Option<String> {
        RealDisk.refusal(&spelled(path))
    }

    fn write_temp(&self, path: &Path, bytes: &[u8], audience: Audience) -> io::Result<()> {
        RealDisk.write_temp(&spelled(path), bytes, audience)
    }

    fn write_in_place(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        RealDisk.write_in_place(&spelled(path), bytes)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        RealDisk.append(&spelled(path), bytes)
    }

    fn truncate(&self, path: &Path, len: u64) -> io::Result<()> {
        RealDisk.truncate(&spelled(path), len)
    }

    fn set_attributes(&self, from: &Path, to: &Path) -> io::Result<()> {
        RealDisk.set_attributes(&spelled(from), &spelled(to))
    }

    fn sync(&self, paths: &[&Path]) -> io::Result<()> {
        RealDisk.sync(&refs(&all_spelled(paths)))
    }

    fn swap(&self, a: &Path, b: &Path) -> io::Result<()> {
        RealDisk.swap(&spelled(a), &spelled(b))
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        RealDisk.rename_new(&spelled(from), &spelled(to))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (real, there) = (spelled(from), spelled(to));
        let (dir, name) = (to.parent().unwrap_or(Path::new("")), to.file_name().unwrap_or_default());
        // What is renamed to itself gets the new spelling; that of its folders is theirs.
        RealDisk.rename(&real, &if real == there { spelled(dir).join(name) } else { there })
    }

    fn make_link(&self, says: &Path, path: &Path) -> io::Result<()> {
        RealDisk.make_link(says, &spelled(path))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        RealDisk.remove(&spelled(path))
    }

    fn remove_and_hold(&self, path: &Path) -> io::Result<Option<File>> {
        RealDisk.remove_and_hold(&spelled(path))
    }

    fn hold(&self, path: &Path) -> io::Result<Option<File>> {
        RealDisk.hold(&spelled(path))
    }

    fn read_held(&self, file: &File) -> io::Result<Vec<u8>> {
        RealDisk.read_held(file)
    }

    fn sync_dirs(&self, dirs: &[&Path]) -> io::Result<()> {
        RealDisk.sync_dirs(&refs(&all_spelled(dirs)))
    }

    fn sync_both(&self, files: &[&Path], dirs: &[&Path]) -> io::Result<()> {
        RealDisk.sync_both(&refs(&all_spelled(files)), &refs(&all_spelled(dirs)))
    }

    fn create_dir(&self, dir: &Path, audience: Audience) -> io::Result<()> {
        RealDisk.create_dir(&spelled(dir), audience)
    }

    fn remove_dir(&self, dir: &Path) -> io::Result<()> {
        RealDisk.remove_dir(&spelled(dir))
    }

    fn open_to_lock(&self, path: &Path) -> io::Result<(File, Option<(u64, u64)>)> {
        RealDisk.open_to_lock(&spelled(path))
    }

    fn open_folder(&self, dir: &Path) -> io::Result<Option<File>> {
        RealDisk.open_folder(&spelled(dir))
    }

    fn now_ms(&self) -> u64 {
        RealDisk.now_ms()
    }
}
