//! The window's door: one line for each thing the page can ask.
//!
//! Nothing here blocks the window's thread, and a panic of the program becomes a fault instead of a lost answer.

use crate::agents::{AgentsView, NewClient, Newcomer};
use crate::events::{ReportsChanged, SettingsChanged};
use crate::menu::{self, BarMenu};
use crate::session::{self, AppState, Session};
use crate::{tray, window};
use engine::{
    Backlinks, Engine, HeadingView, Hunk, LinkTarget, OperationView, QuickHit, Review, Saved, SearchPage, TreeEntry,
    VaultInfo, Version, Wish, WishPreview,
};
use headless::agents::configs::ClientConfig;
use headless::agents::connecting::Connecting;
use headless::agents::policy::Policy;
use headless::agents::scope::Scope;
use headless::door::{self, Approval, NoteView};
use headless::fault::Fault;
use headless::report::{PageError, Report, Reports};
use headless::settings::{self, Settings};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use tauri::{Manager, WebviewWindow};
use tauri_specta::Event as _;

type Answer<T> = Result<T, Fault>;

/// Does blocking work beside the window's thread.
async fn work<T: Send + 'static>(
    page: WebviewWindow,
    work: impl FnOnce(&WebviewWindow, &Session) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    let done = tauri::async_runtime::spawn_blocking(move || {
        catch_unwind(AssertUnwindSafe(|| work(&page, &*session::of(&page)?))).unwrap_or_else(|_| Err(Fault::internal()))
    });
    done.await.unwrap_or_else(|_| Err(Fault::internal()))
}

/// Asks the engine of the open vault.
async fn ask<T: Send + 'static>(
    page: WebviewWindow,
    ask: impl FnOnce(&Engine) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    work(page, |_, session| ask(&session.engine()?)).await
}

