//! The commands and events of the window, as one list for the program and for `ui/src/ipc/bindings.ts`.

use crate::{commands, events};
use tauri::Wry;
use tauri_specta::{Builder, Casing, collect_commands, collect_events};

/// Lists what crosses between the page and the program.
pub fn bindings() -> Builder<Wry> {
    Builder::<Wry>::new()
        .commands(collect_commands![
            commands::app_state,
            commands::choose_folder,
            commands::open_vault,
            commands::close_vault,
            commands::settings_get,
            commands::settings_set,
            commands::close_window,
            commands::keep_window,
            commands::links::follow_link,
            commands::links::followed_link,
            commands::links::links_come_here,
            commands::links::take_links,
            commands::tree,
            commands::read_note,
            commands::render,
            commands::outline,
            commands::save,
            commands::editing,
            commands::create_note,
            commands::compare,
            commands::create_folder,
            commands::remove_empty_folder,
            commands::dismiss_outside_moves,
            commands::resolve_link,
            commands::backlinks,
            commands::search,
            commands::quick,
            commands::panes::move_section,
            commands::panes::heading_links,
            commands::panes::outgoing,
            commands::panes::mentions,
            commands::panes::link_mention,
            commands::panes::new_note_path,
            commands::panes::link_offers,
            commands::panes::new_link,
            commands::properties::property_rows,
            commands::properties::change_property,
            commands::panes::tags,
            commands::panes::properties,
            commands::panes::bookmarks,
            commands::panes::daily_note,
            commands::panes::unique_note,
            commands::panes::templates,
            commands::panes::insert_template,
            commands::panes::random_note,
            commands::panes::look,
            commands::panes::hotkeys,
            commands::operations,
            commands::review,
            commands::approve,
            commands::decline,
            commands::amend,
            commands::undo,
            commands::preview_wish,
            commands::carry_wish,
            commands::finish,
            commands::take_back,
            commands::history,
            commands::version_text,
            commands::diff,
            commands::restore,
            commands::agents,
            commands::agents_set,
            commands::agents_create,
            commands::agents_revoke,
            commands::agents_policy,
            commands::agents_scope,
            commands::agents_export,
            commands::agents_config,
            commands::agents_connecting,
            commands::agents_connect,
            commands::agents_open_link,
            commands::agents_bundle,
            commands::agents_disconnect,
        ])
        .events(collect_events![
            events::NotesChanged,
            events::OperationChanged,
            events::Indexing,
            events::Health,
            events::LookChanged,
            events::FlushWanted,
            events::AgentsChanged,
            events::VaultOpened,
            events::LinkFollowed,
            events::CloseRequested,
        ])
        // The one command that takes bytes is not among the others; what it answers with is.
        .typ::<engine::AddedFile>()
        .constant("MOST_ADDED_BYTES", engine::MOST_ADDED_BYTES)
        // Every struct crosses in one form; without this each with an `Option` would be three types.
        .disable_serde_phases()
        .function_casing(Casing::SnakeCase)
}
