import { screen } from "@testing-library/svelte";
import { afterEach, describe, expect, it } from "vitest";
import { headings_of } from "../../ipc/fake/markdown";
import { undo } from "@codemirror/commands";
import { layout } from "../../state/layout.svelte";
import { menu } from "../../state/menu.svelte";
import { heading_ids, outline_rows } from "../../state/outline.svelte";
import { notes } from "../../state/notes.svelte";
import { tabs } from "../../state/tabs.svelte";
import { expect_accessible, open_note, open_window, press, settle } from "../../test/window";
import { landing } from "./section_drag.svelte";

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
    expect(item("Moraine").map((one) => one.textContent?.replace(/\s+/g, " ").trim())).toEqual(["Moraine 1/2 1 1 link from elsewhere", "Moraine 2/2"]);
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

describe("moving sections", () => {
  const TEXT = "# Top\n\nintro\n\n## A\n\na\n\n### A1\n\n## B\n\nb\n\n## C\n\nc\n";
  const { elementFromPoint } = document;
  afterEach(() => void (document.elementFromPoint = elementFromPoint));

  const item = (name: string) => screen.getAllByRole("treeitem").find((one) => one.closest('[data-pane="right"]') && one.textContent?.trim().startsWith(name))!;
  const doc = () => notes.documents.get("n.md")!;
  const shape = () => doc().text().match(/^#+ .*/gm)!.join(" ");
  const focused = () => document.activeElement?.textContent?.trim();

  async function at_row(name: string) {
    layout.show_right("outline");
    const fake = await open_window({ notes: new Map([["n.md", TEXT]]), operations: [] });
    await open_note("n.md");
    item(name).focus();
    await settle();
    return fake;
  }

  const alt = async (key: string) => {
    press(key, { altKey: true });
    await settle(12);
  };

  it("goes past its neighbors with Alt and the arrows, with all that belongs to it", async () => {
    await at_row("A");
    await alt("ArrowDown");
    expect(shape()).toBe("# Top ## B ## A ### A1 ## C");
    expect(focused()).toBe("A");
    expect(screen.getAllByRole("status").some((one) => one.textContent === "“A” is now 2 of 3, level 2")).toBe(true);
    await alt("ArrowDown");
    await alt("ArrowDown");
    expect(shape()).toBe("# Top ## B ## C ## A ### A1");
    await alt("ArrowUp");
    expect(shape()).toBe("# Top ## B ## A ### A1 ## C");
  });

  it("takes its subtree to another level, and stops at the first and the last", async () => {
    await at_row("A");
    await alt("ArrowRight");
    expect(shape()).toBe("# Top ### A #### A1 ## B ## C");
    expect(focused()).toBe("A");
    await alt("ArrowLeft");
    await alt("ArrowLeft");
    expect(shape()).toBe("# Top # A ## A1 ## B ## C");
    await alt("ArrowLeft");
    expect(shape()).toBe("# Top # A ## A1 ## B ## C");
    expect(screen.getByText("“A” is of level 1 already")).toBeTruthy();
  });

  it("is one step to undo, in the text and from the outline", async () => {
    await at_row("B");
    await alt("ArrowUp");
    expect(doc().run(undo)).toBe(true);
    expect(doc().text()).toBe(TEXT);
    item("B").focus();
    await settle();
    await alt("ArrowDown");
    expect(shape()).toBe("# Top ## A ### A1 ## C ## B");
    press("z", { ctrlKey: true });
    await settle(12);
    expect(doc().text()).toBe(TEXT);
    press("z", { ctrlKey: true, shiftKey: true });
    await settle(12);
    expect(shape()).toBe("# Top ## A ### A1 ## C ## B");
    // What was typed since is not taken back from here.
    doc().dispatch({ changes: { from: 0, insert: "x" } });
    press("z", { ctrlKey: true });
    await settle(12);
    expect(shape()).toBe("## A ### A1 ## C ## B");
  });

  it("keeps the caret at its place in the section", async () => {
    await at_row("B");
    doc().dispatch({ selection: { anchor: TEXT.indexOf("\nb\n") + 2 } });
    await alt("ArrowUp");
    const { head } = doc().state.selection.main;
    expect(doc().text().slice(head - 1, head)).toBe("b");
    expect(item("B").getAttribute("aria-selected")).toBe("true");
  });

  it("keeps the keyboard when others put sections elsewhere", async () => {
    const fake = await at_row("B");
    fake.write_outside("n.md", "# Top\n\n## C\n\n## B\n\n## A\n");
    await settle(12);
    expect([shape(), focused()]).toEqual(["# Top ## C ## B ## A", "B"]);
    item("C").focus();
    fake.write_outside("n.md", TEXT);
    await settle(12);
    expect([shape(), focused()]).toEqual(["# Top ## A ### A1 ## B ## C", "C"]);
  });

  it("is offered by the menu, but not while a filter hides what is between", async () => {
    await at_row("B");
    press("F10", { shiftKey: true });
    await settle();
    menu.items.find((one) => one.title === "Move up")!.run();
    await settle(12);
    expect(shape()).toBe("# Top ## B ## A ### A1 ## C");
    const filter = screen.getByLabelText("Filter headings") as HTMLInputElement;
    filter.value = "b";
    filter.dispatchEvent(new Event("input", { bubbles: true }));
    await settle();
    item("B").focus();
    await alt("ArrowDown");
    expect(shape()).toBe("# Top ## B ## A ### A1 ## C");
  });

  it("does nothing to a note that cannot be written", async () => {
    const fake = await at_row("B");
    fake.read_only.add("n.md");
    await notes.look_again("n.md");
    await settle();
    item("B").focus();
    await alt("ArrowUp");
    expect(doc().text()).toBe(TEXT);
  });

  it("is dragged to a gap, and onto another one", async () => {
    await at_row("C");
    const drag = async (from: Element, to: Element, down: number) => {
      const box = { top: 100, height: 26, bottom: 126, left: 0, right: 100, width: 100, x: 0, y: 100, toJSON: () => "" };
      to.getBoundingClientRect = () => box;
      document.elementFromPoint = () => to;
      const point = (kind: string, on: EventTarget, y: number) => on.dispatchEvent(new MouseEvent(kind, { bubbles: true, cancelable: true, clientX: 10, clientY: y }));
      point("pointerdown", from, 10);
      point("pointermove", window, 100 + down);
      await settle(2);
      const line = document.querySelector("[data-drop-line]");
      const held = document.querySelector(".held")?.textContent?.replace(/\s+/g, " ").trim();
      point("pointerup", window, 100 + down);
      await settle(12);
      return { line: line !== null, held };
    };
    expect(await drag(item("C"), item("A1"), 2)).toEqual({ line: true, held: "C → level 3" });
    expect(shape()).toBe("# Top ## A ### C ### A1 ## B");
    expect(await drag(item("B"), item("A1"), 13)).toEqual({ line: false, held: "B → level 4" });
    expect(shape()).toBe("# Top ## A ### C ### A1 #### B");
    expect(await drag(item("A"), item("C"), 25)).toEqual({ line: false, held: "A" });
    expect(shape()).toBe("# Top ## A ### C ### A1 #### B");
    expect(document.querySelector(".held")).toBeNull();
    await expect_accessible(document.querySelector('[data-pane="right"]')!);
  });

  it.each([
    ["C", "A", 0.1, "before A 2"],
    ["C", "A", 0.5, "last_child A 3"],
    ["C", "A", 0.9, "first_child A 3"],
    ["C", "A1", 0.9, "after A1 3"],
    ["A", "A1", 0.5, null],
    ["A", "A", 0.5, null],
    ["A", undefined, 0.5, "after C 2"],
    ["C", "Top", 0.1, "before Top 1"],
  ])("%s on %s at %s: %s", (held, on, down, expected) => {
    const rows = outline_rows(headings_of(TEXT), [], new Set());
    const row = (name: string | undefined) => rows.find((one) => one.heading.text === name);
    const found = landing(rows, row(held)!, row(on), down);
    const target = found && "id" in found.to ? rows.find((one) => one.id === (found.to as { id: string }).id)!.heading.text : "";
    expect(found && `${found.to.kind} ${target} ${found.level}`).toBe(expected);
  });

  it("goes no deeper than there are levels", () => {
    const rows = outline_rows(headings_of("##### A\n##### B\n###### C\n"), [], new Set());
    expect(landing(rows, rows[1]!, rows[0], 0.5)).toBeNull();
    expect(landing(rows, rows[2]!, rows[0], 0.5)?.level).toBe(6);
  });

  it("follows the scroll of the reading view", async () => {
    await at_row("B");
    tabs.set_mode("n.md", "reading");
    await settle(12);
    const reading = document.querySelector<HTMLElement>(".reading")!;
    const line = TEXT.split("\n").indexOf("## B") + 1;
    for (const block of reading.querySelectorAll<HTMLElement>("[data-line]")) {
      const top = Number(block.dataset.line) <= line ? 0 : 500;
      block.getBoundingClientRect = () => new DOMRect(0, top, 10, 10);
    }
    reading.dispatchEvent(new Event("scroll"));
    await settle();
    expect(item("B").getAttribute("aria-selected")).toBe("true");
  });
});
