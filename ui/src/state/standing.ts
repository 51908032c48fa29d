// What became of a change that was undone, perhaps done again, and undone once more: each turn is an operation of its own.

import type { OperationView } from "../ipc/types";

/** Whether a change is in the notes now, and the operation to undo next, which turns that around; nothing if it cannot be turned. */
export interface Standing {
  stands: boolean;
  tip: OperationView;
  turn: string | null;
}

export function standing_of(change: OperationView, list: OperationView[]): Standing {
  let tip = change;
  let stands = true;
  while (tip.state === "undone") {
    stands = !stands;
    const by = tip.undone_by === null ? undefined : list.find((operation) => operation.id === tip.undone_by);
    if (!by) return { stands, tip, turn: null };
    tip = by;
  }
  if (tip.state !== "done") return { stands: false, tip, turn: null };
  return { stands, tip, turn: tip.can_undo ? tip.id : null };
}

/** Returns the change that a chain of turns began with, and whether undoing `id` takes the change back or does it again. */
export function origin_of(id: string, list: OperationView[]): { origin: OperationView | null; back: boolean } {
  const undone = list.find((operation) => operation.undone_by === id);
  if (!undone) return { origin: list.find((operation) => operation.id === id) ?? null, back: true };
  const { origin, back } = origin_of(undone.id, list);
  return { origin, back: !back };
}
