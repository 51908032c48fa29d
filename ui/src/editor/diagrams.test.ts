import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { notes } from "../state/notes.svelte";
import { tabs } from "../state/tabs.svelte";
import { expect_accessible, open_note, open_window, settle } from "../test/window";
import { diagram, known_height, redraw_diagram } from "./diagrams";
import { picture_of } from "./draw_diagram";
import { drawn_blocks } from "./livepreview/blocks";
import { markdown_support } from "./syntax";

/** What stands in for Mermaid: jsdom measures nothing. */
const asked = vi.hoisted(() => ({ sources: [] as string[], dark: [] as unknown[], hold: null as Promise<void> | null }));
vi.mock("mermaid", () => ({
  default: {
    initialize: (config: { themeVariables: { darkMode: boolean } }) => void asked.dark.push(config.themeVariables.darkMode),
    render: async (id: string, source: string) => {
      await asked.hold;
      asked.sources.push(source);
      if (source.includes("nowhere")) throw new Error("Parse error on line 2:\n...nowhere\n-----^\nExpecting 'SEMI'");
      return { svg: `<svg id="${id}" viewBox="0 0 120.4 60" width="100%" style="max-width: 120.4px"><title>${source.split("\n")[0]}</title><g><text>a<br>b</text></g></svg>` };
    },
  },
}));

beforeEach(() => {
  asked.sources = [];
  asked.hold = null;
  document.documentElement.dataset.theme = "light";
});

const frames = () => [...document.querySelectorAll<HTMLElement>("figure.diagram")];
const svg_of = (image: HTMLImageElement) => decodeURIComponent(image.src.replace(/^[^,]*,/, ""));

