//! A person's own changes in the window: shown first when links follow, then carried out at once.

use crate::plan::plan;
use crate::writer::Msg;
use crate::{DecideError, Engine, FileReview, Intent, OperationView, PlanDigest, Summary};
use note::{RelPath, SectionRef};
use serde::{Deserialize, Serialize};

/// What a person wants done beside typing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum Wish {
    /// A heading, by its place in the outline from 0, gets another title; links to it follow.
    RenameHeading { path: String, index: u32, new_heading: String },
    /// A note gets another path; links to it follow.
    MoveNote { path: String, to: String },
    /// A note goes away, by the vault's own setting for deleted files.
    DeleteNote { path: String },
    /// A folder gets another path with all that is in it; links into it follow.
    MoveFolder { path: String, to: String },
    /// A folder goes away with all that is in it, by the vault's own setting for deleted files.
    DeleteFolder { path: String },
    /// Links follow notes that another program moved.
    RepairLinks { moves: Vec<OutsideMove> },
}

/// A note that another program moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OutsideMove {
    pub from: String,
    pub to: String,
}

/// Notes that another program moved while links still name their old paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OutsideMoves {
    pub moves: Vec<OutsideMove>,
    /// Links and bookmarks that could follow.
    pub n_links: u32,
}

/// What a wish would do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct WishPreview {
    pub summary: Summary,
    pub files: Vec<FileReview>,
    /// Sent along when it is carried out, so that what happens is what was shown.
    pub digest: String,
}

impl Engine {
    /// Works out what a wish would do; writes nothing.
    ///
    /// # Errors
    /// `Blocked` says what stands in the way.
    pub fn preview(&self, wish: &Wish) -> Result<WishPreview, DecideError> {
        self.shared.flush(|_| true);
        self.catch_up();
        let plan = plan(&wish.intent()?, &self.view())?;
        let files = crate::review::file_reviews(&plan);
        Ok(WishPreview { summary: plan.summary, files, digest: plan.digest.0 })
    }

    /// Carries out a wish, as one operation that can be undone.
    ///
    /// # Errors
    /// `Changed` when it would no longer do what the digest `seen` stands for; nothing was written.
    pub fn grant(&self, wish: &Wish, seen: Option<PlanDigest>) -> Result<OperationView, DecideError> {
        self.shared.flush(|_| true);
        let intent = wish.intent()?;
        let id = self.ask(|reply| Msg::Carry { intent, seen, reply }).unwrap_or(Err(DecideError::Closed))?;
        self.operation(id).ok_or(DecideError::Unknown)
    }
}

impl Wish {
    fn intent(&self) -> Result<Intent, DecideError> {
        Ok(match self {
            Wish::RenameHeading { path, index, new_heading } => Intent::RenameSection {
                path: rel(path)?,
                at: SectionRef::Index(*index as usize),
                new_heading: new_heading.clone(),
                update_links: true,
                allow_h1: true,
            },
            Wish::MoveNote { path, to } => Intent::MoveNote { path: rel(path)?, to: rel(to)? },
            Wish::DeleteNote { path } => Intent::DeleteNote { path: rel(path)? },
            Wish::MoveFolder { path, to } => Intent::MoveFolder { path: rel(path)?, to: rel(to)? },
            Wish::DeleteFolder { path } => Intent::DeleteFolder { path: rel(path)? },
            Wish::RepairLinks { moves } => {
                let pair = |moved: &OutsideMove| Ok((rel(&moved.from)?, rel(&moved.to)?));
                Intent::RepairLinks { moves: moves.iter().map(pair).collect::<Result<_, DecideError>>()? }
            }
        })
    }
}

fn rel(path: &str) -> Result<RelPath, DecideError> {
    let outside = |_| crate::PlanError::from(crate::NoteError::OutsideVault { wanted: path.to_owned() });
    RelPath::new(path).map_err(|error| DecideError::Blocked(outside(error)))
}
