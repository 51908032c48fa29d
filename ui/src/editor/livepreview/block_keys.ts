// Up and down go into a block that is drawn, line by line, as if it were written: the arrows would jump over it.

import { EditorSelection, type EditorState, type SelectionRange } from "@codemirror/state";
import type { EditorView, KeyBinding } from "@codemirror/view";
import { drawn_between } from "./blocks";

/** Returns where a move ends that would go over a drawn block: on its first or last line, at the column it came from. */
export function into_block(state: EditorState, from: number, to: number): number | null {
  const down = to > from;
  const block = drawn_between(state, Math.min(from, to), Math.max(from, to), down);
  if (!block) return null;
  const column = from - state.doc.lineAt(from).from;
  const line = state.doc.lineAt(down ? block.from : block.to);
  return Math.min(line.from + column, line.to);
}

function go(down: boolean, extend: boolean) {
  return (view: EditorView) => {
    const { state } = view;
    let entered = false;
    const move = (range: SelectionRange) => {
      const there = view.moveVertically(range, down);
      const head = into_block(state, range.head, there.head);
      if (head === null) return extend ? EditorSelection.range(range.anchor, there.head, there.goalColumn) : there;
      entered = true;
      return extend ? EditorSelection.range(range.anchor, head) : EditorSelection.cursor(head);
    };
    // A selection that is let go of collapses first; everything else is the business of the usual keys.
    if (!extend && state.selection.ranges.some((range) => !range.empty)) return false;
    const ranges = state.selection.ranges.map(move);
    if (!entered) return false;
    view.dispatch({ selection: EditorSelection.create(ranges, state.selection.mainIndex), scrollIntoView: true, userEvent: "select" });
    return true;
  };
}

export const BLOCK_KEYS: KeyBinding[] = [
  { key: "ArrowDown", run: go(true, false), shift: go(true, true) },
  { key: "ArrowUp", run: go(false, false), shift: go(false, true) },
];
