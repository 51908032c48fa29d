import { EditorState } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { home_of, past_signs, pressed_edges } from "./edges";
import { markdown_support } from "./syntax";

function start(text: string, caret = 0): EditorState {
  return EditorState.create({ doc: text, selection: { anchor: caret }, extensions: [markdown_support(), pressed_edges] });
}

describe("the end of a line", () => {
  it.each([
    ["see [[Note|]]", "see [[Note]]|"],
    ["see **bold|**", "see **bold**|"],
    ["see [a|](b.md)", "see [a](b.md)|"],
    ["see ==x|==", "see ==x==|"],
    ["see **[[N|]]**", "see **[[N]]**|"],
    ["see [[No|te]]", "see [[No|te]]"],
    ["see [[Note|]] on", "see [[Note|]] on"],
    ["a * b| *", "a * b| *"],
  ])("from %j is %j", (before, after) => {
    const at = before.indexOf("|");
    const text = before.replace("|", "");
    const to = past_signs(start(text), at, 1);
    expect(`${text.slice(0, to)}|${text.slice(to)}`).toBe(after);
  });

  it("is not behind signs that are shown", () => {
    const text = "see [[Note]]";
    expect(past_signs(start(text, 8), 10, 1)).toBe(10);
  });
});

describe("the start of a line", () => {
  it.each([
    ["x", 0, 0],
    ["y **b**", 0, 0],
    ["- item words", 0, 2],
    ["  1. [ ] task", 0, 9],
  ])("in %j", (text, edge, to) => expect(home_of(start(text.replace("|l", "l")), text.length, edge)).toBe(to));
  it.each([
    ["end\n**bold** x", 6, 4],
    ["end\n[[a|b]] x", 8, 4],
    ["end\n[a](b) x", 5, 4],
  ])("is before hidden signs in %j", (text, edge, to) => expect(home_of(start(text), text.length, edge)).toBe(to));
  it("is the edge when the caret is at the first word already", () => expect(home_of(start("- item"), 2, 0)).toBe(0));
});

describe("a press", () => {
  it("behind a hidden sign goes to the end of the line", () => {
    const state = start("see [[Note]]\nnext");
    expect(state.update({ selection: { anchor: 10 }, userEvent: "select.pointer" }).state.selection.main.head).toBe(12);
    expect(state.update({ selection: { anchor: 10 }, userEvent: "select" }).state.selection.main.head).toBe(10);
  });
});
