// Lays the lines of a change out in two columns, so that what became of a line stands beside it.

import type { DiffLine, Hunk } from "../../ipc/types";

/** A line before and the line after it; one of them may be missing. */
export interface Row {
  old: DiffLine | null;
  new: DiffLine | null;
}

/** Beyond so many pairs of lines a run is laid out in its own order: nobody waits for the better one. */
const MOST_PAIRS = 10_000;
/** Lines that share less of their words than this are no version of each other. */
const ALIKE = 0.3;

function words_of(line: DiffLine): Map<string, number> {
  const found = new Map<string, number>();
  const text = line.spans.map((span) => span.text).join("");
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) found.set(word, (found.get(word) ?? 0) + 1);
  return found;
}

const sum = (words: Map<string, number>) => [...words.values()].reduce((all, n) => all + n, 0);

/** How much two lines have in common, from 0 to 1. */
function likeness(a: Map<string, number>, b: Map<string, number>): number {
  let shared = 0;
  for (const [word, n] of a) shared += Math.min(n, b.get(word) ?? 0);
  const all = Math.max(sum(a), sum(b));
  return all === 0 ? 0 : shared / all;
}

/** Finds which removed line became which added one: pairs of places, in order, that have the most in common. */
function mates(removed: DiffLine[], added: DiffLine[]): [number, number][] {
  if (removed.length * added.length > MOST_PAIRS) return [];
  const [old_words, new_words] = [removed.map(words_of), added.map(words_of)];
  const width = added.length + 1;
  const like = (i: number, j: number) => {
    const found = likeness(old_words[i]!, new_words[j]!);
    return found < ALIKE ? 0 : found;
  };
  const best = new Float64Array((removed.length + 1) * width);
  for (let i = removed.length - 1; i >= 0; i--)
    for (let j = added.length - 1; j >= 0; j--) {
      const alike = like(i, j);
      const paired = alike > 0 ? alike + best[(i + 1) * width + j + 1]! : 0;
      best[i * width + j] = Math.max(paired, best[(i + 1) * width + j]!, best[i * width + j + 1]!);
    }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < removed.length && j < added.length; ) {
    const here = best[i * width + j]!;
    if (here === best[(i + 1) * width + j]!) i++;
    else if (here === best[i * width + j + 1]!) j++;
    else pairs.push([i++, j++]);
  }
  return pairs;
}

function aligned(removed: DiffLine[], added: DiffLine[]): Row[] {
  const rows: Row[] = [];
  let [i, j] = [0, 0];
  const up_to = (to_old: number, to_new: number) => {
    while (i < to_old || j < to_new) rows.push({ old: i < to_old ? removed[i++]! : null, new: j < to_new ? added[j++]! : null });
  };
  for (const [old_at, new_at] of mates(removed, added)) {
    up_to(old_at, new_at);
    rows.push({ old: removed[i++]!, new: added[j++]! });
  }
  up_to(removed.length, added.length);
  return rows;
}

export function rows_of(hunk: Hunk): Row[] {
  const rows: Row[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const end_run = () => {
    rows.push(...aligned(removed, added));
    removed = [];
    added = [];
  };
  for (const line of hunk.lines) {
    if (line.kind === "removed") {
      // What comes after an added line is another run.
      if (added.length > 0) end_run();
      removed.push(line);
    } else if (line.kind === "added") added.push(line);
    else {
      end_run();
      rows.push({ old: line, new: line });
    }
  }
  end_run();
  return rows;
}
