//! Links that lose what they mean when a section changes.

use std::collections::HashMap;
use std::ops::Range;

use super::SectionEdited;
use crate::heading::strip_heading_for_link;
use crate::link::Link;
use crate::parse::Note;
use crate::repoint::LinkWarning;
use crate::section::SectionCandidate;

impl SectionEdited {
    /// Names the links of a note that meant a heading or a block of the changed note and do not
    /// mean it any more.
    ///
    /// `before` is the changed note as it was; `resolves` says whether a link's path means it. For
    /// its own links hand in [`SectionEdited::note`] as `linking`.
    pub fn lost_links(&self, before: &Note, linking: &Note, resolves: &dyn Fn(&Link) -> bool) -> Vec<LinkWarning> {
        let mut known: HashMap<&str, Option<String>> = HashMap::new();
        let mut warnings = Vec::new();
        for link in &linking.links {
            let Some(subpath) = link.subpath.as_deref().filter(|subpath| !subpath.trim().is_empty()) else { continue };
            if !resolves(link) {
                continue;
            }
            let what = known.entry(subpath).or_insert_with(|| self.lost_target(before, subpath));
            if let Some(what) = what {
                let text = format!("link to `{}#{subpath}` {what}", link.target);
                warnings.push(LinkWarning { line: link.line, text });
            }
        }
        warnings
    }

    /// What becomes of a bare subpath (without its `#`) into the changed note, if it loses its
    /// target; for the cards of a canvas.
    pub fn lost_target(&self, before: &Note, subpath: &str) -> Option<String> {
        if let Some(id) = subpath.strip_prefix('^') {
            let holds = |note: &Note| {
                let is_it = |known: &str| known.eq_ignore_ascii_case(id);
                note.blocks.iter().any(|block| is_it(&block.id))
                    || note.headings.iter().any(|heading| heading.block_id.as_deref().is_some_and(is_it))
            };
            return (holds(before) && !holds(&self.note)).then(|| "meant a block that is gone".to_owned());
        }
        let was = *before.find_heading(subpath)?.last()?;
        let now = self.note.find_heading(subpath).and_then(|chain| chain.last().copied());
        if now == self.moved[was] && now.is_some() {
            return None;
        }
        let old = &before.headings[was];
        let now = now.map(|now| &self.note.headings[now]);
        let now = now.map_or("no heading".to_owned(), |now| format!("`{}` (line {})", now.text, now.line));
        Some(format!("meant `{}` (line {}) and now means {now}", old.text, old.line))
    }
}

/// The headings that a link by title does not reach any more. Of those in `own`, links that name
/// their ancestors count too.
pub(super) fn headings(
    before: &Note,
    after: &Note,
    moved: &[Option<usize>],
    own: Range<usize>,
) -> Vec<SectionCandidate> {
    let (first_before, first_after) = (first_by_key(before), first_by_key(after));
    let is_lost = |old: usize| {
        let heading = &before.headings[old];
        let is_first = first_before.get(heading.key.as_str()) == Some(&old);
        let is_found = |now: Option<usize>| now.is_some() && now == moved[old];
        let plain = is_first && !is_found(first_after.get(heading.key.as_str()).copied());
        plain
            || own.contains(&old) && {
                let chain = chain(before, old);
                let last = |note: &Note| note.find_heading(&chain).and_then(|chain| chain.last().copied());
                last(before) == Some(old) && !is_found(last(after))
            }
    };
    let lost: Vec<usize> = (0..before.headings.len()).filter(|&old| is_lost(old)).collect();
    before.candidates(&lost, |heading| heading.same_text.nth)
}

fn first_by_key(note: &Note) -> HashMap<&str, usize> {
    let mut first = HashMap::new();
    for (index, heading) in note.headings.iter().enumerate() {
        first.entry(heading.key.as_str()).or_insert(index);
    }
    first
}

/// The link's way to a heading through all its ancestors.
fn chain(note: &Note, index: usize) -> String {
    let mut titles = Vec::new();
    let mut at = Some(index);
    while let Some(here) = at {
        let heading = &note.headings[here];
        titles.push(strip_heading_for_link(&heading.raw));
        at = heading.parent;
    }
    titles.reverse();
    titles.join("#")
}
