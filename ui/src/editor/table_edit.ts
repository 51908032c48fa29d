// Writing in tables: Tab and Enter go from cell to cell and make new rows, and a table that was changed is put in order when the
// caret leaves it.

import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import { type EditorState, type Extension, type StateCommand, StateField, type Transaction } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { type Align, aligns_of, cells_of, is_delimiter } from "./livepreview/tables";

interface Table {
  /** The numbers of its first and last lines. */
  first: number;
  last: number;
}

/** Finds the table around a place. */
export function table_at(state: EditorState, at: number): Table | null {
  for (const side of [-1, 1] as const)
    for (let node: ReturnType<ReturnType<typeof syntaxTree>["resolveInner"]> | null = syntaxTree(state).resolveInner(at, side); node; node = node.parent)
      if (node.name === "Table") {
        const table = { first: state.doc.lineAt(node.from).number, last: state.doc.lineAt(node.to).number };
        const line = state.doc.lineAt(at).number;
        if (line < table.first || line > table.last) continue;
        return table.last > table.first && is_delimiter(state.doc.line(table.first + 1).text) ? table : null;
      }
  return null;
}

/** Signs that take two places in a font of one width: East Asian ones and pictures. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{10ffff}]/u;

function width_of(text: string): number {
  let width = 0;
  for (const sign of text) if (!/[\p{Mn}\p{Me}\p{Cf}]/u.test(sign)) width += WIDE.test(sign) ? 2 : 1;
  return width;
}

function padded(text: string, width: number, align: Align): string {
  const free = Math.max(0, width - width_of(text));
  if (align === "right") return " ".repeat(free) + text;
  if (align === "center") return " ".repeat(Math.floor(free / 2)) + text + " ".repeat(Math.ceil(free / 2));
  return text + " ".repeat(free);
}

function dashes(width: number, align: Align): string {
  const left = align === "left" || align === "center" ? ":" : "-";
  const right = align === "right" || align === "center" ? ":" : "-";
  return left + "-".repeat(Math.max(1, width - 2)) + right;
}

/** Writes a table with its bars below each other. What the cells hold stays as it is. */
export function aligned(lines: string[]): string[] {
  const lead = /^[ \t>]*/;
  const rows = lines.map((line) => cells_of(line).map(({ from, to }) => line.slice(from, to)));
  const align = aligns_of(lines[1]!);
  const n = Math.max(rows[0]!.length, ...rows.map((row) => row.length));
  const widths = Array.from({ length: n }, (_, column) => Math.max(3, ...rows.map((row, at) => (at === 1 ? 0 : width_of(row[column] ?? "")))));
  return lines.map((line, at) => {
    const cells = widths.map((width, column) => (at === 1 ? dashes(width, align[column] ?? null) : padded(rows[at]![column] ?? "", width, align[column] ?? null)));
    return `${lead.exec(line)![0]}| ${cells.join(" | ")} |`;
  });
}

const lines_of = (state: EditorState, { first, last }: Table) => Array.from({ length: last - first + 1 }, (_, n) => state.doc.line(first + n).text);

/** Which cell of a row a place is in. */
function column_at(line: string, at: number): number {
  const cells = cells_of(line);
  const found = cells.findIndex((cell, n) => at <= cell.to || (n + 1 < cells.length && at < cells[n + 1]!.from - 1 && line.slice(cell.to, at).indexOf("|") < 0));
  return found < 0 ? Math.max(0, cells.length - 1) : found;
}

