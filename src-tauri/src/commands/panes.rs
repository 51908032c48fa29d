//! What the panes beside a note ask, and the notes that the vault's own settings name.

use super::{Answer, ask, work};
use engine::{
    BookmarkView, HeadingLinks, Hotkey, LinkOffer, Look, MentionView, Mentions, OperationView, OutgoingLink,
    OutlineEdit, OutlineMove, PropertyView, TagView, TemplateEdit, Templates,
};
use headless::door::{self, dated};
use tauri::WebviewWindow;

/// More mentions than this are not read in one sitting.
const MOST_MENTIONS: u32 = 500;

commands! {
    /// Plans a section's way to another place in the text of an editor, as one edit.
    move_section(page, text: String, index: u32, to: OutlineMove) -> OutlineEdit {
        work(page, move |_, _| Ok(engine::move_section(&text, index, to)?))
    }
    /// Counts the links from elsewhere to each heading of a note; headings without any are left out.
    heading_links(page, path: String) -> Vec<HeadingLinks> {
        ask(page, move |engine| Ok(engine.view().heading_links(&door::path(&path)?)))
    }
    outgoing(page, path: String) -> Vec<OutgoingLink> {
        ask(page, move |engine| Ok(engine.view().outgoing(&door::path(&path)?)))
    }
    /// Finds where other notes name a note without linking to it.
    mentions(page, path: String, limit: u32) -> Mentions {
        ask(page, move |engine| Ok(engine.view().mentions(&door::path(&path)?, limit.min(MOST_MENTIONS) as usize)))
    }
    /// Makes a link to a note of a name in another one; an operation that can be undone.
    link_mention(page, path: String, mention: MentionView) -> OperationView {
        ask(page, move |engine| dated::link_mention(engine, &path, &mention))
    }
    /// Says where a note goes that a link asks for; `null` if no note can be called that.
    new_note_path(page, from: String, target: String) -> Option<String> {
        ask(page, move |engine| {
            Ok(engine.view().new_note_path(&door::path(&from)?, &target).map(|path| path.to_string()))
        })
    }

    /// Lists the notes that a link may lead to; with no query those that changed last.
    link_offers(page, query: String, limit: u32) -> Vec<LinkOffer> {
        ask(page, move |engine| Ok(engine.view().link_offers(&query, limit.min(200) as usize)))
    }
    /// Writes a link from a note to another as the vault's own settings want it; `subpath` begins with `#`.
    new_link(page, from: String, to: String, subpath: Option<String>, shown: Option<String>) -> String {
        ask(page, move |engine| {
            let (from, to) = (door::path(&from)?, door::path(&to)?);
            Ok(engine.view().new_link(&from, &to, subpath.as_deref(), shown.as_deref()))
        })
    }

    tags(page) -> Vec<TagView> { ask(page, |engine| Ok(engine.view().tags())) }
    properties(page) -> Vec<PropertyView> { ask(page, |engine| Ok(engine.view().properties())) }
    bookmarks(page) -> Vec<BookmarkView> { ask(page, |engine| Ok(engine.view().bookmarks())) }

    /// Opens the note of the day, and makes it first if it is not there; `now` is the local time, RFC 3339.
    daily_note(page, now: String) -> dated::Made {
        ask(page, move |engine| dated::make(engine, engine.view().daily_note(&now)?))
    }
    /// Makes a note that is named after this moment.
    unique_note(page, now: String) -> dated::Made {
        ask(page, move |engine| dated::make(engine, engine.view().unique_note(&now)?))
    }
    templates(page) -> Templates { ask(page, |engine| Ok(engine.view().templates())) }
    /// Plans a template's way into the text of an editor, at its caret, as one edit.
    insert_template(page, path: String, text: String, caret: u32, template: String, now: String) -> TemplateEdit {
        ask(page, move |engine| {
            let (path, template) = (door::path(&path)?, door::path(&template)?);
            Ok(engine.view().insert_template(&path, &text, caret, &template, &now)?)
        })
    }
    /// What the vault's own settings say of its looks; snippets come made harmless.
    look(page) -> Look { ask(page, |engine| Ok(engine.view().look())) }
    /// The keys that the vault gives to Obsidian's commands.
    hotkeys(page) -> Vec<Hotkey> { ask(page, |engine| Ok(engine.view().hotkeys())) }
    /// Chooses a note by a number that was thrown, of any size.
    random_note(page, except: Option<String>, thrown: u32) -> Option<String> {
        ask(page, move |engine| Ok(engine.view().random_note(except.as_deref(), thrown)))
    }
}
