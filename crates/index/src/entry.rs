//! What the catalog knows of one file.

use std::collections::BTreeSet;

use note::{CanvasLink, ContentHash, LinkKind, Note, NoteId, RelPath, Value, fold};
use serde::{Deserialize, Serialize};

/// One file of the vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Where the file is.
    pub path: RelPath,
    /// What kind of file it is.
    pub kind: FileKind,
    /// The note's id; attachments and canvases have none.
    pub id: Option<NoteId>,
    /// The hash of the bytes that were indexed; attachments are not read, so they have none.
    pub hash: Option<ContentHash>,
    /// What the file system said when the bytes were read.
    pub stat: IndexStat,
    /// The `title` property, else the first H1, else the file name without its extension.
    pub title: String,
    /// The aliases of the note's properties.
    pub aliases: Vec<String>,
    /// Tags of properties and text without `#`, as written, each spelling once.
    pub tags: Vec<String>,
    /// The properties, as text, for filters.
    pub properties: Vec<PropertyFact>,
    /// The outline.
    pub headings: Vec<HeadingFact>,
    /// Every link, in document order.
    pub links: Vec<LinkFact>,
    /// The names that links inside comments ask for, folded. Such links are no part of the link graph.
    pub names_in_comments: BTreeSet<Box<str>>,
    /// The length of the text in Unicode scalar values.
    pub n_chars: u64,
}

/// The kinds of file that the index tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// A Markdown file.
    Note,
    /// A `.canvas` file.
    Canvas,
    /// Anything else: it can be linked to, and is never read.
    Attachment,
}

/// What the file system says of a file; a difference means that it must be read again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct IndexStat {
    /// Length in bytes.
    pub len: u64,
    /// Modification time in nanoseconds since the epoch.
    pub mtime_ns: i64,
    /// Creation time in nanoseconds since the epoch, where the file system keeps one.
    pub created_ns: Option<i64>,
}

/// One heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadingFact {
    /// 1 to 6.
    pub level: u8,
    /// The rendered title.
    pub text: Box<str>,
    /// The 1-based line of the heading.
    pub line: u32,
}

/// One link, canvas links included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkFact {
    /// The decoded path part; empty for a link into its own note.
    pub target: Box<str>,
    /// The decoded part after the first `#`.
    pub subpath: Option<Box<str>>,
    /// How the link is written.
    pub form: LinkForm,
    /// True for `![[..]]` and `![](..)`.
    pub embed: bool,
    /// The 1-based line.
    pub line: u32,
}

/// The ways in which a link can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkForm {
    /// `[[target]]`
    Wiki,
    /// `[text](target)`
    Markdown,
    /// `[label]: target`
    Definition,
    /// A quoted wikilink in a property.
    Property,
    /// A file node or a text card of a canvas.
    Canvas,
}

/// One property, for filters: a list has several values, a nested one is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PropertyFact {
    /// The key as written.
    pub key: Box<str>,
    /// The values as written.
    pub values: Vec<Box<str>>,
}

impl Entry {
    pub(crate) fn of_note(
        path: RelPath,
        id: NoteId,
        stat: IndexStat,
        hash: ContentHash,
        note: &Note,
        text: &str,
    ) -> Entry {
        let heading = |heading: &note::Heading| HeadingFact {
            level: heading.level,
            text: heading.text.as_str().into(),
            line: heading.line,
        };
        let link = |link: &note::Link| LinkFact {
            target: link.target.trim().into(),
            subpath: link.subpath.as_deref().map(Into::into),
            form: match link.kind {
                LinkKind::Wiki => LinkForm::Wiki,
                LinkKind::Markdown => LinkForm::Markdown,
                LinkKind::Definition => LinkForm::Definition,
                LinkKind::Property => LinkForm::Property,
            },
            embed: link.embed,
            line: link.line,
        };
        let properties = note.frontmatter.iter().flat_map(|frontmatter| &frontmatter.entries);
        Entry {
            kind: FileKind::Note,
            id: Some(id),
            hash: Some(hash),
            stat,
            title: note.title(&path),
            aliases: note.aliases(),
            tags: note.all_tags(),
            properties: properties
                .map(|property| PropertyFact { key: property.key.as_str().into(), values: values(&property.value) })
                .collect(),
            headings: note.headings.iter().map(heading).collect(),
            links: note.links.iter().map(link).collect(),
            names_in_comments: note.names_in_comments(text).into_iter().map(Into::into).collect(),
            n_chars: text.chars().count() as u64,
            path,
        }
    }

    pub(crate) fn of_canvas(
        path: RelPath,
        stat: IndexStat,
        hash: ContentHash,
        links: &[CanvasLink],
        text: &str,
    ) -> Entry {
        let link = |link: &CanvasLink| LinkFact {
            target: link.target.trim().into(),
            subpath: link.subpath.as_deref().map(Into::into),
            form: LinkForm::Canvas,
            embed: link.is_card,
            line: link.line,
        };
        Entry {
            kind: FileKind::Canvas,
            hash: Some(hash),
            links: links.iter().map(link).collect(),
            n_chars: text.chars().count() as u64,
            ..Entry::of_attachment(path, stat)
        }
    }

    pub(crate) fn of_attachment(path: RelPath, stat: IndexStat) -> Entry {
        Entry {
            kind: FileKind::Attachment,
            id: None,
            hash: None,
            stat,
            title: path.file_name().to_owned(),
            aliases: Vec::new(),
            tags: Vec::new(),
            properties: Vec::new(),
            headings: Vec::new(),
            links: Vec::new(),
            names_in_comments: BTreeSet::new(),
            n_chars: 0,
            path,
        }
    }

    /// The names under which a person may look for this file: file name, title, first H1, aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let file_name = match self.kind {
            FileKind::Note => self.path.stem(),
            FileKind::Canvas | FileKind::Attachment => self.path.file_name(),
        };
        let first_h1 = self.headings.iter().find(|heading| heading.level == 1);
        [file_name, self.title.as_str()]
            .into_iter()
            .chain(first_h1.map(|heading| &*heading.text))
            .chain(self.aliases.iter().map(String::as_str))
            .filter(|name| !name.trim().is_empty())
    }

    /// True if the note has `tag` or a tag nested below it; case does not count.
    pub fn has_tag(&self, tag: &str) -> bool {
        let wanted = fold(tag.trim_start_matches('#').trim_end_matches('/'));
        self.tags.iter().any(|own| {
            let own = fold(own);
            own.strip_prefix(wanted.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// True if a property of this name has this value among its values; case does not count.
    pub fn has_property(&self, key: &str, value: &str) -> bool {
        let (key, value) = (fold(key.trim()), fold(value.trim()));
        self.properties
            .iter()
            .filter(|property| fold(&property.key) == key)
            .any(|property| property.values.iter().any(|own| fold(own.trim()) == value))
    }

    /// The folded names, each once.
    pub(crate) fn folded_names(&self) -> BTreeSet<String> {
        self.names().map(|name| fold(name.trim())).collect()
    }

    /// The keys under which the link graph files this entry's links, each once.
    pub(crate) fn link_keys(&self) -> BTreeSet<String> {
        self.links.iter().map(LinkFact::key).filter(|key| !key.is_empty()).collect()
    }
}

impl LinkFact {
    /// The folded last segment of the target: the one part that a change elsewhere cannot alter.
    pub(crate) fn key(&self) -> String {
        note::linked_name(&self.target)
    }
}

/// The values of a property as text; what is nested deeper than a list is left out.
fn values(value: &Value) -> Vec<Box<str>> {
    value.texts().into_iter().map(Into::into).collect()
}
