import { CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { beforeEach, describe, expect, it } from "vitest";
import { engine } from "../ipc/engine";
import { notes } from "../state/notes.svelte";
import { fresh, settle } from "../test/window";
import { complete_kind, complete_link, complete_tag, named_blocks } from "./complete";
import { markdown_support } from "./syntax";

const VAULT = new Map([
  ["Plan.md", ""],
  ["a/Twin.md", "# Head one\n## Head two\n\nfirst words ^one\n\n| t |\n|---|\n\n^table\n"],
  ["b/Twin.md", ""],
  ["c/Other.md", "---\naliases:\n  - Glacier\n---\n## Q#1 | x\n#field/ice and #field and #survey\n"],
  ["d.md", "#field/ice"],
]);

beforeEach(() => void fresh({ notes: new Map(VAULT), operations: [] }));

const named = (result: CompletionResult | null) => result && result.options.map((option) => `${option.detail ? `${option.detail}: ` : ""}${option.label}`);

async function ask(marked: string): Promise<CompletionResult | null> {
  const doc = notes.documents.open(await engine.read_note("Plan.md"));
  const at = marked.includes("$") ? marked.indexOf("$") : marked.length;
  doc.dispatch({ changes: { from: 0, to: doc.state.doc.length, insert: marked.replace("$", "") } });
  return complete_link(doc, new CompletionContext(doc.state, at, false));
}

/** The text after the first of what is offered was taken. */
async function taken(marked: string): Promise<string> {
  const at = marked.includes("$") ? marked.indexOf("$") : marked.length;
  const result = await ask(marked);
  const view = new EditorView({ state: EditorState.create({ doc: marked.replace("$", ""), extensions: [markdown_support()] }) });
  const [option] = result!.options;
  (option!.apply as (view: EditorView, option: unknown, from: number, to: number) => void)(view, option, result!.from, at);
  await settle(2);
  const { head } = view.state.selection.main;
  return `${view.state.sliceDoc(0, head)}$${view.state.sliceDoc(head)}`;
}

describe("after [[", () => {
  it("offers notes by name, with their folder", async () => expect(named(await ask("see [[twi"))).toEqual(["a: Twin", "b: Twin"]));
  it("offers notes by alias, with the name they have", async () => expect(named(await ask("[[glac"))).toEqual(["Other in c: Glacier"]));
  it("offers something before anything is typed", async () => expect(named(await ask("[["))?.length).toBeGreaterThan(0));
  it("offers the headings of the note that is named", async () => expect(named(await ask("[[Twin#two"))).toEqual(["##: Head two"]));
  it("offers this note's own headings", async () => expect(named(await ask("# Mine\n[[#mi"))).toEqual(["#: Mine"]));
  it("offers the blocks of a note that have a name", async () => {
    expect(named(await ask("[[Twin#^"))).toEqual(["^one: first words", "^table: |---|"]);
    expect(named(await ask("[[Twin^tab"))).toEqual(["^table: |---|"]);
  });
  it.each(["no link", "[[Twin|sho", "[[Twin]] ", "`[[Tw$`", "```\n[[Tw"])("offers nothing in %j", async (text) => expect(await ask(text)).toBeNull());

  it.each([
    ["see [[oth", "see [[Other]]$"],
    ["see [[oth$]] on", "see [[Other]]$ on"],
    ["![[oth", "![[Other]]$"],
    ["[[twi", "[[a/Twin|Twin]]$"],
    ["[[glac", "[[Other|Glacier]]$"],
    ["[[Other#q", "[[Other#Q 1 x]]$"],
    ["# Mine\n[[#mi$]]", "# Mine\n[[#Mine]]$"],
    ["[[Twin#^on", "[[a/Twin#^one]]$"],
    ["| a |\n|---|\n| [[glac$ |", "| a |\n|---|\n| [[Other\\|Glacier]]$ |"],
  ])("%j becomes %j", async (before, after) => expect(await taken(before)).toBe(after));
});

describe("after #", () => {
  const offered = async (text: string) => named(await complete_tag(new CompletionContext(EditorState.create({ doc: text, extensions: [markdown_support()] }), text.length, false)));
  it.each<[string, string[] | null]>([
    ["see #fi", ["2: field", "2: field/ice"]],
    ["see #ice", ["2: field/ice"]],
    ["see #", ["2: field", "2: field/ice", "1: survey"]],
    ["#", null],
    ["a#fi", null],
    ["## fi", null],
    ["`#fi", null],
    ["see #nothing", null],
  ])("in %j offers %j", async (text, tags) => expect(await offered(text)).toEqual(tags));
  it("offers tags among the properties", async () => {
    const text = "---\ntags:\n  - su\n---\n";
    const state = EditorState.create({ doc: text, extensions: [markdown_support()] });
    expect(named(await complete_tag(new CompletionContext(state, text.indexOf("su") + 2, false)))).toEqual(["1: survey"]);
  });
});

describe("kinds", () => {
  const offered = (text: string) => complete_kind(new CompletionContext(EditorState.create({ doc: text, extensions: [markdown_support()] }), text.length, false))?.options.map((option) => option.label);
  it("of callouts", () => expect(offered("> [!")).toContain("tldr"));
  it("of code", () => expect(offered("```py")).toContain("python"));
  it.each(["> [", "text", "```", "```js\nx\n```py"])("none in %j", (text) => expect(offered(text)).toBeUndefined());
});

describe("named blocks", () => {
  it("are not those in code", () => expect(named_blocks("a ^x\n\n```\nb ^y\n```\n\nc ^z\n^no no\n").map((block) => block.id)).toEqual(["x", "z"]));
});
