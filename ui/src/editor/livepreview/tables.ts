// Tables: where their cells are in the text, and how they look drawn.

import { type InlineWorld, write_inline } from "./inline";

/** A cell's text without the blanks around it, by its place in the line. */
export interface Cell {
  from: number;
  to: number;
}

export type Align = "left" | "center" | "right" | null;

/** Finds the cells of a row: they are parted by bars that are neither escaped nor in code. */
export function cells_of(line: string): Cell[] {
  const bars: number[] = [];
  let ticks = 0;
  for (let at = 0; at < line.length; at++) {
    const sign = line[at];
    if (sign === "\\") at++;
    else if (sign === "`") {
      let n = 1;
      while (line[at + n] === "`") n++;
      if (ticks === 0 && line.indexOf("`".repeat(n), at + n) >= 0) ticks = n;
      else if (ticks === n) ticks = 0;
      at += n - 1;
    } else if (sign === "|" && ticks === 0) bars.push(at);
  }
  const start = /^[\s>]*/.exec(line)![0].length;
  const end = line.trimEnd().length;
  if (bars[0] !== start) bars.unshift(start - 1);
  if (bars.at(-1) !== end - 1 || bars.length === 1) bars.push(end);
  return bars.slice(0, -1).map((bar, at) => trimmed(line, bar + 1, bars[at + 1]!));
}

function trimmed(line: string, from: number, to: number): Cell {
  while (from < to && /[ \t]/.test(line[from]!)) from++;
  while (to > from && /[ \t]/.test(line[to - 1]!)) to--;
  return { from, to };
}

/** Reads the line of dashes: how each column is aligned. */
export function aligns_of(line: string): Align[] {
  return cells_of(line).map(({ from, to }) => {
    const cell = line.slice(from, to);
    return /^:-*:$/.test(cell) ? "center" : cell.endsWith(":") ? "right" : cell.startsWith(":") ? "left" : null;
  });
}

/** Whether a line is the line of dashes below the head of a table. */
export function is_delimiter(line: string): boolean {
  return line.includes("-") && /^[\s>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/.test(line);
}

/** Draws a table. Each cell knows its row in the text and where in that row its text ends. */
export function draw_table(source: string, world: InlineWorld): HTMLElement | null {
  const lines = source.split("\n");
  if (lines.length < 2) return null;
  const align = aligns_of(lines[1]!);
  const head = cells_of(lines[0]!);
  const row = (at: number, kind: "th" | "td") => {
    const line = lines[at]!;
    const found = cells_of(line);
    const made = document.createElement("tr");
    head.forEach((_, column) => {
      const cell = document.createElement(kind);
      const place = found[column];
      cell.style.textAlign = align[column] ?? "start";
      cell.dir = "auto";
      cell.dataset.row = String(at);
      cell.dataset.column = String(place?.to ?? line.length);
      if (place) write_inline(cell, line.slice(place.from, place.to), world);
      made.append(cell);
    });
    return made;
  };
  const table = document.createElement("table");
  const top = table.createTHead();
  top.append(row(0, "th"));
  const body = table.createTBody();
  lines.forEach((_, at) => at > 1 && body.append(row(at, "td")));
  return table;
}
