import { screen, within } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import { EngineError } from "../../ipc/engine";
import type { FakeEngine } from "../../ipc/fake";
import { commands } from "../../state/commands.svelte";
import { menu } from "../../state/menu.svelte";
import { notes } from "../../state/notes.svelte";
import { READING_TIME } from "../../state/operations.svelte";
import { tabs } from "../../state/tabs.svelte";
import { toasts } from "../../state/toasts.svelte";
import { tree } from "../../state/tree.svelte";
import { wishes } from "../../state/wishes.svelte";
import { expect_accessible, fresh, open_note, open_window, press, settle } from "../../test/window";

const KIT = "Expedition/Kit list.md";

const item = (name: string) => within(screen.getByRole("tree", { name: "Notes" })).getByRole("treeitem", { name: new RegExp(name) });
const heading = (name: string) => within(screen.getByRole("tree", { name: /Outline/ })).getAllByRole("treeitem").find((one) => one.textContent?.includes(name))!;
const field = () => document.querySelector<HTMLInputElement>(".field input")!;
const confirm = () => document.querySelector<HTMLButtonElement>("[data-confirm]")!;
const texts = (fake: FakeEngine) => new Map(fake.notes);

function type(text: string, into: HTMLInputElement = field()): void {
  into.value = text;
  into.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Opens the window with a folder unfolded and a row of it in focus. */
async function at_row(name: string): Promise<FakeEngine> {
  const fake = await open_window();
  await tree.expand("Expedition");
  await settle();
  item(name).focus();
  return fake;
}

async function undo(): Promise<void> {
  screen.getByRole("button", { name: "Undo" }).click();
  await settle(12);
}

describe("renaming a note", () => {
  it("shows the links that follow, renames on Enter, and is undone", async () => {
    const fake = await at_row("Kit list");
    const before = texts(fake);
    await open_note(KIT);
    const doc = notes.documents.get(KIT)!;
    item("Kit list").focus();
    press("F2");
    await settle();
    expect(document.activeElement).toBe(field());
    expect(field().value).toBe("Kit list");
    await expect_accessible();
    type("Gear list");
    await settle(1);
    press("Enter");
    await settle(12);
    const dialog = screen.getByRole("dialog", { name: /Rename Kit list → Gear list/ });
    expect(dialog.textContent).toContain("2 links in 1 note follow.");
    expect(texts(fake)).toEqual(before);
    within(dialog).getByRole("button", { name: "Show what changes" }).click();
    await settle();
    expect(dialog.textContent).toContain("Glacier survey.md");
    await expect_accessible();
    expect(document.activeElement).toBe(confirm());
    confirm().click();
    await settle(12);
    expect(fake.notes.has(KIT)).toBe(false);
    expect(fake.notes.get("Expedition/Gear list.md")).toBe(before.get(KIT));
    expect(fake.notes.get("Expedition/Glacier survey.md")).toContain("[[Gear list#Probes]]");
    expect(tabs.active_path).toBe("Expedition/Gear list.md");
    expect(notes.documents.get("Expedition/Gear list.md")).toBe(doc);
    expect(notes.active?.title).toBe("Gear list");
    expect(notes.active?.gone).toBe(false);
    expect(document.activeElement?.textContent).toContain("Gear list");
    await undo();
    expect(texts(fake)).toEqual(before);
    expect(tabs.active_path).toBe(KIT);
    expect(notes.active?.gone).toBe(false);
  });

  it("needs no question when no link follows", async () => {
    const fake = await open_window();
    item("Inbox").focus();
    press("F2");
    await settle();
    type("Letter box");
    press("Enter");
    await settle(12);
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(fake.notes.has("Letter box.md")).toBe(true);
    expect(commands.can(commands.get("undo_deed")!)).toBe(true);
    press("z", { ctrlKey: true });
    await settle(12);
    expect(fake.notes.has("Inbox.md")).toBe(true);
    expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
    expect(document.activeElement).toBe(item("Inbox"));
    expect(commands.can(commands.get("undo_deed")!)).toBe(false);
  });

  it.each([
    ["a:b", "cannot contain :"],
    ["", "cannot be empty"],
    ["a/b", "Move to…"],
  ])("names what is wrong with %j, and asks nobody", async (name, said) => {
    const fake = await at_row("Kit list");
    const asked = vi.spyOn(fake, "preview_wish");
    press("F2");
    await settle();
    type(name);
    await settle(1);
    press("Enter");
    await settle();
    expect(screen.getByRole("alert").textContent).toContain(said);
    expect(field().getAttribute("aria-invalid")).toBe("true");
    expect(asked).not.toHaveBeenCalled();
    await expect_accessible();
  });

  it("says in the engine's words why a name is refused, and stays there", async () => {
    await at_row("Kit list");
    press("F2");
    await settle();
    type("Glacier survey");
    press("Enter");
    await settle();
    expect(screen.getByRole("alert").textContent).toBe("A file of that name exists: “Expedition/Glacier survey.md”");
    expect(document.activeElement).toBe(field());
    press("Escape");
    await settle();
    expect(field()).toBeNull();
    expect(document.activeElement).toBe(item("Kit list"));
  });

  it("can be thought better of in the preview: the typed name is still there", async () => {
    const fake = await at_row("Kit list");
    press("F2");
    await settle();
    type("Gear list");
    press("Enter");
    await settle();
    press("Escape");
    await settle();
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(field().value).toBe("Gear list");
    expect(document.activeElement).toBe(field());
    expect(fake.notes.has(KIT)).toBe(true);
  });

  it("shows the fresh preview when notes changed since, and does not take the same Enter for it", async () => {
    const fake = await at_row("Kit list");
    press("F2");
    await settle();
    type("Gear list");
    press("Enter");
    await settle();
    fake.write_outside("Index.md", `${fake.notes.get("Index.md")}\n[[Kit list]]\n`);
    confirm().click();
    await settle();
    const dialog = screen.getByRole("dialog", { name: /Kit list/ });
    expect(dialog.textContent).toContain("Notes changed meanwhile");
    expect(dialog.textContent).toContain("3 links in 2 notes follow.");
    confirm().click();
    await settle();
    expect(fake.notes.has(KIT)).toBe(true);
    vi.spyOn(Date, "now").mockReturnValue(Date.now() + READING_TIME + 1);
    confirm().click();
    await settle(12);
    vi.restoreAllMocks();
    expect(fake.notes.get("Index.md")).toContain("[[Gear list]]");
  });

  it("says in the dialog what stopped it", async () => {
    const fake = await at_row("Kit list");
    press("F2");
    await settle();
    type("Gear list");
    press("Enter");
    await settle();
    fake.refuse.set("carry_wish", new EngineError("read_only", "the note cannot be written", "make the file writable, then try again"));
    confirm().click();
    await settle();
    expect(within(screen.getByRole("dialog")).getByRole("alert").textContent).toContain("The note cannot be written.");
  });

  it("keeps what is typed but not saved", async () => {
    const fake = await at_row("Kit list");
    await open_note(KIT);
    const doc = notes.documents.get(KIT)!;
    doc.dispatch({ changes: { from: 0, insert: "typed " }, userEvent: "input.type" });
    void commands.run("rename_note");
    await settle();
    type("Gear list");
    press("Enter");
    await settle(12);
    confirm().click();
    await settle(12);
    expect(fake.notes.get("Expedition/Gear list.md")).toContain("typed ");
  });
});

describe("deleting a note", () => {
  it("asks, says which links break, closes the tab, and is undone", async () => {
    const fake = await at_row("Kit list");
    const before = texts(fake);
    await open_note(KIT);
    item("Kit list").focus();
    press("Delete");
    await settle();
    const dialog = screen.getByRole("alertdialog", { name: "Delete Kit list" });
    expect(dialog.textContent).toContain("2 links to it will lead nowhere.");
    expect(dialog.textContent).toContain("You can undo this.");
    await expect_accessible();
    confirm().click();
    await settle(12);
    expect(fake.notes.has(KIT)).toBe(false);
    expect(tabs.list.some((tab) => tab.path === KIT)).toBe(false);
    expect(document.activeElement?.getAttribute("role")).toBe("treeitem");
    expect(toasts.list.at(-1)?.message).toBe("Deleted Kit list");
    await undo();
    expect(texts(fake)).toEqual(before);
    expect(tabs.active_path).toBe(KIT);
  });

  it("does nothing when thought better of", async () => {
    const fake = await at_row("Kit list");
    press("Delete");
    await settle();
    press("Escape");
    await settle();
    expect(fake.notes.has(KIT)).toBe(true);
    expect(document.activeElement).toBe(item("Kit list"));
  });
});

describe("the context menu", () => {
  it("opens by keyboard, is walked, and gives the focus back", async () => {
    await at_row("Kit list");
    press("F10", { shiftKey: true });
    await settle();
    const items = screen.getAllByRole("menuitem");
    expect(items.map((one) => one.firstElementChild?.textContent)).toEqual(["Open in a new tab", "New note here", "New folder", "Rename", "Move to…", "Delete", "Copy link", "Copy Vidimus link"]);
    expect(document.activeElement).toBe(items[0]);
    await expect_accessible(screen.getByRole("menu"));
    press("ArrowUp");
    expect(document.activeElement).toBe(items[7]);
    press("d");
    expect(document.activeElement).toBe(items[5]);
    press("Escape");
    await settle();
    expect(menu.shown).toBe(false);
    expect(document.activeElement).toBe(item("Kit list"));
  });

  it("opens at the pointer, and makes a new note in the folder", async () => {
    const fake = await at_row("Kit list");
    item("Expedition").dispatchEvent(new MouseEvent("contextmenu", { bubbles: true, cancelable: true, button: 2, clientX: 40, clientY: 60 }));
    await settle();
    screen.getByRole("menuitem", { name: /New note here/ }).click();
    await settle();
    type("Plan", screen.getByRole("textbox", { name: "New note" }) as HTMLInputElement);
    await settle(1);
    screen.getByRole("button", { name: "Create" }).click();
    await settle();
    expect(fake.notes.has("Expedition/Plan.md")).toBe(true);
  });

  it("copies a link that leads to this note alone", async () => {
    const fake = await at_row("Kit list");
    const written: string[] = [];
    Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text: string) => void written.push(text) }, configurable: true });
    const copy = async () => {
      press("ContextMenu", {}, item("Kit list"));
      await settle();
      screen.getByRole("menuitem", { name: /Copy link/ }).click();
      await settle();
    };
    await copy();
    fake.write_outside("People/Kit list.md", "");
    await copy();
    expect(written).toEqual(["[[Kit list]]", "[[Expedition/Kit list]]"]);
  });

  it("moves a note to a folder that is chosen, or made", async () => {
    const fake = await at_row("Kit list");
    const choose = async (typed: string) => {
      void commands.run("move_note");
      await settle(12);
      type(typed, screen.getByRole("combobox") as HTMLInputElement);
      await settle();
      press("Enter");
      await settle(12);
      if (wishes.asked) confirm().click();
      await settle(12);
    };
    await open_note(KIT);
    void commands.run("move_note");
    await settle(12);
    expect(screen.getByRole("dialog", { name: "Move Kit list to" })).toBeTruthy();
    expect(screen.getAllByRole("option").map((one) => one.textContent?.trim())).toEqual(["The top of the vault", "Daily", "People", "People/Visitors", "Reading", "Reading/Papers", "Templates"]);
    await expect_accessible();
    press("Escape");
    await settle();
    await choose("papers");
    expect(fake.notes.has("Reading/Papers/Kit list.md")).toBe(true);
    expect(tabs.active_path).toBe("Reading/Papers/Kit list.md");
    await choose("Shelf/Lower");
    expect(fake.notes.has("Shelf/Lower/Kit list.md")).toBe(true);
    expect(toasts.list.at(-1)?.message).toBe("Moved Kit list → Shelf/Lower/");
  });
});

