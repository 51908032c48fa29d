//! Sections moved in a text that need not be saved yet, and how many links lead to each heading.

use crate::View;
use crate::find::{n32, utf16};
use note::{MoveTo, Note, NoteText, RelPath, SectionEditError, SectionRef};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Where a section goes, with all that belongs to it. `at` is a place in the outline, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum OutlineMove {
    /// In front of the section above it that belongs to the same heading.
    Up,
    /// Behind the section below it that belongs to the same heading.
    Down,
    /// A level higher, where it stands.
    Promote,
    /// A level deeper, where it stands.
    Demote,
    /// In front of another section, on its level.
    Before { at: u32 },
    /// Behind another section and all that belongs to it, on its level.
    After { at: u32 },
    /// In front of what belongs to another section.
    FirstChild { at: u32 },
    /// Behind all that belongs to another section.
    LastChild { at: u32 },
}

/// What to change in a text, as one edit. Offsets count UTF-16 code units, what a window counts in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TextChange {
    pub from: u32,
    pub to: u32,
    pub insert: String,
}

/// A section's way to another place or level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OutlineEdit {
    /// In order and disjoint; none if the section stands there already.
    pub changes: Vec<TextChange>,
    /// The 1-based line of its heading afterwards.
    pub line: u32,
    pub level: u8,
}

/// A heading that links lead to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct HeadingLinks {
    pub level: u8,
    pub text: String,
    /// Which one it is among the headings of this level and text, from 1.
    pub nth: u32,
    /// Links in other notes and canvases.
    pub n_links: u32,
}

/// Why a section cannot go there.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OutlineError {
    #[error("`{text}` is the first section of its level here")]
    First { text: String },
    #[error("`{text}` is the last section of its level here")]
    Last { text: String },
    #[error(transparent)]
    Section(#[from] SectionEditError),
}

/// Plans a section's way to another place in a text (line feeds only) that need not be saved.
///
/// # Errors
/// Says what stands in the way; nothing else in the text may read otherwise afterwards.
pub fn move_section(text: &str, index: u32, to: OutlineMove) -> Result<OutlineEdit, OutlineError> {
    let text = NoteText::from_str(text);
    let note = note::parse(&text);
    let from = SectionRef::Index(index as usize);
    let section = note.section(&from).map_err(SectionEditError::from)?.heading;
    let go = |at: u32, position, relevel| {
        let at = SectionRef::Index(at as usize);
        let edited = note::move_section(&text, &note, &from, &at, position, relevel)?;
        let heading = edited.index.and_then(|index| edited.note.headings.get(index));
        let (line, level) = heading.map_or((section.line, section.level), |heading| (heading.line, heading.level));
        Ok((edited.edits, line, level))
    };
    let relevel = |by: i8| {
        let edits = note::relevel_section(&text, &note, &from, by)?;
        let after = edits.apply(&text).map_or_else(|_| note.clone(), |after| note::parse(&after));
        let heading = after.headings.get(index as usize).unwrap_or(section);
        Ok((edits, heading.line, heading.level))
    };
    let (edits, line, level) = match to {
        OutlineMove::Up => match sibling(&note, index as usize, false) {
            Some(above) => go(above, MoveTo::Before, false),
            None => Err(OutlineError::First { text: section.text.clone() }),
        },
        OutlineMove::Down => match sibling(&note, index as usize, true) {
            Some(below) => go(below, MoveTo::After, false),
            None => Err(OutlineError::Last { text: section.text.clone() }),
        },
        OutlineMove::Promote => relevel(-1),
        OutlineMove::Demote => relevel(1),
        OutlineMove::Before { at } => go(at, MoveTo::Before, true),
        OutlineMove::After { at } => go(at, MoveTo::After, true),
        OutlineMove::FirstChild { at } => go(at, MoveTo::FirstChild, true),
        OutlineMove::LastChild { at } => go(at, MoveTo::LastChild, true),
    }?;
    Ok(OutlineEdit { changes: text_changes(text.as_str(), &edits), line, level })
}

/// The section next to one that belongs to the same heading.
fn sibling(note: &Note, index: usize, below: bool) -> Option<u32> {
    let parent = note.headings[index].parent;
    let mut all = note.headings.iter().enumerate().filter(|(_, heading)| heading.parent == parent).map(|(at, _)| at);
    let found = if below { all.find(|at| *at > index) } else { all.take_while(|at| *at < index).last() };
    found.map(n32)
}

pub(crate) fn text_changes(text: &str, edits: &note::Edits) -> Vec<TextChange> {
    let (mut byte, mut units) = (0, 0);
    let mut place = |at: usize| {
        units += utf16(&text[byte..at], at - byte);
        byte = at;
        units
    };
    let change = |edit: &note::Edit| TextChange {
        from: place(edit.range.start),
        to: place(edit.range.end),
        insert: edit.new.clone(),
    };
    edits.edits.iter().map(change).collect()
}

