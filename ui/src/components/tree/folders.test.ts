import { screen, within } from "@testing-library/svelte";
import { afterEach, describe, expect, it } from "vitest";
import type { FakeEngine } from "../../ipc/fake";
import { commands } from "../../state/commands.svelte";
import { notes } from "../../state/notes.svelte";
import { tabs } from "../../state/tabs.svelte";
import { toasts } from "../../state/toasts.svelte";
import { type TreeRow, tree } from "../../state/tree.svelte";
import { vault } from "../../state/vault.svelte";
import { expect_accessible, open_note, open_window, press, settle } from "../../test/window";
import { landing } from "./dragging.svelte";

const KIT = "Expedition/Kit list.md";
const SURVEY = "Expedition/Glacier survey.md";

const item = (name: string) => within(screen.getByRole("tree", { name: "Notes" })).getByRole("treeitem", { name: new RegExp(name) });
const names = () => tree.rows.map((row) => `${"  ".repeat(row.level - 1)}${row.entry.name}`);
const field = () => document.querySelector<HTMLInputElement>(".field input")!;
const confirm = () => document.querySelector<HTMLButtonElement>("[data-confirm]")!;
const texts = (fake: FakeEngine) => new Map(fake.notes);
const focused = () => document.activeElement?.getAttribute("data-row");

function type(text: string, into: HTMLInputElement = field()): void {
  into.value = text;
  into.dispatchEvent(new Event("input", { bubbles: true }));
}

async function choose(title: RegExp): Promise<void> {
  screen.getByRole("menuitem", { name: title }).click();
  await settle();
}

async function turn(title: "Undo" | "Redo"): Promise<void> {
  screen.getByRole("button", { name: title }).click();
  await settle(12);
}

/** Opens the window with a row in focus. */
async function at_row(name: string): Promise<FakeEngine> {
  const fake = await open_window();
  item(name).focus();
  return fake;
}

describe("a new folder", () => {
  it("is named in its row, shown although it is empty, and taken back and made again", async () => {
    const fake = await at_row("Expedition");
    press("ContextMenu");
    await settle();
    await choose(/New folder/);
    await settle();
    expect(names().slice(1, 3)).toEqual(["Expedition", "  New folder"]);
    expect(document.activeElement).toBe(field());
    expect(field().getAttribute("aria-label")).toBe("Name of the new folder");
    await expect_accessible();
    type("Photos");
    press("Enter");
    await settle(12);
    expect([...fake.folders]).toEqual(["Expedition/Photos"]);
    expect(names()).toContain("  Photos");
    expect(focused()).toBe("Expedition/Photos");
    press("z", { ctrlKey: true });
    await settle(12);
    expect(fake.folders.size).toBe(0);
    expect(names()).not.toContain("  Photos");
    expect(focused()).toBe("Expedition");
    press("Z", { ctrlKey: true, shiftKey: true });
    await settle(12);
    expect([...fake.folders]).toEqual(["Expedition/Photos"]);
    expect(focused()).toBe("Expedition/Photos");
    await turn("Undo");
    await turn("Redo");
    expect([...fake.folders]).toEqual(["Expedition/Photos"]);
  });

  it("is not made without a name, or when thought better of", async () => {
    const fake = await at_row("Expedition");
    for (const [typed, key] of [["", "Enter"], ["Photos", "Escape"]] as const) {
      press("n", { ctrlKey: true, shiftKey: true });
      await settle();
      type(typed);
      press(key);
      await settle();
      expect(field()).toBeNull();
      expect(focused()).toBe("Expedition");
    }
    expect(fake.folders.size).toBe(0);
  });

  it("says why a name will not do", async () => {
    await at_row("Expedition");
    screen.getByRole("button", { name: "New folder" }).click();
    await settle();
    expect(names()[0]).toBe("New folder");
    for (const [typed, said] of [["a/b", "Move to…"], ["a:b", "cannot contain :"], ["People", "A file of that name exists: “People”"]] as const) {
      type(typed);
      await settle(1);
      press("Enter");
      await settle();
      expect(screen.getByRole("alert").textContent).toContain(said);
      expect(document.activeElement).toBe(field());
    }
  });

  it("is not removed by undo once something is in it", async () => {
    const fake = await at_row("Expedition");
    press("n", { ctrlKey: true, shiftKey: true });
    await settle();
    type("Photos");
    press("Enter");
    await settle(12);
    fake.write_outside("Expedition/Photos/One.md", "# One\n");
    press("z", { ctrlKey: true });
    await settle(12);
    expect(toasts.list.at(-1)?.message).toContain("Something is in the folder by now: “Expedition/Photos”");
    expect(fake.notes.has("Expedition/Photos/One.md")).toBe(true);
  });

  it("can be made at the top from the menu beside the rows", async () => {
    const fake = await open_window();
    document.querySelector("[data-scroller]")!.dispatchEvent(new MouseEvent("contextmenu", { bubbles: true, cancelable: true, button: 2 }));
    await settle();
    expect(screen.getAllByRole("menuitem").map((one) => one.firstElementChild?.textContent)).toEqual(["New note here", "New folder"]);
    await choose(/New folder/);
    type("Shelf");
    press("Enter");
    await settle(12);
    expect([...fake.folders]).toEqual(["Shelf"]);
  });
});

