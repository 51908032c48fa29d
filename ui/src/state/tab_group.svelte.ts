// One group of tabs: its notes in order, the one that is shown, and the way back to where the person was in it.

import { moved_path } from "./paths";

export type Mode = "editing" | "reading";

export interface Tab {
  path: string;
  mode: Mode;
  /** The topmost line that was seen here, 1-based; editing and reading hand over to each other by it. */
  top_line?: number;
}

interface Visit {
  path: string;
  line: number | null;
  /** The tab that the note had, which may have become another note's: it remembers where the person was in it. */
  tab?: Tab;
}

export class TabGroup {
  list = $state<Tab[]>([]);
  active_path = $state<string | null>(null);
  active = $derived(this.list.find((tab) => tab.path === this.active_path) ?? null);
  #past = $state.raw<Visit[]>([]);
  #future = $state.raw<Visit[]>([]);
  can_go_back = $derived(this.#past.length > 0);
  can_go_forward = $derived(this.#future.length > 0);

  constructor(
    readonly id: number,
    list: Tab[] = [],
    active_path: string | null = null,
  ) {
    this.list = list;
    this.active_path = list.some((tab) => tab.path === active_path) ? active_path : (list[0]?.path ?? null);
  }

  tab(path: string): Tab | undefined {
    return this.list.find((tab) => tab.path === path);
  }

  /** Remembers where the person is, before they go elsewhere. */
  leave(path: string, line: number | null): void {
    if (!this.active_path || (this.active_path === path && line === null)) return;
    this.#past = [...this.#past.slice(-99), this.#here(this.active_path)];
    this.#future = [];
  }

  #here(path: string): Visit {
    return { path, line: null, tab: this.tab(path) };
  }

  /** Shows a note, in its tab if it has one, else in a new one beside the one that is shown. */
  show(path: string, made: () => Tab): void {
    if (!this.tab(path)) {
      const at = this.list.findIndex((tab) => tab.path === this.active_path);
      this.list.splice(at + 1, 0, made());
    }
    this.active_path = path;
  }

  /** Shows a note that has no tab here in the place of the one that is shown, and in the same way. */
  replace(path: string, top_line?: number): void {
    const at = this.list.findIndex((tab) => tab.path === this.active_path);
    this.list.splice(at, 1, { path, mode: this.list[at]!.mode, top_line });
    this.active_path = path;
  }

  /** Where the person was before, or where they came back from; they are on the way there. */
  turn(way: "back" | "forward"): Visit | undefined {
    const visit = (way === "back" ? this.#past : this.#future).at(-1);
    if (!visit) return undefined;
    const here: Visit[] = this.active_path ? [this.#here(this.active_path)] : [];
    if (way === "back") {
      this.#past = this.#past.slice(0, -1);
      this.#future = [...this.#future, ...here];
    } else {
      this.#future = this.#future.slice(0, -1);
      this.#past = [...this.#past, ...here];
    }
    return visit;
  }

  remove(path: string): Tab | undefined {
    const at = this.list.findIndex((tab) => tab.path === path);
    if (at < 0) return undefined;
    const [tab] = this.list.splice(at, 1);
    if (this.active_path === path) this.active_path = (this.list[at] ?? this.list[at - 1])?.path ?? null;
    return tab;
  }

  move_to(path: string, to: number): void {
    const at = this.list.findIndex((tab) => tab.path === path);
    if (at < 0 || to < 0 || to >= this.list.length || at === to) return;
    const [tab] = this.list.splice(at, 1);
    this.list.splice(to, 0, tab!);
  }

  move(path: string, by: -1 | 1): void {
    this.move_to(path, this.list.findIndex((tab) => tab.path === path) + by);
  }

  /** The note beside the one that is shown, around the end. */
  beside(by: -1 | 1): string | undefined {
    const at = this.list.findIndex((tab) => tab.path === this.active_path);
    return this.list[(at + by + this.list.length) % this.list.length]?.path;
  }

  rename(from: string, to: string): void {
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
  }
}
