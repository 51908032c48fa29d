import { foldedRanges } from "@codemirror/language";
import { EditorState, type StateCommand } from "@codemirror/state";
import { cleanup } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { notes } from "../state/notes.svelte";
import { tabs } from "../state/tabs.svelte";
import { open_note, open_window, settle } from "../test/window";
import { fold_all, fold_here, folding, unfold_all, unfold_here, with_first_folds } from "./folding";
import { markdown_support } from "./syntax";

function start(marked: string): EditorState {
  const caret = Math.max(0, marked.indexOf("$"));
  return with_first_folds(EditorState.create({ doc: marked.replace("$", ""), selection: { anchor: caret }, extensions: [markdown_support(), folding] }));
}

function run(state: EditorState, ...commands: StateCommand[]): EditorState {
  for (const command of commands) command({ state, dispatch: (tr) => (state = tr.state) });
  return state;
}

/** The text as it is seen: what is folded away stands as one sign. */
function seen(state: EditorState): string {
  let out = "";
  let at = 0;
  const ranges: [number, number][] = [];
  foldedRanges(state).between(0, state.doc.length, (from, to) => void ranges.push([from, to]));
  for (const [from, to] of ranges.sort(([a], [b]) => a - b)) {
    if (from < at) continue;
    out += `${state.sliceDoc(at, from)}…`;
    at = to;
  }
  return out + state.sliceDoc(at);
}

const NOTE = "# A\n\none\n\n## B\n\ntwo\n\n- x\n  - y\n- z\n\n# C\n\n```js\ncode\n```\n";

describe("folding", () => {
  it.each([
    ["a section", "# A\n\n$one\n\n## B\n\ntwo\n\n# C\n", "# A…\n\n# C\n"],
    ["the innermost section", "# A\n\n## B\n\ntw$o\n\n# C\n", "# A\n\n## B…\n\n# C\n"],
    ["a list item with its own", "- x$\n  - y\n  more\n- z", "- x…\n- z"],
    ["code", "```js\nco$de\n```\nafter", "```js…\nafter"],
    ["a callout", "> [!tip] T\n> bo$dy\n\nafter", "> [!tip] T…\n\nafter"],
    ["a heading over a line", "A\n===\n\n$text", "A\n===…"],
    ["nothing where nothing is", "plain $text\nmore", "plain text\nmore"],
  ])("folds %s", (_, marked, shown) => expect(seen(run(start(marked), fold_here))).toBe(shown));

  it("folds further out when asked again, and the caret stays in sight", () => {
    const state = run(start("# A\n\n## B\n\ntw$o\n"), fold_here, fold_here);
    expect(seen(state)).toBe("# A…\n");
    expect(state.selection.main.head).toBe(3);
  });

  it("unfolds at the caret's line", () => expect(seen(run(start("# A\n\n$one\n"), fold_here, unfold_here))).toBe("# A\n\none\n"));

  it("folds everything, and unfolds it", () => {
    const folded = run(start(NOTE), fold_all);
    expect(seen(folded)).toBe("# A…\n\n# C…\n");
    expect(seen(run(folded, unfold_all))).toBe(NOTE);
  });

  it("begins with callouts folded that say so", () => expect(seen(start("> [!tip]- T\n> body\n\n> [!tip]+ U\n> body\n"))).toBe("> [!tip]- T…\n\n> [!tip]+ U\n> body\n"));

  it("unfolds where the caret goes", () => {
    const folded = run(start("$# A\n\none\n\n# B\n"), fold_here);
    expect(seen(folded.update({ selection: { anchor: 6 } }).state)).toBe("# A\n\none\n\n# B\n");
  });

  it("stays while another note is looked at", async () => {
    await open_window({ notes: new Map([["A.md", NOTE], ["B.md", "b"]]), operations: [] });
    await open_note("A.md");
    const doc = notes.documents.get("A.md")!;
    doc.run(fold_all);
    await open_note("B.md");
    tabs.open("A.md");
    await settle();
    expect(seen(doc.state)).toBe("# A…\n\n# C…\n");
    expect(document.querySelector(".cm-fold-chip")?.getAttribute("aria-label")).toBe("Show what is folded away");
    const arrow = document.querySelector<HTMLElement>(".cm-fold-arrow[aria-expanded=false]")!;
    expect(arrow.getAttribute("aria-label")).toBe("Unfold “A”");
    arrow.click();
    expect(seen(doc.state)).toBe("# A\n\none\n\n## B…\n\n# C…\n");
  });

  it("is kept until the note is opened again, where the line is the same", async () => {
    await open_window({ notes: new Map([["A.md", NOTE]]), operations: [] });
    await open_note("A.md");
    notes.documents.get("A.md")!.run(fold_all);
    await new Promise((resolve) => setTimeout(resolve, 450));
    await tabs.close("A.md");
    await open_note("A.md");
    expect(seen(notes.documents.get("A.md")!.state)).toBe("# A…\n\n# C…\n");
    cleanup();
    await open_window({ notes: new Map([["A.md", `x${NOTE}`]]), operations: [] });
    await open_note("A.md");
    expect(seen(notes.documents.get("A.md")!.state)).toBe(`x# A\n\none\n\n## B…\n\n# C…\n`);
  });
});
