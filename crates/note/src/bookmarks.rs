//! The bookmarks of a vault, as Obsidian keeps them: files, and headings in them.
//!
//! `{"items": [{"type": "file", "path": "a.md", "subpath": "#Heading"}, {"type": "group", "items": [..]}]}`

use crate::edit::{Edit, Edits};
use crate::json::{self, Lists};
use crate::path::{RelPath, fold};
use crate::repoint::{HeadingMoved, LinkWarning, Repointed, repoint_subpath};
use crate::repoint_notes::NotesMoved;
use crate::text::NoteText;

/// A bookmark of a file, or of a place in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookmarkLink {
    /// The file's path from the vault's root.
    pub path: String,
    /// The heading chain or block id, without its `#`.
    pub subpath: Option<String>,
    /// The 1-based line in the JSON.
    pub line: u32,
}

/// The bookmarks of files. What is not JSON has none.
pub fn bookmark_links(text: &NoteText) -> Vec<BookmarkLink> {
    let link = |Bookmark { path, subpath }: Bookmark| BookmarkLink {
        line: text.line_of(path.span.start),
        subpath: subpath.map(|s| s.value.strip_prefix('#').unwrap_or(&s.value).to_owned()),
        path: path.value,
    };
    bookmarks(text.as_str()).into_iter().map(link).collect()
}

/// Plans the new subpaths of the bookmarks that mean a renamed heading of the note `lead`.
///
/// All other bytes of the JSON stay, the bookmarks' own titles among them: a person may have given them.
pub fn repoint_bookmarks(text: &NoteText, lead: &RelPath, moved: &HeadingMoved<'_>) -> Repointed {
    let mut repointed = Repointing::default();
    for Bookmark { path, subpath } in bookmarks(text.as_str()) {
        let Some(subpath) = subpath.filter(|_| fold(&path.value) == lead.fold()) else { continue };
        let mark = if subpath.value.starts_with('#') { "#" } else { "" };
        match repoint_subpath(&subpath.value[mark.len()..], moved) {
            Ok(Some(new)) if new != subpath.value[mark.len()..] => repointed.edit(&subpath, mark.len(), &new),
            Ok(_) => {}
            Err(what) => {
                let line = text.line_of(path.span.start);
                let text = format!("bookmark `{}{}` {what}", path.value, subpath.value);
                repointed.warnings.push(LinkWarning { line, text });
            }
        }
    }
    repointed.finish(text)
}

/// Plans the new paths of the bookmarks of files that move. All other bytes of the JSON stay.
pub fn repoint_bookmarks_notes(text: &NoteText, moved: &NotesMoved<'_>) -> Repointed {
    let mut repointed = Repointing::default();
    for Bookmark { path, .. } in bookmarks(text.as_str()) {
        if let Some(new) = moved.new_path_of_card(&path.value) {
            repointed.edit(&path, 0, new.as_str());
        }
    }
    repointed.finish(text)
}

struct Bookmark {
    path: json::Text,
    subpath: Option<json::Text>,
}

fn bookmarks(json: &str) -> Vec<Bookmark> {
    let mut bookmarks = Vec::new();
    for mut strings in json::objects(json, Lists::Nested("items")) {
        let mut take = |key: &str| json::take(&mut strings, key);
        if take("type").is_some_and(|kind| kind.value == "file") {
            let subpath = take("subpath");
            bookmarks.extend(take("path").map(|path| Bookmark { path, subpath }));
        }
    }
    bookmarks
}

#[derive(Default)]
struct Repointing {
    edits: Vec<Edit>,
    warnings: Vec<LinkWarning>,
}

impl Repointing {
    /// Replaces a string from one of its bytes on.
    fn edit(&mut self, string: &json::Text, from: usize, new: &str) {
        let range = string.raw(from)..string.raw(string.value.len());
        self.edits.push(Edit { range, new: json::escape(new) });
    }

    fn finish(mut self, text: &NoteText) -> Repointed {
        self.edits.sort_by_key(|edit| edit.range.start);
        let n_links = u32::try_from(self.edits.len()).unwrap_or(u32::MAX);
        Repointed { edits: Edits::new(text, self.edits), n_links, warnings: self.warnings }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LinkFormat, SectionRef, parse, rename_heading};

    const BOOKMARKS: &str = r##"{
	"items": [
		{"type":"file","ctime":1,"path":"Plans/june.md","subpath":"#Old","title":"Old"},
		{
			"type": "group", "title": "g", "items": [
				{"subpath":"#Top#Old", "type":"file", "path":"plans\/June.md", "unknown": [{"type":"file","path":"Plans/june.md"}]},
				{"type":"file","path":"Plans/june.md","subpath":"#^block"}
			]
		},
		{"type":"file","path":"other.md","subpath":"#Old"},
		{"type":"search","query":"path:Plans/june.md"},
		{"type":"file","path":"Plans/june.md"}
	],
	"items2": [{"type":"file","path":"Plans/june.md","subpath":"#Old"}]
}"##;

    #[test]
    fn bookmarks_of_a_heading_follow_it() {
        let note = NoteText::from_str("# Top\n\n## Old\n");
        let before = parse(&note);
        let renamed = rename_heading(&note, &before, &SectionRef::Index(1), "New \"q\": x", false).unwrap();
        let after = parse(&renamed.edits.apply(&note).unwrap());
        let moved = HeadingMoved { before: &before, after: &after, index: 1 };
        let text = NoteText::from_str(BOOKMARKS);
        let lead = RelPath::new("Plans/june.md").unwrap();
        let repointed = repoint_bookmarks(&text, &lead, &moved);
        let expected = BOOKMARKS.replacen(r##""#Old","title""##, r##""#New \"q\" x","title""##, 1).replacen(
            "#Top#Old",
            r##"#Top#New \"q\" x"##,
            1,
        );
        assert_eq!(repointed.edits.apply(&text).unwrap().as_str(), expected);
        assert_eq!((repointed.n_links, repointed.warnings.len()), (2, 0));
    }

    #[test]
    fn bookmarks_of_a_moved_note_follow_it() {
        let renames = [(RelPath::new("Plans/june.md").unwrap(), RelPath::new("Old/june.md").unwrap())];
        let named = |name: &str| if name == "june.md" { vec![renames[0].0.clone()] } else { Vec::new() };
        let moved = NotesMoved::new(&renames, &named, LinkFormat::Shortest);
        let text = NoteText::from_str(BOOKMARKS);
        let repointed = repoint_bookmarks_notes(&text, &moved);
        let lines: Vec<String> = BOOKMARKS
            .lines()
            .enumerate()
            .map(|(nth, line)| match nth {
                2 | 6 | 11 => line.replace("Plans/june.md", "Old/june.md"),
                // What lies in a member that is not known is not a bookmark.
                5 => line.replace(r"plans\/June.md", "Old/june.md"),
                _ => line.to_owned(),
            })
            .collect();
        assert_eq!(repointed.edits.apply(&text).unwrap().as_str(), lines.join("\n"));
        assert_eq!(repointed.n_links, 4);
    }

    #[test]
    fn what_is_no_json_has_no_bookmarks() {
        for text in ["", "{", "[]", "{\"items\": 3}", "{\"items\": [3, \"x\", {\"type\": 4}]}"] {
            assert_eq!(bookmarks(text).len(), 0, "{text}");
        }
    }
}
