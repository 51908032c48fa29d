// One part of a comparison is put back: the lines that were there before take the place of those that came after them. The document
// may have moved on since the comparison; then the part is looked for in it, and where its lines are gone nothing is done.

import type { Hunk } from "../ipc/types";
import { type Change, changes } from "./diff";

/** Returns the changes to `doc` that put the old lines of a hunk back; nothing if its new lines are no longer in `doc`. `compared` is the
 * newer one of the two texts that the hunk was made from. */
export function put_back(doc: string, compared: string, hunk: Hunk): Change[] | null {
  const part = part_of(compared, hunk);
  if (!part) return null;
  const shift = shift_to(doc, compared, part);
  if (shift === null) return null;
  return part.changes.map((change) => ({ ...change, from: change.from + shift, to: change.to + shift }));
}

/** A stretch of whole lines, with those around it that did not change, and what to do in it. */
interface Part {
  from: number;
  to: number;
  changes: Change[];
}

function part_of(text: string, hunk: Hunk): Part | null {
  const lines = text.split("\n");
  const starts = [0];
  for (const line of lines) starts.push(starts.at(-1)! + line.length + 1);
  // The last line may lack its line feed.
  const start = (line: number) => Math.min(starts[line - 1] ?? text.length, text.length);
  const numbers = hunk.lines.flatMap((line) => line.new_line ?? []);
  const first = numbers[0] ?? 1;
  const last = numbers.at(-1) ?? 0;

  const found: Change[] = [];
  let next = first;
  let removed: string[] = [];
  let n_added = 0;
  const end_run = () => {
    if (removed.length > 0 || n_added > 0) found.push(replaced(text, start(next - n_added), start(next), removed));
    removed = [];
    n_added = 0;
  };
  for (const line of hunk.lines) {
    const words = line.spans.map((span) => span.text).join("");
    if (line.kind === "context") end_run();
    if (line.kind === "removed") {
      removed.push(words);
      continue;
    }
    if (line.new_line !== next || lines[next - 1] !== words) return null;
    next++;
    if (line.kind === "added") n_added++;
  }
  end_run();
  // Empty lines are no place to know again: the part reaches to the next words on either side.
  const is_empty = (line: number) => line >= 1 && line <= lines.length && !/\S/.test(lines[line - 1]!);
  const kinds = hunk.lines.filter((line) => line.kind !== "removed").map((line) => line.kind);
  let [above, below] = [first, last];
  if (kinds[0] !== "context" || is_empty(first)) do above--; while (is_empty(above));
  if (kinds.at(-1) !== "context" || is_empty(last)) do below++; while (is_empty(below));
  return { from: start(Math.max(1, above)), to: start(Math.min(lines.length, below) + 1), changes: found };
}

function replaced(text: string, from: number, to: number, lines: string[]): Change {
  const at_open_end = to === text.length && text !== "" && !text.endsWith("\n");
  if (!at_open_end) return { from, to, insert: lines.map((line) => `${line}\n`).join("") };
  const glue = from === to && lines.length > 0 ? "\n" : "";
  return { from, to, insert: glue + lines.join("\n") };
}

/** Returns how far a part of `compared` has moved in `doc`; nothing if it is not there as it was. */
function shift_to(doc: string, compared: string, part: Part): number | null {
  const wanted = compared.slice(part.from, part.to);
  const is_at = (from: number) => from >= 0 && doc.startsWith(wanted, from) && is_edge(doc, from) && is_edge(doc, from + wanted.length);
  const differences = changes(compared, doc);
  const touched = differences.some(({ from, to }) => (from === to ? from > part.from && from < part.to : from < part.to && to > part.from));
  if (!touched) {
    const shift = differences.filter(({ to }) => to <= part.from).reduce((sum, one) => sum + one.insert.length - (one.to - one.from), 0);
    if (is_at(part.from + shift)) return shift;
  }
  // Moved as a whole, perhaps. What stands there twice, or says nothing, could be anything.
  if (!/\S/.test(wanted)) return null;
  const places: number[] = [];
  for (let at = doc.indexOf(wanted); at >= 0 && places.length < 2; at = doc.indexOf(wanted, at + 1)) if (is_at(at)) places.push(at);
  return places.length === 1 ? places[0]! - part.from : null;
}

function is_edge(text: string, at: number): boolean {
  return at === 0 || at === text.length || text[at - 1] === "\n" || text[at] === "\n";
}