describe("renaming a heading", () => {
  it("happens in the outline, shows the links that follow, and is undone", async () => {
    const fake = await open_window();
    const before = texts(fake);
    await open_note(KIT);
    heading("Probes").focus();
    press("F2");
    await settle();
    expect(field().value).toBe("Probes");
    await expect_accessible();
    type("Sondes");
    press("Enter");
    await settle(12);
    expect(screen.getByRole("dialog", { name: /Probes → Sondes/ }).textContent).toContain("1 link in 1 note follows.");
    confirm().click();
    await settle(12);
    expect(fake.notes.get(KIT)).toContain("## Sondes");
    expect(fake.notes.get("Expedition/Glacier survey.md")).toContain("[[Kit list#Sondes]]");
    expect(notes.documents.get(KIT)!.text()).toContain("## Sondes");
    expect(document.activeElement).toBe(heading("Sondes"));
    await undo();
    expect(texts(fake)).toEqual(before);
  });

  it("takes the title of the note too", async () => {
    const fake = await open_window();
    await open_note("Inbox.md");
    void commands.run("rename_heading");
    await settle();
    type("Letters");
    press("Enter");
    await settle(12);
    expect(fake.notes.get("Inbox.md")).toContain("# Letters");
  });

  it("says in the engine's words why a title is refused", async () => {
    await open_window();
    await open_note(KIT);
    heading("Probes").focus();
    press("F2");
    await settle();
    type("Todo");
    press("Enter");
    await settle();
    expect(screen.getByRole("alert").textContent).toContain("The new heading could not be told from “Todo”");
    await expect_accessible();
    press("Escape");
    await settle();
    expect(document.activeElement).toBe(heading("Probes"));
  });

  it("finds the row of a heading that is folded away", async () => {
    await open_window();
    await open_note("Expedition/Glacier survey.md");
    screen.getByRole("button", { name: "Collapse all" }).click();
    await settle();
    const doc = notes.documents.get("Expedition/Glacier survey.md")!;
    doc.select_line(doc.text().split("\n").indexOf("### North transect") + 1);
    await settle();
    void commands.run("rename_heading");
    await settle();
    expect(document.activeElement).toBe(field());
    expect(field().value).toBe("North transect");
  });
});

describe("the fake engine", () => {
  it("carries out only what was shown", async () => {
    const fake = fresh();
    const wish = { kind: "move_note", path: KIT, to: "Kit.md" } as const;
    const { digest } = await fake.preview_wish(wish);
    fake.write_outside("Index.md", "[[Kit list]]");
    const answer = await fake.carry_wish(wish, digest);
    expect(answer.kind).toBe("changed");
    expect(fake.notes.has(KIT)).toBe(true);
  });
});
