// Brings the window to life: starts the stores, says what links and keys mean, and lists the window's commands.

import { openSearchPanel } from "@codemirror/search";
import { untrack } from "svelte";
import { EDITOR_COMMANDS } from "../editor/commands";
import { follow_link, type LinkAtPoint, on_follow } from "../editor/links";
import { on_review } from "../editor/pending";
import { on_property_refused, settle_properties } from "../editor/properties/change";
import { on_put_files } from "../editor/put_files";
import type { NoteDocument } from "../editor/documents";
import { engine } from "../ipc/engine";
import { agents } from "./agents.svelte";
import { about, type Command, commands } from "./commands.svelte";
import { comparison } from "./comparison.svelte";
import { deeds } from "./deeds.svelte";
import { group_commands } from "./group_commands";
import { history } from "./history.svelte";
import { layout, type LeftTab } from "./layout.svelte";
import { linked } from "./linked.svelte";
import { look } from "./look.svelte";
import { forget_menu_bar, show_menu_bar } from "./menu_bar";
import { note_commands } from "./note_commands";
import { notes } from "./notes.svelte";
import { open_link, show_followed, show_search } from "./opening";
import { operations } from "./operations.svelte";
import { palette } from "./palette.svelte";
import { cycle_panes, focus_pane } from "./panes";
import { told_of_files } from "./put_files";
import { reports } from "./reports.svelte";
import { search } from "./search.svelte";
import { settings } from "./settings.svelte";
import { shelf } from "./shelf.svelte";
import { tabs } from "./tabs.svelte";
import { toasts } from "./toasts.svelte";
import { tree } from "./tree.svelte";
import { vault } from "./vault.svelte";
import { vault_keys } from "./vault_keys.svelte";
import { wishes } from "./wishes.svelte";
import { delete_thing, move_to, new_folder, rename_heading, rename_note } from "./wish_acts";

class Dialogs {
  settings = $state(false);
  new_note = $state(false);
  /** All commands with their keys. */
  keys = $state(false);
  /** The folder that the new note goes to, where one was pointed at. */
  new_note_in = $state<string | null>(null);
  /** Notes whose text could not be saved when the window was to close. */
  unsaved = $state.raw<string[]>([]);
  /** The address that waits for a person's yes. */
  external = $state<string | null>(null);
}

export const dialogs = new Dialogs();

/** Starts everything; returns what stops it. */
export function start_window(): () => void {
  const stops: (() => void)[] = [reports.start()];
  commands.register(window_commands());
  on_follow(follow);
  on_review(review);
  on_put_files(told_of_files);
  on_property_refused((error) => void toasts.error(error));
  operations.before_decision = () => notes.documents.flush_all();
  void settings.load().catch((cause: Error) => toasts.error(cause));
  void vault.start().then(show_followed);
  notes.listen();

  let quiet: ReturnType<typeof setTimeout> | undefined;
  const look_again = () => {
    // Not pushed back by the next event: while a vault is indexed they come without a pause.
    quiet ??= setTimeout(() => {
      quiet = undefined;
      void tree.refresh();
      void notes.refresh_backlinks();
      void notes.refresh_conflict();
    }, 150);
  };
  stops.push(
    engine.on("notes_changed", look_again),
    engine.on("operation_changed", look_again),
    engine.on("operation_changed", ({ id, state }) => deeds.heard(id, state)),
    engine.on("indexing", look_again),
    engine.on("settings_changed", () => void settings.load().then(() => vault_keys.load())),
    engine.on("look_changed", () => void read_look()),
    engine.on("command_wanted", ({ id }) => void commands.run(id)),
    engine.on("review_wanted", () => vault.phase === "open" && layout.go("review")),
    engine.on("link_followed", () => void show_followed()),
    engine.on("close_requested", () => void close_window()),
  );
  // Leaving the window is a good moment to save.
  const leave = () => void notes.documents.flush_all();
  window.addEventListener("blur", leave);
  const come = () => {
    forget_menu_bar();
    untrack(show_menu_bar);
  };
  window.addEventListener("focus", come);
  stops.push(() => window.removeEventListener("blur", leave), () => window.removeEventListener("focus", come));

  let zoomed = false;
  // A vault that opens brings its tree, its tabs and its proposals.
  const stop_effects = $effect.root(() => {
    $effect(() => {
      const { path } = vault;
      untrack(() => void read_look());
      if (path === null) return;
      return untrack(() => {
        notes.reset();
        wishes.reset();
        linked.reset();
        shelf.reset();
        tabs.recall(path);
        void tree.load(path);
        const running = [operations.start(), agents.start(), history.start(), comparison.start()];
        return () => running.forEach((stop) => stop());
      });
    });
    $effect(show_menu_bar);
    $effect(() => {
      const { zoom } = layout;
      if (zoom !== 1 || zoomed) void engine.set_zoom(zoom).catch(() => undefined);
      zoomed = zoom !== 1;
    });
    $effect(() => {
      const title = notes.active ? `${notes.active.title} · ${vault.info?.name ?? "Vidimus"}` : (vault.info?.name ?? "Vidimus");
      document.title = title;
      void engine.set_title(title).catch(() => undefined);
    });
  });
  stops.push(stop_effects, () => clearTimeout(quiet));
  return () => stops.forEach((stop) => stop());
}

