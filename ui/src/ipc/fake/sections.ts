// Moving sections in the in-memory engine: by lines, well enough for the shapes that tests use. The real one is in Rust.

import { EngineError } from "../engine";
import type { HeadingView, OutlineEdit, OutlineMove } from "../types";
import { headings_of } from "./markdown";

export function move_section(text: string, index: number, to: OutlineMove): OutlineEdit {
  const lines = text.split("\n");
  const headings = headings_of(text);
  const own = headings[index]!;
  const refuse = (code: string, message: string) => new EngineError(code, message, "choose another place or level, or move the text by hand");
  const end_of = (at: number) => (headings.slice(at + 1).find((one) => one.level <= headings[at]!.level)?.line ?? lines.length + 1) - 1;
  const siblings = headings.flatMap((one, at) => (one.parent === own.parent ? [at] : []));
  const beside = siblings[siblings.indexOf(index) + (to.kind === "up" ? -1 : 1)];
  const start = own.line - 1;
  const end = end_of(index);

  let place = start;
  let level = own.level;
  if (to.kind === "promote" || to.kind === "demote") level += to.kind === "demote" ? 1 : -1;
  else if (to.kind === "up" || to.kind === "down") {
    if (beside === undefined) throw refuse("at_the_end", `\`${own.text}\` is the ${to.kind === "up" ? "first" : "last"} section of its level here`);
    place = to.kind === "up" ? headings[beside]!.line - 1 : end_of(beside);
  } else {
    const there: HeadingView = headings[to.at]!;
    if (there.line > start && there.line <= end) throw refuse("no_such_place", `section \`${own.text}\` cannot be moved into itself`);
    const child = headings.find((one, at) => one.parent === to.at && at !== index);
    place = to.kind === "before" ? there.line - 1 : to.kind === "first_child" ? (child?.line ?? end_of(to.at) + 1) - 1 : end_of(to.at);
    level = to.kind === "before" || to.kind === "after" ? there.level : (child?.level ?? there.level + 1);
  }
  const deepest = Math.max(...headings.filter((one) => one.line > start && one.line <= end).map((one) => one.level));
  if (level < 1) throw refuse("no_such_place", `\`${own.text}\` is of level 1 already`);
  if (deepest + level - own.level > 6) throw refuse("no_such_place", `heading \`${own.text}\` would be of level 7, and there are only 6`);
  const is_heading = new Set(headings.map((one) => one.line - 1));
  const block = lines.slice(start, end).map((line, n) => (is_heading.has(start + n) ? line.replace(/^#+/, (marks) => "#".repeat(marks.length + level - own.level)) : line));

  const offset = (line: number) => lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0);
  const change = (from: number, to_: number, some: string[]) => ({ from: offset(from), to: offset(to_) - 1, insert: some.join("\n") });
  if (place >= start && place <= end) {
    const is_same = level === own.level;
    return { changes: is_same ? [] : [change(start, end, block)], line: own.line, level };
  }
  const without = [...lines.slice(0, start), ...lines.slice(end)];
  const at = place > start ? place - (end - start) : place;
  const after = [...without.slice(0, at), ...block, ...without.slice(at)];
  const [from, to_] = [Math.min(start, place), Math.max(end, place)];
  return { changes: [change(from, to_, after.slice(from, to_))], line: at + 1, level };
}
