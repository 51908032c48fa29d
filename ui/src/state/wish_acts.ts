// How a person gets at their own changes, from the tree, from the menu, from the finder and by dragging alike.

import { note_name } from "../components/review/wording";
import { asEngineError } from "../ipc/engine";
import type { EntryKind } from "../ipc/types";
import { deeds } from "./deeds.svelte";
import { layout } from "./layout.svelte";
import { notes } from "./notes.svelte";
import { heading_ids } from "./outline.svelte";
import { palette } from "./palette.svelte";
import { folder_of, moved_to, name_of } from "./paths";
import { tabs } from "./tabs.svelte";
import { toasts } from "./toasts.svelte";
import { tree } from "./tree.svelte";
import { wishes } from "./wishes.svelte";

/** A note or a folder, as far as it matters to whoever moves it. */
export interface Thing {
  path: string;
  kind: EntryKind;
}

/** Makes the note's row in the tree a text field. */
export async function rename_note(path: string, from_page = false): Promise<void> {
  layout.show_left("files");
  await tree.reveal(path);
  wishes.name_entry(path, from_page);
}

/** Asks for a folder and moves a note or a folder there; `then` hears of its new path. */
export function move_to(thing: Thing, then: (to: string) => void = () => {}): void {
  const is_folder = thing.kind === "folder";
  const label = `Move ${is_folder ? name_of(thing.path) : note_name(thing.path)} to`;
  palette.open_folders(label, folder_of(thing.path), (folder) => void move_into(thing, folder, then), is_folder ? thing.path : null);
}

/** Moves a note or a folder into a folder; says why if it cannot be. */
export async function move_into({ path, kind }: Thing, folder: string, then: (to: string) => void = () => {}): Promise<void> {
  const to = moved_to(path, folder);
  if (to === path) return;
  try {
    if (await (kind === "folder" ? wishes.move_folder(path, to) : wishes.move_note(path, to))) then(to);
  } catch (cause) {
    toasts.error(asEngineError(cause));
  }
}

export function delete_thing({ path, kind }: Thing): Promise<boolean> {
  return kind === "folder" ? wishes.delete_folder(path) : wishes.delete_note(path);
}

/** Opens a row for a new folder; beside the open note unless a place is named. */
export function new_folder(within: string = folder_of(tabs.active_path ?? "")): void {
  layout.show_left("files");
  void wishes.draft_folder(within);
}

/** Makes the row of the heading that the caret is in a text field. */
export function rename_heading(): void {
  const note = notes.active;
  if (!note?.at_heading) return;
  layout.show_right("outline");
  wishes.title_heading(note.path, heading_ids(note.headings)[note.headings.indexOf(note.at_heading)]!, true);
}

/** Turns what was done last back, or forth again, if a key press asks for it; `then` hears where the keyboard belongs. */
export function turned(event: KeyboardEvent, then: (path: string | undefined) => void): boolean {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return false;
  const key = event.key.toLowerCase();
  if (key === "z" && !event.shiftKey) void deeds.undo().then(then);
  else if ((key === "z" && event.shiftKey) || (key === "y" && !event.shiftKey)) void deeds.redo().then(then);
  else return false;
  return true;
}