impl View {
    /// Counts the links in other files that lead to each heading of a note; headings without any are left out.
    pub fn heading_links(&self, path: &RelPath) -> Vec<HeadingLinks> {
        let subpaths: Vec<Box<str>> = self
            .index
            .backlinks(path)
            .into_iter()
            .filter(|link| link.from != *path)
            .filter_map(|link| link.fact.subpath)
            .filter(|subpath| !subpath.starts_with('^'))
            .collect();
        if subpaths.is_empty() {
            return Vec::new();
        }
        let Ok(open) = self.open_note(path) else { return Vec::new() };
        let mut counts = vec![0; open.note.headings.len()];
        for subpath in subpaths {
            if let Some(last) = open.note.find_heading(&subpath).and_then(|chain| chain.last().copied()) {
                counts[last] += 1;
            }
        }
        let counted = |(heading, n_links): (&note::Heading, u32)| HeadingLinks {
            level: heading.level,
            text: heading.text.clone(),
            nth: heading.same_text.nth,
            n_links,
        };
        open.note.headings.iter().zip(counts).filter(|(_, n_links)| *n_links > 0).map(counted).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn applied(text: &str, changes: &[TextChange]) -> String {
        let units: Vec<u16> = text.encode_utf16().collect();
        let (mut made, mut at) = (Vec::new(), 0);
        for change in changes {
            made.extend_from_slice(&units[at..change.from as usize]);
            made.extend(change.insert.encode_utf16());
            at = change.to as usize;
        }
        made.extend_from_slice(&units[at..]);
        String::from_utf16(&made).unwrap()
    }

    fn check(before: &str, index: u32, to: OutlineMove, expected: Expect) {
        let after = match move_section(before, index, to) {
            Ok(edit) => {
                let after = applied(before, &edit.changes);
                let heading = crate::outline(&after).into_iter().find(|heading| heading.line == edit.line);
                let heading = heading.map(|heading| format!("{} {}", heading.level, heading.text));
                format!("{after}-- {}, now {}\n", heading.unwrap_or_default(), edit.level)
            }
            Err(error) => error.to_string(),
        };
        expected.assert_eq(&after);
    }

    const TEXT: &str = "# Tóp 🌋\n\n## A\n\na\n\n### A1\n\n## B\n\nb\n\n## C\n";

    #[test]
    fn sections_change_places_with_their_neighbors() {
        check(
            TEXT,
            3,
            OutlineMove::Up,
            expect![[r#"
            # Tóp 🌋

            ## B

            b

            ## A

            a

            ### A1

            ## C
            -- 2 B, now 2
        "#]],
        );
        check(
            TEXT,
            1,
            OutlineMove::Down,
            expect![[r#"
            # Tóp 🌋

            ## B

            b

            ## A

            a

            ### A1

            ## C
            -- 2 A, now 2
        "#]],
        );
        check(TEXT, 1, OutlineMove::Up, expect!["`A` is the first section of its level here"]);
        check(TEXT, 2, OutlineMove::Down, expect!["`A1` is the last section of its level here"]);
        check(TEXT, 4, OutlineMove::Down, expect!["`C` is the last section of its level here"]);
    }

    #[test]
    fn sections_go_up_and_down_a_level() {
        check(
            TEXT,
            1,
            OutlineMove::Demote,
            expect![[r#"
            # Tóp 🌋

            ### A

            a

            #### A1

            ## B

            b

            ## C
            -- 3 A, now 3
        "#]],
        );
        check(
            TEXT,
            3,
            OutlineMove::Promote,
            expect![[r#"
            # Tóp 🌋

            ## A

            a

            ### A1

            # B

            b

            ## C
            -- 1 B, now 1
        "#]],
        );
        check(
            TEXT,
            0,
            OutlineMove::Promote,
            expect!["the note's structure would change: `Tóp 🌋` is of level 1 already"],
        );
    }

    #[test]
    fn sections_take_the_level_of_where_they_are_put() {
        check(
            TEXT,
            4,
            OutlineMove::Before { at: 2 },
            expect![[r#"
            # Tóp 🌋

            ## A

            a

            ### C

            ### A1

            ## B

            b
            -- 3 C, now 3
        "#]],
        );
        check(
            TEXT,
            2,
            OutlineMove::After { at: 3 },
            expect![[r#"
            # Tóp 🌋

            ## A

            a

            ## B

            b

            ## A1

            ## C
            -- 2 A1, now 2
        "#]],
        );
        check(
            TEXT,
            4,
            OutlineMove::FirstChild { at: 1 },
            expect![[r#"
            # Tóp 🌋

            ## A

            a

            ### C

            ### A1

            ## B

            b
            -- 3 C, now 3
        "#]],
        );
        check(
            TEXT,
            1,
            OutlineMove::LastChild { at: 3 },
            expect![[r#"
            # Tóp 🌋

            ## B

            b

            ### A

            a

            #### A1

            ## C
            -- 3 A, now 3
        "#]],
        );
        check(TEXT, 1, OutlineMove::LastChild { at: 2 }, expect!["section `A` cannot be moved into itself"]);
        check(
            TEXT,
            4,
            OutlineMove::After { at: 3 },
            expect![[r#"
            # Tóp 🌋

            ## A

            a

            ### A1

            ## B

            b

            ## C
            -- 2 C, now 2
        "#]],
        );
    }
}
