import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { describe, expect, it } from "vitest";
import { notes } from "../../state/notes.svelte";
import { open_note, open_window, settle } from "../../test/window";
import { markdown_support } from "../syntax";
import { into_block } from "./block_keys";
import { drawn_blocks } from "./blocks";

const TEXT = "before\n\n| a | b |\n|---|---|\n| c | d |\n\n$$\nx\n$$\n\n> [!tip] T\n> | q | r |\n> |---|---|\n> | s | t |\n\n- item\n  $$\n  y\n  $$\n\nafter\n";

function start(text: string, caret = 0): EditorState {
  return EditorState.create({ doc: text, selection: { anchor: caret }, extensions: [markdown_support(), drawn_blocks({ locate: async () => null, follow: () => {} })] });
}

/** The pieces of a text that are drawn whole. */
function drawn(state: EditorState): string[] {
  const found: string[] = [];
  for (const set of state.facet(EditorView.decorations)) if (typeof set !== "function") set.between(0, state.doc.length, (from, to) => void found.push(state.sliceDoc(from, to)));
  return found;
}

describe("blocks", () => {
  it("are found wherever they stand", () => {
    expect(drawn(start(TEXT))).toEqual(["| a | b |\n|---|---|\n| c | d |", "$$\nx\n$$", "> | q | r |\n> |---|---|\n> | s | t |", "  $$\n  y\n  $$"]);
  });

  it("are found again after a change elsewhere", () => {
    const state = start(TEXT).update({ changes: { from: 0, insert: "# new\n\n" } }).state;
    expect(drawn(state)).toEqual(drawn(start(TEXT)));
  });

  it("change their looks with the callout that they stand in", () => {
    const state = start(TEXT);
    const at = TEXT.indexOf("tip");
    const kind = (of: EditorState) => {
      const kinds: unknown[] = [];
      for (const set of of.facet(EditorView.decorations)) if (typeof set !== "function") set.between(0, of.doc.length, (_f, _t, value) => void kinds.push((value.spec.widget as { around?: { kind: string } }).around?.kind));
      return kinds;
    };
    expect(kind(state)).toContain("tip");
    expect(kind(state.update({ changes: { from: at, to: at + 3, insert: "bug" } }).state)).toContain("bug");
  });

  it.each([
    ["down into a table", "before\n\n".length - 1, TEXT.indexOf("\n\n$$") + 1, "before\n\n".length],
    ["up into a table", TEXT.indexOf("\n\n$$") + 1, "before\n\n".length - 1, TEXT.indexOf("| c")],
    ["past nothing", 0, 7, null],
  ])("are entered: %s", (_, from, to, at) => expect(into_block(start(TEXT), from, to)).toBe(at));

  it("stay while the mouse is held down", async () => {
    await open_window({ notes: new Map([["A.md", "x\n\n| a | b |\n|---|---|\n| c | d |\n"]]), operations: [] });
    await open_note("A.md");
    const { view } = notes.documents.get("A.md")!;
    view!.focus();
    view!.dispatch({ selection: { anchor: 0 } });
    await settle();
    view!.contentDOM.dispatchEvent(new MouseEvent("mousedown", { button: 0, bubbles: true, cancelable: true }));
    view!.dispatch({ selection: { anchor: 0, head: 10 } });
    expect(document.querySelector(".cm-drawn-table")).toBeTruthy();
    window.dispatchEvent(new MouseEvent("mouseup"));
    await settle();
    expect(document.querySelector(".cm-drawn-table")).toBeNull();
  });
});
