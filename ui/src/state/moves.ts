// A note or a folder goes from one path to another, and everything in the window that is about it goes along.

import type { OperationView, Wish } from "../ipc/types";
import { notes } from "./notes.svelte";
import { tree } from "./tree.svelte";

export interface Move {
  from: string;
  to: string;
}

/** Returns the move that a wish or an operation makes, if it makes one. */
export function move_of(change: Wish | Pick<OperationView, "kind" | "path" | "summary">): Move | null {
  if ("to" in change) return { from: change.path, to: change.to };
  if (!("summary" in change)) return null;
  const to = change.summary.new_path;
  return to && (change.kind === "move_note" || change.kind === "move_folder") ? { from: change.path, to } : null;
}

export function reversed(move: Move | null): Move | null {
  return move && { from: move.to, to: move.from };
}

/** Does what moves a note or a folder, and follows it: with its page, its tab, and the folders that were open. */
export async function following<T>(move: Move | null, act: () => Promise<T>, happened: (answer: T) => boolean = () => true): Promise<T> {
  if (!move) return act();
  const open = tree.open_within(move.from);
  notes.expect_move(move.from, move.to);
  let answer: T;
  try {
    answer = await act();
  } catch (cause) {
    notes.forget_move(move.from);
    throw cause;
  }
  if (happened(answer)) {
    await notes.follow(move.from, move.to);
    tree.follow(open, move.from, move.to);
  } else notes.forget_move(move.from);
  return answer;
}
