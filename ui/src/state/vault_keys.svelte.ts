// The keys of Obsidian's hotkeys.json, for the commands that are here, too. They are read, and never written.

import { engine } from "../ipc/engine";
import type { Hotkey } from "../ipc/types";
import { type Command, commands, is_mac, matches } from "./commands.svelte";
import { settings } from "./settings.svelte";
import { vault } from "./vault.svelte";

/** Obsidian's commands, and what they are called here. */
export const CALLED_HERE: Record<string, string> = {
  "app:go-back": "back",
  "app:go-forward": "forward",
  "app:open-settings": "settings",
  "app:open-vault": "new_window",
  "app:quit": "quit",
  "app:toggle-left-sidebar": "toggle_left",
  "app:toggle-right-sidebar": "toggle_right",
  "app:delete-file": "delete_note",
  "backlink:open": "links",
  "bookmarks:open": "bookmarks",
  "command-palette:open": "palette",
  "daily-notes": "daily_note",
  "editor:cycle-list-checklist": "text_task",
  "editor:focus-left": "previous_group",
  "editor:focus-right": "next_group",
  "editor:fold-all": "text_fold_all",
  "editor:insert-callout": "text_callout",
  "editor:insert-codeblock": "text_code_block",
  "editor:insert-footnote": "text_footnote",
  "editor:insert-link": "text_link",
  "editor:insert-mathblock": "text_formula",
  "editor:insert-table": "text_table",
  "editor:insert-wikilink": "text_link",
  "editor:open-search": "find_in_note",
  "editor:open-search-replace": "text_replace",
  "editor:rename-heading": "rename_heading",
  "editor:save-file": "save",
  "editor:set-heading-1": "text_heading_1",
  "editor:set-heading-2": "text_heading_2",
  "editor:set-heading-3": "text_heading_3",
  "editor:set-heading-4": "text_heading_4",
  "editor:set-heading-5": "text_heading_5",
  "editor:set-heading-6": "text_heading_6",
  "editor:swap-line-down": "text_move_down",
  "editor:swap-line-up": "text_move_up",
  "editor:table-col-after": "text_table_column",
  "editor:table-col-delete": "text_table_less_column",
  "editor:table-row-after": "text_table_row",
  "editor:table-row-delete": "text_table_less_row",
  "editor:toggle-blockquote": "text_quote",
  "editor:toggle-bold": "text_bold",
  "editor:toggle-bullet-list": "text_bullets",
  "editor:toggle-checklist-status": "text_task",
  "editor:toggle-code": "text_code",
  "editor:toggle-comments": "text_comment",
  "editor:toggle-fold": "text_fold",
  "editor:toggle-highlight": "text_highlight",
  "editor:toggle-italics": "text_italic",
  "editor:toggle-numbered-list": "text_numbers",
  "editor:toggle-source": "text_source",
  "editor:toggle-strikethrough": "text_strike",
  "editor:unfold-all": "text_unfold_all",
  "file-explorer:move-file": "move_note",
  "file-explorer:new-file": "new_note",
  "file-explorer:new-folder": "new_folder",
  "file-explorer:open": "files",
  "file-recovery:open": "history",
  "global-search:open": "search",
  "insert-template": "insert_template",
  "markdown:toggle-preview": "toggle_mode",
  "outgoing-links:open": "links",
  "outline:open": "outline",
  "random-note": "random_note",
  "switcher:open": "find_note",
  "tag-pane:open": "tags",
  "theme:use-dark": "theme_dark",
  "theme:use-light": "theme_light",
  "window:reset-zoom": "zoom_normal",
  "window:zoom-in": "zoom_in",
  "window:zoom-out": "zoom_out",
  "workspace:close": "close_tab",
  "workspace:copy-url": "copy_link",
  "workspace:close-others": "close_others",
  "workspace:edit-file-title": "rename_note",
  "workspace:next-tab": "next_tab",
  "workspace:previous-tab": "previous_tab",
  "workspace:split-vertical": "split_right",
  "workspace:split-horizontal": "split_down",
  "zk-prefixer": "unique_note",
};

/** Two meanings of one key. */
export interface Conflict {
  key: string;
  /** What it does now. */
  wins: string;
  /** What it would do otherwise. */
  loses: string;
}

class VaultKeys {
  list = $state.raw<Hotkey[]>([]);
  #asked = 0;
  /** The keys of our commands that the vault says something about. */
  by_command = $derived(this.#read());

  async load(): Promise<void> {
    const asked = ++this.#asked;
    const said = vault.path === null ? [] : await engine.hotkeys().catch(() => []);
    if (asked !== this.#asked) return;
    this.list = said;
    commands.vault_keys = settings.now.vault_look ? this.by_command : new Map();
  }

  #read(): Map<string, string[]> {
    const read = new Map<string, string[]>();
    for (const { command, keys } of this.list) {
      const id = CALLED_HERE[command];
      if (!id || !commands.get(id)) continue;
      // Two of Obsidian's commands can be one here: each brings its keys.
      read.set(id, [...(read.get(id) ?? []), ...keys]);
    }
    return read;
  }

  /** How many of the vault's hotkeys are for commands that are not here. */
  get n_unknown(): number {
    return this.list.filter(({ command, keys }) => keys.length > 0 && !commands.get(CALLED_HERE[command] ?? "")).length;
  }

  /** Keys that mean two things: the vault's count more than ours, and of two of the vault's the one that comes first. */
  get conflicts(): Conflict[] {
    const found: Conflict[] = [];
    const owners = new Map<string, Command>();
    // The same key has two names where there is no Cmd.
    const plain = (key: string) => (is_mac ? key : key.replace("Mod-", "Ctrl-"));
    for (const [id, keys] of this.by_command)
      for (const key of keys) {
        const command = commands.get(id)!;
        const before = owners.get(plain(key));
        if (before && before !== command) found.push({ key, wins: before.title, loses: command.title });
        else owners.set(plain(key), command);
      }
    for (const command of commands.list)
      for (const key of usual_keys(command)) {
        const owner = owners.get(plain(key));
        if (owner && !this.by_command.has(command.id)) found.push({ key, wins: owner.title, loses: command.title });
      }
    return found;
  }
}

function usual_keys(command: Command): string[] {
  return command.keys ?? (command.shown_key ? [command.shown_key] : []);
}

/** Tells whether a key press is the usual one of a command to which the vault gave others, and means nothing any more. */
export function is_taken_away(event: KeyboardEvent): boolean {
  const is_usual = (command: Command) => usual_keys(command).some((key) => matches(key, event));
  return commands.list.some((command) => commands.vault_keys.has(command.id) && is_usual(command)) && !commands.list.some((command) => !commands.vault_keys.has(command.id) && is_usual(command));
}

export const vault_keys = new VaultKeys();
