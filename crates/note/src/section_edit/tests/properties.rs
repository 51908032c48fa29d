use proptest::prelude::*;

use super::*;

const TEXT: &str = "(#{1,3} [a-c]{1,2}\n|[a-c]\n[-=]{1,3}\n|> |- |    |```\n|<!--|<div>\n|%%|\\$\\$|[a-c#*_` |-]|\n|\r\n|\r|---\n){0,24}";

/// What a person sees of a note's headings.
fn outline(note: &Note) -> Vec<(u8, String)> {
    note.headings.iter().map(|heading| (heading.level, heading.raw.clone())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    /// Any content is refused, or everything outside of the section is what it was.
    #[test]
    fn content_stays_in_its_section(before in TEXT, at in 0usize..4, content in TEXT, how in 0u8..4) {
        let (text, note) = read(&before);
        let at_ref = SectionRef::Index(at);
        let outcome = match how {
            0 => patch_section(&text, &note, &at_ref, &content, false),
            1 => patch_section(&text, &note, &at_ref, &content, true),
            2 => append_to_section(&text, &note, &at_ref, &content, AppendAt::Start),
            _ => append_to_section(&text, &note, &at_ref, &content, AppendAt::End),
        };
        let Ok(edited) = outcome else { return Ok(()) };
        let section = note.section_at(at);
        let (old, new) = (text.as_str(), edited.text.as_str());
        let after = edited.note.section_at(at);
        prop_assert!(new.starts_with(&old[..section.heading.span.end]));
        prop_assert_eq!(&new[after.span.end..], &old[section.span.end..]);
        // Appended text that starts with a heading goes behind the last child, as `AppendAt::End` says: the children and
        // what follows the section are then both whole, with the new text between them.
        let behind_children = how == 3 && content.trim_start().starts_with('#');
        if behind_children {
            prop_assert!(new.contains(old[section.own_end..section.span.end].trim_end()));
        } else if how != 1 {
            prop_assert!(new.contains(&old[section.own_end..]));
        }
        let (outline_before, outline_after) = (outline(&note), outline(&edited.note));
        prop_assert_eq!(&outline_before[..=at], &outline_after[..=at]);
        let n_behind = note.headings.iter().filter(|heading| heading.span.start >= section.span.end).count();
        let (n_before, n_after) = (outline_before.len(), outline_after.len());
        prop_assert_eq!(&outline_before[n_before - n_behind..], &outline_after[n_after - n_behind..]);
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let inside = words(&new[after.heading.span.end..after.span.end]).join(" ");
        prop_assert!(inside.contains(&words(&content).join(" ")));
    }

    /// What is deleted is one section, and the rest keeps its bytes.
    #[test]
    fn deleting_takes_one_section(before in TEXT, at in 0usize..4) {
        let (text, note) = read(&before);
        let Ok(edited) = delete_section(&text, &note, &SectionRef::Index(at)) else { return Ok(()) };
        let section = note.section_at(at);
        let start = section.span.start.max(note.body);
        let (old, new) = (text.as_str(), edited.text.as_str());
        let (above, below) = (&old[..start], &old[section.span.end..]);
        prop_assert!(new.starts_with(above));
        prop_assert!(new.ends_with(below));
        // Between the two at most blank lines are left, those of the section or one that keeps them apart.
        let gap = &new[above.len()..new.len() - below.len()];
        prop_assert!(gap.trim_matches([' ', '\t', '\n', '\r']).is_empty());
        prop_assert!(old[start..section.span.end].ends_with(gap) || gap == text.eol().as_str());
        prop_assert!(!below.is_empty() || gap.is_empty());
        let kept: Vec<_> = (0..note.headings.len()).filter(|&old| edited.moved[old].is_some()).collect();
        prop_assert_eq!(kept.len(), edited.note.headings.len());
        prop_assert_eq!(edited.taken.len() + kept.len(), note.headings.len());
    }

    /// A section that goes somewhere and comes back leaves the bytes as they were, unless a blank
    /// line had to part it.
    #[test]
    fn there_and_back(before in TEXT, from in 0usize..4, to in 0usize..5, how in 0u8..4) {
        let (text, note) = read(&before);
        let position = [MoveTo::Before, MoveTo::After, MoveTo::FirstChild, MoveTo::LastChild][how as usize];
        let (from_ref, to_ref) = (SectionRef::Index(from), SectionRef::Index(to));
        let Ok(edited) = move_section(&text, &note, &from_ref, &to_ref, position, false) else { return Ok(()) };
        let mut bytes: Vec<char> = text.as_str().chars().collect();
        let mut after: Vec<char> = edited.text.as_str().chars().collect();
        bytes.sort();
        after.sort();
        let is_pure = bytes == after;
        prop_assert!(after.len() <= bytes.len() + 3 * text.eol().as_str().len());
        // The section that stood behind it, else the one that it was the last child of.
        let section = note.section_at(from);
        let next = note.headings.iter().position(|heading| heading.span.start >= section.span.end);
        let above = note.headings[..from].iter().enumerate().rfind(|(_, heading)| heading.level == section.heading.level);
        let parent = section.heading.parent;
        let (anchor, position) = match (next, above, parent) {
            (Some(next), _, _) if note.headings[next].level == section.heading.level => (next, MoveTo::Before),
            (_, Some((above, heading)), _) if heading.parent == parent => (above, MoveTo::After),
            (_, _, Some(parent)) => (parent, MoveTo::LastChild),
            _ => return Ok(()),
        };
        let index = |old: usize| SectionRef::Index(edited.moved[old].unwrap());
        let back = move_section(&edited.text, &edited.note, &index(from), &index(anchor), position, false);
        if let (true, Ok(back)) = (is_pure, back) {
            prop_assert_eq!(outline(&back.note), outline(&note));
            let n_added = back.text.as_str().len() - text.as_str().len();
            if n_added == 0 {
                prop_assert_eq!(back.text.as_str(), text.as_str());
            }
        }
    }
}
