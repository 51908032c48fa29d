import { undo } from "@codemirror/commands";
import { screen } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { EngineError } from "../ipc/engine";
import { expect_accessible, open_note, open_window, press, settle } from "../test/window";
import { commands } from "./commands.svelte";
import { local_time } from "./dated";
import { notes } from "./notes.svelte";
import { palette } from "./palette.svelte";
import { tabs } from "./tabs.svelte";
import { toasts } from "./toasts.svelte";

const today = () => local_time().slice(0, 10);

describe("local_time", () => {
  it.each([
    [0, "+00:00"],
    [-330, "+05:30"],
    [210, "-03:30"],
  ])("says how far from Greenwich it is: %s", (offset, zone) => {
    const at = new Date(2026, 2, 7, 4, 9, 5);
    at.getTimezoneOffset = () => offset;
    expect(local_time(at)).toBe(`2026-03-07T04:09:05${zone}`);
  });
});

describe("the daily note", () => {
  it("is made once, and opened after that", async () => {
    const fake = await open_window({ notes: new Map([["a.md", ""]]), operations: [] });
    press("d", { ctrlKey: true, shiftKey: true });
    await settle(12);
    const path = `Daily/${today()}.md`;
    expect([tabs.active_path, fake.notes.has(path)]).toEqual([path, true]);
    fake.write_outside(path, "kept");
    await commands.run("daily_note");
    await settle(8);
    expect(fake.notes.get(path)).toBe("kept");
    expect(tabs.list.length).toBe(1);
  });

  it("says when its template is missing, and why it could not be made", async () => {
    const fake = await open_window({ operations: [] });
    fake.daily_note = async () => ({ path: "Index.md", is_new: true, missing_template: "T/Day" });
    await commands.run("daily_note");
    expect(toasts.list.at(-1)?.message).toBe("The template “T/Day” is not there");
    fake.daily_note = async () => Promise.reject(new EngineError("invalid_arguments", "the pattern `[/]` makes no name for a note: `/`", "give another date format"));
    await commands.run("daily_note");
    expect(toasts.list.at(-1)?.kind).toBe("error");
  });
});

describe("unique and random notes", () => {
  it("are made and opened", async () => {
    const fake = await open_window({ notes: new Map([["a.md", ""], ["b.md", ""]]), operations: [] });
    await open_note("a.md");
    await commands.run("random_note");
    expect(tabs.active_path).toBe("b.md");
    await commands.run("unique_note");
    await settle(8);
    expect(tabs.active_path).toMatch(/^\d{12}\.md$/);
    expect(fake.notes.has(tabs.active_path!)).toBe(true);
  });

  it("do nothing in a vault without notes", async () => {
    await open_window({ notes: new Map(), operations: [] });
    await commands.run("random_note");
    expect(tabs.active_path).toBeNull();
  });
});

describe("templates", () => {
  const FILES = () => new Map([["n.md", "one two\n"], ["Templates/Day.md", "# {{title}}, {{date}}\n"], ["Templates/sub/Meeting.md", "met\n"]]);

  it("are chosen, and go to the caret as one step", async () => {
    await open_window({ notes: FILES(), operations: [] });
    await open_note("n.md");
    const doc = notes.documents.get("n.md")!;
    doc.dispatch({ selection: { anchor: 4 } });
    await commands.run("insert_template");
    await settle();
    expect(screen.getAllByRole("option").map((one) => one.textContent?.trim())).toEqual(["Day", "sub/Meeting"]);
    await expect_accessible();
    const field = screen.getByRole("combobox", { name: "Insert a template" }) as HTMLInputElement;
    field.value = "da";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await settle();
    press("Enter", {}, field);
    await settle(12);
    expect(palette.shown).toBe(false);
    expect(doc.text()).toBe(`one # n, ${today()}\ntwo\n`);
    expect(doc.state.sliceDoc(doc.state.selection.main.head)).toBe("two\n");
    doc.run(undo);
    expect(doc.text()).toBe("one two\n");
  });

  it("have words for a vault that has none", async () => {
    const fake = await open_window({ notes: FILES(), operations: [] });
    await open_note("n.md");
    fake.templates = async () => ({ folder: null, notes: [] });
    await commands.run("insert_template");
    expect(toasts.list.at(-1)?.message).toBe("This vault names no folder for templates");
    fake.templates = async () => ({ folder: "T", notes: [] });
    await commands.run("insert_template");
    expect(toasts.list.at(-1)?.message).toBe("There is no template in “T”");
    expect(palette.shown).toBe(false);
  });

  it("are not offered where nothing can be written", async () => {
    await open_window({ notes: FILES(), operations: [], read_only: new Set(["n.md"]) });
    await open_note("n.md");
    expect(commands.can(commands.get("insert_template")!)).toBe(false);
  });
});

describe("sections from the finder", () => {
  it("move the one that the caret is in", async () => {
    await open_window({ notes: new Map([["n.md", "# A\n\n# B\n"]]), operations: [] });
    await open_note("n.md");
    const doc = notes.documents.get("n.md")!;
    doc.select_line(3);
    await commands.run("section_up");
    expect(doc.text().match(/^#+ ./gm)).toEqual(["# B", "# A"]);
    await commands.run("section_up");
    expect(toasts.list.at(-1)?.message).toBe("“B” is the first section of its level here");
    await commands.run("section_lower");
    expect(doc.text().match(/^#+ ./gm)).toEqual(["## B", "# A"]);
  });
});
