// A section is taken in the outline and put down between or on others. The keys and the menu do the same.

import type { OutlineRow } from "../../state/outline.svelte";
import type { SectionMove } from "../../state/sections";
import type { Gap } from "../tree/TreeView.svelte";
import { hold, row_at, scroll_at_edge } from "../tree/holding";

/** The upper and lower parts of a row mean the gap beside it; what is between them means the row itself. */
const GAP = 0.3;
const DEEPEST = 6;

/** Where a section would go. */
export interface Landing {
  to: SectionMove;
  /** The level that its heading would have. */
  level: number;
  /** A line above or below a row, as deep as the section would stand in the tree; or the row that it would belong to. */
  line: Gap | null;
  into: string | null;
}

/** Returns where a section would go when it is put down so far down in a row, from 0 to 1; nothing if it cannot go there. */
export function landing(rows: OutlineRow[], held: OutlineRow, on: OutlineRow | undefined, down: number): Landing | null {
  const row = on ?? rows.at(-1);
  if (!row || row.id === held.id || is_below(rows, row, held)) return null;
  const child = rows[rows.indexOf(row) + 1];
  const opened = row.expanded && child !== undefined && child.level > row.level;
  // Beside all rows is behind the last of them.
  const place = on === undefined || down > 1 - GAP ? (opened ? "first_child" : "after") : down < GAP ? "before" : "last_child";
  const level = place === "before" || place === "after" ? row.heading.level : opened ? child.heading.level : row.heading.level + 1;
  const deeper = level - held.heading.level;
  const deepest = Math.max(held.heading.level, ...rows.filter((one) => is_below(rows, one, held)).map((one) => one.heading.level));
  if (deepest + deeper > DEEPEST) return null;
  const line =
    place === "last_child" ? null : ({ row: row.id, edge: place === "before" ? "above" : "below", depth: place === "first_child" ? row.level + 1 : row.level } as const);
  return { to: { kind: place, id: row.id }, level, line, into: line ? null : row.id };
}

function is_below(rows: OutlineRow[], row: OutlineRow, above: OutlineRow): boolean {
  const from = rows.indexOf(above);
  const at = rows.indexOf(row);
  return at > from && rows.slice(from + 1, at + 1).every((one) => one.level > above.level);
}

export class SectionDrag {
  held = $state.raw<OutlineRow | null>(null);
  landing = $state.raw<Landing | null>(null);
  x = $state(0);
  y = $state(0);

  constructor(private readonly port: { rows: () => OutlineRow[]; drop: (row: OutlineRow, to: SectionMove) => void }) {}

  press(row: OutlineRow, event: PointerEvent): void {
    const scroller = (event.currentTarget as Element).closest<HTMLElement>("[data-scroller]");
    let last: Landing | null = null;
    hold(event, {
      over: (at) => {
        this.held = row;
        this.x = at.clientX;
        this.y = at.clientY;
        const rows = this.port.rows();
        const place = row_at(at, scroller);
        this.landing = last = place ? landing(rows, row, rows.find((one) => one.id === place.id), place.down) : null;
        if (place) scroll_at_edge(scroller!, at.clientY);
      },
      end: () => {
        this.held = null;
        this.landing = null;
      },
      drop: () => last && this.port.drop(row, last.to),
    });
  }
}
