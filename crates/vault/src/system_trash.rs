//! The trash of the desktop, as freedesktop.org specifies it (Trash specification 1.0): `files/` holds what was thrown
//! away, `info/` says from where and when.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Something that was thrown away: a file, or a folder by the files that were in it.
#[derive(Debug)]
pub struct Thrown<'a> {
    /// Where it was.
    pub from: &'a Path,
    /// When, in local time, as `2026-11-30T18:00:00`.
    pub at: &'a str,
    /// The files below a folder by their paths in it; one with an empty path for a file.
    pub files: Vec<(PathBuf, &'a [u8])>,
}

/// Puts a copy of something into a trash folder, and returns its name there.
///
/// # Errors
/// The trash cannot be written. What was thrown away is in the history in any case.
pub fn throw_away(trash: &Path, thrown: &Thrown<'_>) -> io::Result<String> {
    let (files, info) = (trash.join("files"), trash.join("info"));
    for folder in [&files, &info] {
        private_dirs(folder)?;
    }
    let wanted = thrown.from.file_name().map_or_else(|| "note".to_owned(), |name| name.to_string_lossy().into_owned());
    let (name, mut told) = claim(&info, &files, &wanted)?;
    let kept = files.join(&name);
    let mut put = || -> io::Result<()> {
        for (below, bytes) in &thrown.files {
            let file = if below.as_os_str().is_empty() { kept.clone() } else { kept.join(below) };
            if let Some(folder) = file.parent() {
                private_dirs(folder)?;
            }
            OpenOptions::new().write(true).create_new(true).open(file)?.write_all(bytes)?;
        }
        writeln!(told, "[Trash Info]\nPath={}\nDeletionDate={}", encoded(thrown.from), thrown.at)
    };
    let done = put();
    if done.is_err() {
        // Half of something is worse than nothing: the whole is in the history.
        let _ = fs::remove_dir_all(&kept).or_else(|_| fs::remove_file(&kept));
        let _ = fs::remove_file(info.join(format!("{name}.trashinfo")));
    }
    done.map(|()| name)
}

/// Takes a name that nobody has yet. The note of it is made first, as the specification asks.
fn claim(info: &Path, files: &Path, wanted: &str) -> io::Result<(String, fs::File)> {
    let (stem, extension) = match wanted.rfind('.') {
        Some(at) if at > 0 => wanted.split_at(at),
        _ => (wanted, ""),
    };
    let numbered = (2..).map(|n| format!("{stem} {n}{extension}"));
    for name in std::iter::once(wanted.to_owned()).chain(numbered) {
        if files.join(&name).symlink_metadata().is_ok() {
            continue;
        }
        match OpenOptions::new().write(true).create_new(true).open(info.join(format!("{name}.trashinfo"))) {
            Ok(file) => return Ok((name, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    unreachable!("numbers do not run out")
}

fn private_dirs(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Writes a path as the specification wants it: percent-encoded as in a URL, with its slashes.
fn encoded(path: &Path) -> String {
    let mut encoded = String::new();
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                encoded.push(char::from(byte));
            }
            byte => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_thrown_away_can_be_found_and_none_displaces_another() {
        let dir = tempfile::tempdir().unwrap();
        let trash = dir.path().join("Trash");
        let note = |text: &'static str| Thrown {
            from: Path::new("/v/Kurze Notiz \u{e9}.md"),
            at: "2026-11-30T18:00:00",
            files: vec![(PathBuf::new(), text.as_bytes())],
        };
        assert_eq!(throw_away(&trash, &note("one")).unwrap(), "Kurze Notiz \u{e9}.md");
        assert_eq!(throw_away(&trash, &note("two")).unwrap(), "Kurze Notiz \u{e9} 2.md");
        let read = |path: &str| fs::read_to_string(trash.join(path)).unwrap();
        assert_eq!(read("files/Kurze Notiz \u{e9}.md"), "one");
        assert_eq!(read("files/Kurze Notiz \u{e9} 2.md"), "two");
        assert_eq!(
            read("info/Kurze Notiz \u{e9} 2.md.trashinfo"),
            "[Trash Info]\nPath=/v/Kurze%20Notiz%20%C3%A9.md\nDeletionDate=2026-11-30T18:00:00\n"
        );
        let folder = Thrown {
            from: Path::new("/v/Trip"),
            at: "2026-11-30T18:00:00",
            files: vec![("a.md".into(), b"A"), ("deep/b.png".into(), b"B")],
        };
        assert_eq!(throw_away(&trash, &folder).unwrap(), "Trip");
        assert_eq!((read("files/Trip/a.md"), read("files/Trip/deep/b.png")), ("A".to_owned(), "B".to_owned()));
    }
}
