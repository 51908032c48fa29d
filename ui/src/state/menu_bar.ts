// The menu bar of macOS: which commands stand in which menu. Names and keys are those of the one list of commands.

import { engine } from "../ipc/engine";
import type { BarEntry, BarMenu, Role } from "../ipc/types";
import { commands, is_mac } from "./commands.svelte";

/** A command by its id, what the system does itself, or a line. */
type Place = string | { role: Role } | null;

const role = (name: Role): Place => ({ role: name });

export const MENUS: { title: string; places: Place[] }[] = [
  {
    title: "Vidimus",
    places: [role("about"), null, "settings", null, role("services"), null, role("hide"), role("hide_others"), role("show_all"), null, "quit"],
  },
  {
    title: "File",
    places: ["new_note", "new_folder", "daily_note", "unique_note", null, "open_vault", "new_window", null, "save", "rename_note", "move_note", "delete_note", null, "close_tab", "close_others"],
  },
  {
    title: "Edit",
    places: [role("undo"), role("redo"), null, role("cut"), role("copy"), role("paste"), role("select_all"), null, "find_in_note", "text_replace", "search", null, "copy_link", "undo_deed", "redo_deed"],
  },
  {
    title: "Format",
    places: ["text_bold", "text_italic", "text_strike", "text_highlight", "text_code", null, "text_link", "text_task", "text_property", "text_comment", null, "text_bullets", "text_numbers", "text_quote", "text_callout", "text_code_block", "text_formula", "text_table", "text_footnote", "insert_template"],
  },
  {
    title: "View",
    places: ["toggle_mode", "text_source", null, "toggle_left", "toggle_right", "files", "bookmarks", "tags", "properties", null, "split_right", "split_down", null, "text_fold", "text_unfold", "text_fold_all", "text_unfold_all", null, "zoom_in", "zoom_out", "zoom_normal", null, role("fullscreen")],
  },
  {
    title: "Go",
    places: ["find_note", "palette", null, "back", "forward", null, "outline", "history", "links", "random_note", null, "show_review", "show_notes", "show_agents"],
  },
  { title: "Window", places: [role("minimize"), role("zoom"), null, "next_tab", "previous_tab", "move_tab_left", "move_tab_right", null, "next_group", "previous_group", "tab_to_next_group", "tab_to_previous_group", null, role("bring_all_to_front")] },
  { title: "Help", places: ["keys"] },
];

/** Fills the menus from the list of commands as it is now. */
export function menu_bar(): BarMenu[] {
  return MENUS.map(({ title, places }) => ({ title, entries: places.flatMap(entry_of) }));
}

function entry_of(place: Place): BarEntry[] {
  if (place === null) return [{ kind: "line" }];
  if (typeof place !== "string") return [{ kind: "role", role: place.role }];
  const command = commands.get(place);
  if (!command) return [];
  return [{ kind: "command", id: command.id, title: command.title, key: commands.key_of(command.id) || null, enabled: commands.can(command) }];
}

/** Shows the menus as the commands are now; within an effect, whenever that changes. */
export function show_menu_bar(): void {
  if (!is_mac) return;
  const menus = menu_bar();
  const now = JSON.stringify(menus);
  if (now === shown) return;
  shown = now;
  void engine.show_menu_bar(menus).catch(() => undefined);
}
let shown = "";

/** Several windows have one bar: the one that comes to the front says anew what stands in it. */
export function forget_menu_bar(): void {
  shown = "";
}