/** Reads the vault's looks and keys, and puts them on. */
async function read_look(): Promise<void> {
  await look.load();
  settings.paint();
  await vault_keys.load();
}

async function close_window(): Promise<void> {
  if (await notes.documents.flush_all()) await engine.close_window();
  else {
    await engine.keep_window();
    dialogs.unsaved = notes.documents.all().flatMap((doc) => (doc.dirty ? [doc.path] : []));
  }
}

async function leave_vault(): Promise<void> {
  if (await notes.documents.flush_all()) await vault.close();
  else toasts.error({ message: "some text could not be saved", hint: "look at the notes marked with a dot first" });
}

function review(operation: string): void {
  operations.select(operation);
  layout.go("review");
}

function follow(doc: NoteDocument, link: LinkAtPoint): void {
  if (link.kind === "external") dialogs.external = link.url;
  else if (link.kind === "vault_link") engine.follow_link(link.url).catch((cause: Error) => toasts.error(cause));
  else if (link.kind === "tag") show_search(`tag:#${link.tag}`);
  else void open_link(link.from ?? doc.path, link.target);
}

function active_document(): NoteDocument | undefined {
  return tabs.active_path ? notes.documents.get(tabs.active_path) : undefined;
}

const is_open = () => vault.phase === "open";
const has_note = () => is_open() && tabs.active !== null && layout.place === "notes";

/** Whether what is typed now becomes text. */
function is_typing(): boolean {
  return document.activeElement?.closest("input, textarea, select, [contenteditable]:not([contenteditable='false'])") != null;
}

function window_commands(): Command[] {
  return [
    ...about("Find and go", going_commands()),
    ...about("Notes", [...note_commands(is_open, has_note), ...page_commands()]),
    ...about("Tabs and groups", [...group_commands(has_note), ...tab_commands()]),
    ...about("Review and agents", review_commands()),
    ...about("Parts of the window", pane_commands()),
    ...about("Text", text_commands()),
    ...about("The window", own_commands()),
  ];
}

function going_commands(): Command[] {
  return [
    { id: "find_note", title: "Find a note or heading", keys: ["Mod-o"], when: is_open, run: () => palette.open("notes") },
    { id: "palette", title: "All commands", keys: ["Mod-p"], when: is_open, run: () => palette.open("commands"), hidden: true },
    {
      id: "search",
      title: "Search in all notes",
      keys: ["Mod-Shift-f"],
      when: is_open,
      run: () => {
        layout.show_left("search");
        search.focus();
      },
    },
    { id: "back", title: "Back", keys: ["Alt-ArrowLeft"], when: can_go_back, run: go_back },
    { id: "forward", title: "Forward", keys: ["Alt-ArrowRight"], when: () => is_open() && tabs.can_go_forward, run: () => tabs.forward() },
  ];
}

