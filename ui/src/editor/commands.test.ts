import { EditorSelection, EditorState, type StateCommand } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { commands as window_list } from "../state/commands.svelte";
import { open_window } from "../test/window";
import { EDITOR_COMMANDS, toggle_task } from "./commands";
import { text_start } from "./setup";

/** Runs a command on a text where `<` and `>` bound the selection, or `$` is the caret. */
function run(command: StateCommand, marked: string): string {
  const caret = marked.indexOf("$");
  const [from, to] = caret >= 0 ? [caret, caret] : [marked.indexOf("‹"), marked.indexOf("›") - 1];
  let state = EditorState.create({ doc: marked.replace(/[$‹›]/g, ""), selection: EditorSelection.range(from, to) });
  command({ state, dispatch: (tr) => (state = tr.state) });
  return state.sliceDoc();
}

const named = (id: string) => EDITOR_COMMANDS.find((one) => one.id === id)!.run;

describe("formatting", () => {
  it.each([
    ["bold", "a ‹word› b", "a **word** b"],
    ["bold", "a **‹word›** b", "a word b"],
    ["bold", "a wo$rd b", "a **word** b"],
    ["italic", "a ‹word› b", "a *word* b"],
    ["italic", "a **‹word›** b", "a ***word*** b"],
    ["italic", "a ***‹word›*** b", "a **word** b"],
    ["highlight", "‹x›", "==x=="],
    ["link", "see ‹this›", "see [[|this]]"],
    ["heading_2", "text$", "## text"],
    ["heading_2", "### text$", "## text"],
    ["heading_2", "## text$", "text"],
  ])("%s turns %j into %j", (id, before, after) => expect(run(named(id), before)).toBe(after));
});

describe("tasks", () => {
  it.each([
    ["text$", "- [ ] text"],
    ["- item$", "- [ ] item"],
    ["- [ ] task$", "- [x] task"],
    ["  1. [x] task$", "  1. [ ] task"],
    ["> - [ ] quoted$", "> - [x] quoted"],
    ["- [ ] ‹a\n- [x] b›", "- [x] a\n- [ ] b"],
  ])("turn %j into %j", (before, after) => expect(run(toggle_task, before)).toBe(after));
});

describe("keys", () => {
  it("of the text and of the window do not clash", async () => {
    await open_window();
    const of_window = new Set(window_list.list.flatMap((command) => command.keys ?? []));
    expect(EDITOR_COMMANDS.filter((command) => command.key && of_window.has(command.key))).toEqual([]);
  });
});

describe("text_start", () => {
  it.each([
    ["# A", 0],
    ["---\na: 1\n---\n# A", 13],
    ["---\n---\nx", 8],
    ["---\nnever closed", 0],
    ["text\n---\n", 0],
  ])("of %j is %i", (text, at) => expect(text_start(text)).toBe(at));
});
