// Pure arithmetic on diffs: how much of them to show, and how to cut them up.

import type { DiffLine, DiffSpan, FileReview, Hunk } from "../../ipc/types";

/** Lines laid out together; blocks out of sight cost the browser nothing. */
const BLOCK = 60;
/** Files whose lines go beyond this start folded, so that a wide change opens at once. */
const OPEN_LINES = 400;

export function n_lines(hunks: Hunk[]): number {
  return hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
}

/** Keeps the first lines of a long diff. A little over the cap is shown whole: a button would save nothing. */
export function capped(hunks: Hunk[], cap: number): Hunk[] {
  if (n_lines(hunks) <= cap * 1.25) return hunks;
  const kept: Hunk[] = [];
  let left = cap;
  for (const hunk of hunks) {
    if (left <= 0) break;
    kept.push(hunk.lines.length <= left ? hunk : { lines: hunk.lines.slice(0, left) });
    left -= hunk.lines.length;
  }
  return kept;
}

export function blocks_of(hunk: Hunk): DiffLine[][] {
  const blocks: DiffLine[][] = [];
  for (let at = 0; at < hunk.lines.length; at += BLOCK) blocks.push(hunk.lines.slice(at, at + BLOCK));
  return blocks;
}

/** Returns how many digits the largest line number has. */
export function number_width(hunks: Hunk[]): number {
  let largest = 0;
  for (const hunk of hunks) for (const line of hunk.lines) largest = Math.max(largest, line.old_line ?? 0, line.new_line ?? 0);
  return Math.max(2, String(largest).length);
}

/** Splits the files into the change itself and the links that follow it. */
export function grouped(files: FileReview[]): { changes: FileReview[]; repairs: FileReview[] } {
  return { changes: files.filter((file) => !file.link_repair), repairs: files.filter((file) => file.link_repair) };
}

/** Says which files start unfolded: the first, and then as many as can be read without being lost. */
export function opened(files: FileReview[]): boolean[] {
  let lines = 0;
  return files.map((file, at) => {
    lines += n_lines(file.hunks);
    return at === 0 || lines <= OPEN_LINES;
  });
}

/** Joins changed words that only a space holds apart, so that a changed phrase reads as one. */
export function smoothed(spans: DiffSpan[]): DiffSpan[] {
  const joined: DiffSpan[] = [];
  spans.forEach((span, at) => {
    const between = !span.changed && span.text.trim() === "" && spans[at - 1]?.changed && spans[at + 1]?.changed;
    const changed = span.changed || between === true;
    const last = joined.at(-1);
    if (last && last.changed === changed) joined[joined.length - 1] = { text: last.text + span.text, changed };
    else joined.push({ text: span.text, changed });
  });
  return joined;
}

/** Counts what a diff adds and removes. */
export function changed_lines(hunks: Hunk[]): { added: number; removed: number } {
  const found = { added: 0, removed: 0 };
  for (const hunk of hunks) {
    for (const line of hunk.lines) if (line.kind !== "context") found[line.kind] += 1;
  }
  return found;
}
