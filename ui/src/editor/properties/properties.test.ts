import { deleteCharBackward, redo, undo } from "@codemirror/commands";
import { closeSearchPanel, openSearchPanel } from "@codemirror/search";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../ipc/engine";
import { notes } from "../../state/notes.svelte";
import { toasts } from "../../state/toasts.svelte";
import { expect_accessible, open_note, open_window, press, settle } from "../../test/window";
import { toggle_source } from "../source_mode";
import { converted } from "./change";
import { front_of } from "./known";

const ALL = `---
title: Ice
due: 2026-01-02
seen: 2026-01-02T03:04
rating: 4
done: true
tags:
  - field/ice
  - survey
places: [Hut, Lake]
up: "[[Index|the index]]"
empty:
---
# Ice
`;

async function open(text: string, more: { read_only?: Set<string> } = {}) {
  const fake = await open_window({ notes: new Map([["A.md", text], ["Index.md", ""]]), operations: [], ...more });
  await open_note("A.md");
  const doc = notes.documents.get("A.md")!;
  return { fake, doc, text: () => doc.text() };
}

const field = (key: string, part = "value") => document.querySelector<HTMLInputElement>(`.cm-property[data-key="${key}"] [data-part="${part}"]`)!;
const keys = () => [...document.querySelectorAll<HTMLElement>(".cm-property")].map((row) => row.dataset.key);
const at = () => {
  const active = document.activeElement as HTMLElement;
  return `${active.closest<HTMLElement>(".cm-property")?.dataset.key ?? ""} ${active.dataset.part ?? (active.classList.contains("cm-content") ? "text" : active.tagName)}`.trim();
};

async function write(into: HTMLInputElement, text: string, key: string | null = "Enter"): Promise<void> {
  into.focus();
  into.value = text;
  if (key) press(key, {}, into);
  else into.blur();
  await settle();
}