macro_rules! commands {
    ($($(#[$doc:meta])* $name:ident($page:ident $(, $arg:ident: $kind:ty)*) -> $answer:ty { $body:expr })*) => {
        $(
            $(#[$doc])*
            #[tauri::command]
            #[specta::specta]
            pub async fn $name($page: WebviewWindow $(, $arg: $kind)*) -> Answer<$answer> {
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
    app_state(page) -> AppState { work(page, |_, session| session.state()) }
    /// Lets the person choose a folder; `null` if none was chosen.
    choose_folder(page) -> Option<String> { work(page, |page, _| Ok(window::choose_folder(page))) }
    open_vault(page, path: String) -> VaultInfo { work(page, move |page, session| session.open(page.app_handle(), Path::new(&path))) }
    close_vault(page) -> () {
        work(page, |page, session| {
            session.close()?;
            tray::refresh(page.app_handle());
            Ok(())
        })
    }
    settings_get(page) -> Settings { work(page, |_, session| session.settings()) }
    settings_set(page, settings: Settings) -> Settings {
        work(page, move |page, session| {
            let kept = settings::keep(&session.store, settings)?;
            window::dress_all(page.app_handle(), kept.theme);
            tray::refresh(page.app_handle());
            for window in page.app_handle().webview_windows().keys().filter(|window| *window != page.label()) {
                drop(SettingsChanged.emit_to(page, window.as_str()));
            }
            Ok(kept)
        })
    }
    /// Opens another window, for a vault that is chosen there.
    new_window(page) -> () { work(page, |page, _| window::open_empty(page.app_handle())) }
    /// Closes the window once the page has saved everything.
    close_window(page) -> () {
        work(page, |page, _| {
            window::close(page);
            Ok(())
        })
    }
    /// Leaves the window open after `close_requested`: some text could not be saved.
    keep_window(page) -> () {
        work(page, |page, _| {
            window::keep(page);
            Ok(())
        })
    }

    /// Asks the page to save, and ends the program.
    quit(page) -> () {
        work(page, |page, _| {
            window::quit(page.app_handle());
            Ok(())
        })
    }
    /// Shows the commands in the menu bar, where the system has one.
    show_menu_bar(page, menus: Vec<BarMenu>) -> () {
        work(page, move |page, _| {
            menu::show(page.app_handle(), menus);
            Ok(())
        })
    }
    /// Lists what went wrong here and was not looked at, the newest first.
    reports(page) -> Vec<Report> { work(page, |_, session| Ok(Reports::of(&session.store).unseen())) }
    /// Takes down an error of the page, on this computer and nowhere else.
    report_error(page, error: PageError) -> () {
        work(page, move |_, session| {
            Reports::of(&session.store).of_page(&error);
            Ok(())
        })
    }
    /// Takes all reports as seen, in every window.
    dismiss_reports(page) -> () {
        work(page, |page, session| {
            Reports::of(&session.store).seen();
            drop(ReportsChanged.emit(page));
            Ok(())
        })
    }
    /// Tells whether the desktop has a tray for an icon.
    has_tray(page) -> bool { work(page, |_, _| Ok(tray::has_host())) }

    // Notes.
    tree(page, folder: String) -> Vec<TreeEntry> { ask(page, move |engine| Ok(engine.view().tree(&folder)?)) }
    read_note(page, path: String) -> NoteView { ask(page, move |engine| door::read_note(engine, &path)) }
    /// Returns the reading view of a note, or of the text that stands in the editor.
    render(page, path: String, text: Option<String>) -> door::Rendered {
        ask(page, move |engine| door::render(engine, &path, text))
    }
    outline(page, text: String) -> Vec<HeadingView> { work(page, move |_, _| Ok(engine::outline(&text))) }
    save(page, path: String, base: String, text: String) -> Saved {
        ask(page, move |engine| door::save(engine, &path, &base, text))
    }
    /// Tells that the editor holds unsaved text of a note, or holds it no more.
    editing(page, path: String, dirty: bool) -> () {
        ask(page, move |engine| {
            engine.editing(&door::path(&path)?, dirty);
            Ok(())
        })
    }
    create_note(page, path: String) -> NoteView { ask(page, move |engine| door::create_note(engine, &path)) }
    /// Compares two notes: what only the first has counts as removed.
    compare(page, path: String, other: String) -> Vec<Hunk> {
        ask(page, move |engine| door::compare(engine, &path, &other))
    }

    // Folders. To move or delete one is a wish like the others.
    create_folder(page, path: String) -> () {
        ask(page, move |engine| Ok(engine.create_folder(&door::path(&path)?)?))
    }
    /// Removes a folder that holds no file; tells whether it is gone.
    remove_empty_folder(page, path: String) -> bool {
        ask(page, move |engine| Ok(engine.remove_empty_folder(&door::path(&path)?)?))
    }
    /// Forgets the notes that another program moved: links to their old paths stay.
    dismiss_outside_moves(page) -> () {
        ask(page, |engine| {
            engine.dismiss_outside_moves();
            Ok(())
        })
    }

    // Finding.
    resolve_link(page, from: String, target: String) -> Option<LinkTarget> {
        ask(page, move |engine| Ok(engine.view().resolve_link(&door::path(&from)?, &target)))
    }
    backlinks(page, path: String, limit: u32) -> Backlinks {
        ask(page, move |engine| Ok(engine.view().first_backlinks(&door::path(&path)?, limit as usize)))
    }
    search(page, query: String, folder: Option<String>, limit: u32, offset: u32) -> SearchPage {
        ask(page, move |engine| Ok(door::search(engine, query, folder, limit, offset)))
    }
    quick(page, query: String, limit: u32) -> Vec<QuickHit> {
        ask(page, move |engine| Ok(engine.view().quick(&query, limit.min(200) as usize)))
    }

    // The review.
    operations(page) -> Vec<OperationView> { ask(page, |engine| Ok(engine.operations())) }
    review(page, id: String) -> Review { ask(page, move |engine| door::review(engine, &id)) }
    /// Approves what was seen, and only that: `seen` is the digest of the review that was shown.
    approve(page, id: String, seen: String) -> Approval { ask(page, move |engine| door::approve(engine, &id, seen)) }
    decline(page, id: String, comment: Option<String>) -> OperationView {
        ask(page, move |engine| door::decline(engine, &id, comment))
    }
    /// Changes the heading that a proposal would write. Arguments are single words: the bindings know no other case.
    amend(page, id: String, heading: String) -> Review { ask(page, move |engine| door::amend(engine, &id, &heading)) }
    undo(page, id: String) -> OperationView { ask(page, move |engine| door::undo(engine, &id)) }
    /// Works out what a person's own change would do; nothing is written.
    preview_wish(page, wish: Wish) -> WishPreview { ask(page, move |engine| Ok(engine.preview(&wish)?)) }
    /// Carries a person's own change out; with the digest of a preview only if it still does what was shown.
    carry_wish(page, wish: Wish, digest: Option<String>) -> door::Granted {
        ask(page, move |engine| door::grant(engine, &wish, digest))
    }
    /// Finishes an operation that was stopped half-way.
    finish(page, id: String) -> OperationView { ask(page, move |engine| door::settle(engine, &id, true)) }
    /// Takes back what an operation did before it was stopped half-way.
    take_back(page, id: String) -> OperationView { ask(page, move |engine| door::settle(engine, &id, false)) }

    // The history.
    history(page, path: String) -> Vec<Version> { ask(page, move |engine| Ok(engine.history(&door::path(&path)?))) }
    version_text(page, path: String, version: String) -> String {
        ask(page, move |engine| Ok(engine.version_text(&door::path(&path)?, &version)?))
    }
    /// Compares two versions; `from` absent is the text before `to`, `to` absent the text of now.
    diff(page, path: String, from: Option<String>, to: Option<String>) -> Vec<Hunk> {
        ask(page, move |engine| Ok(engine.diff(&door::path(&path)?, from.as_deref(), to.as_deref())?))
    }
    restore(page, path: String, version: String) -> OperationView {
        ask(page, move |engine| Ok(engine.restore(&door::path(&path)?, &version)?))
    }

    // Agents.
    agents(page) -> AgentsView { work(page, |_, session| Ok(session.agents.view())) }
    agents_set(page, on: bool) -> AgentsView { work(page, move |_, session| session.agents.switch(on)) }
    /// Lets an agent in. Its token is told this once.
    agents_create(page, name: String) -> NewClient { work(page, move |_, session| session.agents.create(&name)) }
    agents_revoke(page, id: String) -> AgentsView { work(page, move |_, session| session.agents.revoke(&id)) }
    /// Sets what an agent may do in the open vault, from its next call on.
    agents_policy(page, id: String, policy: Policy) -> AgentsView {
        work(page, move |_, session| session.agents.set_policy(&id, policy))
    }
    /// Sets what an agent may see of the vault, and with which tools.
    agents_scope(page, id: String, scope: Scope) -> AgentsView {
        work(page, move |_, session| session.agents.set_scope(&id, scope))
    }
    /// Writes all that agents asked for to a file that the person chooses; `null` if none was chosen, else its path.
    agents_export(page) -> Option<String> {
        work(page, |page, session| {
            let Some(file) = window::choose_new_file(page, "Export what agents asked for", "agents.csv") else {
                return Ok(None);
            };
            session.agents.export(&file)?;
            Ok(Some(file.display().to_string()))
        })
    }
    /// Returns what to write into the settings of each MCP client.
    agents_config(page, client: Option<String>, token: Option<String>) -> Vec<ClientConfig> {
        work(page, move |_, session| session.agents.configs(client, token, &session.engine()?.info().root))
    }
    /// Opens the link that adds the vault to a client, in that client.
    agents_open_link(page, program: String) -> () {
        work(page, move |page, session| {
            let link = session.agents.link(&program, &session.engine()?.info().root)?;
            window::open_elsewhere(page.app_handle(), &link)
        })
    }
    /// Writes a bundle for Claude Desktop to a file that the person chooses; `null` if none was chosen, else its path.
    agents_bundle(page) -> Option<String> {
        work(page, |page, session| {
            let vault = session.engine()?.info().root;
            let Some(file) = window::choose_new_file(page, "Save a bundle for Claude Desktop", "vidimus.mcpb") else {
                return Ok(None);
            };
            session.agents.write_bundle(&vault, &file)?;
            Ok(Some(file.display().to_string()))
        })
    }
    /// Says what connecting a client would do to its settings file.
    agents_connecting(page, newcomer: Newcomer) -> Connecting {
        work(page, move |_, session| session.agents.connecting(&newcomer, &session.engine()?.info().root))
    }
    /// Writes a client's settings file as it was shown.
    agents_connect(page, newcomer: Newcomer, seen: String) -> Connecting {
        work(page, move |_, session| session.agents.connect(&newcomer, &session.engine()?.info().root, &seen))
    }
    agents_disconnect(page, newcomer: Newcomer) -> Connecting {
        work(page, move |_, session| session.agents.disconnect(&newcomer, &session.engine()?.info().root))
    }
}
