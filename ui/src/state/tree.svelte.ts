// The folders of the vault, asked for one by one as they are opened.

import { asEngineError, engine, type EngineError } from "../ipc/engine";
import type { TreeEntry } from "../ipc/types";
import { folder_of, is_within, moved_path } from "./paths";

export interface TreeRow {
  id: string;
  entry: TreeEntry;
  level: number;
  position: number;
  set_size: number;
  expandable: boolean;
  expanded: boolean;
}

const KEY = "vidimus.expanded";

/** The row of a folder that has no name yet. No path holds this sign. */
export const DRAFT = "\u0000";

/** Every folder of the vault, in the order of the tree. */
export async function all_folders(folder = ""): Promise<string[]> {
  const inside = (await engine.tree(folder)).filter((entry) => entry.kind === "folder");
  const below = await Promise.all(inside.map((entry) => all_folders(entry.path)));
  return inside.flatMap((entry, at) => [entry.path, ...below[at]!]);
}

const DRAFTED: TreeEntry = { path: DRAFT, name: "New folder", kind: "folder", n_notes: 0, pending: 0, conflict_of: null };

class Tree {
  #folders = $state<Record<string, TreeEntry[]>>({});
  #expanded = $state<Record<string, boolean>>({});
  loading = $state(true);
  /** The folder in which a new one is being named. */
  drafting = $state<string | null>(null);
  /** The row that the keyboard goes to as soon as it is there. */
  wanted = $state<string | null>(null);
  error = $state<EngineError | null>(null);
  rows = $derived.by(() => {
    const rows: TreeRow[] = [];
    this.#collect("", 1, rows);
    return rows;
  });

  #collect(folder: string, level: number, rows: TreeRow[]): void {
    const known = this.#folders[folder] ?? [];
    const entries = this.drafting === folder ? [DRAFTED, ...known] : known;
    entries.forEach((entry, at) => {
      const expandable = entry.kind === "folder";
      const expanded = expandable && this.#expanded[entry.path] === true;
      rows.push({ id: entry.path, entry, level, position: at + 1, set_size: entries.length, expandable, expanded });
      if (expanded) this.#collect(entry.path, level + 1, rows);
    });
  }

  /** Loads the root and the folders that were open in this vault before. */
  async load(vault_path: string): Promise<void> {
    this.#key = `${KEY}:${vault_path}`;
    this.loading = true;
    this.error = null;
    this.drafting = this.wanted = null;
    this.#folders = {};
    this.#expanded = {};
    try {
      const open = JSON.parse(localStorage.getItem(this.#key) ?? "[]") as string[];
      for (const path of open) this.#expanded[path] = true;
    } catch {
      // An unreadable record only means that every folder starts closed.
    }
    await this.refresh();
    this.loading = false;
  }
  #key = KEY;

  /** Asks again for every folder on screen. */
  async refresh(): Promise<void> {
    const wanted = new Set([""]);
    for (const [path, open] of Object.entries(this.#expanded)) if (open) wanted.add(path);
    try {
      const lists = await Promise.all([...wanted].map(async (folder) => [folder, await this.#ask(folder)] as const));
      this.#folders = Object.fromEntries(lists);
      this.error = null;
    } catch (cause) {
      this.error = asEngineError(cause);
    }
  }

  async #ask(folder: string): Promise<TreeEntry[]> {
    try {
      return await engine.tree(folder);
    } catch (cause) {
      // A remembered folder may be gone; the root may not.
      if (folder === "") throw cause;
      delete this.#expanded[folder];
      return [];
    }
  }

  async expand(path: string): Promise<void> {
    if (this.#expanded[path]) return;
    this.#expanded[path] = true;
    this.#keep();
    if (!this.#folders[path]) this.#folders[path] = await this.#ask(path);
  }

  collapse(path: string): void {
    delete this.#expanded[path];
    this.#keep();
  }

  toggle(path: string): void {
    if (this.#expanded[path]) this.collapse(path);
    else void this.expand(path);
  }

  /** The folders within a path that are open. */
  open_within(path: string): string[] {
    return Object.keys(this.#expanded).filter((one) => this.#expanded[one] && is_within(one, path));
  }

  /** A folder was moved: what was `open` in it stays open. */
  follow(open: string[], from: string, to: string): void {
    for (const path of open) {
      delete this.#expanded[path];
      this.#expanded[moved_path(path, from, to) ?? path] = true;
    }
    this.#keep();
  }

  async collapse_all(): Promise<void> {
    this.#expanded = {};
    this.#keep();
  }

  /** Opens the folders above a note, so that its row is there. */
  async reveal(path: string): Promise<void> {
    const above: string[] = [];
    for (let at = folder_of(path); at !== ""; at = folder_of(at)) above.unshift(at);
    for (const folder of above) await this.expand(folder);
  }

  #keep(): void {
    const open = Object.keys(this.#expanded).filter((path) => this.#expanded[path]);
    try {
      localStorage.setItem(this.#key, JSON.stringify(open.slice(0, 500)));
    } catch {
      // Not remembered, then.
    }
  }
}

export const tree = new Tree();
