import { beforeEach, describe, expect, it, vi } from "vitest";
import { fresh } from "../test/window";
import { dress, pressed, toggled_task } from "./dress";

function page(html: string, writable = true): HTMLElement {
  const root = document.createElement("article");
  root.innerHTML = html;
  dress(root, [], writable);
  return root;
}

beforeEach(() => void fresh());

describe("the dressed page", () => {
  it("puts the properties below the title", () => {
    expect([...page('<dl class="properties"></dl><h1>T</h1><p>x</p>').children].map((one) => one.tagName)).toEqual(["H1", "DL", "P"]);
  });

  it("lets each block run the way its own words do, where words run both ways", () => {
    const root = page(
      "<h2>T</h2><p>نص</p><ul><li>(1) نص</li></ul><ol><li>x نص</li></ol><table><tbody><tr><td>نص</td></tr></tbody></table><blockquote><p>כ x</p></blockquote>",
    );
    expect([...root.querySelectorAll<HTMLElement>("h2, p, li, td")].map((one) => one.dir)).toEqual(Array(6).fill("auto"));
    expect([...root.querySelectorAll<HTMLElement>("ul, ol, blockquote")].map((one) => one.dir)).toEqual(["rtl", "ltr", "rtl"]);
    expect(page("<p>x</p>").querySelector("p")!.hasAttribute("dir")).toBe(false);
  });

  it("shows the vault's own pictures and players, and none from outside", () => {
    const root = page(
      '<img data-vault-src="a b.png" alt="a"><span class="attachment-embed" data-kind="audio" data-vault-src="s.mp3"></span><span class="remote-image" tabindex="0" data-src="https://x.example/i.png">Load</span>',
    );
    expect(root.querySelector("img")!.src).toBe("vault-asset://localhost/a%20b.png");
    expect(root.querySelector("audio")!.getAttribute("src")).toBe("vault-asset://localhost/s.mp3");
    expect(root.querySelectorAll("img").length).toBe(1);
    expect(root.querySelector(".remote-image")!.textContent).toContain("x.example");
  });

  it("locks the boxes of a note that cannot be written, and of embedded notes", () => {
    const html = '<li data-task=" "><input type="checkbox" data-line="3"> a</li><li><input type="checkbox" data-note="B.md" data-note-line="3"> b</li>';
    expect([...page(html).querySelectorAll("input")].map((one) => one.disabled)).toEqual([false, true]);
    expect([...page(html, false).querySelectorAll("input")].map((one) => one.disabled)).toEqual([true, true]);
  });

  it("gives callouts their icon and what folds its arrow", () => {
    const root = page('<div class="callout" data-callout="tip"><div class="callout-title">T</div></div><div class="callout" data-callout="bug"><details><summary class="callout-title">B</summary></details></div>');
    expect([...root.querySelectorAll(".callout-title")].map((title) => title.querySelectorAll("svg").length)).toEqual([1, 2]);
  });

  it("draws formulas, and shows a wrong one with the reason", async () => {
    const root = page('<span class="math inline">x^2</span><div class="math block">\\frac{1</div>');
    await vi.waitFor(() => expect(root.querySelector(".math.inline math")).toBeTruthy());
    const wrong = root.querySelector(".math.block")!;
    expect(wrong.classList.contains("is-wrong")).toBe(true);
    expect(wrong.textContent).toMatch(/^\\frac\{1 .*expected '}'$/);
  });

  it("colours code in its language and copies it as it is written", async () => {
    const copied: string[] = [];
    vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText: async (text: string) => void copied.push(text) } });
    const root = page('<pre><code class="language-js">const a = "&lt;b&gt;";\n</code></pre>');
    await vi.waitFor(() => expect(root.querySelector(".tok-keyword")?.textContent).toBe("const"));
    expect(root.querySelector("code")!.textContent).toBe('const a = "<b>";\n');
    root.querySelector<HTMLElement>("button.copy-code")!.click();
    expect(copied).toEqual(['const a = "<b>";']);
    vi.unstubAllGlobals();
  });
});

describe("pressed", () => {
  const cases: [name: string, html: string, means: unknown][] = [
    ["an internal link", '<a class="internal-link" data-href="Note#Part" href="#">x</a>', { kind: "internal", target: "Note#Part", from: null }],
    [
      "a link in an embed",
      '<div class="internal-embed" data-path="B.md"><div class="embed-content"><p><a data-href="C" href="#">x</a></p></div></div>',
      { kind: "internal", target: "C", from: "B.md" },
    ],
    ["an external link", '<a class="external-link" data-external="https://x.example" href="https://x.example">x</a>', { kind: "external", url: "https://x.example" }],
    ["a link to a vault", '<a class="external-link" data-external="obsidian://open?vault=v" href="#">x</a>', { kind: "vault_link", url: "obsidian://open?vault=v" }],
    ["a foreign scheme", '<a class="external-link" data-external="zotero://select" href="#">x</a>', { kind: "nothing" }],
    ["a tag", '<a class="tag" data-tag="a/b" href="#">#a/b</a>', { kind: "tag", tag: "a/b" }],
    ["a footnote", '<a class="footnote-link" href="#fn-1">1</a>', { kind: "place", id: "fn-1" }],
    ["a remote picture", '<a></a><span class="remote-image" data-src="https://x.example/i.png">x</span>', { kind: "external", url: "https://x.example/i.png" }],
    ["a task", '<input type="checkbox" data-line="7">', { kind: "task", line: 7 }],
    ["text", "<p>x</p>", null],
  ];
  it.each(cases)("%s", (_, html, means) => {
    const root = document.createElement("div");
    root.innerHTML = html;
    const all = root.querySelectorAll<HTMLElement>("*");
    expect(pressed(all[all.length - 1]!)).toEqual(means);
  });
});

describe("toggled_task", () => {
  it.each([
    ["- [ ] a", "- [x] a"],
    ["- [x] a", "- [ ] a"],
    ["\t* [/] a", "\t* [ ] a"],
    ["> 1. [ ] a", "> 1. [x] a"],
    ["12) [-] a", "12) [ ] a"],
    ["- [✅] a", "- [ ] a"],
    ["- [🏔] a", "- [ ] a"],
  ])("turns %j into %j", (line, after) => {
    const change = toggled_task(line)!;
    expect(line.slice(0, change.at) + change.insert + line.slice(change.at + change.length)).toBe(after);
  });
  it.each(["- a", "[ ] a", "- [](x)", "text - [ ] a"])("leaves %j", (line) => expect(toggled_task(line)).toBeNull());
});
