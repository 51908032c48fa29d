import { undo } from "@codemirror/commands";
import { screen } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import { EngineError } from "../ipc/engine";
import { deeds } from "../state/deeds.svelte";
import { notes } from "../state/notes.svelte";
import { toasts } from "../state/toasts.svelte";
import { expect_accessible, open_note, open_window, settle } from "../test/window";
import { dropped_files, pasted_files, pasted_name, put_files } from "./put_files";

const NOON = new Date(2026, 0, 2, 3, 4, 5);

/** What a browser hands over, as far as it is looked at. */
function data(files: File[], texts: Record<string, string> = {}, folders: string[] = []): DataTransfer {
  const items = files.map((file) => ({ kind: "file", webkitGetAsEntry: () => ({ name: file.name, isDirectory: folders.includes(file.name) }) }));
  return { files, items, types: files.length > 0 ? ["Files"] : [], getData: (type: string) => texts[type] ?? "" } as unknown as DataTransfer;
}

const picture = (name = "image.png", type = "image/png") => new File([new Uint8Array([0x89, 0x50, 0xff])], name, { type });

function send(on: Element, type: string, key: "clipboardData" | "dataTransfer", transfer: DataTransfer): Event {
  const event = new Event(type, { bubbles: true, cancelable: true });
  Object.defineProperties(event, { [key]: { value: transfer }, clientX: { value: 0 }, clientY: { value: 0 } });
  on.dispatchEvent(event);
  return event;
}

async function open(text: string) {
  const fake = await open_window({ notes: new Map([["A.md", text]]), operations: [] });
  await open_note("A.md");
  return { fake, doc: notes.documents.get("A.md")! };
}

const content = () => document.querySelector(".cm-content")!;

describe("the name of a picture that has none", () => {
  it.each([
    ["image/png", "Pasted image 20260102030405.png"],
    ["image/jpeg", "Pasted image 20260102030405.jpg"],
    ["image/svg+xml", "Pasted image 20260102030405.svg"],
    ["image/webp", "Pasted image 20260102030405.webp"],
  ])("says when it was pasted, and what it is: %s", (type, name) => expect(pasted_name(type, NOON)).toBe(name));
});

describe("what is pasted", () => {
  const named = (transfer: DataTransfer) => pasted_files(transfer, NOON).map(({ name }) => name);
  it.each<[string, DataTransfer, string[]]>([
    ["a picture without a name", data([picture()]), ["Pasted image 20260102030405.png"]],
    ["a picture copied from a page", data([picture()], { "text/html": '<img src="https://x.example/a.png">' }), ["Pasted image 20260102030405.png"]],
    ["a file", data([picture("Map of the ice.png")]), ["Map of the ice.png"]],
    ["files as a file manager copies them", data([picture("a.png"), picture("b.pdf", "application/pdf")], { "text/plain": "copy\nfile:///home/you/a.png\nfile:///home/you/b.pdf" }), ["a.png", "b.pdf"]],
    ["files with their paths", data([picture("a.png")], { "text/plain": "/home/you/a.png\n" }), ["a.png"]],
    ["text with a picture of it", data([picture()], { "text/plain": "cells of a table", "text/html": "<b>cells</b>" }), []],
    ["text", data([], { "text/plain": "words" }), []],
  ])("%s", (_, transfer, names) => expect(named(transfer)).toEqual(names));
});

it("is a folder when it is dropped as one", () => {
  const files = dropped_files(data([picture("a.png"), picture("Trips", "")], {}, ["Trips"]));
  expect(files.map(({ name, file }) => [name, file !== null])).toEqual([
    ["a.png", true],
    ["Trips", false],
  ]);
});

