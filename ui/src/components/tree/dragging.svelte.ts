// A row of the tree is taken with the pointer and put down on a folder. Everything it does can be done from the menu too.

import { is_within, folder_of } from "../../state/paths";
import type { TreeRow } from "../../state/tree.svelte";

/** A press that moves less is a click. */
const SLACK = 6;
/** A folder that is pointed at this long (in milliseconds) opens. */
const OPENS_AFTER = 700;
/** So near to its edge (in pixels) the tree scrolls. */
const EDGE = 28;

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
    if (event.button !== 0 || event.pointerType === "touch" || (kind !== "note" && kind !== "folder")) return;
    if ((event.target as Element).closest("input")) return;
    const scroller = (event.currentTarget as Element).closest<HTMLElement>("[data-scroller]");
    const { clientX, clientY } = event;
    const ended = new AbortController();
    const { signal } = ended;
    const end = () => {
      ended.abort();
      this.#let_go();
    };
    const move = (at: PointerEvent) => {
      if (!this.held && Math.hypot(at.clientX - clientX, at.clientY - clientY) < SLACK) return;
      if (!this.held) document.documentElement.classList.add("dragging");
      this.held = row;
      this.#point(at, scroller);
    };
    const up = () => {
      const { held, over } = this;
      end();
      if (!held) return;
      // What follows the press at once is no click.
      const swallow = (click: MouseEvent) => click.stopPropagation();
      window.addEventListener("click", swallow, { capture: true });
      setTimeout(() => window.removeEventListener("click", swallow, { capture: true }));
      if (over !== null) this.port.drop(held, over);
    };
    const key = (pressed: KeyboardEvent) => {
      if (pressed.key !== "Escape" || !this.held) return;
      pressed.preventDefault();
      pressed.stopPropagation();
      end();
    };
    window.addEventListener("pointermove", move, { signal });
    window.addEventListener("pointerup", up, { signal });
    window.addEventListener("pointercancel", end, { signal });
    window.addEventListener("blur", end, { signal });
    window.addEventListener("keydown", key, { signal, capture: true });
  }

  #point(at: PointerEvent, scroller: HTMLElement | null): void {
    this.x = at.clientX;
    this.y = at.clientY;
    const element = document.elementFromPoint(at.clientX, at.clientY);
    const inside = scroller !== null && element !== null && scroller.contains(element);
    const id = element?.closest<HTMLElement>("[data-row]")?.dataset.row;
    const row = inside && id !== undefined ? this.port.row(id) : undefined;
    this.over = inside ? landing(this.held!, row) : null;
    if (inside) scroll(scroller, at.clientY);
    if (this.#pointed === id) return;
    this.#pointed = id;
    clearTimeout(this.#clock);
    if (row?.expandable && !row.expanded && this.over !== null) this.#clock = setTimeout(() => this.port.open(row.entry.path), OPENS_AFTER);
  }

  #let_go(): void {
    clearTimeout(this.#clock);
    this.#pointed = undefined;
    this.held = null;
    this.over = null;
    document.documentElement.classList.remove("dragging");
  }
}

function scroll(scroller: HTMLElement, y: number): void {
  const box = scroller.getBoundingClientRect();
  if (y < box.top + EDGE) scroller.scrollTop -= EDGE / 2;
  else if (y > box.bottom - EDGE) scroller.scrollTop += EDGE / 2;
}
