//! Another name for a property: its value and everything around it keep their bytes.

use super::{PropertyEditError, find, write};
use crate::edit::{Edit, Edits};
use crate::parse::{Note, parse};
use crate::text::NoteText;

/// Plans another name for a property, which is found as in [`super::set_properties`].
pub fn rename_property(text: &NoteText, note: &Note, key: &str, to: &str) -> Result<Edits, PropertyEditError> {
    let to = to.trim();
    if to.is_empty() {
        return Err(PropertyEditError::EmptyName);
    }
    if !text.is_exact() {
        return Err(PropertyEditError::NotUtf8);
    }
    let unwritable = |reason: &str| PropertyEditError::Unwritable { key: to.to_owned(), reason: reason.to_owned() };
    let block = note.frontmatter.as_ref().ok_or_else(|| PropertyEditError::Missing { key: key.to_owned() })?;
    if let Some(error) = &block.error {
        return Err(PropertyEditError::Unreadable(error.clone()));
    }
    let at = find(block, key)?.ok_or_else(|| PropertyEditError::Missing { key: key.to_owned() })?;
    if let Some(taken) = find(block, to)?.filter(|taken| *taken != at) {
        let lines = (block.entries[at].line, block.entries[taken].line);
        return Err(PropertyEditError::Duplicate { key: block.entries[taken].key.clone(), lines });
    }
    let entry = &block.entries[at];
    if entry.key == to {
        return Ok(Edits::new(text, Vec::new()));
    }
    let edits = Edits::new(text, vec![Edit { range: entry.key_span.clone(), new: write::name(to) }]);
    let after = edits.apply(text).map_err(|_| PropertyEditError::NotUtf8)?;
    let after_note = parse(&after);
    let renamed = after_note.frontmatter.as_ref().filter(|block| block.error.is_none());
    let entries = renamed.map_or(&[][..], |block| &block.entries);
    let is_same = entries.len() == block.entries.len()
        && entries.iter().zip(&block.entries).enumerate().all(|(nth, (new, old))| {
            new.value == old.value && if nth == at { new.key == to } else { new.key == old.key }
        })
        && text.as_str()[note.body..] == after.as_str()[after_note.body..];
    if is_same { Ok(edits) } else { Err(unwritable("it would not read back as the same property")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(before: &str, key: &str, to: &str, expect: Expect) {
        let text = NoteText::from_str(before);
        let shown = match rename_property(&text, &parse(&text), key, to) {
            Ok(edits) => format!("{:?}", edits.apply(&text).unwrap().as_str()),
            Err(error) => error.to_string(),
        };
        expect.assert_eq(&shown);
    }

    #[test]
    fn a_name_changes_alone() {
        check(
            "---\na: 1 # c\nb:\n  - x\n---\nbody",
            "b",
            "list",
            expect![[r#""---\na: 1 # c\nlist:\n  - x\n---\nbody""#]],
        );
        check("---\r\n\"a\" :  [1,2]\r\n---\r\n", "a", "b", expect![[r#""---\r\nb :  [1,2]\r\n---\r\n""#]]);
        check("---\na: {x: 1}\n---\n", "A", "a", expect![[r#""---\na: {x: 1}\n---\n""#]]);
        check("---\na: |\n  long\n  text\n---\n", "a", "Ü b", expect![[r#""---\nÜ b: |\n  long\n  text\n---\n""#]]);
        check("---\nTags: x\n---\n", "Tags", "tags", expect![[r#""---\ntags: x\n---\n""#]]);
    }

    #[test]
    fn a_name_that_yaml_could_misread_is_quoted() {
        check("---\na: 1\n---\n", "a", "x: y", expect![[r#""---\n\"x: y\": 1\n---\n""#]]);
        check("---\na: 1\n---\n", "a", "true", expect![[r#""---\n\"true\": 1\n---\n""#]]);
        check("---\na: 1\n---\n", "a", "2026", expect![[r#""---\n\"2026\": 1\n---\n""#]]);
    }

    #[test]
    fn a_name_that_is_there_or_none_is_refused() {
        check("---\na: 1\nb: 2\n---\n", "a", "B", expect!["the note has this property twice: `b` (lines 2 and 3)"]);
        check("---\na: 1\n---\n", "x", "y", expect!["the note has no property of this name: `x`"]);
        check("text", "x", "y", expect!["the note has no property of this name: `x`"]);
        check("---\na: 1\n---\n", "a", "  ", expect!["property name is empty"]);
        check(
            "---\na: [\n---\n",
            "a",
            "b",
            expect![
                "properties are not valid YAML: while parsing a node, did not find expected node content; mend the block first"
            ],
        );
    }
}
