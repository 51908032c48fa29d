import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { markdown_support } from "../syntax";
import { preview } from "./preview";
import { cells_of } from "./tables";

/** What a person sees of a text: hidden signs are gone, drawn ones stand in angle brackets. */
function seen(text: string, caret: number | null = null): string {
  const state = EditorState.create({ doc: text, selection: { anchor: caret ?? 0 }, extensions: [markdown_support()] });
  ensureSyntaxTree(state, text.length, 5000);
  const gone: { from: number; to: number; drawn: boolean }[] = [];
  preview(state, [{ from: 0, to: text.length }], caret !== null).between(0, text.length, (from, to, value) => {
    if (from < to && value.spec.class === undefined) gone.push({ from, to, drawn: value.spec.widget !== undefined });
  });
  let out = "";
  let at = 0;
  for (const { from, to, drawn } of gone.sort((a, b) => a.from - b.from)) {
    if (from < at) continue;
    out += text.slice(at, from) + (drawn ? "‹›" : "");
    at = to;
  }
  return out + text.slice(at);
}

describe("live preview", () => {
  it.each([
    ["## Head", "Head"],
    ["a **b** *c* ~~d~~ ==e==", "a b c d e"],
    ["`code`", "code"],
    ["see [[Note]]", "see Note"],
    ["see [[Note|shown]]", "see shown"],
    ["see [[Note#Part]]", "see Note‹›Part"],
    ["see [[#Part]]", "see Part"],
    ["![[Note]]", "Note"],
    ["![[pic.png|300]]", "‹›"],
    ["![alt](pic.png)", "‹›"],
    ["![alt](https://x.example/i.png)", "alt"],
    ["![](https://x.example/i.png)", "![](https://x.example/i.png)"],
    ["- [/] half", "‹›half"],
    ["[text](https://x.example)", "text"],
    ["- [ ] task", "‹›task"],
    ["- item", "‹›item"],
    ["1. item", "1. item"],
    ["> quote", "quote"],
    ["> [!tip] Title\n> body", "‹›Title\nbody"],
    ["> [!tip]\n> body", "‹›\nbody"],
    ["```js\nx\n```", "js\nx\n"],
    ["a \\*b\\*", "a *b*"],
    ["see [[Note#A#B]]", "see Note‹›A‹›B"],
    ["<https://x.example>", "https://x.example"],
    ["a $x^2$ b", "a ‹› b"],
    ["a[^1] b^[c]", "a1 bc"],
    ["> > nested", "nested"],
    ["> [!tip] A\n> > [!bug] B\n> > c", "‹›A\n‹›B\nc"],
    ["> quote\n> goes", "quote\ngoes"],
    ["- [?] a\n- [-] b", "‹›a\n‹›b"],
    ["## Head ##", "Head "],
    ["no [[link", "no [[link"],
    ["#tag and # no", "#tag and # no"],
  ])("shows %j as %j", (text, shown) => expect(seen(text)).toBe(shown));

  it.each([
    ["## Head", 4],
    ["see [[Note]] here", 7],
    ["a **b** c", 4],
    ["- [ ] task", 2],
    ["a $x$ b", 3],
    ["> > nested\n> out", 11],
    ["```js\nx\n```", 6],
    ["a[^1] b", 3],
    ["> [!tip] Title\n> body", 17],
  ])("shows %j as it is written while the caret is in it", (text, caret) => expect(seen(text, caret)).toBe(text));

  it.each([
    ["see ![[a.png]] x", 8, [14]],
    ["![](a.png)", 10, [10]],
    ["![](https://x.example/a.png)", 3, []],
    ["![[Note]]", 4, []],
  ])("shows the picture of %j behind its link while that is written", (text, caret, places) => {
    const state = EditorState.create({ doc: text, selection: { anchor: caret }, extensions: [markdown_support()] });
    ensureSyntaxTree(state, text.length, 5000);
    const found: number[] = [];
    preview(state, [{ from: 0, to: text.length }], true).between(0, text.length, (from, to, value) => void (from === to && value.spec.widget && found.push(from)));
    expect(found).toEqual(places);
    expect(seen(text, caret)).toBe(text);
  });

  it("shows only what the caret touches", () => expect(seen("**a** and **b**", 1)).toBe("**a** and b"));
});

describe("cells", () => {
  it.each([
    ["| a | b |", ["a", "b"]],
    ["a | b", ["a", "b"]],
    ["| [[N\\|x]] | `c|d` |", ["[[N\\|x]]", "`c|d`"]],
    ["| | b |", ["", "b"]],
  ])("of %j", (line, found) => expect(cells_of(line).map(({ from, to }) => line.slice(from, to))).toEqual(found));
});
