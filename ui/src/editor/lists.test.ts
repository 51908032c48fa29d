import { EditorSelection, EditorState, type StateCommand } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { break_in_item, continue_list, dedent_item, indent_item, item_of, move_item_down, move_item_up } from "./lists";
import { markdown_support } from "./syntax";

/** Runs a command on a text where `$` is the caret, or `‹` and `›` bound the selection; the caret is in what comes back. */
function run(command: StateCommand, marked: string): string | null {
  const caret = marked.indexOf("$");
  const [from, to] = caret >= 0 ? [caret, caret] : [marked.indexOf("‹"), marked.indexOf("›") - 1];
  let state = EditorState.create({ doc: marked.replace(/[$‹›]/g, ""), selection: EditorSelection.range(from, to), extensions: [markdown_support()] });
  if (!command({ state, dispatch: (tr) => (state = tr.state) })) return null;
  if (caret < 0) return state.sliceDoc();
  const { head } = state.selection.main;
  return `${state.sliceDoc(0, head)}$${state.sliceDoc(head)}`;
}

describe("Enter", () => {
  it.each<[string, string | null]>([
    ["- a$", "- a\n- $"],
    ["- a$b", "- a\n- $b"],
    ["- a$ b", "- a\n- $b"],
    ["* [x] done$", "* [x] done\n* [ ] $"],
    ["- [/] half$", "- [/] half\n- [ ] $"],
    ["- x\n\t- a$", "- x\n\t- a\n\t- $"],
    ["1. a$\n2. b\n3. c", "1. a\n2. $\n3. b\n4. c"],
    ["1. a$\n\t- x\n2. b", "1. a\n2. $\n\t- x\n3. b"],
    ["9) a$", "9) a\n10) $"],
    ["1. a$\n1. b", "1. a\n1. $\n1. b"],
    ["1. a$\n5. b", "1. a\n2. $\n5. b"],
    ["- a\n- $", "- a\n$"],
    ["- [ ] $", "$"],
    ["- a\n\t- $", "- a\n- $"],
    ["> - a$", "> - a\n> - $"],
    ["> - $", "> $"],
    ["> quote$", "> quote\n> $"],
    ["> > quote\n> > $", "> > quote\n> $"],
    ["> quote\n> $", "> quote\n$"],
    ["plain$", null],
    ["$- a", null],
    ["```\n- a$\n```", null],
    ["---\ntags:\n- a$\n---\n", null],
    ["**bold**$", null],
  ])("turns %j into %j", (before, after) => expect(run(continue_list, before)).toBe(after));
});

describe("Shift Enter", () => {
  it.each<[string, string | null]>([
    ["- a$", "- a\n  $"],
    ["1. x\n\t- a$", "1. x\n\t- a\n\t  $"],
    ["10. a$", "10. a\n    $"],
    ["plain$", null],
  ])("turns %j into %j", (before, after) => expect(run(break_in_item, before)).toBe(after));
});

describe("Tab", () => {
  it.each<[string, string | null]>([
    ["- a\n- b$", "- a\n\t- b$"],
    ["- a\n- b$\n\t- c\n- d", "- a\n\t- b$\n\t\t- c\n- d"],
    ["- a\n  - b\n- c$", "- a\n  - b\n  - c$"],
    ["- a$\n- b", "- a$\n- b"],
    ["1. a\n2. b$\n3. c", "1. a\n\t1. b$\n2. c"],
    ["1. a\n\t1. x\n2. b$\n3. c", "1. a\n\t1. x\n\t2. b$\n2. c"],
    ["5. a\n7. b$", "5. a\n\t7. b$"],
    ["> - a\n> - b$", "> - a\n> \t- b$"],
    ["plain$", null],
    ["- a\n‹- b\n- c›\n- d", "- a\n\t- b\n\t- c\n- d"],
  ])("turns %j into %j", (before, after) => expect(run(indent_item, before)).toBe(after));
});

describe("Shift Tab", () => {
  it.each<[string, string | null]>([
    ["- a\n\t- b$\n\t\t- c", "- a\n- b$\n\t- c"],
    ["- a\n    - b$", "- a\n- b$"],
    ["- a$", "- a$"],
    ["1. a\n\t1. b$\n2. c", "1. a\n2. b$\n3. c"],
    ["plain$", null],
  ])("turns %j into %j", (before, after) => expect(run(dedent_item, before)).toBe(after));
});

describe("Alt and an arrow", () => {
  it.each<[StateCommand, string, string | null]>([
    [move_item_up, "- a\n\t- x\n- b$\n\t- y", "- b$\n\t- y\n- a\n\t- x"],
    [move_item_down, "- a$\n\t- x\n- b\n\t- y", "- b\n\t- y\n- a$\n\t- x"],
    [move_item_up, "1. a\n2. b$\n3. c", "1. b$\n2. a\n3. c"],
    [move_item_down, "3. a\n4. b$\n5. c", "3. a\n4. c\n5. b$"],
    [move_item_up, "- a\n\t- x$", "- a\n\t- x$"],
    [move_item_down, "- a\n- b$", "- a\n- b$"],
    [move_item_up, "plain\n$more", null],
  ])("moves an item with its own", (command, before, after) => expect(run(command, before)).toBe(after));
});

describe("an item", () => {
  it.each(["-", "-a", "1.a", "1", "text", "**b**", "--- ", "1."])("is not %j", (text) => expect(item_of(text)).toBeNull());
});
