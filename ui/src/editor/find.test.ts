import { SearchQuery } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { screen } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { commands } from "../state/commands.svelte";
import { notes } from "../state/notes.svelte";
import { expect_accessible, open_note, open_window, press, settle } from "../test/window";
import { count_matches, say_count } from "./find";

describe("counting what was found", () => {
  it.each([
    ["ice Ice icecap", { search: "ice" }, 0, "3 found"],
    ["ice Ice icecap", { search: "ice", caseSensitive: true }, 0, "2 found"],
    ["ice Ice icecap", { search: "ice", wholeWord: true }, 0, "2 found"],
    ["ice", { search: "ice" }, 3, "1 of 1"],
    ["a1 b22", { search: "\\d+", regexp: true }, 0, "2 found"],
    ["a", { search: "(", regexp: true }, 0, "Not a valid expression"],
    ["a", { search: "x" }, 0, "Nothing found"],
    ["a", { search: "" }, 0, ""],
    ["a ".repeat(1200), { search: "a" }, 0, "more than 999 found"],
  ])("in %j for %j", (text, wanted, selected, said) => {
    const query = new SearchQuery(wanted);
    const state = EditorState.create({ doc: text, selection: { anchor: 0, head: selected } });
    expect(say_count(query, count_matches(state, query))).toBe(said);
  });
});

describe("the bar", () => {
  it("finds, replaces and goes away by the keyboard", async () => {
    await open_window({ notes: new Map([["A.md", "ice and ice\n"]]), operations: [] });
    await open_note("A.md");
    await commands.run("find_in_note");
    await settle(20);
    const find = screen.getByRole<HTMLInputElement>("textbox", { name: "Find in this note" });
    expect(document.activeElement).toBe(find);
    find.value = "ice";
    find.dispatchEvent(new Event("input"));
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(document.querySelector(".cm-find-said")!.textContent).toBe("2 found");
    press("Enter", {}, find);
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(document.querySelector(".cm-find-said")!.textContent).toBe("1 of 2");
    await commands.run("text_replace");
    await settle();
    const replace = screen.getByRole<HTMLInputElement>("textbox", { name: "Replace with" });
    replace.value = "snow";
    replace.dispatchEvent(new Event("input"));
    await expect_accessible();
    screen.getByRole("button", { name: "Replace all" }).click();
    expect(notes.documents.get("A.md")!.text()).toBe("snow and snow\n");
    press("Escape", {}, find);
    await settle();
    expect(document.querySelector(".cm-find")).toBeNull();
  });

  it("offers no replacing in a note that cannot be written", async () => {
    await open_window({ notes: new Map([["A.md", "ice\n"]]), operations: [], read_only: new Set(["A.md"]) });
    await open_note("A.md");
    await commands.run("find_in_note");
    await settle(20);
    expect(screen.queryByRole("textbox", { name: "Replace with" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Replace" })).toBeNull();
  });
});
