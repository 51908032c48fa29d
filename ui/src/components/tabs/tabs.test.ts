import { undo } from "@codemirror/commands";
import { screen } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../ipc/engine";
import { notes } from "../../state/notes.svelte";
import { tabs } from "../../state/tabs.svelte";
import { expect_accessible, open_note, open_window, press, settle } from "../../test/window";

const paths = () => tabs.list.map((tab) => tab.path.replace(/\.md$/, ""));

async function three(): Promise<void> {
  await open_window();
  for (const name of ["Index", "Inbox", "Open questions"]) await open_note(`${name}.md`);
}

describe("tabs", () => {
  it("are tabs to a screen reader", async () => {
    await three();
    const list = screen.getByRole("tablist", { name: "Open notes" });
    expect(list.querySelectorAll('[role="tab"]').length).toBe(3);
    expect(screen.getByRole("tab", { name: "Open questions" }).getAttribute("aria-selected")).toBe("true");
    await expect_accessible();
  });

  it("are walked, moved and closed with the keyboard", async () => {
    await three();
    screen.getByRole("tab", { name: "Open questions" }).focus();
    press("ArrowRight");
    await settle();
    expect(tabs.active_path).toBe("Index.md");
    expect(document.activeElement?.textContent?.trim()).toBe("Index");
    press("ArrowRight", { ctrlKey: true, shiftKey: true });
    await settle();
    expect(paths()).toEqual(["Inbox", "Index", "Open questions"]);
    press("Delete");
    await settle();
    expect(paths()).toEqual(["Inbox", "Open questions"]);
    expect(tabs.active_path).toBe("Open questions.md");
  });

  it("are not made by looking through notes: one takes the place of the other, and the way back leads to where one was", async () => {
    await open_window();
    for (const name of ["Index", "Inbox", "Open questions"]) {
      tabs.open(`${name}.md`);
      await settle(12);
    }
    expect(paths()).toEqual(["Open questions"]);
    tabs.toggle_mode();
    tabs.list[0]!.top_line = 7;
    tabs.open("Index.md");
    await settle(12);
    expect(tabs.list.map(({ path, mode }) => [path, mode])).toEqual([["Index.md", "reading"]]);
    tabs.back();
    await settle(12);
    expect(tabs.list[0]).toMatchObject({ path: "Open questions.md", top_line: 7 });
    await open_note("Inbox.md");
    expect(paths()).toEqual(["Open questions", "Inbox"]);
    tabs.open("Open questions.md");
    expect(paths(), "a note that has a tab is shown in it").toEqual(["Open questions", "Inbox"]);
  });

  it("are made where they are asked for: with Ctrl, with the middle button in the tree and on a link, from the menu", async () => {
    await open_window();
    tabs.open("Index.md");
    await settle(12);
    const row = (name: string) => screen.getByRole("treeitem", { name });
    row("Inbox").dispatchEvent(new MouseEvent("click", { bubbles: true, ctrlKey: true }));
    await settle(12);
    expect(paths()).toEqual(["Index", "Inbox"]);
    row("Open questions").dispatchEvent(new MouseEvent("auxclick", { bubbles: true, button: 1 }));
    await settle(12);
    expect(paths()).toEqual(["Index", "Inbox", "Open questions"]);
    press("o", { ctrlKey: true });
    await settle();
    const field = screen.getByRole("combobox") as HTMLInputElement;
    field.value = "kit list";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await settle();
    press("Enter", { ctrlKey: true });
    await settle(12);
    expect(paths()).toEqual(["Index", "Inbox", "Open questions", "Expedition/Kit list"]);
    await tabs.close("Inbox.md");
    await settle(12);
    row("Inbox").dispatchEvent(new MouseEvent("contextmenu", { bubbles: true, cancelable: true, button: 2 }));
    await settle();
    screen.getByRole("menuitem", { name: "Open in a new tab" }).click();
    await settle(12);
    expect(paths()).toEqual(["Index", "Open questions", "Expedition/Kit list", "Inbox"]);
    notes.documents.get("Inbox.md")!.dispatch({ changes: { from: 0, insert: "[[Kit list]] " } });
    tabs.set_mode("Inbox.md", "reading");
    await tabs.close("Expedition/Kit list.md");
    await settle(12);
    screen.getByRole("link", { name: "Kit list" }).dispatchEvent(new MouseEvent("auxclick", { bubbles: true, cancelable: true, button: 1 }));
    await settle(12);
    expect(paths()).toEqual(["Index", "Open questions", "Inbox", "Expedition/Kit list"]);
  });

  it("keep what was typed and what can be undone when another note takes their place", async () => {
    await open_window();
    tabs.open("Inbox.md");
    await settle(12);
    const doc = notes.documents.get("Inbox.md")!;
    const before = doc.text();
    doc.dispatch({ changes: { from: 0, insert: "typed " } });
    tabs.open("Index.md");
    await settle(20);
    expect(doc.dirty).toBe(false);
    tabs.back();
    await settle(12);
    expect(notes.documents.get("Inbox.md")).toBe(doc);
    doc.run(undo);
    expect(doc.text()).toBe(before);
  });

  it("stay where the text of a note is nowhere else", async () => {
    const fake = await open_window();
    tabs.open("Inbox.md");
    await settle(12);
    fake.refuse.set("save", new EngineError("disk_full", "no space left on the disk", "free some space"));
    notes.documents.get("Inbox.md")!.dispatch({ changes: { from: 0, insert: "typed " } });
    tabs.open("Index.md");
    await settle(20);
    expect(paths()).toEqual(["Index", "Inbox"]);
    expect(tabs.active_path).toBe("Index.md");
    tabs.open("Inbox.md");
    tabs.open("Open questions.md");
    await settle(12);
    expect(paths()).toEqual(["Index", "Inbox", "Open questions"]);
    for (let n = 0; n < 12; n++) tabs.open(`Note ${n}.md`);
    await settle(20);
    expect(notes.documents.get("Inbox.md")!.text().startsWith("typed ")).toBe(true);
  });

  it("show what is not saved yet", async () => {
    await three();
    notes.documents.get("Inbox.md")!.dispatch({ changes: { from: 0, insert: "x" } });
    await settle(1);
    expect(screen.getByRole("tab", { name: /Inbox/ }).textContent).toContain("not saved yet");
    await notes.documents.get("Inbox.md")!.saver.flush();
    await settle(1);
    expect(screen.getByRole("tab", { name: /Inbox/ }).textContent).not.toContain("not saved yet");
  });

  it("save on the way out", async () => {
    await three();
    notes.documents.get("Inbox.md")!.dispatch({ changes: { from: 0, insert: "kept " } });
    await tabs.close("Inbox.md");
    await open_note("Inbox.md");
    expect(notes.documents.get("Inbox.md")!.text().startsWith("kept ")).toBe(true);
  });

  it("lead back and forward", async () => {
    await three();
    tabs.back();
    tabs.back();
    expect(tabs.active_path).toBe("Index.md");
    tabs.forward();
    expect(tabs.active_path).toBe("Inbox.md");
    expect(tabs.can_go_forward).toBe(true);
    tabs.open("Index.md");
    expect(tabs.can_go_forward).toBe(false);
  });

  it("are there again after a restart", async () => {
    await three();
    const before = paths();
    tabs.list = [];
    tabs.recall("/home/you/Field notes");
    expect(paths()).toEqual(before);
    expect(tabs.active_path).toBe("Open questions.md");
  });
});
