import { describe, expect, it } from "vitest";
import { type Area, group_beside, groups_in, is_split, move_line, placed, read_area, type Side, split_beside, without } from "./splits";

const SIDES: Side[] = ["left", "right", "above", "below"];

/** Writes a division as text: `1|2` side by side, `1/2` one above the other, with the shares in percent. */
function written(area: Area | null): string {
  if (area === null) return "nothing";
  if (!is_split(area)) return String(area.group);
  const parts = area.areas.map((one, at) => `${is_split(one) ? `(${written(one)})` : written(one)}:${Math.round(area.shares[at]! * 100)}`);
  return parts.join(area.direction === "row" ? "|" : "/");
}

function divided(...steps: [beside: number, side: Side, made: number][]): Area {
  return steps.reduce<Area>((area, [beside, side, made]) => split_beside(area, beside, side, made), { group: 1 });
}

describe("a split", () => {
  it.each([
    [[[1, "right", 2]], "1:50|2:50"],
    [[[1, "left", 2]], "2:50|1:50"],
    [[[1, "below", 2]], "1:50/2:50"],
    [[[1, "above", 2]], "2:50/1:50"],
    [[[1, "right", 2], [2, "right", 3]], "1:50|2:25|3:25"],
    [[[1, "right", 2], [1, "left", 3]], "3:25|1:25|2:50"],
    [[[1, "right", 2], [2, "below", 3]], "1:50|(2:50/3:50):50"],
    [[[1, "right", 2], [2, "below", 3], [3, "left", 4]], "1:50|(2:50/(4:50|3:50):50):50"],
  ] as [[number, Side, number][], string][])("gives a new group half of the room: %j", (steps, expected) => {
    expect(written(divided(...steps))).toBe(expected);
  });

  it.each([
    [[[1, "right", 2]], 2, "1"],
    [[[1, "right", 2], [2, "right", 3]], 1, "2:50|3:50"],
    [[[1, "right", 2], [2, "below", 3]], 2, "1:50|3:50"],
    [[[1, "right", 2], [2, "below", 3], [3, "right", 4]], 2, "1:50|3:25|4:25"],
    [[[1, "right", 2], [2, "below", 3]], 1, "2:50/3:50"],
    [[], 1, "nothing"],
  ] as [[number, Side, number][], number, string][])("gives the room of a group back: %j without %i", (steps, group, expected) => {
    expect(written(without(divided(...steps), group))).toBe(expected);
  });

  it("moves a line between its two neighbors only, and never so far that one of them is lost", () => {
    const area = divided([1, "right", 2], [2, "right", 3]);
    expect(written(move_line(area, { path: [], at: 0 }, 40))).toBe("1:30|2:45|3:25");
    expect(written(move_line(divided([1, "right", 2]), { path: [], at: 0 }, 1))).toBe("1:15|2:85");
    const nested = divided([1, "right", 2], [2, "below", 3]);
    expect(written(move_line(nested, { path: [1], at: 0 }, 80))).toBe("1:50|(2:80/3:20):50");
  });

  it("finds the group on a side, and none at the edge", () => {
    const area = divided([1, "right", 2], [2, "below", 3]);
    const found = (group: number) => SIDES.map((side) => group_beside(area, group, side));
    expect(found(1)).toEqual([undefined, 2, undefined, undefined]);
    expect(found(2)).toEqual([1, undefined, undefined, 3]);
    expect(found(3)).toEqual([1, undefined, 2, undefined]);
  });

  it("covers the page whole, whatever was split, moved and closed", () => {
    let seed = 7;
    const any = (n: number) => (seed = (seed * 48271) % 2147483647) % n;
    for (let round = 0; round < 40; round++) {
      let area: Area = { group: 1 };
      for (let made = 2; made < 12; made++) {
        const groups = groups_in(area);
        const one = groups[any(groups.length)]!;
        if (any(4) === 0) area = without(area, one) ?? area;
        else area = split_beside(area, one, SIDES[any(4)]!, made);
        const lines = placed(area).flatMap((part) => ("line" in part ? [part.line] : []));
        if (lines.length > 0) area = move_line(area, lines[any(lines.length)]!, any(120));
      }
      const boxes = placed(area).flatMap((part) => ("group" in part ? [part.box] : []));
      expect(boxes.reduce((sum, box) => sum + box.width * box.height, 0)).toBeCloseTo(1);
      expect(new Set(groups_in(area)).size).toBe(groups_in(area).length);
      expect(written(read_area(JSON.parse(JSON.stringify(area)), () => true))).toBe(written(area));
      // No split holds one that runs the same way, or the room of a closed group would go to the wrong neighbor.
      const sound = (one: Area): boolean => !is_split(one) || (one.areas.length > 1 && one.areas.every((part) => sound(part) && !(is_split(part) && part.direction === one.direction)));
      expect(sound(area)).toBe(true);
    }
  });

  it.each([
    ["no record", null],
    ["a number", 3],
    ["an unknown way", { direction: "round", areas: [{ group: 1 }, { group: 2 }], shares: [0.5, 0.5] }],
    ["too few shares", { direction: "row", areas: [{ group: 1 }, { group: 2 }], shares: [1] }],
    ["no group that is known", { group: 9 }],
  ])("reads nothing from %s", (_, kept) => {
    expect(read_area(kept, (group) => group < 3)).toBeNull();
  });

  it("reads what is left when a group is not there any more", () => {
    const kept = { direction: "row", areas: [{ group: 1 }, { group: 9 }, { group: 2 }], shares: [0.5, 0.3, 0.2] };
    expect(written(read_area(kept, (group) => group < 3))).toBe("1:71|2:29");
  });
});
