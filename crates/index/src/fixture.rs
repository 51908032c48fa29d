//! Small vaults for tests.

use note::{CanvasLink, ContentHash, NoteId, NoteText, RelPath, canvas_links, parse};
use tempfile::TempDir;

use crate::{Fact, Index, IndexStat, IndexView, Query};

/// A path that is known to be right.
pub(crate) fn rel(path: &str) -> RelPath {
    RelPath::new(path).expect("fixtures hold valid paths")
}

/// An index of a vault that exists only as facts.
pub(crate) struct Vault {
    pub(crate) dir: TempDir,
    pub(crate) index: Index,
}

impl Vault {
    pub(crate) fn empty() -> Vault {
        let dir = TempDir::new().expect("a temporary folder can be made");
        let (index, _) = Index::open(dir.path()).expect("a new index opens");
        Vault { dir, index }
    }

    /// A vault of these files; what is not a note or a canvas is an attachment.
    pub(crate) fn new(files: &[(&str, &str)]) -> Vault {
        let mut vault = Vault::empty();
        vault.tell(files);
        vault
    }

    /// Tells files in one batch.
    pub(crate) fn tell(&mut self, files: &[(&str, &str)]) -> IndexView {
        let read: Vec<Read> = files.iter().map(|(path, text)| Read::new(path, text)).collect();
        let facts: Vec<Fact<'_>> = read.iter().map(Read::fact).collect();
        self.index.apply(&facts).expect("facts are taken in")
    }

    pub(crate) fn gone(&mut self, paths: &[&str]) -> IndexView {
        let facts: Vec<Fact<'_>> = paths.iter().map(|path| Fact::Gone { path: rel(path) }).collect();
        self.index.apply(&facts).expect("facts are taken in")
    }

    pub(crate) fn view(&self) -> IndexView {
        self.index.view()
    }

    /// Closes the index and opens what is on disk.
    pub(crate) fn reopen(self) -> Vault {
        let Vault { dir, index } = self;
        drop(index);
        let (index, _) = Index::open(dir.path()).expect("an index opens again");
        Vault { dir, index }
    }
}

/// A file, read.
pub(crate) struct Read {
    path: RelPath,
    text: NoteText,
    note: note::Note,
}

impl Read {
    pub(crate) fn new(path: &str, text: &str) -> Read {
        let text = NoteText::from_str(text);
        let note = parse(&text);
        Read { path: rel(path), text, note }
    }

    pub(crate) fn fact(&self) -> Fact<'_> {
        let path = self.path.clone();
        let stat = IndexStat { len: self.text.bytes().len() as u64, mtime_ns: 1, created_ns: None };
        let hash = self.text.hash();
        match path.extension() {
            Some("md" | "MD") => {
                let id = id_of(&path);
                Fact::Seen { path, id, stat, hash, note: &self.note, text: self.text.as_str() }
            }
            Some("canvas") => {
                let links: Vec<CanvasLink> = canvas_links(self.text.as_str());
                Fact::Canvas { path, stat, hash, links, text: String::new() }
            }
            _ => Fact::Attachment { path, stat },
        }
    }
}

/// An id that depends on the path only, as ids are never drawn in tests.
pub(crate) fn id_of(path: &RelPath) -> NoteId {
    let hash = ContentHash::of(path.as_str().as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.as_bytes()[..16]);
    NoteId(ulid::Ulid::from_bytes(bytes))
}

/// Where a query hits: `path` or `path > Heading > Heading`, best first.
pub(crate) fn hits(view: &IndexView, text: &str) -> Vec<String> {
    let query = Query { text: text.to_owned(), limit: 100, ..Query::default() };
    let hits = view.search(&query).expect("searching works");
    assert_eq!(hits.total, hits.hits.len(), "{text}");
    let place = |hit: &crate::Hit| [vec![hit.path.to_string()], hit.heading_path.clone()].concat().join(" > ");
    hits.hits.iter().map(place).collect()
}