/** Goes to another cell: puts the table in order on the way, and adds a row where there is none. */
function go(to: (row: number, column: number, n_rows: number, n_columns: number) => [row: number, column: number] | "out"): StateCommand {
  return ({ state, dispatch }) => {
    const { main, ranges } = state.selection;
    if (state.readOnly || ranges.length > 1) return false;
    const table = table_at(state, main.head);
    if (!table) return false;
    const { doc } = state;
    const lines = lines_of(state, table);
    const line = doc.lineAt(main.head);
    // The line of dashes is no row.
    const row_of = (number: number) => (number <= table.first + 1 ? 0 : number - table.first - 1);
    const n_columns = cells_of(lines[0]!).length;
    const wanted = to(row_of(line.number), column_at(line.text, main.head - line.from), lines.length - 1, n_columns);
    const from = doc.line(table.first).from;
    const end = doc.line(table.last).to;
    if (wanted === "out") {
      const kept = aligned(lines.slice(0, -1)).join("\n");
      dispatch(state.update({ changes: { from, to: end, insert: `${kept}\n` }, selection: { anchor: from + kept.length + 1 }, scrollIntoView: true, userEvent: "input.table" }));
      return true;
    }
    const [row, column] = wanted;
    if (row < 0 || column < 0) return true;
    const lead = /^[ \t>]*/.exec(lines[0]!)![0];
    const all = row >= lines.length - 1 ? [...lines, `${lead}|${"  |".repeat(n_columns)}`] : lines;
    const done = aligned(all);
    const index = row === 0 ? 0 : row + 1;
    const cell = cells_of(done[index]!)[column] ?? { from: done[index]!.length, to: done[index]!.length };
    const start = from + done.slice(0, index).reduce((sum, text) => sum + text.length + 1, 0);
    // An empty cell has its caret behind the blank, where its text will begin.
    const is_empty = cell.from === cell.to;
    const caret = is_empty ? bar_before(done[index]!, column) + 2 : cell.to;
    const insert = done.join("\n");
    dispatch(
      state.update({
        changes: insert === lines.join("\n") ? [] : { from, to: end, insert },
        selection: is_empty ? { anchor: start + caret } : { anchor: start + cell.from, head: start + cell.to },
        scrollIntoView: true,
        userEvent: "input.table",
      }),
    );
    return true;
  };
}

/** The bar that a cell of an ordered row stands behind. */
function bar_before(line: string, column: number): number {
  const cells = cells_of(line);
  let at = line.indexOf("|");
  for (let n = 0; n < column; n++) at = line.indexOf("|", Math.max(at + 1, cells[n]!.to));
  return at;
}

export const next_cell = go((row, column, _, n_columns) => (column + 1 < n_columns ? [row, column + 1] : [row + 1, 0]));
export const previous_cell = go((row, column, _, n_columns) => (column > 0 ? [row, column - 1] : [row - 1, n_columns - 1]));

const below = go((row, column) => [row + 1, column]);
const leave = go(() => "out");

/** Goes to the cell below; in an empty last row it ends the table instead. */
export const cell_below: StateCommand = (target) => {
  const { state } = target;
  const table = table_at(state, state.selection.main.head);
  if (!table) return false;
  const line = state.doc.lineAt(state.selection.main.head);
  const is_empty = cells_of(line.text).every(({ from, to }) => from === to);
  return line.number === table.last && line.number > table.first + 1 && is_empty ? leave(target) : below(target);
};

/** Changes the rows and columns of the table at the caret. */
function reshape(act: (rows: string[][], row: number, column: number) => { rows: string[][]; row: number; column: number } | null): StateCommand {
  return ({ state, dispatch }) => {
    const { main } = state.selection;
    const table = state.readOnly ? null : table_at(state, main.head);
    if (!table) return false;
    const lines = lines_of(state, table);
    const lead = /^[ \t>]*/.exec(lines[0]!)![0];
    const rows = lines.map((line) => cells_of(line).map(({ from, to }) => line.slice(from, to)));
    const n = rows[0]!.length;
    for (const row of rows) while (row.length < n) row.push("");
    const line = state.doc.lineAt(main.head);
    const done = act(rows, line.number - table.first, Math.min(column_at(line.text, main.head - line.from), n - 1));
    const [from, to] = [state.doc.line(table.first).from, state.doc.line(table.last).to];
    if (!done) dispatch(state.update({ changes: { from, to: Math.min(to + 1, state.doc.length) }, selection: { anchor: from }, userEvent: "delete.table" }));
    else {
      const written = aligned(done.rows.map((row) => `${lead}| ${row.join(" | ")} |`));
      const start = from + written.slice(0, done.row).reduce((sum, text) => sum + text.length + 1, 0);
      const cell = cells_of(written[done.row]!)[done.column]!;
      const caret = cell.from === cell.to ? bar_before(written[done.row]!, done.column) + 2 : cell.to;
      dispatch(state.update({ changes: { from, to, insert: written.join("\n") }, selection: { anchor: start + caret }, scrollIntoView: true, userEvent: "input.table" }));
    }
    return true;
  };
}

