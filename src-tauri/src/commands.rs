//! The window's door: one line for each thing the page can ask.
//!
//! Nothing here blocks the window's thread, and a panic of the program becomes a fault instead of a lost answer.

use crate::agents::configs::ClientConfig;
use crate::agents::connecting::{Connecting, Newcomer};
use crate::agents::{AgentsView, NewClient, Policy, Scope};
use crate::door::{self, Approval, NoteView};
use crate::fault::Fault;
use crate::session::{self, AppState, Session};
use crate::settings::{self, Settings};
use crate::{tray, window};
use engine::{
    Backlinks, Engine, HeadingView, Hunk, LinkTarget, OperationView, QuickHit, Review, Saved, SearchPage, TreeEntry,
    VaultInfo, Version, Wish, WishPreview,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use tauri::AppHandle;

type Answer<T> = Result<T, Fault>;

/// Does blocking work beside the window's thread.
async fn work<T: Send + 'static>(
    app: AppHandle,
    work: impl FnOnce(&AppHandle, &Session) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    let done = tauri::async_runtime::spawn_blocking(move || {
        catch_unwind(AssertUnwindSafe(|| work(&app, &session::of(&app)))).unwrap_or_else(|_| Err(Fault::internal()))
    });
    done.await.unwrap_or_else(|_| Err(Fault::internal()))
}

/// Asks the engine of the open vault.
async fn ask<T: Send + 'static>(app: AppHandle, ask: impl FnOnce(&Engine) -> Answer<T> + Send + 'static) -> Answer<T> {
    work(app, |_, session| ask(&session.engine()?)).await
}

