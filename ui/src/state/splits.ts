// How the page is divided among groups of tabs: a tree of rows and columns, as plain values.

/** Side by side, or one above the other. */
export type Direction = "row" | "column";
export type Side = "left" | "right" | "above" | "below";

export interface Split {
  direction: Direction;
  areas: Area[];
  /** How much of the split each area takes; together 1. */
  shares: number[];
}

/** A group, by its number, or a split of groups. */
export type Area = { group: number } | Split;

/** A rectangle in parts of the whole page. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** The line between two neighbors in a split. */
export interface Line {
  /** The way to its split: places among the areas, from the whole page on. */
  path: number[];
  /** It is between this area and the next. */
  at: number;
  direction: Direction;
  /** How much the first of the two takes of what both have, in percent. */
  percent: number;
  /** How much both have, in parts of the whole page. */
  both: number;
  box: Box;
}

/** What lies where, in reading order; every line comes between what it divides. */
export type Placed = { group: number; box: Box } | { line: Line };

/** Neither neighbor of a line becomes smaller than this, in percent of what both have. */
export const LINE_LIMITS = { min: 15, max: 85, normal: 50 };

const WHOLE: Box = { left: 0, top: 0, width: 1, height: 1 };

export function is_split(area: Area): area is Split {
  return "areas" in area;
}

export function groups_in(area: Area): number[] {
  return is_split(area) ? area.areas.flatMap(groups_in) : [area.group];
}

/** Puts a new group beside another one, which gives half of its room. */
export function split_beside(area: Area, group: number, side: Side, made: number): Area {
  const direction: Direction = side === "left" || side === "right" ? "row" : "column";
  const first = side === "left" || side === "above";
  if (!is_split(area)) {
    if (area.group !== group) return area;
    const areas: Area[] = first ? [{ group: made }, area] : [area, { group: made }];
    return { direction, areas, shares: [0.5, 0.5] };
  }
  const at = area.areas.findIndex((one) => !is_split(one) && one.group === group);
  if (at < 0 || area.direction !== direction) return { ...area, areas: area.areas.map((one) => split_beside(one, group, side, made)) };
  const half = area.shares[at]! / 2;
  return {
    direction,
    areas: area.areas.toSpliced(first ? at : at + 1, 0, { group: made }),
    shares: area.shares.toSpliced(at, 1, half, half),
  };
}

/** Takes a group out; its room goes to those beside it. Null if nothing is left. */
export function without(area: Area, group: number): Area | null {
  if (!is_split(area)) return area.group === group ? null : area;
  const areas: Area[] = [];
  const shares: number[] = [];
  area.areas.forEach((one, at) => {
    const left = without(one, group);
    if (left === null) return;
    // What is left of a split across may run the same way as this one, and then it is part of it.
    if (left !== one && is_split(left) && left.direction === area.direction) {
      areas.push(...left.areas);
      shares.push(...left.shares.map((share) => share * area.shares[at]!));
    } else {
      areas.push(left);
      shares.push(area.shares[at]!);
    }
  });
  if (areas.length <= 1) return areas[0] ?? null;
  const sum = shares.reduce((all, share) => all + share, 0);
  return { direction: area.direction, areas, shares: shares.map((share) => share / sum) };
}

/** Moves a line, and only the two areas beside it. */
export function move_line(area: Area, { path, at }: Pick<Line, "path" | "at">, percent: number): Area {
  if (!is_split(area)) return area;
  const [next, ...rest] = path;
  if (next !== undefined) return { ...area, areas: area.areas.map((one, place) => (place === next ? move_line(one, { path: rest, at }, percent) : one)) };
  const both = area.shares[at]! + area.shares[at + 1]!;
  const kept = (both * Math.min(LINE_LIMITS.max, Math.max(LINE_LIMITS.min, percent))) / 100;
  return { ...area, shares: area.shares.toSpliced(at, 2, kept, both - kept) };
}

/** Says where everything lies on the page. */
export function placed(area: Area, box: Box = WHOLE, path: number[] = []): Placed[] {
  if (!is_split(area)) return [{ group: area.group, box }];
  const { direction, shares } = area;
  let from = 0;
  return area.areas.flatMap((one, at) => {
    const share = shares[at]!;
    const own =
      direction === "row"
        ? { ...box, left: box.left + from * box.width, width: share * box.width }
        : { ...box, top: box.top + from * box.height, height: share * box.height };
    from += share;
    const found = placed(one, own, [...path, at]);
    const next = shares[at + 1];
    if (next === undefined) return found;
    const edge = direction === "row" ? { ...own, left: own.left + own.width, width: 0 } : { ...own, top: own.top + own.height, height: 0 };
    const both = (share + next) * (direction === "row" ? box.width : box.height);
    return [...found, { line: { path, at, direction, percent: (100 * share) / (share + next), both, box: edge } }];
  });
}

/** Finds the group on a side of another: of those that touch it there, the one that faces its beginning. */
export function group_beside(area: Area, group: number, side: Side): number | undefined {
  const all = placed(area).flatMap((one) => ("group" in one ? [one] : []));
  const own = all.find((one) => one.group === group)?.box;
  if (!own) return undefined;
  const NEAR = 1e-6;
  const edges = {
    left: (box: Box) => box.left + box.width - own.left,
    right: (box: Box) => own.left + own.width - box.left,
    above: (box: Box) => box.top + box.height - own.top,
    below: (box: Box) => own.top + own.height - box.top,
  };
  const along = side === "left" || side === "right";
  const [start, size] = along ? ([own.top, own.height] as const) : ([own.left, own.width] as const);
  return all.find(({ group: other, box }) => {
    const [from, length] = along ? [box.top, box.height] : [box.left, box.width];
    return other !== group && Math.abs(edges[side](box)) < NEAR && from < start + size - NEAR && from + length > start + NEAR;
  })?.group;
}

/** Reads what was remembered; null if it is not what it should be, or names a group that is not there. */
export function read_area(kept: unknown, known: (group: number) => boolean): Area | null {
  if (typeof kept !== "object" || kept === null) return null;
  const { group, direction, areas, shares } = kept as Record<string, unknown>;
  if (typeof group === "number") return known(group) ? { group } : null;
  if ((direction !== "row" && direction !== "column") || !Array.isArray(areas) || !Array.isArray(shares) || areas.length !== shares.length) return null;
  const read = areas.flatMap((one: unknown, at): [Area, number][] => {
    const area = read_area(one, known);
    const share: unknown = shares[at];
    return area && typeof share === "number" && share > 0 && share <= 1 ? [[area, share]] : [];
  });
  if (read.length <= 1) return read[0]?.[0] ?? null;
  const sum = read.reduce((all, [, share]) => all + share, 0);
  return { direction, areas: read.map(([area]) => area), shares: read.map(([, share]) => share / sum) };
}
