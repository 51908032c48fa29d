//! What the panes beside a note ask, and the notes that the vault's own settings name.

use super::{Answer, ask, work};
use crate::door::{self, dated};
use engine::{
    BookmarkView, HeadingLinks, Hotkey, LinkOffer, Look, MentionView, Mentions, OperationView, OutgoingLink,
    OutlineEdit, OutlineMove, PropertyView, TagView, TemplateEdit, Templates,
};
use tauri::AppHandle;

/// More mentions than this are not read in one sitting.
const MOST_MENTIONS: u32 = 500;

commands! {
    /// Plans a section's way to another place in the text of an editor, as one edit.
    move_section(app, text: String, index: u32, to: OutlineMove) -> OutlineEdit {
        work(app, move |_, _| Ok(engine::move_section(&text, index, to)?))
    }
    /// Counts the links from elsewhere to each heading of a note; headings without any are left out.
    heading_links(app, path: String) -> Vec<HeadingLinks> {
        ask(app, move |engine| Ok(engine.view().heading_links(&door::path(&path)?)))
    }
    outgoing(app, path: String) -> Vec<OutgoingLink> {
        ask(app, move |engine| Ok(engine.view().outgoing(&door::path(&path)?)))
    }
    /// Finds where other notes name a note without linking to it.
    mentions(app, path: String, limit: u32) -> Mentions {
        ask(app, move |engine| Ok(engine.view().mentions(&door::path(&path)?, limit.min(MOST_MENTIONS) as usize)))
    }
    /// Makes a link to a note of a name in another one; an operation that can be undone.
    link_mention(app, path: String, mention: MentionView) -> OperationView {
        ask(app, move |engine| dated::link_mention(engine, &path, &mention))
    }
    /// Says where a note goes that a link asks for; `null` if no note can be called that.
    new_note_path(app, from: String, target: String) -> Option<String> {
        ask(app, move |engine| {
            Ok(engine.view().new_note_path(&door::path(&from)?, &target).map(|path| path.to_string()))
        })
    }

    /// Lists the notes that a link may lead to; with no query those that changed last.
    link_offers(app, query: String, limit: u32) -> Vec<LinkOffer> {
        ask(app, move |engine| Ok(engine.view().link_offers(&query, limit.min(200) as usize)))
    }
    /// Writes a link from a note to another as the vault's own settings want it; `subpath` begins with `#`.
    new_link(app, from: String, to: String, subpath: Option<String>, shown: Option<String>) -> String {
        ask(app, move |engine| {
            let (from, to) = (door::path(&from)?, door::path(&to)?);
            Ok(engine.view().new_link(&from, &to, subpath.as_deref(), shown.as_deref()))
        })
    }

    tags(app) -> Vec<TagView> { ask(app, |engine| Ok(engine.view().tags())) }
    properties(app) -> Vec<PropertyView> { ask(app, |engine| Ok(engine.view().properties())) }
    bookmarks(app) -> Vec<BookmarkView> { ask(app, |engine| Ok(engine.view().bookmarks())) }

    /// Opens the note of the day, and makes it first if it is not there; `now` is the local time, RFC 3339.
    daily_note(app, now: String) -> dated::Made {
        ask(app, move |engine| dated::make(engine, engine.view().daily_note(&now)?))
    }
    /// Makes a note that is named after this moment.
    unique_note(app, now: String) -> dated::Made {
        ask(app, move |engine| dated::make(engine, engine.view().unique_note(&now)?))
    }
    templates(app) -> Templates { ask(app, |engine| Ok(engine.view().templates())) }
    /// Plans a template's way into the text of an editor, at its caret, as one edit.
    insert_template(app, path: String, text: String, caret: u32, template: String, now: String) -> TemplateEdit {
        ask(app, move |engine| {
            let (path, template) = (door::path(&path)?, door::path(&template)?);
            Ok(engine.view().insert_template(&path, &text, caret, &template, &now)?)
        })
    }
    /// What the vault's own settings say of its looks; snippets come made harmless.
    look(app) -> Look { ask(app, |engine| Ok(engine.view().look())) }
    /// The keys that the vault gives to Obsidian's commands.
    hotkeys(app) -> Vec<Hotkey> { ask(app, |engine| Ok(engine.view().hotkeys())) }
    /// Chooses a note by a number that was thrown, of any size.
    random_note(app, except: Option<String>, thrown: u32) -> Option<String> {
        ask(app, move |engine| Ok(engine.view().random_note(except.as_deref(), thrown)))
    }
}
