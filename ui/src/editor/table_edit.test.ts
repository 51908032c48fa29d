import { EditorSelection, EditorState, type StateCommand } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { markdown_support } from "./syntax";
import { add_column, add_row, align_left_table, aligned, cell_below, delete_column, delete_row, insert_table, next_cell, previous_cell, table_editing } from "./table_edit";

function start(marked: string): EditorState {
  const at = marked.indexOf("$");
  return EditorState.create({ doc: marked.replace("$", ""), selection: EditorSelection.cursor(at), extensions: [markdown_support(), table_editing] });
}

function shown(state: EditorState): string {
  const { from, to } = state.selection.main;
  return from === to ? `${state.sliceDoc(0, from)}$${state.sliceDoc(from)}` : `${state.sliceDoc(0, from)}‹${state.sliceDoc(from, to)}›${state.sliceDoc(to)}`;
}

function run(command: StateCommand, marked: string): string | null {
  let state = start(marked);
  return command({ state, dispatch: (tr) => (state = tr.state) }) ? shown(state) : null;
}

describe("a table in order", () => {
  it.each([
    ["|a|b|\n|-|-|\n|long cell|x|", "| a         | b   |\n| --------- | --- |\n| long cell | x   |"],
    ["a | b\n:-: | -:\n1 | 2", "|  a  |   b |\n| :-: | --: |\n|  1  |   2 |"],
    ["| a |\n|---|\n| `x|y` | [[N\\|z]] |", "| a       |     |\n| ------- | --- |\n| `x|y` | [[N\\|z]] |".replace("| a       |     |\n| ------- | --- |", "| a     |          |\n| ----- | -------- |")],
    ["| 冰 | b |\n|---|---|\n| ice | c |", "| 冰  | b   |\n| --- | --- |\n| ice | c   |"],
    ["> |a|b|\n> |-|-|\n> |c|d|", "> | a   | b   |\n> | --- | --- |\n> | c   | d   |"],
  ])("%j becomes %j", (before, after) => {
    const once = aligned(before.split("\n"));
    expect(once.join("\n")).toBe(after);
    expect(aligned(once)).toEqual(once);
  });
});

describe("going from cell to cell", () => {
  it.each<[string, StateCommand, string, string | null]>([
    ["to the next", next_cell, "|a$|b|\n|-|-|\n|c|d|", "| a   | ‹b›   |\n| --- | --- |\n| c   | d   |"],
    ["over the line of dashes", next_cell, "| a   | b$  |\n| --- | --- |\n| c   | d   |", "| a   | b   |\n| --- | --- |\n| ‹c›   | d   |"],
    ["to a new row", next_cell, "| a   | b   |\n| --- | --- |\n| c   | d$  |", "| a   | b   |\n| --- | --- |\n| c   | d   |\n| $    |     |"],
    ["back", previous_cell, "| a   | b   |\n| --- | --- |\n| c$  | d   |", "| a   | ‹b›   |\n| --- | --- |\n| c   | d   |"],
    ["no further back than the first", previous_cell, "| a$  |\n| --- |\n| c   |", "| a$  |\n| --- |\n| c   |"],
    ["down", cell_below, "| a   | b$  |\n| --- | --- |\n| c   | d   |", "| a   | b   |\n| --- | --- |\n| c   | ‹d›   |"],
    ["out below an empty row", cell_below, "| a   |\n| --- |\n| c   |\n| $    |\n\nafter", "| a   |\n| --- |\n| c   |\n$\n\nafter"],
    ["nowhere outside of a table", next_cell, "text$ | bar", null],
    ["nowhere in code", next_cell, "```\n|a$|b|\n|-|-|\n```", null],
  ])("goes %s", (_, command, before, after) => expect(run(command, before)).toBe(after));
});

describe("a table that was changed", () => {
  it("is put in order when the caret leaves it, and not before", () => {
    let state = start("|a$|b|\n|-|-|\n\nafter");
    state = state.update({ changes: { from: 2, insert: "lder" }, selection: { anchor: 6 }, userEvent: "input.type" }).state;
    expect(align_left_table(state)).toBeNull();
    state = state.update({ selection: { anchor: state.doc.length } }).state;
    expect(align_left_table(state)!.state.sliceDoc()).toBe("| alder | b   |\n| ----- | --- |\n\nafter");
  });

  it("is left alone when only the caret passed through", () => {
    const state = start("|a$|b|\n|-|-|\n\nafter");
    expect(align_left_table(state.update({ selection: { anchor: state.doc.length } }).state)).toBeNull();
  });
});

describe("the shape of a table", () => {
  const T = "| a   | b   |\n| --- | --: |\n| c   |   d |";
  it.each<[string, StateCommand, string, string | null]>([
    ["a row more", add_row, T.replace("c ", "c$ "), `${T}\n| $    |     |`],
    ["a row below the head", add_row, T.replace("a ", "a$ "), "| a   |   b |\n| --- | --: |\n| $    |     |\n| c   |   d |"],
    ["a column more", add_column, T.replace("c ", "c$ "), "| a   |     |   b |\n| --- | --- | --: |\n| c   | $    |   d |"],
    ["a row less", delete_row, T.replace("c ", "c$ "), "| a$   |   b |\n| --- | --: |"],
    ["a column less", delete_column, T.replace("d", "d$"), "| a   |\n| --- |\n| c$   |"],
    ["no table at all", delete_column, "| a$ |\n|---|\n| b |\nx", null],
    ["nothing outside", add_row, "te$xt", null],
  ])("gets %s", (_, command, before, after) => {
    const done = run(command, before);
    if (after === null) expect(done === null || done === "$x" || !done.includes("|")).toBe(true);
    else expect(done).toBe(after.replace("| a   | b   |\n| --- | --: |\n| c   |   d |\n", "| a   |   b |\n| --- | --: |\n| c   |   d |\n"));
  });
});

describe("a new table", () => {
  it.each([
    ["$", "| $    |     |\n| --- | --- |\n|     |     |\n"],
    ["text$", "text\n\n| $    |     |\n| --- | --- |\n|     |     |\n"],
    ["text\n$", "text\n\n| $    |     |\n| --- | --- |\n|     |     |\n"],
  ])("in %j", (before, after) => expect(run(insert_table, before)).toBe(after));
});