export const add_row = reshape((rows, row, column) => {
  const at = Math.max(row, 1) + 1;
  return { rows: [...rows.slice(0, at), rows[0]!.map(() => ""), ...rows.slice(at)], row: at, column };
});

export const add_column = reshape((rows, row, column) => ({
  rows: rows.map((cells, at) => [...cells.slice(0, column + 1), at === 1 ? "---" : "", ...cells.slice(column + 1)]),
  row: row === 1 ? 0 : row,
  column: column + 1,
}));

/** The head of a table stays; without a row left the table goes. */
export const delete_row = reshape((rows, row, column) => {
  if (row < 2) return rows.length > 2 ? { rows, row: 0, column } : null;
  return { rows: rows.filter((_, at) => at !== row), row: row < rows.length - 1 ? row : row > 2 ? row - 1 : 0, column };
});

export const delete_column = reshape((rows, row, column) =>
  rows[0]!.length === 1 ? null : { rows: rows.map((cells) => cells.filter((_, at) => at !== column)), row: row === 1 ? 0 : row, column: Math.max(0, column - 1) },
);

/** Puts a table of two columns where the caret is, on lines of its own. */
export const insert_table: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false;
  const line = state.doc.lineAt(state.selection.main.head);
  const before = line.text.trim() === "" ? (line.number > 1 && state.doc.line(line.number - 1).text.trim() !== "" ? "\n" : "") : "\n\n";
  const from = line.text.trim() === "" ? line.from : line.to;
  const insert = `${before}|     |     |\n| --- | --- |\n|     |     |\n`;
  dispatch(state.update({ changes: { from, to: line.to, insert }, selection: { anchor: from + before.length + 2 }, scrollIntoView: true, userEvent: "input.table" }));
  return true;
};

/** Where the person changed a table that the caret has not left yet. */
const touched = StateField.define<number | null>({
  create: () => null,
  update(now, tr) {
    let next = now === null ? null : tr.changes.mapPos(now);
    if (tr.docChanged && (tr.isUserEvent("input") || tr.isUserEvent("delete")) && !tr.isUserEvent("input.table.align")) {
      const { head } = tr.state.selection.main;
      if (table_at(tr.state, head)) next = head;
    } else if (tr.isUserEvent("undo") || tr.isUserEvent("redo") || tr.isUserEvent("input.table.align")) next = null;
    return next;
  },
});

/** Returns what puts a table in order that the caret has left; null if there is none. */
export function align_left_table(state: EditorState): Transaction | null {
  const at = state.field(touched, false) ?? null;
  if (at === null || state.readOnly) return null;
  ensureSyntaxTree(state, Math.min(state.doc.length, at + 5000), 20);
  const table = table_at(state, Math.min(at, state.doc.length));
  if (!table) return null;
  const [from, to] = [state.doc.line(table.first).from, state.doc.line(table.last).to];
  if (state.selection.ranges.some((range) => range.to >= from && range.from <= to)) return null;
  const before = lines_of(state, table);
  const insert = aligned(before).join("\n");
  return state.update({ changes: insert === before.join("\n") ? [] : { from, to, insert }, userEvent: "input.table.align" });
}

export const table_editing: Extension = [
  touched,
  EditorView.updateListener.of((update) => {
    if (!update.selectionSet || update.view.composing || update.state.field(touched) === null) return;
    queueMicrotask(() => {
      const tr = update.view.dom.isConnected ? align_left_table(update.view.state) : null;
      if (tr) update.view.dispatch(tr);
    });
  }),
];
