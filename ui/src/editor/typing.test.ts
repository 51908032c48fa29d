import { EditorSelection, EditorState, type TransactionSpec } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { markdown_support } from "./syntax";
import { paste_link, paste_page, wrap_selection } from "./typing";

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

describe("pasting a piece of a page", () => {
  const paste = (text: string, at: number, html: string, plain: string) => {
    const state = EditorState.create({ doc: text, selection: { anchor: at }, extensions: [markdown_support()] });
    const spec = paste_page(state, html, plain);
    return spec && state.update(spec).state.sliceDoc();
  };
  it("makes Markdown of it", () => expect(paste("a ", 2, "<b>b</b>", "b")).toBe("a **b**"));
  it.each([
    ["in code", "```\n\n```", 4, "<b>b</b>", "b"],
    ["of Markdown", "", 0, "<b># b</b>", "# b"],
    ["without shapes", "", 0, "<p>b</p>", "b"],
  ])("leaves it plain %s", (_, text, at, html, plain) => expect(paste(text, at, html, plain)).toBeNull());
});