describe("properties above a note", () => {
  it("are rows by kind, and opening them changes nothing", async () => {
    const { fake, doc } = await open(ALL);
    expect(keys()).toEqual(["title", "due", "seen", "rating", "done", "tags", "places", "up", "empty"]);
    expect(["title", "due", "seen", "rating", "empty"].map((key) => `${field(key).type} ${field(key).value}`)).toEqual(["text Ice", "date 2026-01-02", "datetime-local 2026-01-02T03:04", "text 4", "text "]);
    expect([field("done").type, field("done").checked]).toEqual(["checkbox", true]);
    const items = (key: string) => [...document.querySelectorAll(`[data-key="${key}"] .cm-property-item`)].map((item) => item.textContent);
    expect([items("tags"), items("places")]).toEqual([["field/ice", "survey"], ["Hut", "Lake"]]);
    expect(document.querySelector('[data-key="up"] [role=link]')!.textContent).toBe("the index");
    for (const one of document.querySelectorAll<HTMLElement>("[data-part]")) {
      one.focus();
      one.blur();
    }
    await settle();
    expect([doc.text(), doc.dirty, fake.notes.get("A.md")]).toEqual([ALL, false, ALL]);
    await expect_accessible();
  });

  it.each<[string, string, string, string, string]>([
    ["words", "title", "Firn", "title: Ice", "title: Firn"],
    ["words that look like a number", "title", "5", "title: Ice", 'title: "5"'],
    ["a number", "rating", "4.5", "rating: 4", "rating: 4.5"],
    ["a date", "due", "2026-02-03", "due: 2026-01-02", "due: 2026-02-03"],
    ["nothing", "title", "", "title: Ice", "title:"],
    ["a link", "up", "[[Log]]", 'up: "[[Index|the index]]"', 'up: "[[Log]]"'],
    ["a value that was empty", "empty", "x", "empty:\n", "empty: x\n"],
  ])("take %s, as one step that undo takes back to the byte", async (_, key, value, before, after) => {
    const { fake, doc, text } = await open(ALL);
    await write(field(key), value);
    expect(text()).toBe(ALL.replace(before, () => after));
    await doc.saver.flush();
    expect(fake.notes.get("A.md")).toBe(text());
    doc.run(undo);
    await settle();
    expect(text()).toBe(ALL);
    doc.run(redo);
    await settle();
    expect(text()).toBe(ALL.replace(before, () => after));
  });

  it("take a value when the keyboard goes elsewhere", async () => {
    const { text } = await open(ALL);
    await write(field("title"), "Firn", null);
    expect(text()).toContain("title: Firn\n");
  });

  it("take what is being typed when the window saves, and when the note leaves the screen", async () => {
    const { fake, doc, text } = await open(ALL);
    field("title").focus();
    field("title").value = "Firn";
    await notes.documents.flush_all();
    expect([text().includes("title: Firn\n"), fake.notes.get("A.md")]).toEqual([true, text()]);
    await settle();
    field("title").focus();
    field("title").value = "Snow";
    await open_note("Index.md");
    await settle();
    expect(doc.text()).toContain("title: Snow\n");
    doc.run(undo);
    doc.run(undo);
    expect(doc.text()).toBe(ALL);
  });

  it("are ticked, named and removed", async () => {
    const { text } = await open(ALL);
    field("done").click();
    await settle();
    expect(text()).toContain("done: false\n");
    await write(field("rating", "name"), "stars");
    expect(text()).toContain("\nstars: 4\n");
    expect(at()).toBe("stars value");
    field("stars", "remove").click();
    await settle();
    expect(keys()).not.toContain("stars");
    expect(text()).not.toContain("stars");
    expect(text()).toContain("done: false\ntags:\n  - field/ice\n");
  });

  it("take items one after the other, and lose them by key", async () => {
    const { text } = await open(ALL);
    await write(field("tags"), "#new tag");
    expect(text()).toContain("tags:\n  - field/ice\n  - survey\n  - new-tag\n");
    expect(at()).toBe("tags value");
    press("Backspace", {}, field("tags"));
    await settle();
    expect(text()).toBe(ALL);
    press("ArrowLeft", {}, field("tags"));
    press("ArrowLeft");
    expect(at()).toBe("tags drop-0");
    press("Delete");
    await settle();
    expect(text()).toContain("tags:\n  - survey\nplaces");
    await write(field("tags"), "survey");
    expect(text()).toContain("tags:\n  - survey\nplaces");
  });

  it("become another kind", async () => {
    const { text } = await open(ALL);
    const choose = async (key: string, kind: string) => {
      const choice = field(key, "kind") as unknown as HTMLSelectElement;
      choice.value = kind;
      choice.dispatchEvent(new Event("change"));
      await settle();
    };
    await choose("title", "list");
    expect(text()).toContain("title:\n  - Ice\n");
    await choose("empty", "date");
    expect([text().includes("empty:\n---"), field("empty").type]).toEqual([true, "date"]);
    expect([...(field("tags", "kind")?.children ?? [])]).toEqual([]);
  });

  it.each([
    [["a", "b"], "text", { kind: "text", to: "a, b" }],
    [["a", "b"], "list", { kind: "list", to: ["a", "b"] }],
    [["7"], "number", { kind: "number", to: "7" }],
    [["x"], "number", { kind: "empty" }],
    [["yes"], "checkbox", { kind: "checkbox", to: true }],
    [[], "checkbox", { kind: "checkbox", to: false }],
    [["2026-01-02T03:04"], "date", { kind: "text", to: "2026-01-02" }],
    [["2026-01-02"], "date_time", { kind: "text", to: "2026-01-02T00:00:00" }],
    [["soon"], "date", { kind: "empty" }],
  ] as const)("%j as %s is %j", (values, kind, input) => expect(converted([...values], kind)).toEqual(input));

  it("come to a note that has none, name first", async () => {
    const { doc, text } = await open("# A\n");
    doc.view!.focus();
    press(";", { ctrlKey: true }, doc.view!.contentDOM);
    await settle();
    expect(at()).toBe("new");
    await expect_accessible();
    await write(document.querySelector<HTMLInputElement>('[data-part="new"]')!, "due");
    expect(text()).toBe("---\ndue:\n---\n# A\n");
    expect(at()).toBe("due value");
    await write(field("due"), "soon");
    expect(text()).toBe("---\ndue: soon\n---\n# A\n");
    expect(at()).toBe("add");
    press("ArrowDown");
    expect(at()).toBe("text");
    expect(doc.state.selection.main.head).toBe("---\ndue: soon\n---\n".length);
    doc.run(undo);
    doc.run(undo);
    await settle();
    expect([text(), keys(), doc.dirty]).toEqual(["# A\n", [], false]);
  });

  it("are not made by a name that is let go of", async () => {
    const { doc, text } = await open("# A\n");
    press(";", { ctrlKey: true }, doc.view!.contentDOM);
    await settle();
    press("Escape", {}, document.querySelector('[data-part="new"]')!);
    await settle();
    expect([text(), keys(), at()]).toEqual(["# A\n", [], "text"]);
  });

  it("say why they cannot be changed, and show what they were", async () => {
    const { fake, text } = await open(ALL);
    fake.refuse.set("change_property", new EngineError("no_longer_fits", "property `rating` cannot be written: `1,5` is not a number in YAML", "write it by hand"));
    await write(field("rating"), "1,5");
    expect([text(), field("rating").value]).toEqual([ALL, "4"]);
    expect(toasts.list.at(-1)!.message).toBe("Property “rating” cannot be written: “1,5” is not a number in YAML");
  });

  it("are gone through by arrows, from the text and back", async () => {
    const { doc } = await open(ALL);
    doc.view!.focus();
    press("ArrowUp", {}, doc.view!.contentDOM);
    expect(at()).toBe("empty value");
    press("ArrowUp");
    expect(at()).toBe("up value");
    press("ArrowDown");
    press("ArrowDown");
    expect(at()).toBe("add");
    press("ArrowUp");
    field("empty").value = "never mind";
    press("Escape", {}, field("empty"));
    await settle();
    expect([at(), doc.text()]).toEqual(["text", ALL]);
  });

  it("take back the last step from within, as the text does", async () => {
    const { text } = await open(ALL);
    await write(field("title"), "Firn");
    press("z", { ctrlKey: true }, field("due"));
    await settle();
    expect(text()).toBe(ALL);
  });

  it("keep what is being typed when another program writes the note", async () => {
    const { fake, doc } = await open(ALL);
    field("title").focus();
    field("title").value = "half a wo";
    fake.write_outside("A.md", ALL.replace("rating: 4", "rating: 5"));
    await settle();
    expect([field("title").value, field("rating").value, at()]).toEqual(["half a wo", "5", "title value"]);
    press("Enter", {}, field("title"));
    await settle();
    expect(doc.text()).toContain("title: half a wo\ndue: 2026-01-02\nseen: 2026-01-02T03:04\nrating: 5\n");
  });

  it("cannot be changed in a note that cannot be written", async () => {
    const { doc } = await open(ALL, { read_only: new Set(["A.md"]) });
    expect([field("title").readOnly, field("done").disabled, document.querySelector('[data-part="remove"], [data-part="add"], [data-part="kind"]')]).toEqual([true, true, null]);
    await write(field("title"), "x");
    expect(doc.text()).toBe(ALL);
    await expect_accessible();
  });

  it("stay whole whatever is typed below them", async () => {
    const { doc, text } = await open("---\na: 1\n---\nx\n");
    const view = doc.view!;
    view.dispatch({ selection: { anchor: "---\na: 1\n---\n".length } });
    deleteCharBackward(view);
    expect(text()).toBe("---\na: 1\n---\nx\n");
    view.dispatch({ selection: { anchor: 0 } });
    await settle();
    expect(doc.state.selection.main.head).toBe("---\na: 1\n---\n".length);
    view.dispatch({ selection: { anchor: 0, head: doc.state.doc.length } });
    view.dispatch({ changes: { from: 0, to: doc.state.doc.length }, userEvent: "delete.selection" });
    expect(text()).toBe("");
  });

  it("are followed by what is typed in a note that has nothing else", async () => {
    const { doc, text } = await open("---\na: 1\n---");
    doc.view!.dispatch({ changes: { from: 12, insert: "x" }, userEvent: "input.type" });
    expect([text(), doc.state.selection.main.head]).toEqual(["---\na: 1\n---\nx", 14]);
  });

  it("are shown as they are written, with the reason, when they cannot be read", async () => {
    const broken = "---\na: 1\nb: [x\n---\n# A\n";
    const { doc, fake } = await open(broken);
    expect(keys()).toEqual([]);
    expect(document.querySelector(".cm-properties-problem")!.textContent).toBe("Properties are not valid YAML: nothing closes “[” (line 3). They are shown as they are written; mend them as text.");
    expect(document.querySelector(".cm-content")!.textContent).toContain("b: [x");
    await expect_accessible();
    expect([doc.text(), fake.notes.get("A.md")]).toEqual([broken, broken]);
    doc.dispatch({ changes: { from: broken.indexOf("[x") + 2, insert: "]" }, selection: { anchor: broken.indexOf("[x") + 3 }, userEvent: "input.type" });
    await settle();
    expect(document.querySelector(".cm-properties-problem")).toBeNull();
    // They stay text until the caret leaves them.
    expect(keys()).toEqual([]);
    doc.dispatch({ selection: { anchor: doc.state.doc.length } });
    await settle();
    expect(keys()).toEqual(["a", "b"]);
  });

  it("are shown as they are written while something in them is found", async () => {
    const { doc } = await open(ALL);
    const view = doc.view!;
    openSearchPanel(view);
    const from = ALL.indexOf("survey");
    view.dispatch({ selection: { anchor: from, head: from + 6 } });
    await settle();
    expect([keys().length, document.querySelector(".cm-content")!.textContent!.includes("- survey")]).toEqual([0, true]);
    closeSearchPanel(view);
    await settle();
    expect(keys().length).toBe(9);
    expect(doc.text()).toBe(ALL);
  });

  it.each([
    ["hidden", false, false],
    ["source", false, true],
  ] as const)("are %s where the vault's settings say so", async (shown, rows, source) => {
    const fake = await open_window({ notes: new Map([["A.md", ALL]]), operations: [] });
    fake.properties_shown = shown;
    await open_note("A.md");
    const seen = () => [keys().length > 0, document.querySelector(".cm-content")!.textContent!.includes("title: Ice")];
    expect(seen()).toEqual([rows, source]);
    if (shown === "source") return;
    const doc = notes.documents.get("A.md")!;
    press(";", { ctrlKey: true }, doc.view!.contentDOM);
    await settle();
    expect(at()).toBe("new");
    await write(document.querySelector<HTMLInputElement>('[data-part="new"]')!, "more");
    expect([doc.text(), ...seen()]).toEqual([ALL.replace("empty:\n", "empty:\nmore:\n"), false, false]);
  });

  it("are text where the source is shown", async () => {
    const { doc } = await open(ALL);
    doc.run(toggle_source);
    await settle();
    expect(keys()).toEqual([]);
    expect(document.querySelector(".cm-content")!.textContent).toContain("title: Ice");
  });
});

describe("the source of the properties", () => {
  it.each([
    ["---\na: 1\n---\nx", "---\na: 1\n---"],
    ["---\n---\n", "---\n---"],
    ["---\na\n...  \nx", "---\na\n...  "],
    ["---\nnever closed", null],
    ["x\n---\n---\n", null],
  ])("of %j is %j", (text, front) => expect(front_of(text)).toBe(front));
});
