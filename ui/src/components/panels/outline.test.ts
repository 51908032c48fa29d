import { screen } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { headings_of } from "../../ipc/fake/markdown";
import { heading_ids, outline_rows } from "../../state/outline.svelte";
import { notes } from "../../state/notes.svelte";
import { tabs } from "../../state/tabs.svelte";
import { expect_accessible, open_note, open_window, settle } from "../../test/window";

const SURVEY = "Expedition/Glacier survey.md";

describe("outline_rows", () => {
  const headings = headings_of("# A\n## B\n#### C\n## D\n# E\n## B\n");
  const shown = (folded: string[] = [], filter = "") => outline_rows(headings, [], new Set(folded), filter).map((row) => `${row.level} ${row.heading.text}`);
  const ids = heading_ids(headings);

  it("steps down one level for each heading below another, whatever the number of signs", () => expect(shown()).toEqual(["1 A", "2 B", "3 C", "2 D", "1 E", "2 B"]));
  it("hides what is below a fold", () => expect(shown([ids[0]!])).toEqual(["1 A", "1 E", "2 B"]));
  it("tells twins apart", () => expect(new Set(ids).size).toBe(ids.length));
  it("shows what fits a filter, and what is above it", () => expect(shown([ids[0]!], "c")).toEqual(["1 A", "2 B", "3 C"]));
  it("shows nothing when nothing fits", () => expect(shown([], "zzz")).toEqual([]));
  it("keeps its rows countable", () => {
    const rows = outline_rows(headings, [], new Set());
    expect(rows.map((row) => `${row.position}/${row.set_size}`)).toEqual(["1/2", "1/2", "1/1", "2/2", "2/2", "1/1"]);
  });
});

describe("the outline", () => {
  const item = (name: string) => screen.getAllByRole("treeitem").filter((one) => one.closest('[data-pane="right"]') && one.textContent?.includes(name));

  it("marks twins and proposals", async () => {
    await open_window();
    await open_note(SURVEY);
    expect(item("Moraine").map((one) => one.textContent?.replace(/\s+/g, " ").trim())).toEqual(["Moraine 1/2", "Moraine 2/2"]);
    expect(item("Old instruments")[0]!.textContent).toContain("a proposal waits");
    await expect_accessible(document.querySelector('[data-pane="right"]')!);
  });

  it("jumps, and follows the caret", async () => {
    await open_window();
    await open_note(SURVEY);
    item("Findings")[0]!.click();
    await settle();
    const doc = notes.documents.get(SURVEY)!;
    expect(doc.state.doc.lineAt(doc.state.selection.main.head).text).toBe("## Findings");
    expect(item("Findings")[0]!.getAttribute("aria-selected")).toBe("true");
    doc.select_line(1);
    await settle();
    expect(item("Findings")[0]!.getAttribute("aria-selected")).toBe("false");
  });

  it("follows what is typed", async () => {
    await open_window();
    await open_note("Inbox.md");
    const doc = notes.documents.get("Inbox.md")!;
    doc.dispatch({ changes: { from: doc.state.doc.length, insert: "\n## Brand new\n" } });
    await new Promise((resolve) => setTimeout(resolve, 140));
    await settle();
    expect(item("Brand new").length).toBe(1);
  });

  it("has a word for a note without headings", async () => {
    await open_window({ notes: new Map([["Plain.md", "just text"]]), operations: [] });
    await open_note("Plain.md");
    expect(screen.getByText("No headings yet")).toBeTruthy();
    expect(tabs.active_path).toBe("Plain.md");
  });
});
