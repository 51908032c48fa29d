import { screen, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../ipc/engine";
import { field_notes } from "../../ipc/fake/vault";
import { tabs } from "../../state/tabs.svelte";
import { tree } from "../../state/tree.svelte";
import { expect_accessible, open_window, press, settle } from "../../test/window";

const names = () => tree.rows.map((row) => `${"  ".repeat(row.level - 1)}${row.entry.name}`);
const at = () => document.activeElement?.textContent?.trim().split(/\s{2,}|\d/)[0]?.trim();

function item(name: string): HTMLElement {
  return within(screen.getByRole("tree", { name: "Notes" })).getByRole("treeitem", { name: new RegExp(name) });
}

describe("the tree of notes", () => {
  it("is a tree to a screen reader, with one Tab stop", async () => {
    await open_window();
    const items = screen.getAllByRole("treeitem");
    expect(items.filter((one) => one.tabIndex === 0).length).toBe(1);
    expect(item("Daily").getAttribute("aria-expanded")).toBe("false");
    expect(item("Daily").getAttribute("aria-level")).toBe("1");
    expect(item("Daily").getAttribute("aria-setsize")).toBe(String(items.length));
    await expect_accessible();
  });

  it("opens folders only when asked, and remembers which", async () => {
    await open_window();
    item("Expedition").click();
    await settle();
    expect(names()).toContain("  Glacier survey");
    await tree.load("/home/you/Field notes");
    expect(names()).toContain("  Glacier survey");
    tree.collapse("Expedition");
    expect(names()).not.toContain("  Glacier survey");
  });

  it("is walked with the keyboard", async () => {
    await open_window();
    item("Daily").focus();
    press("ArrowDown");
    await settle(2);
    expect(at()).toBe("Expedition");
    press("ArrowRight");
    await settle();
    press("ArrowRight");
    await settle(2);
    expect(at()).toBe("Glacier survey");
    press("ArrowLeft");
    await settle(2);
    expect(at()).toBe("Expedition");
    press("ArrowLeft");
    await settle(2);
    expect(item("Expedition").getAttribute("aria-expanded")).toBe("false");
    press("End");
    await settle(2);
    expect(at()).toBe("Open questions");
    press("Home");
    await settle(2);
    expect(at()).toBe("Daily");
    press("i");
    await settle(2);
    expect(at()).toBe("Inbox");
    press("Enter");
    await settle();
    expect(tabs.active_path).toBe("Inbox.md");
  });

  it("shows where proposals wait, also above a closed folder", async () => {
    await open_window();
    expect(item("Expedition").textContent).toContain("3 to review");
    item("Expedition").click();
    await settle();
    expect(item("Glacier survey").textContent).toContain("to review");
  });

  it("shows the row of the open note", async () => {
    await open_window();
    tabs.open("Expedition/Kit list.md");
    await settle();
    expect(item("Kit list").getAttribute("aria-selected")).toBe("true");
  });

  it("holds only the rows in sight of thousands", async () => {
    await open_window({ notes: field_notes(5000) });
    item("Daily").click();
    await settle();
    expect(tree.rows.length).toBeGreaterThan(5000);
    expect(screen.getAllByRole("treeitem").length).toBeLessThan(100);
    item("Daily").focus();
    press("End");
    await settle(3);
    expect(at()).toBe("Open questions");
  });

  it("follows notes that come and go", async () => {
    const fake = await open_window();
    fake.write_outside("Brand new.md", "# New\n");
    await new Promise((resolve) => setTimeout(resolve, 200));
    await settle();
    expect(names()).toContain("Brand new");
  });

  it("says what is wrong when it cannot be read, and tries again", async () => {
    const fake = await open_window();
    fake.refuse.set("tree", new EngineError("unreadable", "the folder cannot be read", "check its permissions"));
    await tree.refresh();
    await settle();
    expect(screen.getByRole("alert").textContent).toContain("The folder cannot be read");
    fake.refuse.clear();
    screen.getByRole("button", { name: "Try again" }).click();
    await settle();
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("has a word for an empty vault", async () => {
    await open_window({ notes: new Map(), operations: [] });
    expect(screen.getByText("No notes yet")).toBeTruthy();
  });
});
