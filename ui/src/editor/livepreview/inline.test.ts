import { describe, expect, it } from "vitest";
import { write_inline } from "./inline";
import { sized } from "./pictures";
import { aligns_of, draw_table, is_delimiter } from "./tables";

const world = { locate: async () => null, grown: () => {} };

function html(source: string): string {
  const into = document.createElement("div");
  write_inline(into, source, world);
  return into.innerHTML;
}

describe("a line drawn in a cell", () => {
  it.each([
    ["==ablation==", "<mark>ablation</mark>"],
    ["a **b** *c* ~~d~~", "a <strong>b</strong> <em>c</em> <s>d</s>"],
    ["**a *b* c**", "<strong>a <em>b</em> c</strong>"],
    ["`a | b`", '<code class="cm-inline-code">a | b</code>'],
    ["`a \\| b`", '<code class="cm-inline-code">a | b</code>'],
    ["[[N\\|x]]", '<span class="cm-drawn-link" role="link" data-target="N">x</span>'],
    ["[[N#A#B]]", '<span class="cm-drawn-link" role="link" data-target="N#A#B">N &gt; A &gt; B</span>'],
    ["[a **b**](https://x.example)", '<span class="cm-drawn-link" role="link" data-url="https://x.example">a <strong>b</strong></span>'],
    ["https://x.example", '<span class="cm-drawn-link" role="link" data-url="https://x.example">https://x.example</span>'],
    ["#tag", '<span class="cm-tag" role="link" data-tag="tag">#tag</span>'],
    ["a<br>b", "a<br>b"],
    ["<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"],
    ["# not a heading", "# not a heading"],
    ["- not a list", "- not a list"],
    ["a \\| b &amp; c", "a | b &amp; c"],
    ["", ""],
  ])("%j", (source, drawn) => expect(html(source)).toBe(drawn));
});

describe("tables", () => {
  it("are drawn with the place of each cell", () => {
    const table = draw_table("| a | b |\n|:-:|--:|\n| 1 |\n", world)!;
    const cells = [...table.querySelectorAll<HTMLElement>("th, td")];
    expect(cells.slice(0, 4).map((cell) => [cell.textContent, cell.style.textAlign, cell.dataset.row, cell.dataset.column])).toEqual([
      ["a", "center", "0", "3"],
      ["b", "right", "0", "7"],
      ["1", "center", "2", "3"],
      ["", "right", "2", "5"],
    ]);
  });
  it.each([
    ["|---|:-:|", true],
    ["--- | ---", true],
    ["| a | - |", false],
    ["", false],
    ["text", false],
  ])("know the line of dashes: %j", (line, is) => expect(is_delimiter(line)).toBe(is));
  it("read how columns are aligned", () => expect(aligns_of("|---|:--|--:|:-:|")).toEqual([null, "left", "right", "center"]));
});

describe("the size of a picture", () => {
  it.each([
    ["300", { alt: null, width: 300, height: null }],
    ["640x480", { alt: null, width: 640, height: 480 }],
    ["alt|100", { alt: "alt", width: 100, height: null }],
    ["a|b|100x145", { alt: "a|b", width: 100, height: 145 }],
    ["alt", { alt: "alt", width: null, height: null }],
    ["", { alt: null, width: null, height: null }],
  ])("in %j", (label, size) => expect(sized(label)).toEqual(size));
});