function page_commands(): Command[] {
  return [
    { id: "new_note", title: "New note", keys: ["Mod-n"], when: is_open, run: () => void (dialogs.new_note = true) },
    { id: "rename_note", title: "Rename this note", shown_key: "F2", when: has_note, run: () => void rename_note(tabs.active_path!, true) },
    { id: "move_note", title: "Move this note…", keys: ["Mod-Shift-m"], when: has_note, run: () => move_to({ path: tabs.active_path!, kind: "note" }) },
    { id: "delete_note", title: "Delete this note", when: has_note, run: () => void delete_thing({ path: tabs.active_path!, kind: "note" }) },
    { id: "new_folder", title: "New folder", keys: ["Mod-Shift-n"], when: is_open, run: () => new_folder() },
    { id: "rename_heading", title: "Rename this heading", when: () => has_note() && Boolean(notes.active?.at_heading), run: rename_heading },
    { id: "undo_deed", title: "Undo the last rename, move or deletion", when: () => is_open() && deeds.last !== null, run: () => void deeds.undo() },
    { id: "redo_deed", title: "Redo the last rename, move or deletion", when: () => is_open() && deeds.next !== null, run: () => void deeds.redo() },
    { id: "save", title: "Save now", keys: ["Mod-s"], when: has_note, run: () => void settle_properties().then(() => active_document()?.saver.flush()) },
    {
      id: "toggle_mode",
      title: "Switch between editing and reading",
      keys: ["Mod-e"],
      when: has_note,
      run: () => {
        tabs.toggle_mode();
        focus_pane("centre");
      },
    },
    {
      id: "find_in_note",
      title: "Find in this note",
      keys: ["Mod-f"],
      when: has_note,
      run: () => {
        if (tabs.active!.mode === "reading") tabs.set_mode(tabs.active!.path, "editing");
        requestAnimationFrame(() => {
          const view = active_document()?.view;
          if (view) openSearchPanel(view);
        });
      },
    },
  ];
}

function tab_commands(): Command[] {
  return [
    { id: "next_tab", title: "Next tab", keys: ["Ctrl-Tab", "Mod-PageDown"], when: has_note, run: () => tabs.step(1) },
    { id: "previous_tab", title: "Previous tab", keys: ["Ctrl-Shift-Tab", "Mod-PageUp"], when: has_note, run: () => tabs.step(-1) },
    { id: "move_tab_left", title: "Move this tab left", keys: ["Mod-Shift-PageUp"], when: has_note, run: () => tabs.move(tabs.active_path!, -1) },
    { id: "move_tab_right", title: "Move this tab right", keys: ["Mod-Shift-PageDown"], when: has_note, run: () => tabs.move(tabs.active_path!, 1) },
  ];
}

function review_commands(): Command[] {
  return [
    {
      id: "show_review",
      title: "Review proposals",
      keys: ["Mod-Shift-r"],
      when: is_open,
      run: () => layout.go(layout.place === "review" ? "notes" : "review"),
    },
    { id: "show_notes", title: "Back to the notes", when: () => is_open() && layout.place !== "notes", run: () => layout.go("notes") },
    {
      id: "show_agents",
      title: "Agents",
      keys: ["Mod-Shift-a"],
      when: is_open,
      run: () => {
        if (layout.right_seen && layout.about === "agents" && layout.place === "notes") layout.hide_agents();
        else layout.show_agents();
      },
    },
  ];
}

