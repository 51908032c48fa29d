//! Giving a section another level where it stands.

use super::SectionEditError;
use super::moving::{relevel_edits, subtree};
use crate::edit::Edits;
use crate::parse::{Note, parse};
use crate::section::SectionRef;
use crate::text::NoteText;

/// Plans another level for a section and all that belongs to it: `by` levels deeper, or higher if it is negative. What
/// follows may come to belong to another heading; nothing is moved.
pub fn relevel_section(text: &NoteText, note: &Note, at: &SectionRef, by: i8) -> Result<Edits, SectionEditError> {
    if !text.is_exact() {
        return Err(SectionEditError::NotUtf8);
    }
    let section = note.section(at)?;
    if section.heading.level.saturating_add_signed(by) < 1 {
        let reason = format!("`{}` is of level {} already", section.heading.text, section.heading.level);
        return Err(SectionEditError::StructureChanged { reason, line: Some(section.heading.line) });
    }
    let headings = subtree(note, &section);
    let edits = Edits::new(text, relevel_edits(text, note, headings.clone(), by)?);
    let after = edits.apply(text).map_err(|_| SectionEditError::NotUtf8)?;
    let is_same = |(index, (old, new)): (usize, (&crate::Heading, &crate::Heading))| {
        let by = if headings.contains(&index) { by } else { 0 };
        old.raw == new.raw && old.level.saturating_add_signed(by) == new.level
    };
    let after = parse(&after);
    let mut pairs = note.headings.iter().zip(&after.headings).enumerate();
    if after.headings.len() != note.headings.len() || !pairs.all(is_same) {
        let reason = format!("`{}` would not be read as a heading any more", section.heading.text);
        return Err(SectionEditError::StructureChanged { reason, line: Some(section.heading.line) });
    }
    Ok(edits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(before: &str, index: usize, by: i8, expected: Expect) {
        let text = NoteText::from_str(before);
        let note = parse(&text);
        let after = match relevel_section(&text, &note, &SectionRef::Index(index), by) {
            Ok(edits) => edits.apply(&text).unwrap().as_str().to_owned(),
            Err(error) => error.to_string(),
        };
        expected.assert_eq(&after);
    }

    #[test]
    fn a_section_takes_its_subtree_along() {
        const TEXT: &str = "# A\n\n## B\n\n### C\n\n## D\n";
        check(TEXT, 1, 1, expect!["# A\n\n### B\n\n#### C\n\n## D\n"]);
        check(TEXT, 1, -1, expect!["# A\n\n# B\n\n## C\n\n## D\n"]);
        check(TEXT, 3, -1, expect!["# A\n\n## B\n\n### C\n\n# D\n"]);
    }

    #[test]
    fn underlined_headings_are_rewritten_where_they_must() {
        check("A\n=\n\nB\n-\n\n\r\nC\r\n---\r\n", 0, 1, expect!["A\n-\n\n### B\n\n\r\n### C\r\n"]);
        check("A\n-\n", 0, -1, expect!["A\n=\n"]);
    }

    #[test]
    fn there_are_six_levels() {
        check("# A\n", 0, -1, expect!["the note's structure would change: `A` is of level 1 already"]);
        check("##### A\n###### B\n", 0, 1, expect!["heading `B` (line 2) would be of level 7, and there are only 6"]);
    }
}
