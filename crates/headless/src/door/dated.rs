//! Notes made by the vault's own settings, and names made links.

use super::path;
use crate::fault::Fault;
use engine::{DatedNote, Engine, Intent, MentionView, OperationView};
use serde::{Deserialize, Serialize};

/// A note of a day or of a moment, there now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct Made {
    pub path: String,
    /// Whether it was not there before.
    pub is_new: bool,
    /// The template that the settings name, if it was wanted and is not there.
    pub missing_template: Option<String>,
}

/// Makes the note, unless it is there.
pub fn make(engine: &Engine, note: DatedNote) -> Result<Made, Fault> {
    let DatedNote { path, text, missing_template } = note;
    let Some(text) = text else {
        return Ok(Made { path: path.to_string(), is_new: false, missing_template });
    };
    let made = engine.carry(Intent::CreateNote { path, text })?;
    Ok(Made { path: made.path, is_new: true, missing_template })
}

/// Makes a link of a mention, after what is being typed has been saved.
pub fn link_mention(engine: &Engine, to: &str, mention: &MentionView) -> Result<OperationView, Fault> {
    engine.flush();
    Ok(engine.carry(engine.view().link_mention(&path(to)?, mention)?)?)
}
