// The open notes: in groups beside each other, each with its own tabs. One group has the keyboard, and what is opened opens there.

import { type Area, group_beside, groups_in, type Line, move_line, placed, read_area, type Side, split_beside, without } from "./splits";
import { settings } from "./settings.svelte";
import { type Mode, type Tab, TabGroup } from "./tab_group.svelte";

export { type Mode, type Tab, TabGroup };

/** A wish to show a line, counted so that the same line can be asked for twice. */
export interface Jump {
  path: string;
  line: number;
  nth: number;
  group: number;
}

interface Remembered {
  area?: Area;
  groups?: { id: number; list: Tab[]; active: string | null }[];
  focused?: number;
  /** What was written before there were groups. */
  list?: Tab[];
  active?: string | null;
}

class Tabs {
  /** How the page is divided. */
  area = $state.raw<Area>({ group: 1 });
  #groups = $state.raw<ReadonlyMap<number, TabGroup>>(new Map([[1, new TabGroup(1)]]));
  #focused = $state(1);
  /** All groups in reading order, and the one that has the keyboard, or had it last. */
  groups = $derived(groups_in(this.area).map((id) => this.#groups.get(id)!));
  group = $derived(this.#groups.get(this.#focused) ?? this.groups[0]!);
  placed = $derived(placed(this.area));
  active = $derived(this.group.active);
  jump = $state.raw<Jump | null>(null);
  can_go_back = $derived(this.group.can_go_back);
  can_go_forward = $derived(this.group.can_go_forward);
  #key = "vidimus.tabs";
  #nth = 0;
  #last_id = 1;
  /** Called before the last tab of a note goes, so that its text is on disk first; false keeps the tab. */
  before_close: (path: string) => Promise<boolean> = async () => true;
  /** Called once no tab shows a note any more. */
  closed: (path: string) => void = () => {};
  /** Called once a note has given its last tab to another one; the person may soon come back to it. */
  left: (path: string) => void = () => {};
  /** Whether a note keeps its tab, because its text is nowhere else. */
  must_stay: (path: string) => boolean = () => false;

  /** The notes of the group with the keyboard. */
  get list(): Tab[] {
    return this.group.list;
  }

  set list(list: Tab[]) {
    this.group.list = list;
  }

  get active_path(): string | null {
    return this.group.active_path;
  }

  set active_path(path: string | null) {
    this.group.active_path = path;
  }

  /** Every note that is open, in whatever group. */
  get paths(): string[] {
    return [...new Set(this.groups.flatMap((group) => group.list.map((tab) => tab.path)))];
  }

  find(id: number): TabGroup | undefined {
    return this.#groups.get(id);
  }

  /** Goes back to one group with nothing in it. */
  reset(): void {
    this.#take([new TabGroup(1)], { group: 1 }, 1);
    this.jump = null;
  }

  recall(vault_path: string): void {
    this.#key = `vidimus.tabs:${vault_path}`;
    this.reset();
    try {
      const kept = JSON.parse(localStorage.getItem(this.#key) ?? "{}") as Remembered;
      const groups = (kept.groups ?? [{ id: 1, list: kept.list ?? [], active: kept.active ?? null }])
        .map(({ id, list, active }) => new TabGroup(id, list.filter((tab) => typeof tab.path === "string").map(({ path, mode }) => ({ path, mode })), active))
        .filter((group) => group.list.length > 0);
      const known = new Map(groups.map((group) => [group.id, group]));
      const area = read_area(kept.area ?? { group: 1 }, (id) => known.has(id));
      if (area) this.#take(groups_in(area).map((id) => known.get(id)!), area, kept.focused ?? 0);
    } catch {
      // A broken record is no reason to fail: no note is open, then.
      this.reset();
    }
  }

  #take(groups: TabGroup[], area: Area, focused: number): void {
    this.#groups = new Map(groups.map((group) => [group.id, group]));
    this.area = area;
    this.#focused = this.#groups.has(focused) ? focused : groups[0]!.id;
    this.#last_id = Math.max(...groups.map((group) => group.id));
  }

  #keep(): void {
    const groups = this.groups.map(({ id, list, active_path }) => ({ id, list: list.map(({ path, mode }) => ({ path, mode })), active: active_path }));
    try {
      localStorage.setItem(this.#key, JSON.stringify({ area: this.area, groups, focused: this.group.id } satisfies Remembered));
    } catch {
      // Not remembered, then.
    }
  }

  /** Gives a group the keyboard: what is opened now opens there. */
  focus(group: TabGroup): void {
    if (group.id === this.#focused || !this.#groups.has(group.id)) return;
    this.#focused = group.id;
    this.#keep();
  }

  /** Goes to the next group, or the one before, around the end. */
  focus_next(by: -1 | 1): void {
    const at = this.groups.indexOf(this.group);
    this.focus(this.groups[(at + by + this.groups.length) % this.groups.length]!);
  }

  /** Goes to the group on a side; false if there is none. */
  focus_beside(side: Side): boolean {
    const found = this.find(group_beside(this.area, this.group.id, side) ?? -1);
    if (found) this.focus(found);
    return found !== undefined;
  }

  /** Shows a note in a group: in its tab if it has one there, else in the tab that is shown (as Obsidian does). */
  open(path: string, line: number | null = null, group = this.group): void {
    this.focus(group);
    group.leave(path, line);
    this.#show(path, line);
  }

  /** Shows a note in a tab of its own. */
  open_anew(path: string, line: number | null = null): void {
    this.group.leave(path, line);
    this.#show(path, line, { anew: true });
  }

  /** Shows a note where it is open, in whatever group that is. */
  reveal(path: string): void {
    this.open(path, null, this.group.tab(path) ? this.group : (this.groups.find((group) => group.tab(path)) ?? this.group));
  }

  #show(path: string, line: number | null, { anew = false, top_line }: { anew?: boolean; top_line?: number } = {}): void {
    const { group } = this;
    const before = group.active_path;
    if (anew || before === null || group.tab(path) || this.must_stay(before)) {
      group.show(path, () => ({ path, mode: settings.now.default_mode, top_line }));
    } else {
      group.replace(path, top_line);
      if (!this.paths.includes(before)) this.left(before);
    }
    if (line !== null) this.jump = { path, line, nth: ++this.#nth, group: this.group.id };
    this.#keep();
  }

  back(): void {
    const visit = this.group.turn("back");
    if (visit) this.#show(visit.path, visit.line, { top_line: visit.tab?.top_line });
  }

  forward(): void {
    const visit = this.group.turn("forward");
    if (visit) this.#show(visit.path, visit.line, { top_line: visit.tab?.top_line });
  }

  /** Shows a note in a new group beside another one as well: it stays where it is. */
  split(side: Side, group = this.group): void {
    const { active } = group;
    if (active) this.#put_beside(side, group, { ...active });
  }

  #put_beside(side: Side, group: TabGroup, tab: Tab): void {
    const made = new TabGroup(++this.#last_id, [tab], tab.path);
    this.#groups = new Map(this.#groups).set(made.id, made);
    this.area = split_beside(this.area, group.id, side, made.id);
    this.#focused = made.id;
    this.#keep();
  }

  /** Moves a tab out of its group into a new one beside any group. */
  move_beside(path: string, from: TabGroup, side: Side, group: TabGroup): void {
    if (from === group && from.list.length === 1) return;
    const tab = from.remove(path);
    if (!tab) return;
    this.#put_beside(side, group, tab);
    this.#drop_if_empty(from);
  }

  /** Moves a tab into another group, at a place in it or behind the tab that is shown there. */
  move_into(path: string, from: TabGroup, group: TabGroup, at?: number): void {
    if (from === group) return;
    const tab = from.remove(path);
    if (!tab) return;
    group.leave(path, null);
    group.show(path, () => tab);
    if (at !== undefined) group.move_to(path, Math.min(at, group.list.length - 1));
    this.#focused = group.id;
    this.#drop_if_empty(from);
    this.#keep();
  }

  /** Moves a tab into the next group, or the one before; the way to do it without dragging. */
  move_into_next(path: string, by: -1 | 1, from = this.group): void {
    const at = this.groups.indexOf(from);
    this.move_into(path, from, this.groups[(at + by + this.groups.length) % this.groups.length]!);
  }

  /** Moves the line between two groups. */
  move_line(line: Line, percent: number): void {
    this.area = move_line(this.area, line, percent);
    this.#keep();
  }

  /** Closes a tab, and its group with the last one. */
  async close(path: string, group = this.group): Promise<void> {
    if (!this.#is_elsewhere(path, group) && !(await this.before_close(path))) {
      // The text is not on disk: it is to be seen that it stays.
      if (group.tab(path)) group.active_path = path;
      this.focus(group);
      return;
    }
    if (!group.remove(path)) return;
    this.#drop_if_empty(group);
    this.#keep();
    if (!this.paths.includes(path)) this.closed(path);
  }

  /** Closes all tabs of a note. */
  async close_everywhere(path: string): Promise<void> {
    for (const group of [...this.groups]) if (group.tab(path)) await this.close(path, group);
  }

  async close_others(path: string, group = this.group): Promise<void> {
    for (const tab of [...group.list]) if (tab.path !== path) await this.close(tab.path, group);
  }

  /** Gives a note a tab again, behind the one that is shown, which stays. */
  put_back(path: string): void {
    const { group } = this;
    const shown = group.active_path;
    group.show(path, () => ({ path, mode: "editing" }));
    if (shown !== null) group.active_path = shown;
    this.#keep();
  }

  /** Closes a group with all its tabs; those whose text cannot be saved stay, and so does the group. */
  async close_group(group = this.group): Promise<void> {
    for (const tab of [...group.list]) await this.close(tab.path, group);
  }

  #is_elsewhere(path: string, group: TabGroup): boolean {
    return this.groups.some((one) => one !== group && one.tab(path) !== undefined);
  }

  #drop_if_empty(group: TabGroup): void {
    if (group.list.length > 0 || this.groups.length === 1 || !this.#groups.has(group.id)) return;
    const at = this.groups.indexOf(group);
    const area = without(this.area, group.id);
    if (!area) return;
    const next = (this.groups[at - 1] ?? this.groups[at + 1])!.id;
    const groups = new Map(this.#groups);
    groups.delete(group.id);
    this.area = area;
    this.#groups = groups;
    if (this.#focused === group.id) this.#focused = next;
  }

  /** Moves a tab one place; the way to reorder without dragging. */
  move(path: string, by: -1 | 1, group = this.group): void {
    group.move(path, by);
    this.#keep();
  }

  move_to(path: string, to: number, group = this.group): void {
    group.move_to(path, to);
    this.#keep();
  }

  step(by: -1 | 1): void {
    const next = this.group.beside(by);
    if (next !== undefined) this.open(next);
  }

  set_mode(path: string, mode: Mode, group = this.group): void {
    const tab = group.tab(path);
    if (tab) tab.mode = mode;
    this.#keep();
  }

  toggle_mode(group = this.group): void {
    if (group.active) this.set_mode(group.active.path, group.active.mode === "editing" ? "reading" : "editing", group);
  }

  /** A note, or a folder with notes, was moved: the tabs follow. */
  rename(from: string, to: string): void {
    if (from === to) return;
    for (const group of this.groups) group.rename(from, to);
    this.#keep();
  }
}

export const tabs = new Tabs();