function pane_commands(): Command[] {
  return [
    { id: "outline", title: "Outline of this note", keys: ["Mod-Shift-o"], when: has_note, run: () => show_right("outline") },
    { id: "history", title: "History of this note", keys: ["Mod-Shift-h"], when: has_note, run: () => show_right("history") },
    { id: "links", title: "Links of this note", keys: ["Mod-Shift-l"], when: has_note, run: () => show_right("links") },
    { id: "files", title: "Show the notes in the sidebar", keys: ["Mod-Shift-e"], when: is_open, run: () => show_left("files") },
    { id: "bookmarks", title: "Bookmarks", when: is_open, run: () => show_left("bookmarks") },
    { id: "tags", title: "Tags of all notes", when: is_open, run: () => show_left("tags") },
    { id: "properties", title: "Properties of all notes", when: is_open, run: () => show_left("properties") },
    { id: "toggle_left", title: "Show or hide the sidebar", keys: ["Mod-\\"], when: is_open, run: () => layout.toggle_left() },
    { id: "toggle_right", title: "Show or hide the details", keys: ["Mod-Shift-\\", "Mod-Shift-|"], when: is_open, run: () => layout.toggle_right() },
    { id: "next_pane", title: "Next part of the window", keys: ["F6"], when: is_open, run: () => cycle_panes(1), hidden: true },
    { id: "previous_pane", title: "Previous part of the window", keys: ["Shift-F6"], when: is_open, run: () => cycle_panes(-1), hidden: true },
  ];
}

function text_commands(): Command[] {
  return EDITOR_COMMANDS.map(({ id, title, key, run }) => ({
    id: `text_${id}`,
    title,
    // The editor itself listens for the key; here it is only shown.
    shown_key: key,
    when: () => has_note() && tabs.active?.mode === "editing",
    run: () => {
      const view = active_document()?.view;
      if (view) run(view);
      view?.focus();
    },
  }));
}

function own_commands(): Command[] {
  const show_keys = () => void (dialogs.keys = true);
  return [
    { id: "keys", title: "All keys", keys: ["F1"], run: show_keys },
    { id: "keys_beside_text", title: "All keys, where nothing is typed", keys: ["Shift-?", "?"], when: () => !is_typing(), run: show_keys, hidden: true },
    { id: "settings", title: "Settings", keys: ["Mod-,"], run: () => void (dialogs.settings = true) },
    { id: "zoom_in", title: "Larger", keys: ["Mod-=", "Mod-+", "Mod-Shift-+"], run: () => layout.step_zoom(1) },
    { id: "zoom_out", title: "Smaller", keys: ["Mod--"], run: () => layout.step_zoom(-1) },
    { id: "zoom_normal", title: "Normal size", keys: ["Mod-0"], run: () => layout.step_zoom(0) },
    { id: "theme_light", title: "Light theme", run: () => settings.set({ theme: "light" }) },
    { id: "theme_dark", title: "Dark theme", run: () => settings.set({ theme: "dark" }) },
    { id: "theme_system", title: "Theme of the system", run: () => settings.set({ theme: "system" }) },
    { id: "quit", title: "Quit Vidimus", keys: ["Mod-q"], run: () => void engine.quit().catch((cause: Error) => toasts.error(cause)) },
    { id: "new_window", title: "Open another vault in a new window", when: is_open, run: () => void engine.new_window().catch((cause: Error) => toasts.error(cause)) },
    { id: "open_vault", title: "Open another folder of notes", when: is_open, run: leave_vault },
  ];
}

/** From the review the way back is to the notes. */
export const can_go_back = () => is_open() && (layout.place !== "notes" || tabs.can_go_back);

export function go_back(): void {
  if (layout.place !== "notes") layout.go("notes");
  else tabs.back();
}

function show_left(tab: LeftTab): void {
  layout.show_left(tab);
  focus_pane("left");
}

function show_right(tab: "outline" | "history" | "links"): void {
  layout.show_right(tab);
  focus_pane("right");
}

export { follow_link };
