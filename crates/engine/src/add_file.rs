//! A picture or another file that a person puts into a note: where it goes, what it is called, and the link to it.

use crate::new_link::encoded;
use crate::plan::kept;
use crate::relocate::Relocation;
use crate::writer::{Msg, Writer};
use crate::{Carried, DecideError, Engine, Intent, OperationView, Plan, PlanError, PlannedFile};
use crate::{Summary, View, WriteError};
use note::{ContentHash, RelPath};
use serde::{Deserialize, Serialize};
use vault::OpId;

/// A larger file goes into the vault by the file manager: this one passes through memory several times.
pub const MOST_ADDED_BYTES: u64 = 100 * 1024 * 1024;

/// Names tried before a person has to choose one: `a.png`, `a 1.png`, and so on.
const MOST_NAMES: u32 = 10_000;

/// A file that is in the vault now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AddedFile {
    pub path: String,
    /// The link to put into the note, as the vault's own settings write it.
    pub link: String,
    /// What was done, to be taken back.
    pub operation: OperationView,
}

impl Engine {
    /// Puts a file where the vault's own settings keep the attachments of a note. It gets `name`, with a number behind
    /// it if that is taken; nothing that is there is replaced.
    ///
    /// # Errors
    /// Says what is wrong with the name, the size, the settings or the disk; then nothing was written.
    pub fn add_file(&self, note: &RelPath, name: &str, bytes: Vec<u8>) -> Result<AddedFile, DecideError> {
        let (note, name) = (note.clone(), name.to_owned());
        let from = note.clone();
        let asked = self.ask(|reply| Msg::AddFile { note, name, bytes, reply });
        let operation = self.operation(asked.unwrap_or(Err(DecideError::Closed))?).ok_or(DecideError::Unknown)?;
        let path = RelPath::new(&operation.path).map_err(|_| DecideError::Unknown)?;
        let link = self.view().new_embed(&from, &path);
        Ok(AddedFile { path: operation.path.clone(), link, operation })
    }
}

impl Writer {
    pub(crate) fn add_file(&mut self, note: RelPath, name: String, bytes: &[u8]) -> Result<OpId, DecideError> {
        let len = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if len > MOST_ADDED_BYTES {
            return Err(PlanError::FileTooLarge { name, len }.into());
        }
        // Refused before anything is kept: the plan would say the same only afterwards.
        free_path(&self.view(), &note, &name)?;
        let content = self.vault.keep(bytes).map_err(|error| WriteError::from_keeping(&name, &error))?;
        self.carry(Intent::AddFile { note, name, content }, None)
    }
}

pub(crate) fn plan_add_file(view: &View, note: &RelPath, name: &str, content: ContentHash) -> Result<Plan, PlanError> {
    let path = free_path(view, note, name)?;
    let mut relocation = Relocation::new(view, Summary::default());
    let mut carried = Vec::new();
    if path.is_note() {
        relocation.add(PlannedFile {
            path: path.clone(),
            before: None,
            after: Some(kept(view, content)?),
            n_links: 0,
            link_repair: false,
        });
    } else {
        carried.push(Carried { from: None, to: Some(path.clone()), hash: content });
    }
    relocation.make_room(&path);
    Ok(relocation.finish(&path, carried))
}

/// The first path that is free for a file of this name beside a note.
fn free_path(view: &View, note: &RelPath, name: &str) -> Result<RelPath, PlanError> {
    let bad_name = || PlanError::NotAFileName { name: name.to_owned() };
    let is_one_name = !name.trim().is_empty() && !name.contains(['/', '\\']) && !name.contains(char::is_control);
    if !is_one_name || RelPath::new(name).is_err() {
        return Err(bad_name());
    }
    let folder = attachment_folder(view, note)?;
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, format!(".{extension}")),
        _ => (name, String::new()),
    };
    let mut nth = 0;
    loop {
        let own = if nth == 0 { name.to_owned() } else { format!("{stem} {nth}{extension}") };
        let path = if folder.is_empty() { own } else { format!("{folder}/{own}") };
        let path = view.on_disk(&RelPath::new(&path).map_err(|_| bad_name())?);
        match crate::room::free(view, &path, None) {
            Ok(()) => return Ok(path),
            Err(PlanError::PathTaken { .. }) if nth < MOST_NAMES => nth += 1,
            Err(error) => return Err(error),
        }
    }
}

/// The folder that the vault's own settings name for the attachments of a note; empty for the top of the vault.
fn attachment_folder(view: &View, note: &RelPath) -> Result<String, PlanError> {
    let setting = view.setting("attachmentFolderPath").unwrap_or_default();
    let own = setting.strip_prefix("./").or_else(|| (setting == ".").then_some(""));
    let wanted = own.unwrap_or(&setting).trim_matches('/');
    let beside = own.map_or("", |_| note.parent());
    if wanted.is_empty() {
        return Ok(beside.to_owned());
    }
    let within = if beside.is_empty() { wanted.to_owned() } else { format!("{beside}/{wanted}") };
    let not_in_vault = || PlanError::AttachmentFolder { setting: setting.clone() };
    let folder = RelPath::lenient(&within).map_err(|_| not_in_vault())?;
    if folder.is_hidden() { Err(not_in_vault()) } else { Ok(folder.as_str().to_owned()) }
}

impl View {
    /// Writes the link that shows a file in a note; a note among the files is linked, not shown.
    pub fn new_embed(&self, from: &RelPath, to: &RelPath) -> String {
        if to.is_note() {
            return self.new_link(from, to, None, None);
        }
        let target = self.link_path(from, to);
        // What no wikilink can say is written as a Markdown link.
        match self.flag("useMarkdownLinks") || target.contains(['|', '#', '^', '[', ']']) {
            true => format!("![]({})", encoded(&target)),
            false => format!("![[{target}]]"),
        }
    }
}

impl WriteError {
    fn from_keeping(name: &str, error: &vault::JournalError) -> WriteError {
        match error {
            vault::JournalError::NoSpace { .. } => WriteError::NoSpace,
            error => WriteError::Failed { path: name.to_owned(), reason: error.to_string() },
        }
    }
}