describe("renaming a folder", () => {
  it("shows the links that follow, keeps what is open, and is undone and redone", async () => {
    const fake = await open_window();
    fake.write_outside("Index.md", `${fake.notes.get("Index.md")}\n[[Expedition/Kit list]]\n`);
    const before = texts(fake);
    await open_note(KIT);
    tabs.open_anew(SURVEY);
    await settle(12);
    const doc = notes.documents.get(KIT)!;
    item("Expedition").focus();
    press("F2");
    await settle();
    expect(field().value).toBe("Expedition");
    type("Ice 2026");
    press("Enter");
    await settle(12);
    const dialog = screen.getByRole("dialog", { name: "Preview: Rename Expedition → Ice 2026" });
    expect(dialog.textContent).toContain("5 files go along.");
    expect(dialog.textContent).toContain("1 link in 1 note follows.");
    within(dialog).getByRole("button", { name: "Show what changes" }).click();
    await settle();
    await expect_accessible();
    expect(texts(fake)).toEqual(before);
    confirm().click();
    await settle(12);
    expect(fake.notes.get("Ice 2026/Kit list.md")).toBe(before.get(KIT));
    expect(fake.notes.get("Index.md")).toContain("[[Ice 2026/Kit list]]");
    expect(names()).toContain("Ice 2026");
    expect(names()).toContain("  Kit list");
    expect(item("Ice 2026").getAttribute("aria-expanded")).toBe("true");
    expect(focused()).toBe("Ice 2026");
    expect(tabs.list.map((tab) => tab.path)).toEqual(["Ice 2026/Kit list.md", "Ice 2026/Glacier survey.md"]);
    expect(tabs.active_path).toBe("Ice 2026/Glacier survey.md");
    expect(notes.documents.get("Ice 2026/Kit list.md")).toBe(doc);
    expect(notes.active?.gone).toBe(false);
    await turn("Undo");
    expect(texts(fake)).toEqual(before);
    expect(tabs.list.map((tab) => tab.path)).toEqual([KIT, SURVEY]);
    expect(item("Expedition").getAttribute("aria-expanded")).toBe("true");
    await turn("Redo");
    expect(fake.notes.get("Index.md")).toContain("[[Ice 2026/Kit list]]");
    expect(tabs.active_path).toBe("Ice 2026/Glacier survey.md");
    await turn("Undo");
    expect(texts(fake)).toEqual(before);
    expect(commands.can(commands.get("redo_deed")!)).toBe(true);
  });

  it("needs no question when no link follows", async () => {
    const fake = await at_row("Templates");
    press("F2");
    await settle();
    type("Patterns");
    press("Enter");
    await settle(12);
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(fake.notes.has("Patterns/Template 1.md")).toBe(true);
    expect(toasts.list.at(-1)?.message).toBe("Renamed Templates → Patterns");
  });

  it("says in the engine's words why it is refused, and stays there", async () => {
    await at_row("Expedition");
    press("F2");
    await settle();
    type("People");
    press("Enter");
    await settle(12);
    expect(screen.getByRole("alert").textContent).toBe("A file of that name exists: “People”");
    press("Escape");
    await settle();
    expect(focused()).toBe("Expedition");
  });
});

describe("moving a folder", () => {
  it("offers every folder but itself, what is in it, and where it is", async () => {
    const fake = await at_row("Reading");
    press("m", { ctrlKey: true, shiftKey: true });
    await settle(12);
    expect(screen.getByRole("dialog", { name: "Move Reading to" })).toBeTruthy();
    expect(screen.getAllByRole("option").map((one) => one.textContent?.trim())).toEqual(["Daily", "Expedition", "People", "People/Visitors", "Templates"]);
    type("visitors", screen.getByRole("combobox") as HTMLInputElement);
    await settle();
    press("Enter");
    await settle(12);
    expect(fake.notes.has("People/Visitors/Reading/Papers/Paper 001.md")).toBe(true);
    expect(focused()).toBe("People/Visitors/Reading");
  });

  it("offers no new folder within itself", async () => {
    await at_row("Reading");
    press("m", { ctrlKey: true, shiftKey: true });
    await settle(12);
    type("Reading/Deeper", screen.getByRole("combobox") as HTMLInputElement);
    await settle();
    expect(screen.queryByRole("option")).toBeNull();
  });
});