describe("a diagram", () => {
  it("is a picture with its own size, and says what it is", async () => {
    const frame = diagram("graph TD\na --> b");
    document.body.append(frame);
    expect(frame.textContent).toContain("a --> b");
    await settle();
    const image = frame.querySelector("img")!;
    expect([image.width, image.height, image.alt]).toEqual([121, 60, "Diagram: graph TD"]);
    expect(svg_of(image)).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
    // Well-formed, however it was written.
    expect(new DOMParser().parseFromString(svg_of(image), "image/svg+xml").querySelector("parsererror")).toBeNull();
    expect(known_height("graph TD\na --> b")).toBe(60);
    expect(document.querySelector(".diagram-bench")).toBeNull();
    frame.remove();
  });

  it("that cannot be read is shown as it is written, with the reason", async () => {
    const frame = diagram("graph TD\na -- nowhere");
    await settle();
    expect(frame.querySelector(".diagram-message")!.textContent).toBe("This diagram cannot be drawn: parse error on line 2");
    expect(frame.querySelector("pre")!.textContent).toBe("graph TD\na -- nowhere");
  });

  it("that is too long is left as it is", async () => {
    const frame = diagram("x".repeat(50_001));
    await settle();
    expect(frame.querySelector(".diagram-message")!.textContent).toContain("it is too long");
    expect(asked.sources).toEqual([]);
  });

  it("is drawn once, and is there at once the next time", async () => {
    diagram("pie\nonce");
    diagram("pie\nonce");
    await settle();
    expect(diagram("pie\nonce").querySelector("img")).toBeTruthy();
    expect(asked.sources).toEqual(["pie\nonce"]);
  });

  it("keeps its height and its picture until the next one is drawn", async () => {
    const frame = diagram("pie\nfirst", undefined, 80);
    expect(frame.style.minHeight).toBe("80px");
    await settle();
    expect(frame.style.minHeight).toBe("");
    Object.defineProperty(frame, "offsetHeight", { value: 76 });
    let go = () => {};
    asked.hold = new Promise((resolve) => (go = resolve));
    const done = vi.fn();
    redraw_diagram(frame, "pie\nsecond", done);
    await settle();
    expect([frame.style.minHeight, frame.querySelector("img")!.alt]).toEqual(["76px", "Diagram: pie"]);
    expect(done).not.toHaveBeenCalled();
    // What is asked for last counts, in whatever order things are drawn.
    redraw_diagram(frame, "pie\nfirst");
    go();
    await settle();
    expect(svg_of(frame.querySelector("img")!)).toContain("diagram-");
    expect(done).not.toHaveBeenCalled();
  });

  it("follows the theme", async () => {
    const frame = diagram("pie\nthemed");
    document.body.append(frame);
    await settle();
    const light = frame.querySelector("img")!.src;
    document.documentElement.dataset.theme = "dark";
    await settle();
    expect(asked.dark.slice(-2)).toEqual([false, true]);
    expect(frame.querySelector("img")!.src).not.toBe(light);
    frame.remove();
  });

  it.each([
    ["scripts", "<svg viewBox='0 0 9 9'><script>x()</script><g onload='x()'></g></svg>", ["script", "onload"]],
    ["pages", "<svg viewBox='0 0 9 9'><foreignObject><iframe src='x'></iframe><img src='http://a.b/c.png'></foreignObject></svg>", ["iframe", "img", "a.b"]],
    ["links", "<svg viewBox='0 0 9 9'><a href='javascript:x()' xlink:href='http://a.b'><text>t</text></a></svg>", ["javascript", "http://a.b"]],
    ["what is loaded", "<svg viewBox='0 0 9 9'><style>@import 'http://a.b';</style><style>g { fill: url( \"http://a.b/c\") }</style><g style='fill:url(http://a.b/c)'></g><image href='http://a.b'></image></svg>", ["@import", "http://a.b"]],
  ])("has no %s in it", (_, svg, gone) => {
    const outcome = picture_of(svg);
    const text = outcome.kind === "drawn" ? decodeURIComponent(outcome.src) : "";
    expect(text).toContain("<svg");
    for (const word of gone) expect(text).not.toContain(word);
  });

  it("keeps what is within the picture", () => {
    const outcome = picture_of("<svg viewBox='0 0 9 9'><style>#a { marker-end: url(#arrow) }</style><use href='#a'></use><path marker-end='url(#arrow)'></path></svg>");
    const text = outcome.kind === "drawn" ? decodeURIComponent(outcome.src) : "";
    expect(text.match(/url\(#arrow\)/g)).toHaveLength(2);
    expect(text).toContain('href="#a"');
    expect(picture_of("<p>none</p>")).toEqual({ kind: "wrong", reason: "nothing was drawn" });
  });
});

describe("in the text", () => {
  const drawn = (text: string): string[] => {
    const state = EditorState.create({ doc: text, extensions: [markdown_support(), drawn_blocks({ locate: async () => null, follow: () => {} })] });
    const found: string[] = [];
    for (const set of state.facet(EditorView.decorations)) if (typeof set !== "function") set.between(0, state.doc.length, (from, to) => void found.push(state.sliceDoc(from, to)));
    return found;
  };
  it.each([
    ["a fence", "```mermaid\npie\n```", ["```mermaid\npie\n```"]],
    ["other signs", "~~~~ Mermaid \npie\n~~~~", ["~~~~ Mermaid \npie\n~~~~"]],
    ["a fence that is never closed", "```mermaid\npie", ["```mermaid\npie"]],
    ["a quote", "> ```mermaid\n> pie\n> ```", ["> ```mermaid\n> pie\n> ```"]],
    ["an item", "- a\n  ```mermaid\n  pie\n  ```", ["  ```mermaid\n  pie\n  ```"]],
    ["code", "```js\nmermaid\n```", []],
    ["another language", "```mermaids\npie\n```", []],
    ["no fence", "    mermaid\n    pie", []],
  ])("is found in %s", (_, text, expected) => expect(drawn(`x\n\n${text}`)).toEqual(expected));

  it("is drawn, and written where the caret is; reading and writing show the same", async () => {
    await open_window({ notes: new Map([["A.md", "x\n\n```mermaid\npie\n\"a\" : 1\n```\n\nend\n"]]), operations: [] });
    await open_note("A.md");
    await settle();
    expect(frames()).toHaveLength(1);
    expect(asked.sources).toEqual(['pie\n"a" : 1']);
    await expect_accessible();
    frames()[0]!.querySelector("img")!.dispatchEvent(new MouseEvent("mousedown", { button: 0, bubbles: true, cancelable: true }));
    await settle();
    window.dispatchEvent(new MouseEvent("mouseup"));
    await settle();
    const { view } = notes.documents.get("A.md")!;
    expect(frames()).toHaveLength(0);
    expect(view!.state.doc.lineAt(view!.state.selection.main.head).text).toBe("pie");
    // Another group draws what is written here.
    view!.dispatch({ selection: { anchor: 0 } });
    await settle();
    view!.dispatch({ changes: { from: view!.state.doc.toString().indexOf("1"), insert: "2" } });
    await settle();
    expect(asked.sources.at(-1)).toBe('pie\n"a" : 21');
    expect(frames()[0]!.querySelector("img")).toBeTruthy();
    tabs.set_mode("A.md", "reading");
    await settle(12);
    expect(frames()).toHaveLength(1);
    expect(frames()[0]!.dataset.line).toBe("3");
    await expect_accessible();
  });
});
