// How a person gets at their own changes, from the tree, from the menu and from the finder alike.

import { note_name } from "../components/review/wording";
import { asEngineError } from "../ipc/engine";
import { layout } from "./layout.svelte";
import { notes } from "./notes.svelte";
import { heading_ids } from "./outline.svelte";
import { palette } from "./palette.svelte";
import { toasts } from "./toasts.svelte";
import { folder_of, tree } from "./tree.svelte";
import { moved_to, wishes } from "./wishes.svelte";

/** Makes the note's row in the tree a text field. */
export async function rename_note(path: string, from_page = false): Promise<void> {
  layout.show_left("files");
  await tree.reveal(path);
  wishes.name_note(path, from_page);
}

/** Asks for a folder and moves the note there; `then` hears of its new path. */
export function move_note(path: string, then: (to: string) => void = () => {}): void {
  palette.open_folders(`Move ${note_name(path)} to`, folder_of(path), async (folder) => {
    const to = moved_to(path, folder);
    try {
      if (await wishes.move_note(path, to)) then(to);
    } catch (cause) {
      toasts.error(asEngineError(cause));
    }
  });
}

export function delete_note(path: string): Promise<boolean> {
  return wishes.delete_note(path);
}

/** Makes the row of the heading that the caret is in a text field. */
export function rename_heading(): void {
  const note = notes.active;
  if (!note?.at_heading) return;
  layout.show_right("outline");
  wishes.title_heading(note.path, heading_ids(note.headings)[note.headings.indexOf(note.at_heading)]!, true);
}
