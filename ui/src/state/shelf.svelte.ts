// What the whole vault is filed under: its tags, its properties, its bookmarks; and the rows that show them.

import { engine } from "../ipc/engine";
import type { BookmarkView, PropertyView, TagView } from "../ipc/types";
import { Fetched } from "./fetched.svelte";

interface Row {
  id: string;
  level: number;
  position: number;
  set_size: number;
  expandable: boolean;
  expanded: boolean;
}

export interface TagRow extends Row {
  tag: TagView;
  /** The last part of a nested tag. */
  name: string;
}

export interface BookmarkRow extends Row {
  bookmark: BookmarkView;
}

export interface PropertyRow extends Row {
  property: PropertyView;
}

export type Order = "name" | "count";

class Shelf {
  tags = new Fetched<TagView>(() => engine.tags());
  properties = new Fetched<PropertyView>(() => engine.properties());
  bookmarks = new Fetched<BookmarkView>(() => engine.bookmarks());
  tag_order = $state<Order>("name");
  property_order = $state<Order>("name");
  /** Tags that are open, and groups of bookmarks that are closed. */
  open_tags = $state.raw<ReadonlySet<string>>(new Set());
  closed_groups = $state.raw<ReadonlySet<string>>(new Set());

  toggle_tag(id: string, open: boolean): void {
    this.open_tags = with_or_without(this.open_tags, id, open);
  }

  open_all_tags(): void {
    this.open_tags = new Set((this.tags.list ?? []).map((one) => one.tag));
  }

  close_all_tags(): void {
    this.open_tags = new Set();
  }

  toggle_group(id: string, open: boolean): void {
    this.closed_groups = with_or_without(this.closed_groups, id, !open);
  }

  /** Forgets what belongs to another vault. */
  reset(): void {
    this.tags.reset();
    this.properties.reset();
    this.bookmarks.reset();
    this.open_tags = this.closed_groups = new Set();
  }
}

function with_or_without(set: ReadonlySet<string>, id: string, wanted: boolean): ReadonlySet<string> {
  const next = new Set(set);
  if (wanted) next.add(id);
  else next.delete(id);
  return next;
}

/** A thing of a tree: what is below it follows it, a level deeper. */
interface Item<T> {
  id: string;
  level: number;
  of: T;
}

/** Lays a list that is a tree out in rows; with `kept` only those, and what is above them. */
function laid_out<T>(items: Item<T>[], is_open: (id: string) => boolean, kept: ((of: T) => boolean) | null): (Row & { of: T })[] {
  const parents: number[] = [];
  const above: number[] = [];
  items.forEach((item, at) => {
    above.length = item.level - 1;
    parents.push(above.at(-1) ?? -1);
    above.push(at);
  });
  const shown = new Set<number>();
  if (kept) items.forEach((item, at) => kept(item.of) && walk_up(at, parents, shown));
  const n_children = new Map<number, number>();
  items.forEach((_, at) => (!kept || shown.has(at)) && n_children.set(parents[at]!, (n_children.get(parents[at]!) ?? 0) + 1));
  const counted = new Map<number, number>();
  const hidden = new Set<number>();
  const rows: (Row & { of: T })[] = [];
  items.forEach((item, at) => {
    const parent = parents[at]!;
    if (kept && !shown.has(at)) return;
    const position = (counted.get(parent) ?? 0) + 1;
    counted.set(parent, position);
    if (!kept && parent >= 0 && (hidden.has(parent) || !is_open(items[parent]!.id))) return void hidden.add(at);
    const expandable = (n_children.get(at) ?? 0) > 0;
    rows.push({ id: item.id, level: item.level, position, set_size: n_children.get(parent)!, expandable, expanded: expandable && (kept !== null || is_open(item.id)), of: item.of });
  });
  return rows;
}

function walk_up(from: number, parents: number[], into: Set<number>): void {
  for (let at = from; at >= 0 && !into.has(at); at = parents[at]!) into.add(at);
}

/** The tags as a tree, by name or with the most used first. */
export function tag_rows(tags: TagView[], open: ReadonlySet<string>, filter = "", order: Order = "name"): TagRow[] {
  const sorted = order === "count" ? by_count(tags) : tags;
  const items = sorted.map((tag) => ({ id: tag.tag, level: level_of(tag), of: tag }));
  const wanted = filter.trim().replace(/^#/, "").toLowerCase();
  const rows = laid_out(items, (id) => open.has(id), wanted ? (tag) => tag.tag.toLowerCase().includes(wanted) : null);
  return rows.map(({ of, ...row }) => ({ ...row, tag: of, name: of.tag.slice(of.tag.lastIndexOf("/") + 1) }));
}

const level_of = (tag: TagView) => tag.tag.split("/").length;

/** Siblings in the order of their numbers, each still followed by what is below it. */
function by_count(tags: TagView[], level = 1): TagView[] {
  const families: TagView[][] = [];
  for (const tag of tags) {
    if (level_of(tag) <= level) families.push([tag]);
    else families.at(-1)?.push(tag);
  }
  const sorted = families.sort((a, b) => b[0]!.n_notes - a[0]!.n_notes);
  return sorted.flatMap(([head, ...below]) => [head!, ...by_count(below, level + 1)]);
}

/** The bookmarks as a tree. Two may be the same, so their places tell them apart. */
export function bookmark_rows(bookmarks: BookmarkView[], closed: ReadonlySet<string>): BookmarkRow[] {
  const items = bookmarks.map((bookmark, at) => ({ id: `${at}:${bookmark.kind}:${bookmark.title}`, level: bookmark.level, of: bookmark }));
  return laid_out(items, (id) => !closed.has(id), null).map(({ of, ...row }) => ({ ...row, bookmark: of }));
}

export function property_rows(properties: PropertyView[], filter = "", order: Order = "name"): PropertyRow[] {
  const wanted = filter.trim().toLowerCase();
  const fitting = properties.filter((property) => property.name.toLowerCase().includes(wanted));
  const sorted = order === "count" ? [...fitting].sort((a, b) => b.n_notes - a.n_notes) : fitting;
  return sorted.map((property, at) => ({ id: property.name, level: 1, position: at + 1, set_size: sorted.length, expandable: false, expanded: false, property }));
}

export const shelf = new Shelf();
