// Commands about notes as a whole and their sections, for the palette and the keys.

import type { Command } from "./commands.svelte";
import { choose_template, new_unique_note, open_daily_note, open_random_note } from "./dated";
import { notes } from "./notes.svelte";
import { heading_ids } from "./outline.svelte";
import { copy_address } from "./links";
import { focus_note } from "./panes";
import { move_section, type SectionMove } from "./sections";
import { tabs } from "./tabs.svelte";
import { toasts } from "./toasts.svelte";

/** Lists them; `is_open` and `has_note` say whether there is a vault, and a note on the page. */
export function note_commands(is_open: () => boolean, has_note: () => boolean): Command[] {
  const has_section = () => has_note() && Boolean(notes.active?.writable && notes.active.at_heading);
  const section = (id: string, title: string, to: SectionMove): Command => ({ id, title, when: has_section, run: () => move_here(to) });
  return [
    { id: "daily_note", title: "Open today’s daily note", keys: ["Mod-Shift-d"], when: is_open, run: open_daily_note },
    { id: "unique_note", title: "New unique note", when: is_open, run: new_unique_note },
    { id: "random_note", title: "Open a random note", when: is_open, run: open_random_note },
    { id: "insert_template", title: "Insert a template…", when: () => has_note() && Boolean(notes.active?.writable), run: choose_template },
    { id: "copy_link", title: "Copy Vidimus link to this note", when: has_note, run: () => copy_address(tabs.active_path!) },
    { id: "copy_heading_link", title: "Copy Vidimus link to this heading", when: () => has_note() && Boolean(notes.active?.at_heading), run: () => copy_address(tabs.active_path!, notes.active!.at_heading!.text) },
    section("section_up", "Move this section up", { kind: "up" }),
    section("section_down", "Move this section down", { kind: "down" }),
    section("section_raise", "Raise this section a level", { kind: "promote" }),
    section("section_lower", "Lower this section a level", { kind: "demote" }),
  ];
}

/** Moves the section that the caret is in. */
async function move_here(to: SectionMove): Promise<void> {
  const note = notes.active;
  if (!note?.at_heading) return;
  const id = heading_ids(note.headings)[note.headings.indexOf(note.at_heading)]!;
  const moved = await move_section(note, id, to);
  if (moved.kind === "stays" && moved.why) toasts.say(moved.why);
  focus_note(note.path);
}
