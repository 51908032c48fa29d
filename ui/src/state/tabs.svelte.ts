// The open notes, in order, and the way back to where the person was.

import { moved_path } from "./paths";
import { settings } from "./settings.svelte";

export type Mode = "editing" | "reading";

export interface Tab {
  path: string;
  mode: Mode;
}

/** A wish to show a line, counted so that the same line can be asked for twice. */
export interface Jump {
  path: string;
  line: number;
  nth: number;
}

interface Visit {
  path: string;
  line: number | null;
}

class Tabs {
  list = $state<Tab[]>([]);
  active_path = $state<string | null>(null);
  jump = $state<Jump | null>(null);
  active = $derived(this.list.find((tab) => tab.path === this.active_path) ?? null);
  #past = $state<Visit[]>([]);
  #future = $state<Visit[]>([]);
  can_go_back = $derived(this.#past.length > 0);
  can_go_forward = $derived(this.#future.length > 0);
  #key = "vidimus.tabs";
  #nth = 0;
  /** Called before a tab goes, so that its text is on disk first; false keeps the tab. */
  before_close: (path: string) => Promise<boolean> = async () => true;

  recall(vault_path: string): void {
    this.#key = `vidimus.tabs:${vault_path}`;
    this.#past = [];
    this.#future = [];
    this.jump = null;
    try {
      const kept = JSON.parse(localStorage.getItem(this.#key) ?? "{}") as { list?: Tab[]; active?: string };
      this.list = (kept.list ?? []).filter((tab) => typeof tab.path === "string");
      this.active_path = this.list.some((tab) => tab.path === kept.active) ? (kept.active ?? null) : (this.list[0]?.path ?? null);
    } catch {
      this.list = [];
      this.active_path = null;
    }
  }

  #keep(): void {
    try {
      localStorage.setItem(this.#key, JSON.stringify({ list: this.list, active: this.active_path }));
    } catch {
      // Not remembered, then.
    }
  }

  /** Shows a note, in its tab if it has one. */
  open(path: string, line: number | null = null): void {
    if (this.active_path && (this.active_path !== path || line !== null)) {
      this.#past = [...this.#past.slice(-99), { path: this.active_path, line: null }];
      this.#future = [];
    }
    this.#show(path, line);
  }

  #show(path: string, line: number | null): void {
    if (!this.list.some((tab) => tab.path === path)) {
      const at = this.list.findIndex((tab) => tab.path === this.active_path);
      this.list.splice(at + 1, 0, { path, mode: settings.now.default_mode });
    }
    this.active_path = path;
    if (line !== null) this.jump = { path, line, nth: ++this.#nth };
    this.#keep();
  }

  back(): void {
    const visit = this.#past.at(-1);
    if (!visit) return;
    this.#past = this.#past.slice(0, -1);
    if (this.active_path) this.#future = [...this.#future, { path: this.active_path, line: null }];
    this.#show(visit.path, visit.line);
  }

  forward(): void {
    const visit = this.#future.at(-1);
    if (!visit) return;
    this.#future = this.#future.slice(0, -1);
    if (this.active_path) this.#past = [...this.#past, { path: this.active_path, line: null }];
    this.#show(visit.path, visit.line);
  }

  async close(path: string): Promise<void> {
    if (!(await this.before_close(path))) return;
    const at = this.list.findIndex((tab) => tab.path === path);
    if (at < 0) return;
    this.list.splice(at, 1);
    if (this.active_path === path) this.active_path = (this.list[at] ?? this.list[at - 1])?.path ?? null;
    this.#keep();
  }

  async close_others(path: string): Promise<void> {
    for (const tab of [...this.list]) if (tab.path !== path) await this.close(tab.path);
  }

  /** Moves a tab one place; the way to reorder without dragging. */
  move(path: string, by: -1 | 1): void {
    const at = this.list.findIndex((tab) => tab.path === path);
    const to = at + by;
    if (at < 0 || to < 0 || to >= this.list.length) return;
    const [tab] = this.list.splice(at, 1);
    this.list.splice(to, 0, tab!);
    this.#keep();
  }

  move_to(path: string, to: number): void {
    const at = this.list.findIndex((tab) => tab.path === path);
    if (at < 0 || at === to) return;
    const [tab] = this.list.splice(at, 1);
    this.list.splice(to, 0, tab!);
    this.#keep();
  }

  step(by: -1 | 1): void {
    if (this.list.length === 0) return;
    const at = this.list.findIndex((tab) => tab.path === this.active_path);
    const next = this.list[(at + by + this.list.length) % this.list.length]!;
    this.open(next.path);
  }

  set_mode(path: string, mode: Mode): void {
    const tab = this.list.find((one) => one.path === path);
    if (tab) tab.mode = mode;
    this.#keep();
  }

  toggle_mode(): void {
    if (this.active) this.set_mode(this.active.path, this.active.mode === "editing" ? "reading" : "editing");
  }

  /** A note, or a folder with notes, was moved: the tabs follow. */
  rename(from: string, to: string): void {
    if (from === to) return;
    const place = (path: string) => moved_path(path, from, to) ?? path;
    const follow = (visit: Visit) => ({ ...visit, path: place(visit.path) });
    this.#past = this.#past.map(follow);
    this.#future = this.#future.map(follow);
    const arriving = new Set(this.list.flatMap((one) => moved_path(one.path, from, to) ?? []));
    if (arriving.size === 0) return;
    // A tab of a note that was gone from there gives way.
    this.list = this.list.filter((one) => !arriving.has(one.path));
    for (const tab of this.list) tab.path = place(tab.path);
    if (this.active_path) this.active_path = place(this.active_path);
    this.#keep();
  }
}

export const tabs = new Tabs();
