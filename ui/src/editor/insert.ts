// What the palette puts into a text: lists and quotes of the lines that are selected, and whole blocks on lines of their own.

import { type ChangeSpec, EditorSelection, type EditorState, type Line, type StateCommand, type TransactionSpec } from "@codemirror/state";
import { item_of } from "./lists";

/** The lines that the selection touches, without empty ones unless there is nothing else. */
function selected_lines(state: EditorState): Line[] {
  const lines: Line[] = [];
  for (const range of state.selection.ranges)
    for (let line = state.doc.lineAt(range.from); ; line = state.doc.line(line.number + 1)) {
      if (lines.at(-1)?.number !== line.number) lines.push(line);
      if (line.to >= range.to) break;
    }
  const full = lines.filter((line) => line.text.trim() !== "");
  return full.length > 0 ? full : lines;
}

/** A caret where a sign is put stays before the words, not before the sign. */
export function with_caret_behind(state: EditorState, specs: ChangeSpec): TransactionSpec {
  const changes = state.changes(specs);
  return { changes, selection: state.selection.map(changes, 1), userEvent: "input.format" };
}

/** Makes a list of the lines, or lines of the list. */
export function toggle_list(numbered: boolean): StateCommand {
  return ({ state, dispatch }) => {
    if (state.readOnly) return false;
    const lines = selected_lines(state);
    const is_one = (line: Line) => {
      const item = item_of(line.text);
      return item !== null && (item.end !== "") === numbered;
    };
    const undo = lines.every(is_one);
    const changes = lines.map((line, n) => {
      const item = item_of(line.text);
      const lead = item ? item.quote.length + item.indent.length : /^(?:[ \t]*>[ \t]?)*[ \t]*/.exec(line.text)![0].length;
      const old = item ? item.mark.length + item.end.length + item.gap.length : 0;
      return { from: line.from + lead, to: line.from + lead + old, insert: undo ? "" : numbered ? `${n + 1}. ` : "- " };
    });
    dispatch(state.update(with_caret_behind(state, changes)));
    return true;
  };
}

/** Makes a quote of the lines, or lines of the quote. */
export const toggle_quote: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false;
  const lines = selected_lines(state);
  const [first, last] = [lines[0]!, lines.at(-1)!];
  const undo = lines.every((line) => /^[ \t]*>/.test(line.text));
  const changes: { from: number; to?: number; insert?: string }[] = [];
  for (let number = first.number; number <= last.number; number++) {
    const line = state.doc.line(number);
    const sign = /^[ \t]*>[ \t]?/.exec(line.text)?.[0];
    if (!undo) changes.push({ from: line.from, insert: line.text === "" ? ">" : "> " });
    else if (sign) changes.push({ from: line.from, to: line.from + sign.length });
  }
  dispatch(state.update(with_caret_behind(state, changes)));
  return true;
};

/** Puts a block around the lines that are selected; a `\u0000` in `before` is where the caret goes, or it goes behind them. */
export function insert_block(before: string, prefix: string, after: string): StateCommand {
  return ({ state, dispatch }) => {
    if (state.readOnly) return false;
    const { main } = state.selection;
    const first = state.doc.lineAt(main.from);
    const last = state.doc.lineAt(main.to);
    const is_blank = main.empty && first.text.trim() === "";
    const inside = main.empty ? [""] : state.sliceDoc(first.from, last.to).split("\n");
    const from = main.empty ? (is_blank ? first.from : first.to) : first.from;
    const above = is_blank || !main.empty ? (first.number > 1 && state.doc.line(first.number - 1).text.trim() !== "" ? "\n" : "") : "\n\n";
    const head = `${above}${before}`;
    const body = inside.map((line) => prefix + line).join("\n");
    const below = last.number < state.doc.lines && state.doc.line(last.number + 1).text.trim() !== "" ? "\n" : "";
    const caret = head.includes("\u0000") ? head.indexOf("\u0000") : head.length + body.length;
    const insert = `${head.replace("\u0000", "")}${body}${after}${below}`;
    dispatch(state.update({ changes: { from, to: last.to, insert }, selection: { anchor: from + caret }, scrollIntoView: true, userEvent: "input.format" }));
    return true;
  };
}

/** Puts the sign of a new footnote at the caret and its text at the end of the note, where the caret goes. */
export const insert_footnote: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false;
  const text = state.sliceDoc();
  const taken = [...text.matchAll(/\[\^(\d+)\]/g)].map((match) => Number(match[1]));
  const name = Math.max(0, ...taken) + 1;
  const { to } = state.selection.main;
  const gap = text === "" || text.endsWith("\n\n") ? "" : text.endsWith("\n") ? (/(?:^|\n)\[\^[^\]\n]+\]:[^\n]*\n$/.test(text) ? "" : "\n") : "\n\n";
  const sign = `[^${name}]`;
  const definition = `${gap}[^${name}]: `;
  dispatch(
    state.update({
      changes: [
        { from: to, insert: sign },
        { from: state.doc.length, insert: definition },
      ],
      selection: EditorSelection.cursor(state.doc.length + sign.length + definition.length),
      scrollIntoView: true,
      userEvent: "input.format",
    }),
  );
  return true;
};
