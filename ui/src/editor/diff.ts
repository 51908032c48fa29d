// Differences between two texts, first by lines, then by words, so that a repaired link in a long paragraph is a small change.

/** A piece of `from` (by offsets) that became `insert`. */
export interface Change {
  from: number;
  to: number;
  insert: string;
}

/** A run of changed lines and the small changes inside it. */
export interface Hunk extends Change {
  parts: Change[];
}

/** Beyond this many differing tokens the search gives up and calls the whole stretch changed. */
const MAX_DISTANCE = 1000;

/** Returns the changed runs of lines that turn `from` into `to`, in order and disjoint. */
export function hunks(from: string, to: string): Hunk[] {
  if (from === to) return [];
  const a = from.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const b = to.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return runs(a, b).map((run) => {
    const change = { from: run.from, to: run.to, insert: run.insert };
    return { ...change, parts: words(from.slice(run.from, run.to), run.insert, run.from) };
  });
}

/** Returns the word-wise changes that turn `from` into `to`. */
export function changes(from: string, to: string): Change[] {
  return hunks(from, to).flatMap((hunk) => hunk.parts);
}

function words(from: string, to: string, shift: number): Change[] {
  const split = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;
  const found = runs(from.match(split) ?? [], to.match(split) ?? []);
  return found.map((change) => ({ from: change.from + shift, to: change.to + shift, insert: change.insert }));
}

function runs(a: string[], b: string[]): Change[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let a_end = a.length;
  let b_end = b.length;
  while (a_end > start && b_end > start && a[a_end - 1] === b[b_end - 1]) {
    a_end--;
    b_end--;
  }
  const offsets = [0];
  for (let at = 0; at < a.length; at++) offsets.push(offsets[at]! + a[at]!.length);

  const out: Change[] = [];
  const push = (a0: number, a1: number, b0: number, b1: number) => {
    if (a0 === a1 && b0 === b1) return;
    out.push({ from: offsets[a0]!, to: offsets[a1]!, insert: b.slice(b0, b1).join("") });
  };
  const kept = common(a, b, start, a_end, b_end);
  let [at_a, at_b] = [start, start];
  for (const [ka, kb] of kept ?? []) {
    if (ka > at_a || kb > at_b) push(at_a, ka, at_b, kb);
    [at_a, at_b] = [ka + 1, kb + 1];
  }
  push(at_a, a_end, at_b, b_end);
  return out;
}

/** Myers' greedy search for the tokens that stay, as index pairs; nothing if the texts are too far apart. */
function common(a: string[], b: string[], start: number, a_end: number, b_end: number): [number, number][] | null {
  const n = a_end - start;
  const m = b_end - start;
  if (n === 0 || m === 0) return null;
  const limit = Math.min(n + m, MAX_DISTANCE);
  const width = 2 * limit + 3;
  const middle = limit + 1;
  let reach = new Int32Array(width);
  const trail: Int32Array[] = [];
  for (let d = 0; d <= limit; d++) {
    trail.push(reach.slice(middle - d - 1, middle + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && reach[middle + k - 1]! < reach[middle + k + 1]!);
      let x = down ? reach[middle + k + 1]! : reach[middle + k - 1]! + 1;
      let y = x - k;
      while (x < n && y < m && a[start + x] === b[start + y]) {
        x++;
        y++;
      }
      reach[middle + k] = x;
      if (x >= n && y >= m) return walk_back(trail, d, k, n, m, start);
    }
    reach = reach.slice();
  }
  return null;
}

function walk_back(trail: Int32Array[], d_end: number, k_end: number, n: number, m: number, start: number): [number, number][] {
  const kept: [number, number][] = [];
  let [x, y, k] = [n, m, k_end];
  for (let d = d_end; d > 0; d--) {
    const reach = trail[d]!;
    const get = (diagonal: number) => reach[diagonal + d + 1]!;
    const down = k === -d || (k !== d && get(k - 1) < get(k + 1));
    const before_k = down ? k + 1 : k - 1;
    const before_x = get(before_k);
    const before_y = before_x - before_k;
    while (x > before_x && y > before_y && x > 0 && y > 0 && x - 1 >= (down ? before_x : before_x + 1)) {
      kept.push([start + x - 1, start + y - 1]);
      x--;
      y--;
    }
    [x, y, k] = [before_x, before_y, before_k];
  }
  while (x > 0 && y > 0) {
    kept.push([start + x - 1, start + y - 1]);
    x--;
    y--;
  }
  return kept.reverse();
}