macro_rules! commands {
    ($($(#[$doc:meta])* $name:ident($app:ident $(, $arg:ident: $kind:ty)*) -> $answer:ty { $body:expr })*) => {
        $(
            $(#[$doc])*
            #[tauri::command]
            #[specta::specta]
            pub async fn $name($app: AppHandle $(, $arg: $kind)*) -> Answer<$answer> {
                $body.await
            }
        )*
    };
}

pub mod files;
pub mod links;
pub mod panes;
pub mod properties;

commands! {
    // The program and its vault.
    /// Returns everything that the page needs to start.
    app_state(app) -> AppState { work(app, |_, session| session.state()) }
    /// Lets the person choose a folder; `null` if none was chosen.
    choose_folder(app) -> Option<String> { work(app, |app, _| Ok(window::choose_folder(app))) }
    open_vault(app, path: String) -> VaultInfo { work(app, move |app, session| session.open(app, Path::new(&path))) }
    close_vault(app) -> () {
        work(app, |app, session| {
            session.close()?;
            tray::refresh(app);
            Ok(())
        })
    }
    settings_get(app) -> Settings { work(app, |_, session| session.settings()) }
    settings_set(app, settings: Settings) -> Settings {
        work(app, move |app, session| {
            let kept = settings::keep(&session.store, settings)?;
            window::dress(app, kept.theme);
            tray::refresh(app);
            Ok(kept)
        })
    }
    /// Closes the window once the page has saved everything.
    close_window(app) -> () {
        work(app, |app, _| {
            window::close(app);
            Ok(())
        })
    }
    /// Leaves the window open after `close_requested`: some text could not be saved.
    keep_window(app) -> () {
        work(app, |app, _| {
            window::keep(app);
            Ok(())
        })
    }

    /// Asks the page to save, and ends the program.
    quit(app) -> () {
        work(app, |app, _| {
            window::quit(app);
            Ok(())
        })
    }
    /// Tells whether the desktop has a tray for an icon.
    has_tray(app) -> bool { work(app, |_, _| Ok(tray::has_host())) }

    // Notes.
    tree(app, folder: String) -> Vec<TreeEntry> { ask(app, move |engine| Ok(engine.view().tree(&folder)?)) }
    read_note(app, path: String) -> NoteView { ask(app, move |engine| door::read_note(engine, &path)) }
    /// Returns the reading view of a note, or of the text that stands in the editor.
    render(app, path: String, text: Option<String>) -> door::Rendered {
        ask(app, move |engine| door::render(engine, &path, text))
    }
    outline(app, text: String) -> Vec<HeadingView> { work(app, move |_, _| Ok(engine::outline(&text))) }
    save(app, path: String, base: String, text: String) -> Saved {
        ask(app, move |engine| door::save(engine, &path, &base, text))
    }
    /// Tells that the editor holds unsaved text of a note, or holds it no more.
    editing(app, path: String, dirty: bool) -> () {
        ask(app, move |engine| {
            engine.editing(&door::path(&path)?, dirty);
            Ok(())
        })
    }
    create_note(app, path: String) -> NoteView { ask(app, move |engine| door::create_note(engine, &path)) }
    /// Compares two notes: what only the first has counts as removed.
    compare(app, path: String, other: String) -> Vec<Hunk> {
        ask(app, move |engine| door::compare(engine, &path, &other))
    }

    // Folders. To move or delete one is a wish like the others.
    create_folder(app, path: String) -> () {
        ask(app, move |engine| Ok(engine.create_folder(&door::path(&path)?)?))
    }
    /// Removes a folder that holds no file; tells whether it is gone.
    remove_empty_folder(app, path: String) -> bool {
        ask(app, move |engine| Ok(engine.remove_empty_folder(&door::path(&path)?)?))
    }
    /// Forgets the notes that another program moved: links to their old paths stay.
    dismiss_outside_moves(app) -> () {
        ask(app, |engine| {
            engine.dismiss_outside_moves();
            Ok(())
        })
    }

    // Finding.
    resolve_link(app, from: String, target: String) -> Option<LinkTarget> {
        ask(app, move |engine| Ok(engine.view().resolve_link(&door::path(&from)?, &target)))
    }
    backlinks(app, path: String, limit: u32) -> Backlinks {
        ask(app, move |engine| Ok(engine.view().first_backlinks(&door::path(&path)?, limit as usize)))
    }
    search(app, query: String, folder: Option<String>, limit: u32, offset: u32) -> SearchPage {
        ask(app, move |engine| Ok(door::search(engine, query, folder, limit, offset)))
    }
    quick(app, query: String, limit: u32) -> Vec<QuickHit> {
        ask(app, move |engine| Ok(engine.view().quick(&query, limit.min(200) as usize)))
    }

    // The review.
    operations(app) -> Vec<OperationView> { ask(app, |engine| Ok(engine.operations())) }
    review(app, id: String) -> Review { ask(app, move |engine| door::review(engine, &id)) }
    /// Approves what was seen, and only that: `seen` is the digest of the review that was shown.
    approve(app, id: String, seen: String) -> Approval { ask(app, move |engine| door::approve(engine, &id, seen)) }
    decline(app, id: String, comment: Option<String>) -> OperationView {
        ask(app, move |engine| door::decline(engine, &id, comment))
    }
    /// Changes the heading that a proposal would write. Arguments are single words: the bindings know no other case.
    amend(app, id: String, heading: String) -> Review { ask(app, move |engine| door::amend(engine, &id, &heading)) }
    undo(app, id: String) -> OperationView { ask(app, move |engine| door::undo(engine, &id)) }
    /// Works out what a person's own change would do; nothing is written.
    preview_wish(app, wish: Wish) -> WishPreview { ask(app, move |engine| Ok(engine.preview(&wish)?)) }
    /// Carries a person's own change out; with the digest of a preview only if it still does what was shown.
    carry_wish(app, wish: Wish, digest: Option<String>) -> door::Granted {
        ask(app, move |engine| door::grant(engine, &wish, digest))
    }
    /// Finishes an operation that was stopped half-way.
    finish(app, id: String) -> OperationView { ask(app, move |engine| door::settle(engine, &id, true)) }
    /// Takes back what an operation did before it was stopped half-way.
    take_back(app, id: String) -> OperationView { ask(app, move |engine| door::settle(engine, &id, false)) }

    // The history.
    history(app, path: String) -> Vec<Version> { ask(app, move |engine| Ok(engine.history(&door::path(&path)?))) }
    version_text(app, path: String, version: String) -> String {
        ask(app, move |engine| Ok(engine.version_text(&door::path(&path)?, &version)?))
    }
    /// Compares two versions; `from` absent is the text before `to`, `to` absent the text of now.
    diff(app, path: String, from: Option<String>, to: Option<String>) -> Vec<Hunk> {
        ask(app, move |engine| Ok(engine.diff(&door::path(&path)?, from.as_deref(), to.as_deref())?))
    }
    restore(app, path: String, version: String) -> OperationView {
        ask(app, move |engine| Ok(engine.restore(&door::path(&path)?, &version)?))
    }

    // Agents.
    agents(app) -> AgentsView { work(app, |_, session| Ok(session.agents.view())) }
    agents_set(app, on: bool) -> AgentsView { work(app, move |_, session| session.agents.switch(on)) }
    /// Lets an agent in. Its token is told this once.
    agents_create(app, name: String) -> NewClient { work(app, move |_, session| session.agents.create(&name)) }
    agents_revoke(app, id: String) -> AgentsView { work(app, move |_, session| session.agents.revoke(&id)) }
    /// Sets what an agent may do in the open vault, from its next call on.
    agents_policy(app, id: String, policy: Policy) -> AgentsView {
        work(app, move |_, session| session.agents.set_policy(&id, policy))
    }
    /// Sets what an agent may see of the vault, and with which tools.
    agents_scope(app, id: String, scope: Scope) -> AgentsView {
        work(app, move |_, session| session.agents.set_scope(&id, scope))
    }
    /// Writes all that agents asked for to a file that the person chooses; `null` if none was chosen, else its path.
    agents_export(app) -> Option<String> {
        work(app, |app, session| {
            let Some(file) = window::choose_new_file(app, "Export what agents asked for", "agents.csv") else {
                return Ok(None);
            };
            session.agents.export(&file)?;
            Ok(Some(file.display().to_string()))
        })
    }
    /// Returns what to write into the settings of each MCP client.
    agents_config(app, client: Option<String>, token: Option<String>) -> Vec<ClientConfig> {
        work(app, move |_, session| session.agents.configs(client, token, &session.engine()?.info().root))
    }
    /// Opens the link that adds the vault to a client, in that client.
    agents_open_link(app, program: String) -> () {
        work(app, move |app, session| {
            let link = session.agents.link(&program, &session.engine()?.info().root)?;
            window::open_elsewhere(app, &link)
        })
    }
    /// Writes a bundle for Claude Desktop to a file that the person chooses; `null` if none was chosen, else its path.
    agents_bundle(app) -> Option<String> {
        work(app, |app, session| {
            let vault = session.engine()?.info().root;
            let Some(file) = window::choose_new_file(app, "Save a bundle for Claude Desktop", "vidimus.mcpb") else {
                return Ok(None);
            };
            session.agents.write_bundle(&vault, &file)?;
            Ok(Some(file.display().to_string()))
        })
    }
    /// Says what connecting a client would do to its settings file.
    agents_connecting(app, newcomer: Newcomer) -> Connecting {
        work(app, move |_, session| session.agents.connecting(&newcomer, &session.engine()?.info().root))
    }
    /// Writes a client's settings file as it was shown.
    agents_connect(app, newcomer: Newcomer, seen: String) -> Connecting {
        work(app, move |_, session| session.agents.connect(&newcomer, &session.engine()?.info().root, &seen))
    }
    agents_disconnect(app, newcomer: Newcomer) -> Connecting {
        work(app, move |_, session| session.agents.disconnect(&newcomer, &session.engine()?.info().root))
    }
}
