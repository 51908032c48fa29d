// What a block stands in that is drawn whole: a callout, a quote, a list. The block goes on with the looks of the lines around it.

import type { CalloutKind } from "./callouts";

export interface Around {
  name: "" | "in-quote" | "in-callout";
  kind: CalloutKind | null;
  /** How deep in lists. */
  depth: number;
}

export const OUTSIDE: Around = { name: "", kind: null, depth: 0 };

export function dress_around(frame: HTMLElement, { name, kind, depth }: Around): void {
  if (name) frame.classList.add(name);
  if (kind) frame.dataset.callout = kind;
  if (depth > 0) frame.style.marginInlineStart = `calc(${depth} * var(--step))`;
}
