//! Saying why a change was refused.

use super::{Attempt, Difference};
use crate::blocks;
use crate::heading::Heading;
use crate::parse::Note;
use crate::section_edit::SectionEditError;
use crate::section_edit::content::{Content, swallower};
use crate::text::NoteText;

/// The refusal for the first thing that would not be as it was.
pub(super) fn explain(
    text: &NoteText,
    note: &Note,
    attempt: &Attempt,
    difference: &Difference,
    content: Option<&Content>,
) -> SectionEditError {
    let mut line = None;
    let mut place = |byte: usize| match content.and_then(|content| content_line(attempt, content, byte)) {
        Some(of_content) => {
            line = Some(of_content);
            format!("line {of_content} of the content")
        }
        None => match attempt.to_old(byte) {
            Some(old) => format!("line {}", text.line_of(old)),
            None => format!("line {}", attempt.text.line_of(byte)),
        },
    };
    let reason = match difference {
        Difference::Frontmatter => {
            let end = attempt.note.frontmatter.as_ref().map_or(0, |frontmatter| frontmatter.yaml.end);
            format!("{} would end a block of properties", place(end))
        }
        Difference::Heading(index) => {
            let heading = &note.headings[*index];
            match attempt.to_new(&heading.span) {
                None => format!("{} could not be written at that level", name(heading)),
                Some(new) => {
                    let start = new.start.max(attempt.note.body);
                    let blocks = blocks::outermost(attempt.text.as_str(), attempt.note.body);
                    let (what, at) = swallower(&attempt.text, &attempt.note.hidden, &blocks, start);
                    match at < start {
                        true => format!("the {what} on {} would take in {}", place(at), name(heading)),
                        false => format!("{} would be another heading", name(heading)),
                    }
                }
            }
        }
        Difference::Parent(index) => {
            let heading = &note.headings[*index];
            let new = attempt.to_new(&heading.span).map(|span| span.start);
            let now = new.and_then(|at| attempt.note.headings.iter().find(|heading| heading.span.start == at));
            let now = now.or_else(|| attempt.note.headings.iter().find(|other| other.raw == heading.raw));
            match now.and_then(|now| now.parent).map(|parent| &attempt.note.headings[parent]) {
                Some(parent) => {
                    format!("{} would belong to `{}` of level {}", name(heading), parent.text, parent.level)
                }
                None => format!("{} would belong to no other heading", name(heading)),
            }
        }
        Difference::NewHeading(index) => {
            let heading = &attempt.note.headings[*index];
            let at = place(heading.span.start);
            format!("{at} would become a heading of level {} (`{}`)", heading.level, heading.text)
        }
        Difference::Node(at) => format!("line {} would be read as something else", text.line_of(*at)),
        Difference::Problem(index) => attempt.note.problems[*index].to_string(),
    };
    SectionEditError::StructureChanged { reason, line }
}

fn name(heading: &Heading) -> String {
    format!("the heading `{}` (line {})", heading.text, heading.line)
}

/// The line of the content that holds a byte of the new text.
fn content_line(attempt: &Attempt, content: &Content, byte: usize) -> Option<u32> {
    let edit = attempt.edits.edits.first()?;
    let start = edit.range.start + edit.new.find(&content.written)?;
    let inside = start <= byte && byte < start + content.written.len();
    inside.then(|| attempt.text.line_of(byte) - attempt.text.line_of(start) + content.first_line)
}
