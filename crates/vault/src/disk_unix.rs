//! What only Unix systems have: modes, owners, extended attributes, the atomic exchange.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{Access, CWD, RenameFlags};
use rustix::io::Errno;

use super::Audience;

pub(super) fn identity(meta: &Metadata) -> (Option<(u64, u64)>, u64, Option<u32>) {
    (Some((meta.dev(), meta.ino())), meta.nlink(), Some(meta.uid()))
}

pub(super) fn acts_as(owner: u32) -> bool {
    let me = rustix::process::geteuid();
    me.is_root() || me.as_raw() == owner
}

pub(super) fn max_open_files() -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    limit.current.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(4_096).min(4_096)
}

pub(super) fn refusal(path: &Path) -> Option<String> {
    // Root may write to anything, but a file that its owner protected from writing is still meant to stay.
    if fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().readonly()) {
        return Some("the file is write-protected".to_owned());
    }
    let what = if path.is_dir() { "folder" } else { "file" };
    match rustix::fs::access(path, Access::WRITE_OK) {
        Ok(()) => None,
        Err(Errno::ROFS) => Some("the disk is mounted read-only".to_owned()),
        Err(Errno::ACCESS | Errno::PERM) => Some(format!("no permission to write to the {what}")),
        Err(error) => Some(io::Error::from(error).to_string()),
    }
}

pub(super) fn created_for(options: &mut OpenOptions, audience: Audience) {
    if audience == Audience::Private {
        options.mode(0o600);
    }
}

/// A name can always be removed here, whoever has the file open.
pub(super) fn undeletable(_options: &mut OpenOptions) {}

pub(super) fn folder_for(builder: &mut DirBuilder, audience: Audience) {
    if audience == Audience::Private {
        builder.mode(0o700);
    }
}

pub(super) fn make_link(says: &Path, path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(says, path)
}

pub(super) fn set_attributes(from: &Path, to: &Path) -> io::Result<()> {
    let like = fs::symlink_metadata(from)?;
    let now = fs::symlink_metadata(to)?;
    // The owner comes first: changing it clears some bits of the mode.
    if like.gid() != now.gid() {
        tolerate(std::os::unix::fs::lchown(to, None, Some(like.gid())))?;
    }
    if like.uid() != now.uid() {
        tolerate(std::os::unix::fs::lchown(to, Some(like.uid()), None))?;
    }
    fs::set_permissions(to, fs::Permissions::from_mode(like.mode() & 0o7777))?;
    for name in xattr::list(from).into_iter().flatten() {
        // Names outside `user.` belong to the system, which may refuse to let us set them.
        let ours = name.to_string_lossy().starts_with("user.");
        let set = xattr::get(from, &name).and_then(|value| match value {
            Some(value) => xattr::set(to, &name, &value),
            None => Ok(()),
        });
        if ours { set? } else { tolerate(set)? }
    }
    set_created(&like, to)
}

/// Copies the creation time, by which people sort their notes.
#[cfg(target_vendor = "apple")]
fn set_created(like: &Metadata, to: &Path) -> io::Result<()> {
    use std::os::macos::fs::FileTimesExt;
    match like.created() {
        Ok(created) => OpenOptions::new().write(true).open(to)?.set_times(fs::FileTimes::new().set_created(created)),
        Err(_) => Ok(()),
    }
}

/// Linux and the BSDs have no call that sets a creation time.
#[cfg(not(target_vendor = "apple"))]
fn set_created(_like: &Metadata, _to: &Path) -> io::Result<()> {
    Ok(())
}

fn tolerate(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported) => Ok(()),
        other => other,
    }
}

pub(super) fn open_to_sync(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Sends a file on its way to the medium without waiting; says whether it could.
///
/// The kernel begins to write what it is told is no longer needed. That is a side effect of a hint, and nothing but speed
/// rests on it.
#[cfg(target_os = "linux")]
pub(super) fn starts_writing(file: &File) -> bool {
    rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed).is_ok()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn starts_writing(_file: &File) -> bool {
    false
}

pub(super) fn sync_dir(dir: &Path) -> io::Result<()> {
    match File::open(dir)?.sync_all() {
        // Some network file systems have no such call for folders, and nothing else to offer.
        Err(error) if unsupported(&error) => Ok(()),
        answer => answer,
    }
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(super) fn swap(a: &Path, b: &Path) -> io::Result<()> {
    rename_with(a, b, RenameFlags::EXCHANGE)
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    rename_with(from, to, RenameFlags::NOREPLACE)
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn rename_with(from: &Path, to: &Path, flags: RenameFlags) -> io::Result<()> {
    rustix::fs::renameat_with(CWD, from, CWD, to, flags).map_err(|errno| {
        let error = io::Error::from(errno);
        if unsupported(&error) { io::Error::new(io::ErrorKind::Unsupported, error) } else { error }
    })
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(super) fn swap(_a: &Path, _b: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(super) fn rename_new(_from: &Path, _to: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

fn unsupported(error: &io::Error) -> bool {
    let errno = error.raw_os_error().map(Errno::from_raw_os_error);
    error.kind() == io::ErrorKind::Unsupported
        || [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOTSUP].iter().any(|none| errno == Some(*none))
}
