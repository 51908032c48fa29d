import { afterEach, describe, expect, it } from "vitest";
import { commands } from "../state/commands.svelte";
import { notes } from "../state/notes.svelte";
import { tabs } from "../state/tabs.svelte";
import { open_note, open_window, settle } from "../test/window";

const TEXT = "# A\n\n| a |\n|---|\n| b |\n\nsee [[B]]\n";

afterEach(() => localStorage.clear());

describe("the source of a note", () => {
  it("is shown in every note once the person wants it, and drawn again", async () => {
    await open_window({ notes: new Map([["A.md", TEXT], ["B.md", TEXT]]), operations: [] });
    await open_note("B.md");
    await open_note("A.md");
    expect(document.querySelector(".cm-drawn-table")).toBeTruthy();
    await commands.run("text_source");
    expect(document.querySelector(".cm-drawn-table")).toBeNull();
    expect(document.querySelector(".cm-content")!.textContent).toContain("see [[B]]");
    tabs.open("B.md");
    await settle();
    expect(document.querySelector(".cm-drawn-table")).toBeNull();
    expect(notes.documents.get("B.md")!.text()).toBe(TEXT);
    await commands.run("text_source");
    expect(document.querySelector(".cm-drawn-table")).toBeTruthy();
    tabs.open("A.md");
    await settle();
    expect(document.querySelector(".cm-drawn-table")).toBeTruthy();
  });

  it("is shown in every group of tabs at once", async () => {
    await open_window({ notes: new Map([["A.md", TEXT], ["B.md", TEXT]]), operations: [] });
    await open_note("B.md");
    await commands.run("split_right");
    await open_note("A.md");
    const n_drawn = () => document.querySelectorAll(".cm-drawn-table").length;
    expect(n_drawn()).toBe(2);
    await commands.run("text_source");
    expect(n_drawn()).toBe(0);
    await commands.run("text_source");
    expect(n_drawn()).toBe(2);
  });
});
