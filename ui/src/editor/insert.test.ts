import { EditorSelection, EditorState, type StateCommand } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { insert_block, insert_footnote, toggle_list, toggle_quote } from "./insert";

/** Runs a command on a text where `‹` and `›` bound the selection, or `|` is the caret; the caret is in what comes back. */
function run(command: StateCommand, marked: string): string {
  const caret = marked.indexOf("|");
  const [from, to] = caret >= 0 ? [caret, caret] : [marked.indexOf("‹"), marked.indexOf("›") - 1];
  let state = EditorState.create({ doc: marked.replace(/[|‹›]/g, ""), selection: EditorSelection.range(from, to) });
  command({ state, dispatch: (tr) => (state = tr.state) });
  const { head } = state.selection.main;
  return caret >= 0 ? `${state.sliceDoc(0, head)}|${state.sliceDoc(head)}` : state.sliceDoc();
}

describe("lists and quotes", () => {
  it.each<[StateCommand, string, string]>([
    [toggle_list(false), "‹a\n\nb›", "- a\n\n- b"],
    [toggle_list(false), "‹- a\n- b›", "a\nb"],
    [toggle_list(false), "‹1. a\n  2. b›", "- a\n  - b"],
    [toggle_list(true), "‹a\nb›", "1. a\n2. b"],
    [toggle_list(true), "‹- [ ] a\n- b›", "1. [ ] a\n2. b"],
    [toggle_list(true), "> |a", "> 1. |a"],
    [toggle_quote, "‹a\n\nb›", "> a\n>\n> b"],
    [toggle_quote, "‹> a\n>\n> b›", "a\n\nb"],
  ])("%# of %j", (command, before, after) => expect(run(command, before)).toBe(after));
});

describe("blocks", () => {
  const code = insert_block("```\u0000\n", "", "\n```");
  const callout = insert_block("> [!note] \u0000\n", "> ", "");
  const math = insert_block("$$\n", "", "\n$$");
  it.each<[StateCommand, string, string]>([
    [code, "|", "```|\n\n```"],
    [code, "text|", "text\n\n```|\n\n```"],
    [code, "text\n|\nmore", "text\n\n```|\n\n```\n\nmore"],
    [code, "‹a\nb›", "```\na\nb\n```"],
    [math, "‹x›", "$$\nx\n$$"],
    [math, "|", "$$\n|\n$$"],
    [callout, "|", "> [!note] |\n> "],
    [callout, "‹a\nb›", "> [!note] \n> a\n> b"],
  ])("%# of %j", (command, before, after) => expect(run(command, before)).toBe(after));
});

describe("a footnote", () => {
  it.each([
    ["a| b", "a[^1] b\n\n[^1]: |"],
    ["a[^1] b|\n\n[^1]: x\n", "a[^1] b[^2]\n\n[^1]: x\n[^2]: |"],
    ["a|\n", "a[^1]\n\n[^1]: |"],
  ])("in %j", (before, after) => expect(run(insert_footnote, before)).toBe(after));
});
