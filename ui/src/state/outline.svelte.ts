// The sections of a note as the rows of a tree, and which of them are folded.

import { placed } from "../editor/pending";
import { engine } from "../ipc/engine";
import type { HeadingView, PendingMark } from "../ipc/types";

export interface OutlineRow {
  id: string;
  heading: HeadingView;
  /** Its place among all headings. */
  index: number;
  /** A proposal waits that touches it. */
  pending: boolean;
  /** Links elsewhere that lead to it. */
  n_links: number;
  level: number;
  position: number;
  set_size: number;
  expandable: boolean;
  expanded: boolean;
}

/** A heading's identity while its text stays: typing above it does not unfold it. */
export function heading_id(heading: Pick<HeadingView, "level" | "text">, nth: number): string {
  return `${heading.level}:${heading.text}:${nth}`;
}

export function heading_ids(headings: HeadingView[]): string[] {
  const seen = new Map<string, number>();
  return headings.map((heading) => {
    const key = `${heading.level}:${heading.text}`;
    const nth = (seen.get(key) ?? 0) + 1;
    seen.set(key, nth);
    return heading_id(heading, nth);
  });
}

/** Lays the headings out as a tree; with a filter, the ones that fit and what is above them. */
export function outline_rows(headings: HeadingView[], pending: PendingMark[], folded: Set<string>, filter = "", n_links: ReadonlyMap<string, number> = new Map()): OutlineRow[] {
  const ids = heading_ids(headings);
  const waiting = new Set(placed(pending, headings).map((one) => one.line));
  const wanted = filter.trim().toLowerCase();
  const parents = headings.map((heading) => heading.parent ?? -1);
  // Depth in the tree: a level 4 right below a level 2 is one step down, not two.
  const depth: number[] = [];
  headings.forEach((_, at) => (depth[at] = parents[at]! < 0 ? 1 : depth[parents[at]!]! + 1));
  const has_children = new Set(parents);
  const keep = new Set<number>();
  if (wanted)
    headings.forEach((heading, at) => {
      if (heading.text.toLowerCase().includes(wanted)) for (let up = at; up >= 0 && !keep.has(up); up = parents[up]!) keep.add(up);
    });

  const n_children = new Map<number, number>();
  for (const parent of parents) n_children.set(parent, (n_children.get(parent) ?? 0) + 1);
  const counted = new Map<number, number>();
  const hidden = new Set<number>();
  const rows: OutlineRow[] = [];
  headings.forEach((heading, at) => {
    const parent = parents[at]!;
    const position = (counted.get(parent) ?? 0) + 1;
    counted.set(parent, position);
    const inside_fold = !wanted && parent >= 0 && (hidden.has(parent) || folded.has(ids[parent]!));
    if (inside_fold) hidden.add(at);
    if (inside_fold || (wanted && !keep.has(at))) return;
    const expandable = has_children.has(at);
    rows.push({
      id: ids[at]!,
      heading,
      index: at,
      pending: waiting.has(heading.line),
      n_links: n_links.get(ids[at]!) ?? 0,
      level: depth[at]!,
      position,
      set_size: n_children.get(parent)!,
      expandable,
      expanded: expandable && (wanted !== "" || !folded.has(ids[at]!)),
    });
  });
  return rows;
}

export class OutlineFolds {
  #folded = $state.raw(new Map<string, Set<string>>());

  of(path: string): Set<string> {
    return this.#folded.get(path) ?? new Set();
  }

  #set(path: string, folded: Set<string>): void {
    this.#folded = new Map(this.#folded).set(path, folded);
  }

  toggle(path: string, id: string, open: boolean): void {
    const next = new Set(this.of(path));
    if (open) next.delete(id);
    else next.add(id);
    this.#set(path, next);
  }

  open_all(path: string): void {
    this.#set(path, new Set());
  }

  close_all(path: string, headings: HeadingView[]): void {
    const ids = heading_ids(headings);
    this.#set(path, new Set(ids.filter((_, at) => headings[at]!.level > 1 || headings.length === 1)));
  }
}

/** Links change in bursts, and the numbers beside the headings may come a little later. */
const RECOUNT_DELAY = 400;

/** How many links elsewhere lead to each heading of the note on the page. */
export class LinkCounts {
  #path: string | null = null;
  by_id = $state.raw<ReadonlyMap<string, number>>(new Map());

  /** Counts for a note from now on; returns what stops it. */
  follow(path: string): () => void {
    if (this.#path !== path) this.by_id = new Map();
    this.#path = path;
    let clock: ReturnType<typeof setTimeout> | undefined;
    const again = () => {
      clock ??= setTimeout(() => {
        clock = undefined;
        void this.#count(path);
      }, RECOUNT_DELAY);
    };
    void this.#count(path);
    const stop = engine.on("notes_changed", again);
    return () => {
      clearTimeout(clock);
      stop();
    };
  }

  async #count(path: string): Promise<void> {
    // Nobody misses a number that could not be told.
    const found = await engine.heading_links(path).catch(() => null);
    if (found && this.#path === path) this.by_id = new Map(found.map((one) => [heading_id(one, one.nth), one.n_links]));
  }
}
