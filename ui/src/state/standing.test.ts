import { describe, expect, it } from "vitest";
import type { OperationView } from "../ipc/types";
import { origin_of, standing_of } from "./standing";

/** A change `a` that was turned as often as there are letters behind it. */
function chain(ids: string, tip: Partial<OperationView> = {}): OperationView[] {
  return [...ids].map((id, at) => {
    const last = at === ids.length - 1;
    return { id, kind: at === 0 ? "move_note" : "undo", state: last ? "done" : "undone", undone_by: last ? null : ids[at + 1]!, can_undo: last, ...(last ? tip : {}) } as OperationView;
  });
}

describe("what is left of a change", () => {
  it.each([
    ["a", {}, true, "a"],
    ["ab", {}, false, "b"],
    ["abc", {}, true, "c"],
    ["abcd", {}, false, "d"],
    ["ab", { can_undo: false }, false, null],
    ["a", { state: "declined" }, false, null],
    ["a", { state: "undone" }, false, null],
    ["ab", { state: "interrupted" }, false, null],
  ] as [string, Partial<OperationView>, boolean, string | null][])("%s %o", (ids, tip, stands, turn) => {
    const list = chain(ids, tip);
    expect(standing_of(list[0]!, list)).toMatchObject({ stands, turn });
  });

  it("is unknown where the list does not go back so far", () => {
    const [change] = chain("ab");
    expect(standing_of(change!, [change!])).toMatchObject({ stands: false, turn: null });
  });

  it.each([
    ["a", "a", true],
    ["b", "a", false],
    ["c", "a", true],
    ["z", undefined, true],
  ])("undoing %s of abc is about %s, back: %s", (id, origin, back) => {
    const found = origin_of(id, chain("abc"));
    expect([found.origin?.id, found.back]).toEqual([origin, back]);
  });
});
