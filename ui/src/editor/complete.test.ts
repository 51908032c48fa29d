import { CompletionContext } from "@codemirror/autocomplete";
import { beforeEach, describe, expect, it } from "vitest";
import { engine } from "../ipc/engine";
import { notes } from "../state/notes.svelte";
import { fresh } from "../test/window";
import { complete_link } from "./complete";

beforeEach(() => void fresh({ notes: new Map([["Plan.md", ""], ["a/Twin.md", "# Head one\n## Head two\n"], ["b/Twin.md", ""], ["c/Other.md", "## Q#1 | x"]]), operations: [] }));

async function offered(text: string): Promise<string[] | null> {
  const doc = notes.documents.open(await engine.read_note("Plan.md"));
  doc.dispatch({ changes: { from: 0, to: doc.state.doc.length, insert: text } });
  const result = await complete_link(doc, new CompletionContext(doc.state, text.length, false));
  return result && result.options.map((option) => `${option.detail ? `${option.detail}: ` : ""}${option.label}`);
}

describe("after [[", () => {
  it("offers notes by name, with their folder", async () => expect(await offered("see [[twi")).toEqual(["a: Twin", "b: Twin"]));
  it("offers the headings of the note that is named", async () => expect(await offered("[[Twin#two")).toEqual(["##: Head two"]));
  it("offers this note's own headings", async () => expect(await offered("# Mine\n[[#mi")).toEqual(["#: Mine"]));
  it("offers nothing elsewhere", async () => expect(await offered("no link")).toBeNull());
  it("offers nothing in the shown text of a link", async () => expect(await offered("[[Twin|sho")).toBeNull());
});
