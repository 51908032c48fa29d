// A row of the tree is taken with the pointer and put down on a folder. Everything it does can be done from the menu too.

import { is_within, folder_of } from "../../state/paths";
import type { TreeRow } from "../../state/tree.svelte";
import { hold, row_at, scroll_at_edge } from "./holding";

/** A folder that is pointed at this long (in milliseconds) opens. */
const OPENS_AFTER = 700;

interface Port {
  row: (id: string) => TreeRow | undefined;
  drop: (row: TreeRow, folder: string) => void;
  open: (folder: string) => void;
}

/** Returns the folder that something would go into when put down on a row, or beside all rows; nothing if it would not move. */
export function landing(held: TreeRow, on: TreeRow | undefined): string | null {
  const folder = on === undefined ? "" : on.entry.kind === "folder" ? on.entry.path : folder_of(on.entry.path);
  if (folder === folder_of(held.entry.path)) return null;
  return held.entry.kind === "folder" && is_within(folder, held.entry.path) ? null : folder;
}

export class Dragging {
  held = $state.raw<TreeRow | null>(null);
  /** The folder that it would go into. */
  over = $state<string | null>(null);
  x = $state(0);
  y = $state(0);
  #clock: ReturnType<typeof setTimeout> | undefined;
  #pointed: string | undefined;

  constructor(private readonly port: Port) {}

  /** A row is pressed: what the pointer does now is watched until it is let go. */
  press(row: TreeRow, event: PointerEvent): void {
    const { kind } = row.entry;
    if (kind !== "note" && kind !== "folder") return;
    const scroller = (event.currentTarget as Element).closest<HTMLElement>("[data-scroller]");
    let last: string | null = null;
    hold(event, {
      over: (at) => {
        this.held = row;
        this.#point(at, scroller);
        last = this.over;
      },
      end: () => this.#let_go(),
      drop: () => last !== null && this.port.drop(row, last),
    });
  }

  #point(at: PointerEvent, scroller: HTMLElement | null): void {
    this.x = at.clientX;
    this.y = at.clientY;
    const place = row_at(at, scroller);
    const row = place?.id !== undefined ? this.port.row(place.id) : undefined;
    this.over = place ? landing(this.held!, row) : null;
    if (place) scroll_at_edge(scroller!, at.clientY);
    if (this.#pointed === place?.id) return;
    this.#pointed = place?.id;
    clearTimeout(this.#clock);
    if (row?.expandable && !row.expanded && this.over !== null) this.#clock = setTimeout(() => this.port.open(row.entry.path), OPENS_AFTER);
  }

  #let_go(): void {
    clearTimeout(this.#clock);
    this.#pointed = undefined;
    this.held = null;
    this.over = null;
  }
}
