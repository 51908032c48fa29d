//! Where a vault path really is: links inside the vault are followed, links out of it are refused.

use std::io;
use std::path::{Path, PathBuf};

use note::RelPath;

use crate::change::OpId;
use crate::disk::{Disk, Kind};

/// The real place of a vault path.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The path with every link of its folders resolved, and that of the file itself.
    pub(crate) file: PathBuf,
    /// The name itself, whose last part may be a link to `file`.
    pub(crate) name: PathBuf,
    /// The folders above it that do not exist, outermost first.
    pub(crate) missing_dirs: Vec<PathBuf>,
}

impl Place {
    /// Says whether the path itself is a link.
    pub(crate) fn is_link(&self) -> bool {
        self.file != self.name
    }
}

/// Says why a path has no place.
#[derive(Debug)]
pub(crate) enum NoPlace {
    /// A link leads out of the vault, or into a hidden folder.
    Outside,
    /// Something else is in the way.
    Blocked(&'static str),
    /// The disk failed.
    Io(io::Error),
}

impl From<io::Error> for NoPlace {
    fn from(error: io::Error) -> NoPlace {
        NoPlace::Io(error)
    }
}

/// Finds the place of a path; `root` has no links in it.
pub(crate) fn place(disk: &dyn Disk, root: &Path, path: &RelPath) -> Result<Place, NoPlace> {
    let mut dir = root.to_owned();
    let mut missing_dirs = Vec::new();
    for segment in path.parent().split('/').filter(|segment| !segment.is_empty()) {
        dir.push(segment);
        if !missing_dirs.is_empty() {
            missing_dirs.push(dir.clone());
            continue;
        }
        match disk.stat(&dir) {
            Ok(meta) => match meta.kind {
                Kind::Folder => {}
                Kind::Link => {
                    dir = follow(disk, root, &dir)?;
                    if disk.stat(&dir)?.kind != Kind::Folder {
                        return Err(NoPlace::Blocked("a part of the path is not a folder"));
                    }
                }
                Kind::File | Kind::Other => {
                    return Err(NoPlace::Blocked("a part of the path is not a folder"));
                }
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                missing_dirs.push(dir.clone());
            }
            Err(error) => return Err(error.into()),
        }
    }
    let name = dir.join(path.file_name());
    let file = match disk.stat(&name) {
        Ok(meta) if meta.kind == Kind::Link => follow(disk, root, &name)?,
        Ok(_) => name.clone(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => name.clone(),
        Err(error) => return Err(error.into()),
    };
    Ok(Place { file, name, missing_dirs })
}

fn follow(disk: &dyn Disk, root: &Path, link: &Path) -> Result<PathBuf, NoPlace> {
    let real = match disk.canonical(link) {
        Ok(real) => real,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(NoPlace::Blocked("it is a link to nothing"));
        }
        // A loop of links; its kind has no stable name.
        Err(error) if error.kind() != io::ErrorKind::PermissionDenied => {
            return Err(NoPlace::Blocked("it is a link that leads nowhere"));
        }
        Err(error) => return Err(error.into()),
    };
    let inside = real.strip_prefix(root).map_err(|_| NoPlace::Outside)?;
    let hidden = inside.components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."));
    if hidden {
        return Err(NoPlace::Outside);
    }
    Ok(real)
}

/// Names the temporary file of an operation, beside its target.
///
/// Other programs ignore it: it starts with a dot and ends in `.tmp`.
pub(crate) fn temp_beside(file: &Path, op: OpId) -> PathBuf {
    // The longest name that file systems allow is 255 bytes; `.`, `.`, the id and `.tmp` take 32 of them.
    const MAX_NAME: usize = 255 - 32;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let mut end = name.len().min(MAX_NAME);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    file.with_file_name(format!(".{}.{op}.tmp", &name[..end]))
}

/// Where Obsidian keeps the bookmarks of a vault, the one hidden file that is written: they follow what they mark.
pub const BOOKMARKS: &str = ".obsidian/bookmarks.json";

/// Says whether a vault path may not be written or read as a note: nothing hidden but the vault's own trash and bookmarks.
pub(crate) fn is_off_limits(path: &RelPath) -> bool {
    match path.as_str().strip_prefix(".trash/") {
        Some(rest) => rest.split('/').any(|segment| segment.starts_with('.')),
        None => path.is_hidden() && path.as_str() != BOOKMARKS,
    }
}
