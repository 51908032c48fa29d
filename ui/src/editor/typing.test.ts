import { EditorSelection, EditorState, type TransactionSpec } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { paste_link, wrap_selection } from "./typing";

function apply(marked: string, act: (state: EditorState) => TransactionSpec | null): string | null {
  const [from, to] = [marked.indexOf("‹"), marked.indexOf("›") - 1];
  const state = EditorState.create({ doc: marked.replace(/[‹›]/g, ""), selection: EditorSelection.range(from, to) });
  const spec = act(state);
  if (!spec) return null;
  const after = state.update(spec).state;
  const { main } = after.selection;
  const text = after.sliceDoc();
  return main.empty ? text : `${text.slice(0, main.from)}‹${text.slice(main.from, main.to)}›${text.slice(main.to)}`;
}

describe("typing a sign over words", () => {
  it.each([
    ["a ‹b› c", "*", "a *‹b›* c"],
    ["a *‹b›* c", "*", "a **‹b›** c"],
    ["a =‹b›= c", "=", "a ==‹b›== c"],
    ["‹x›", "`", "`‹x›`"],
    ["‹x›", "_", "_‹x›_"],
    ["‹x›", "a", null],
    ["‹›x", "*", null],
  ])("%j and %j make %j", (before, sign, after) => expect(apply(before, (state) => wrap_selection(state, sign))).toBe(after));
});

describe("pasting an address", () => {
  it.each([
    ["see ‹this› now", "https://x.example/a", "see [this](https://x.example/a) now"],
    ["‹this›", " https://x.example/a\n", "[this](https://x.example/a)"],
    ["‹this›", "https://x.example/a(b)", "[this](<https://x.example/a(b)>)"],
    ["‹this›", "no address", null],
    ["‹this›", "https://x.example two", null],
    ["‹https://old.example›", "https://x.example", null],
    ["[a](‹b›)", "https://x.example", null],
    ["[[‹b›]]", "ftp://x.example", null],
    ["a‹›b", "https://x.example", null],
    ["‹a\nb›", "https://x.example", null],
  ])("over %j, %j, makes %j", (before, pasted, after) => expect(apply(before, (state) => paste_link(state, pasted))).toBe(after));
});
