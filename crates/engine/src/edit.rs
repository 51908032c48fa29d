//! The plans for edits within one note: sections, quoted pieces, properties. Links elsewhere that lose what they named
//! are warned of, never changed: only the person can say what they should name instead.

use crate::view::OpenNote;
use crate::{Plan, PlanError, PlannedFile, SectionEdit, Summary, View};
use note::{FindReplace, NoteText, RelPath, SectionEdited, SectionRef, Value};

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
    let summary = Summary {
        old_heading: Some(section.heading.text.clone()),
        level: Some(section.heading.level),
        line: Some(section.heading.line),
        heading_occurrence: Some(section.occurrence),
        n_notes: 1,
        warnings: warnings(view, open, edit, &edited),
        ..Summary::default()
    };
    Ok(one_note(open, edited.text, summary))
}

pub(crate) fn plan_text(open: &OpenNote, edits: &[FindReplace]) -> Result<Plan, PlanError> {
    let edited = note::edit_text(&open.text, &open.note, edits).map_err(|error| PlanError::Text {
        path: open.path.clone(),
        error,
        current: open.text.hash(),
    })?;
    let warnings = edited.new_problems.iter().map(|problem| format!("`{}`: {problem}", open.path)).collect();
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

/// Names what a deletion takes along, and every link that no longer leads where it led.
fn warnings(view: &View, open: &OpenNote, edit: &SectionEdit, edited: &SectionEdited) -> Vec<String> {
    let mut warnings = Vec::new();
    if *edit == SectionEdit::Delete && edited.taken.len() > 1 {
        let below = edited.taken.iter().skip(1).map(|taken| format!("`{}`", taken.text)).collect::<Vec<_>>().join(", ");
        warnings.push(format!("the sections below go with it: {below}"));
    }
    if edited.lost.is_empty() {
        return warnings;
    }
    for path in view.index.linking_notes(&open.path) {
        let means = |target: &str| view.index.resolve(target, &path).as_ref() == Some(&open.path);
        for (line, text) in lost_in(view, &path, open, edited, &means) {
            warnings.push(format!("`{path}` line {line}: {text}"));
        }
    }
    warnings
}

fn lost_in(
    view: &View,
    path: &RelPath,
    open: &OpenNote,
    edited: &SectionEdited,
    means: &dyn Fn(&str) -> bool,
) -> Vec<(u32, String)> {
    let linking = if *path == open.path {
        Some(open.note.clone())
    } else {
        view.open_note(path).ok().map(|linking| linking.note)
    };
    let Some(linking) = linking else { return Vec::new() };
    let lost = edited.lost_links(&open.note, &linking, &|link| means(&link.target));
    lost.into_iter().map(|warning| (warning.line, warning.text)).collect()
}
