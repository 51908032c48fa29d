//! Second versions of a note that sync tools put beside it. They are left alone, and shown for what they are.

use note::RelPath;

/// The note of which a sync tool made this copy because two devices had written it; `exists` says what is there.
///
/// Only names that say so are taken for it: ` (.. conflicted copy ..)` of Dropbox, Nextcloud and Obsidian Sync,
/// `.sync-conflict-..` of Syncthing, `_conflict-..` of ownCloud, `_Conflict` of Synology. Copies that are merely
/// numbered, as iCloud and Google Drive do, cannot be told from notes that a person numbered.
pub(crate) fn conflict_of(path: &RelPath, exists: &dyn Fn(&RelPath) -> bool) -> Option<RelPath> {
    let extension = path.as_str().strip_prefix(&path.as_str()[..path.as_str().rfind('.')?])?;
    let stem = path.as_str().strip_suffix(extension)?;
    let original = |stem: &str| {
        let path = RelPath::new(&format!("{stem}{extension}")).ok()?;
        exists(&path).then_some(path)
    };
    if let Some(inner) = stem.strip_suffix(')')
        && let Some((before, said)) = inner.rsplit_once(" (")
        && said.to_lowercase().contains("conflicted copy")
    {
        return original(before);
    }
    if let Some((before, said)) = stem.rsplit_once(".sync-conflict-") {
        let mut parts = said.split('-');
        let is_stamp = |part: Option<&str>, n: usize| {
            part.is_some_and(|part| part.len() == n && part.bytes().all(|byte| byte.is_ascii_digit()))
        };
        return if is_stamp(parts.next(), 8) && is_stamp(parts.next(), 6) { original(before) } else { None };
    }
    if let Some((before, said)) = stem.rsplit_once("_conflict-") {
        return if said.starts_with(|c: char| c.is_ascii_digit()) { original(before) } else { None };
    }
    let mut before = stem.strip_suffix("_Conflict")?;
    // The device and the time stand between; the name itself may have underscores too.
    while let Some((shorter, _)) = before.rsplit_once('_') {
        if let Some(found) = original(shorter) {
            return Some(found);
        }
        before = shorter;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_known_by_their_names() {
        for (copy, original) in [
            ("a/Plan (Ada\'s conflicted copy 2026-11-30).md", Some("a/Plan.md")),
            ("a/Plan (Conflicted copy phone 202611301200).md", Some("a/Plan.md")),
            ("a/Plan.sync-conflict-20261130-101112-ABCDEFG.md", Some("a/Plan.md")),
            ("a/Plan_conflict-20261130-101112.md", Some("a/Plan.md")),
            ("a/Plan_disk_Nov-30-101112-2026_Conflict.md", Some("a/Plan.md")),
            ("a/Plan 2.md", None),
            ("a/Plan (copy).md", None),
            ("a/Plan.sync-conflict-notes.md", None),
            ("a/Plan_Conflict.md", None),
            ("b/Plan (conflicted copy 2026-11-30).md", None),
            ("a/Other (conflicted copy).md", None),
            ("noextension", None),
        ] {
            let exists = |path: &RelPath| path.as_str() == "a/Plan.md";
            let found = conflict_of(&RelPath::new(copy).unwrap(), &exists);
            assert_eq!(found.as_ref().map(RelPath::as_str), original, "{copy}");
        }
    }
}
