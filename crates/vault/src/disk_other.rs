//! What systems without Unix calls can do; what they cannot is answered with `Unsupported`, and `settle` falls back.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

use super::Audience;

pub(super) fn identity(_meta: &Metadata) -> (Option<(u64, u64)>, u64, Option<u32>) {
    (None, 1, None)
}

pub(super) fn acts_as(_owner: u32) -> bool {
    true
}

/// Nothing is held open here.
pub(super) fn max_open_files() -> usize {
    0
}

pub(super) fn refusal(path: &Path) -> Option<String> {
    let meta = fs::metadata(path).ok()?;
    (meta.is_file() && meta.permissions().readonly()).then(|| "the file is write-protected".to_owned())
}

/// What is created in the person's own folders is private to the person by inheritance.
pub(super) fn created_for(_options: &mut OpenOptions, _audience: Audience) {}

/// While it is open, nobody can remove the file, or the folder that it is in.
#[cfg(windows)]
pub(super) fn undeletable(options: &mut OpenOptions) {
    use std::os::windows::fs::OpenOptionsExt;
    const SHARE_READ: u32 = 1;
    const SHARE_WRITE: u32 = 2;
    options.share_mode(SHARE_READ | SHARE_WRITE);
}

#[cfg(not(windows))]
pub(super) fn undeletable(_options: &mut OpenOptions) {}

pub(super) fn folder_for(_builder: &mut DirBuilder, _audience: Audience) {}

/// A link to a folder is another thing here than one to a file, and few accounts may make either.
pub(super) fn make_link(_says: &Path, _path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(super) fn set_attributes(from: &Path, to: &Path) -> io::Result<()> {
    let like = fs::symlink_metadata(from)?;
    set_created(&like, to)?;
    fs::set_permissions(to, like.permissions())
}

#[cfg(windows)]
fn set_created(like: &Metadata, to: &Path) -> io::Result<()> {
    use std::os::windows::fs::FileTimesExt;
    match like.created() {
        Ok(created) => OpenOptions::new().write(true).open(to)?.set_times(fs::FileTimes::new().set_created(created)),
        Err(_) => Ok(()),
    }
}

#[cfg(not(windows))]
fn set_created(_like: &Metadata, _to: &Path) -> io::Result<()> {
    Ok(())
}

/// Flushing needs a handle that may write.
pub(super) fn open_to_sync(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).open(path)
}

pub(super) fn starts_writing(_file: &File) -> bool {
    false
}

/// Folders cannot be flushed here; their names are durable with the files.
pub(super) fn sync_dir(_dir: &Path) -> io::Result<()> {
    Ok(())
}

pub(super) fn swap(_a: &Path, _b: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(super) fn rename_new(_from: &Path, _to: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
