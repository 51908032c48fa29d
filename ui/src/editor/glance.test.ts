import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { beforeEach, describe, expect, it } from "vitest";
import { engine } from "../ipc/engine";
import { notes } from "../state/notes.svelte";
import { fresh } from "../test/window";
import { glance_at } from "./glance";

const TEXT = "see [[Other#Part|there]] and [x](Other.md), [[Nowhere]] or [y](https://x.example)";

beforeEach(() => void fresh({ notes: new Map([["A.md", TEXT], ["Other.md", "# Other\n\n## Part\n\nwords\n"]]), operations: [] }));

async function at(word: string) {
  const doc = notes.documents.open(await engine.read_note("A.md"));
  const view = new EditorView({ state: EditorState.create({ doc: TEXT }) });
  return { tooltip: await glance_at(doc, view, TEXT.indexOf(word) + 1), view };
}

describe("a glance", () => {
  it("shows what a link leads to", async () => {
    const { tooltip, view } = await at("there");
    expect([tooltip!.pos, tooltip!.end]).toEqual([TEXT.indexOf("[["), TEXT.indexOf("]]") + 2]);
    const { dom } = tooltip!.create(view);
    expect(dom.textContent).toContain("Other");
    expect(dom.getAttribute("aria-label")).toBe("What Other#Part says");
  });
  it.each(["x]", "see", "Nowhere", "y]"])("shows %j as it should", async (word) => expect((await at(word)).tooltip !== null).toBe(word === "x]"));
});