describe("a note", () => {
  it("takes a pasted picture in place of what is selected, and one undo gives the text back", async () => {
    const text = "one two\r\nthree\n";
    const { fake, doc } = await open(text);
    doc.dispatch({ selection: { anchor: 4, head: 7 } });
    const event = send(content(), "paste", "clipboardData", data([picture()]));
    expect(event.defaultPrevented).toBe(true);
    await settle();
    const name = [...fake.files.keys()][0]!;
    expect(name).toMatch(/^Pasted image \d{14}\.png$/);
    expect(fake.files.get(name)!.size).toBe(3);
    expect(doc.text()).toBe(`one ![[${name}]]\r\nthree\n`);
    expect(doc.state.selection.main.head).toBe(4 + `![[${name}]]`.length);
    doc.run(undo);
    expect(doc.text()).toBe(text);
  });

  it("takes several dropped files, each on a line, and says where they went", async () => {
    const { fake, doc } = await open("# A\n");
    fake.attachment_folder = "Files";
    fake.edit_here("Files/a.png", "");
    await put_files(doc, [picture("a.png"), picture("b.pdf", "application/pdf")].map((file) => ({ name: file.name, file })), { from: 4, to: 4 }, "drop");
    await settle();
    expect(doc.text()).toBe("# A\n![[a 1.png]]\n![[b.pdf]]");
    expect(screen.getByText("Added 2 files to Files")).toBeTruthy();
    await expect_accessible();
  });

  it("loses the files and their links again when that is taken back, and gets both back", async () => {
    const { fake, doc } = await open("x\n");
    await put_files(doc, [{ name: "a.png", file: picture() }], { from: 1, to: 1 }, "drop");
    await deeds.undo();
    await settle();
    expect([doc.text(), [...fake.files.keys()]]).toEqual(["x\n", []]);
    await deeds.redo();
    await settle();
    expect([doc.text(), [...fake.files.keys()]]).toEqual(["x![[a.png]]\n", ["a.png"]]);
  });

  it("puts the link where the place went while the file was kept", async () => {
    const { fake, doc } = await open("one two\n");
    let keep!: () => void;
    const add_file = fake.add_file.bind(fake);
    vi.spyOn(fake, "add_file").mockImplementation(async (...args) => {
      await new Promise<void>((resolve) => (keep = resolve));
      return add_file(...args);
    });
    const put = put_files(doc, [{ name: "a.png", file: picture() }], { from: 4, to: 4 }, "paste");
    expect(document.querySelector(".cm-putting")!.textContent).toBe("Adding a.png…");
    await expect_accessible(document.querySelector(".source")!);
    doc.dispatch({ changes: { from: 0, insert: "more " }, selection: { anchor: 5 } });
    keep();
    await put;
    expect(doc.text()).toBe("more one ![[a.png]]two\n");
    expect(doc.state.selection.main.head).toBe(5);
    expect(document.querySelector(".cm-putting")).toBeNull();
  });

  it("keeps its properties whole", async () => {
    const { doc } = await open("---\na: 1\n---\n# A\n");
    await put_files(doc, [{ name: "a.png", file: picture() }], { from: 0, to: 0 }, "drop");
    expect(doc.text()).toBe("---\na: 1\n---\n![[a.png]]# A\n");
  });

  it("keeps a table in its line", async () => {
    const { doc } = await open("| a | b |\n|---|---|\n| 1 | 2 |\n");
    const at = doc.text().indexOf("1");
    await put_files(doc, ["a.png", "b.png"].map((name) => ({ name, file: picture() })), { from: at, to: at + 1 }, "paste");
    expect(doc.text()).toContain("| ![[a.png]] ![[b.png]] | 2 |");
  });

  it("stays as it is when nothing can be kept, and the reason is said", async () => {
    const { fake, doc } = await open("x\n");
    fake.refuse.set("add_file", new EngineError("no_space", "no space left on the disk", "free some space on the disk, then try again"));
    await put_files(doc, ["a.png", "b.png"].map((name) => ({ name, file: picture() })), { from: 0, to: 1 }, "paste");
    await settle();
    expect([doc.text(), doc.dirty]).toEqual(["x\n", false]);
    expect(toasts.list.map(({ message, hint }) => [message, hint])).toEqual([["No space left on the disk", "Free some space on the disk, then try again"]]);
    fake.refuse.clear();
    await put_files(doc, [{ name: "Trips", file: null }], { from: 0, to: 0 }, "drop");
    expect(toasts.list.at(-1)!.message).toBe("A folder cannot be put into a note: “Trips”");
    const large = { size: 5_000_000_000 } as Blob;
    await put_files(doc, [{ name: "film.mp4", file: large }], { from: 0, to: 0 }, "drop");
    expect(toasts.list.at(-1)!.message).toBe("“film.mp4” is larger than what can be put into a note here: 4769 MB, at most 100 MB");
    expect(doc.text()).toBe("x\n");
  });

  it("takes nothing that it could not link to", async () => {
    const fake = await open_window({ notes: new Map([["A.md", "x\n"]]), operations: [], read_only: new Set(["A.md"]) });
    await open_note("A.md");
    await put_files(notes.documents.get("A.md")!, [{ name: "a.png", file: picture() }], { from: 0, to: 0 }, "paste");
    expect(fake.files.size).toBe(0);
    expect(toasts.list.at(-1)!.message).toBe("The note cannot be written: “A.md”");
  });

  it("takes a picture that only the clipboard itself hands over", async () => {
    const { fake, doc } = await open("x\n");
    const item = { types: ["image/tiff", "image/png"], getType: async (type: string) => picture("", type) };
    Object.defineProperty(navigator, "clipboard", { value: { read: async () => [item] }, configurable: true });
    send(content(), "paste", "clipboardData", data([]));
    await settle();
    const [name] = fake.files.keys();
    expect(name).toMatch(/^Pasted image \d{14}\.png$/);
    expect(doc.text()).toBe(`![[${name}]]x\n`);
    Object.defineProperty(navigator, "clipboard", { value: { read: async () => Promise.reject(new Error("no")) }, configurable: true });
    send(content(), "paste", "clipboardData", data([]));
    await settle();
    expect(toasts.list.at(-1)!.message).toBe("The clipboard cannot be read");
    Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true });
  });

  it("takes text as text", async () => {
    const { fake, doc } = await open("x\n");
    send(content(), "paste", "clipboardData", data([picture()], { "text/plain": "words", "text/html": "<b>words</b>" }));
    await settle();
    expect(fake.files.size).toBe(0);
    expect(doc.text()).toBe("**words**x\n");
  });
});

it("a file that is dropped beside the text goes nowhere", async () => {
  const { fake, doc } = await open("x\n");
  for (const type of ["dragover", "drop"]) {
    const transfer = data([picture("a.png")]);
    const event = send(document.querySelector("main, nav, body > *")!, type, "dataTransfer", transfer);
    expect(event.defaultPrevented).toBe(true);
    expect(transfer.dropEffect).toBe("none");
  }
  await settle();
  expect([fake.files.size, doc.text()]).toEqual([0, "x\n"]);
  // What is no file is none of its business: tabs and notes are dragged within the window.
  expect(send(document.body, "dragover", "dataTransfer", data([])).defaultPrevented).toBe(false);
});
