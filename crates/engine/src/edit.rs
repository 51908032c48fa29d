//! The plans for edits within one note: sections, quoted pieces, properties. Links elsewhere that lose what they named
//! are warned of, never changed: only the person can say what they should name instead.

use crate::lost::lost_links;
use crate::view::OpenNote;
use crate::{Plan, PlanError, PlannedFile, SectionEdit, Summary, View};
use note::{FindReplace, NoteChanged, NoteText, SectionRef, Value};

pub(crate) fn plan_section(
    view: &View,
    open: &OpenNote,
    at: &SectionRef,
    edit: &SectionEdit,
) -> Result<Plan, PlanError> {
    let (text, note) = (&open.text, &open.note);
    let edited = match edit {
        SectionEdit::Patch { content, include_children } => {
            note::patch_section(text, note, at, content, *include_children)
        }
        SectionEdit::Append { content, position } => note::append_to_section(text, note, at, content, *position),
        SectionEdit::Move { destination, position, relevel } => {
            note::move_section(text, note, at, destination, *position, *relevel)
        }
        SectionEdit::Delete => note::delete_section(text, note, at),
    };
    let failed = |error| PlanError::Section { path: open.path.clone(), error, current: text.hash() };
    let edited = edited.map_err(failed)?;
    let section = note.section(at).map_err(|error| failed(error.into()))?;
    let mut warnings = Vec::new();
    if *edit == SectionEdit::Delete && edited.taken.len() > 1 {
        let below = edited.taken.iter().skip(1).map(|taken| format!("`{}`", taken.text)).collect::<Vec<_>>().join(", ");
        warnings.push(format!("the sections below go with it: {below}"));
    }
    warnings.extend(lost_links(view, &open.path, &edited.changed(note), &edited.text));
    let summary = Summary {
        old_heading: Some(section.heading.text.clone()),
        level: Some(section.heading.level),
        line: Some(section.heading.line),
        heading_occurrence: Some(section.occurrence),
        n_notes: 1,
        warnings,
        ..Summary::default()
    };
    Ok(one_note(open, edited.text, summary))
}

pub(crate) fn plan_text(view: &View, open: &OpenNote, edits: &[FindReplace]) -> Result<Plan, PlanError> {
    let edited = note::edit_text(&open.text, &open.note, edits).map_err(|error| PlanError::Text {
        path: open.path.clone(),
        error,
        current: open.text.hash(),
    })?;
    let mut warnings: Vec<String> =
        edited.new_problems.iter().map(|problem| format!("`{}`: {problem}", open.path)).collect();
    let changed = NoteChanged::by_edits(&open.note, &edited.note, &edited.edits);
    warnings.extend(lost_links(view, &open.path, &changed, &edited.text));
    Ok(one_note(open, edited.text, Summary { n_notes: 1, warnings, ..Summary::default() }))
}

pub(crate) fn plan_properties(
    open: &OpenNote,
    set: &serde_json::Map<String, serde_json::Value>,
    remove: &[String],
) -> Result<Plan, PlanError> {
    let set: Vec<(String, Value)> = set.iter().map(|(key, value)| (key.clone(), Value::from_json(value))).collect();
    let edited = note::set_properties(&open.text, &open.note, &set, remove).map_err(|error| PlanError::Properties {
        path: open.path.clone(),
        error,
        current: open.text.hash(),
    })?;
    Ok(one_note(open, edited.text, Summary { n_notes: 1, ..Summary::default() }))
}

fn one_note(open: &OpenNote, after: NoteText, summary: Summary) -> Plan {
    let file = PlannedFile {
        path: open.path.clone(),
        before: Some(open.text.clone()),
        after: Some(after),
        n_links: 0,
        link_repair: false,
    };
    Plan::new(open.path.clone(), vec![file], summary)
}