describe("dragging", () => {
  const { elementFromPoint } = document;
  afterEach(() => void (document.elementFromPoint = elementFromPoint));

  const point = (kind: string, on: EventTarget, x: number, more: MouseEventInit = {}) => on.dispatchEvent(new MouseEvent(kind, { bubbles: true, cancelable: true, clientX: x, clientY: x, ...more }));

  async function drag(from: Element, to: Element): Promise<void> {
    document.elementFromPoint = () => to;
    point("pointerdown", from, 10);
    point("pointermove", window, 12);
    point("pointermove", window, 40);
    await settle(2);
  }

  async function drop(on: Element): Promise<void> {
    point("pointerup", window, 40);
    point("click", on, 40);
    await settle(12);
  }

  it("moves a note into a folder, with the links", async () => {
    const fake = await at_row("Expedition");
    await tree.expand("Expedition");
    await settle();
    await drag(item("Kit list"), item("Reading"));
    expect(item("Reading").classList.contains("over")).toBe(true);
    expect(document.querySelector(".held")?.textContent?.replace(/\s+/g, " ").trim()).toBe("Kit list → Reading");
    await drop(item("Reading"));
    if (confirm()) confirm().click();
    await settle(12);
    expect(fake.notes.has("Reading/Kit list.md")).toBe(true);
    expect(document.querySelector(".held")).toBeNull();
    expect(tabs.active_path).toBeNull();
    expect(focused()).toBe("Reading/Kit list.md");
  });

  it("moves a folder to the top when it is put down beside the rows, or on a note there", async () => {
    const fake = await at_row("Reading");
    await tree.expand("Reading");
    await settle();
    await drag(item("Papers"), item("Inbox"));
    await drop(item("Inbox"));
    expect(fake.notes.has("Papers/Paper 001.md")).toBe(true);
    await drag(item("Visitors|People"), document.querySelector("[data-scroller]")!);
    expect(document.querySelector("[data-scroller]")!.classList.contains("over")).toBe(false);
  });

  it("is given up with Escape, and a small move is a click", async () => {
    const fake = await at_row("Expedition");
    const before = texts(fake);
    await drag(item("Templates"), item("Expedition"));
    press("Escape");
    await settle(1);
    await drop(item("Expedition"));
    expect(texts(fake)).toEqual(before);
    point("pointerdown", item("Inbox"), 10);
    point("pointermove", window, 12);
    point("pointerup", window, 12);
    item("Inbox").click();
    await settle(12);
    expect(tabs.active_path).toBe("Inbox.md");
  });

  it.each([
    ["a/n.md", "b", "b"],
    ["a/n.md", "b/m.md", "b"],
    ["a/n.md", "a", null],
    ["a/n.md", "a/m.md", null],
    ["a/n.md", undefined, ""],
    ["n.md", "m.md", null],
    ["a", "b", "b"],
    ["a", "a", null],
    ["a", "a/deep", null],
    ["a", "a/deep/m.md", null],
    ["a", "ab", "ab"],
    ["a/deep", "m.md", ""],
  ])("%s put down on %s goes into %s", (held, on, into) => {
    const row = (path: string) => ({ entry: { path, kind: path.endsWith(".md") ? "note" : "folder" } }) as TreeRow;
    expect(landing(row(held), on === undefined ? undefined : row(on))).toBe(into);
  });
});

describe("deleting a folder", () => {
  it("asks, says what goes and which links break, closes the tabs, and is undone", async () => {
    const fake = await open_window();
    const before = texts(fake);
    await open_note(KIT);
    tabs.open_anew(SURVEY);
    await settle(12);
    item("Expedition").focus();
    press("Delete");
    await settle(12);
    const dialog = screen.getByRole("alertdialog", { name: "Delete folder Expedition" });
    expect(dialog.textContent).toMatch(/\d+ links to it will lead nowhere\./);
    expect(dialog.textContent).toContain("5 files go away with it. The texts of notes stay in the history. You can undo this.");
    await expect_accessible();
    confirm().click();
    await settle(12);
    expect([...fake.notes.keys()].some((path) => path.startsWith("Expedition/"))).toBe(false);
    expect(tabs.list).toEqual([]);
    expect(focused()).toBe("People");
    await turn("Undo");
    expect(texts(fake)).toEqual(before);
    expect(tabs.list.map((tab) => tab.path)).toEqual([KIT, SURVEY]);
    expect(tabs.active_path).toBe(SURVEY);
    await turn("Redo");
    expect(tabs.list).toEqual([]);
    await turn("Undo");
    expect(texts(fake)).toEqual(before);
  });

  it("says that the files go into the trash where they do", async () => {
    await at_row("Templates");
    vault.info = { ...vault.info!, uses_system_trash: true };
    press("Delete");
    await settle(12);
    expect(screen.getByRole("alertdialog").textContent).toContain("9 files go into the trash of this computer. You can undo this.");
  });

  it("says of an empty folder that it is empty", async () => {
    const fake = await open_window();
    await fake.create_folder("Shelf");
    await tree.refresh();
    await settle();
    item("Shelf").focus();
    press("Delete");
    await settle(12);
    expect(screen.getByRole("alertdialog").textContent).toContain("The folder is empty. You can undo this.");
    confirm().click();
    await settle(12);
    expect(fake.folders.size).toBe(0);
    await turn("Undo");
    expect([...fake.folders]).toEqual(["Shelf"]);
  });
});
