// All commands with their keys, as they are shown: the window's own list in groups, and what the review does with single keys.

import { key_cap, KEYS } from "../components/review/keys";
import { COMMAND_GROUPS, commands, is_mac } from "./commands.svelte";

export interface SheetRow {
  id: string;
  title: string;
  /** As it is written on the keys of this machine; empty if there is none. */
  key: string;
}

export interface SheetGroup {
  title: string;
  rows: SheetRow[];
}

/** What a key is written of, in small letters: `ctrl`, `shift`, `h`. */
function caps_of(key: string): string[] {
  const written = key.toLowerCase();
  return [written, ...(is_mac ? [...written] : written.split(" "))];
}

/** Lists what has every word of what was typed in its name, its key or the name of its group. One letter means a key. */
export function key_sheet(typed: string): SheetGroup[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (group: string) => (row: SheetRow) => {
    const text = `${group} ${row.title}`.toLowerCase();
    const caps = caps_of(row.key);
    return words.every((word) => caps.includes(word) || (word.length > 1 && text.includes(word)));
  };
  const own = COMMAND_GROUPS.map((title) => ({
    title,
    rows: commands.list.filter((command) => (command.group ?? "The window") === title).map(({ id, title: named }) => ({ id, title: named, key: commands.key_label(id) })),
  }));
  const review = { title: "In the review", rows: KEYS.map(({ act, title, keys }) => ({ id: `review_${act}`, title, key: keys.map(key_cap).join(" or ") })) };
  return [...own, review].map(({ title, rows }) => ({ title, rows: rows.filter(fits(title)) })).filter(({ rows }) => rows.length > 0);
}
