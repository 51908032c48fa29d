import { redo, undo } from "@codemirror/commands";
import { EditorView } from "@codemirror/view";
import { screen } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import { EngineError } from "../../ipc/engine";
import type { FakeEngine } from "../../ipc/fake";
import { commands } from "../../state/commands.svelte";
import { layout } from "../../state/layout.svelte";
import { notes } from "../../state/notes.svelte";
import { tabs } from "../../state/tabs.svelte";
import { violations } from "../../test/axe";
import { open_note, open_window, press, settle } from "../../test/window";
import { edge_near, put_down } from "./tab_drag.svelte";

const INBOX = "Inbox.md";
const INDEX = "Index.md";
const SURVEY = "Expedition/Glacier survey.md";

/** What each group holds, the shown note with a star, and the group with the keyboard in brackets. */
function groups(): string[] {
  return tabs.groups.map((group) => {
    const list = group.list.map(({ path }) => path.replace(/^.*\//, "").replace(/\.md$/, "") + (path === group.active_path ? "*" : "")).join(" ");
    return group === tabs.group ? `[${list}]` : list;
  });
}

const views = () => [...document.querySelectorAll<HTMLElement>(".cm-editor")].map((editor) => EditorView.findFromDOM(editor)!);
const texts = () => views().map((view) => view.state.sliceDoc());

async function run(id: string): Promise<void> {
  await commands.run(id);
  await settle(12);
}

/** Opens a note and shows it in two groups beside each other. */
async function twice(path = INBOX): Promise<FakeEngine> {
  const fake = await open_window();
  await open_note(path);
  await run("split_right");
  return fake;
}

describe("groups of tabs", () => {
  it("come from the palette, the keys and the menu of a tab", async () => {
    await open_window();
    await open_note(INBOX);
    press("Enter", { ctrlKey: true, altKey: true });
    await settle(12);
    expect(groups()).toEqual(["Inbox*", "[Inbox*]"]);
    press("Enter", { ctrlKey: true, altKey: true, shiftKey: true });
    await settle(12);
    expect(groups()).toEqual(["Inbox*", "Inbox*", "[Inbox*]"]);
    const [first] = screen.getAllByRole("tab", { name: "Inbox" });
    first!.focus();
    press("F10", { shiftKey: true });
    await settle();
    screen.getByRole("menuitem", { name: /^Split right/ }).click();
    await settle(12);
    expect(groups()).toEqual(["Inbox*", "[Inbox*]", "Inbox*", "Inbox*"]);
  });

  it("can be used by everybody", async () => {
    await twice(SURVEY);
    await open_note(INDEX);
    await run("split_down");
    tabs.toggle_mode();
    await settle(12);
    expect(await violations(document.body)).toEqual([]);
    const names = screen.getAllByRole("tablist").map((list) => list.getAttribute("aria-label"));
    expect(names).toEqual(expect.arrayContaining(["Open notes, group 1 of 3", "Open notes, group 2 of 3", "Open notes, group 3 of 3"]));
    for (const tab of screen.getAllByRole("tab")) expect(document.getElementById(tab.getAttribute("aria-controls")!)).not.toBeNull();
  });

  it("each have tabs of their own, and what is opened opens where the keyboard is", async () => {
    await twice();
    await open_note(INDEX);
    expect(groups()).toEqual(["Inbox*", "[Inbox Index*]"]);
    views()[0]!.focus();
    await settle();
    await open_note(SURVEY);
    expect(groups()).toEqual(["[Inbox Glacier survey*]", "Inbox Index*"]);
    tabs.back();
    expect(groups()).toEqual(["[Inbox* Glacier survey]", "Inbox Index*"]);
    expect(tabs.can_go_back).toBe(false);
  });

  it("show a note that could not be saved where it is open", async () => {
    const fake = await twice();
    await open_note(INDEX);
    views()[0]!.focus();
    await settle();
    fake.refuse.set("save", new EngineError("disk_full", "no space left on the disk", "free some space"));
    notes.documents.get(INDEX)!.dispatch({ changes: { from: 0, insert: "typed" } });
    fake.listeners.tell("close_requested", null);
    await settle(12);
    screen.getByRole("button", { name: "Stay here" }).click();
    await settle();
    expect(groups()).toEqual(["Inbox*", "[Inbox Index*]"]);
  });

  it("open a link of a note in the group that the note is in", async () => {
    await twice(SURVEY);
    views()[0]!.focus();
    tabs.set_mode(SURVEY, "reading");
    await settle(12);
    screen.getByRole("link", { name: "Route and camps > Camps" }).click();
    await settle(12);
    expect(groups()).toEqual(["[Route and camps*]", "Glacier survey*"]);
    expect(tabs.jump).toMatchObject({ line: 5, group: tabs.group.id });
  });

  it("are walked with the keyboard, and title, outline and links follow", async () => {
    await twice();
    await open_note(SURVEY);
    const place = () => document.activeElement?.closest<HTMLElement>("[data-group]")?.dataset.group;
    const outline = () => screen.getByRole("tree", { name: /Outline/ }).textContent;
    expect(outline()).toContain("Old instruments");
    press("F6", { ctrlKey: true });
    await settle(20);
    expect([notes.active?.title, place(), document.title.split(" · ")[0]]).toEqual(["Inbox", String(tabs.groups[0]!.id), "Inbox"]);
    expect(outline()).not.toContain("Old instruments");
    await run("group_right");
    await vi.waitFor(() => expect(place()).toBe(String(tabs.groups[1]!.id)));
    expect(notes.active?.path).toBe(SURVEY);
    await run("group_right");
    expect(groups()).toEqual(["Inbox*", "[Inbox Glacier survey*]"]);
    // Every group is a part of the window for F6, too.
    screen.getByRole("button", { name: "Sidebar" }).focus();
    const seen: (string | undefined)[] = [];
    for (let n = 0; n < 4; n++) {
      press("F6");
      await settle(2);
      seen.push(place() ?? document.activeElement?.closest<HTMLElement>("[data-pane]")?.dataset.pane);
    }
    expect(seen).toEqual(["left", ...tabs.groups.map((group) => String(group.id)), "right"]);
  });

  it("go with their last tab, and the keyboard goes to the group beside", async () => {
    await twice();
    await open_note(INDEX);
    await run("close_tab");
    await run("close_tab");
    await settle(20);
    expect(groups()).toEqual(["[Inbox*]"]);
    expect(document.activeElement?.closest(".cm-editor")).toBe(document.querySelector(".cm-editor"));
    await run("close_tab");
    expect(groups()).toEqual(["[]"]);
    expect(screen.getByText("No note is open")).toBeTruthy();
  });

  it("stay as long as a text in them is not on disk", async () => {
    const fake = await twice();
    await open_note(INDEX);
    fake.refuse.set("save", new EngineError("disk_full", "no space left on the disk", "free some space"));
    notes.documents.get(INDEX)!.dispatch({ changes: { from: 0, insert: "typed" } });
    await run("close_group");
    expect(groups()).toEqual(["Inbox*", "[Index*]"]);
  });

  it("are sized with the arrow keys, and stand as they were when the vault is opened again", async () => {
    await twice();
    await open_note(INDEX);
    await run("split_down");
    tabs.toggle_mode();
    const line = screen.getByRole("separator", { name: "Width of the group on the left" });
    expect(line.getAttribute("aria-orientation")).toBe("vertical");
    press("ArrowLeft", {}, line);
    await settle(2);
    press("ArrowLeft", { shiftKey: true }, line);
    await settle(2);
    expect([line.getAttribute("aria-valuenow"), line.getAttribute("aria-valuetext")]).toEqual(["38", "38 percent"]);
    const across = screen.getByRole("separator", { name: "Height of the group above" });
    press("ArrowDown", {}, across);
    await settle(2);
    expect([across.getAttribute("aria-orientation"), across.getAttribute("aria-valuenow")]).toEqual(["horizontal", "52"]);
    const [before, placed] = [groups(), tabs.placed];
    tabs.reset();
    expect(groups()).toEqual(["[]"]);
    tabs.recall("/home/you/Field notes");
    await settle(12);
    expect(groups()).toEqual(before);
    expect(tabs.placed).toEqual(placed);
    expect(tabs.active?.mode).toBe("reading");
  });

  it("read what was remembered before there were groups, and survive what is broken", async () => {
    await open_window();
    localStorage.setItem("vidimus.tabs:/a", JSON.stringify({ list: [{ path: INBOX, mode: "reading" }, { path: INDEX, mode: "editing" }], active: INDEX }));
    tabs.recall("/a");
    expect(groups()).toEqual(["[Inbox Index*]"]);
    localStorage.setItem("vidimus.tabs:/b", JSON.stringify({ area: { group: 4 }, groups: [{ id: 4, list: [], active: null }], focused: 9 }));
    tabs.recall("/b");
    expect(groups()).toEqual(["[]"]);
    localStorage.setItem("vidimus.tabs:/c", '{"groups": 7');
    tabs.recall("/c");
    expect(groups()).toEqual(["[]"]);
  });

  it("take a tab over, by key and by hand", async () => {
    await twice();
    await open_note(INDEX);
    await run("tab_to_next_group");
    expect(groups()).toEqual(["[Inbox Index*]", "Inbox*"]);
    const [left, right] = tabs.groups;
    put_down(INBOX, left!, { group: right!.id, at: null, side: null });
    expect(groups()).toEqual(["Index*", "[Inbox*]"]);
    put_down(INBOX, right!, { group: left!.id, at: 0, side: null });
    expect(groups()).toEqual(["[Inbox* Index]"]);
    put_down(INDEX, left!, { group: left!.id, at: 0, side: null });
    expect(groups()).toEqual(["[Index Inbox*]"]);
    put_down(INBOX, left!, { group: left!.id, at: null, side: "above" });
    expect(groups()).toEqual(["[Inbox*]", "Index*"]);
    await settle(12);
    expect(views().length).toBe(2);
  });

  it.each([
    [10, 50, "left"],
    [190, 50, "right"],
    [100, 5, "above"],
    [100, 95, "below"],
    [100, 50, null],
  ])("begin at the edge of a page that a tab is put down near: %i %i", (x, y, side) => {
    expect(edge_near({ left: 0, top: 0, width: 200, height: 100 }, x, y)).toBe(side);
  });

  it("show a past text in the group that asked for it", async () => {
    await twice(SURVEY);
    layout.show_right("history");
    await settle(12);
    document.querySelector<HTMLElement>("[data-version]")!.click();
    await settle(12);
    expect(screen.getAllByRole("button", { name: "Back to the note" }).length).toBe(1);
    expect(views().length).toBe(1);
    tabs.focus(tabs.groups[0]!);
    await settle(12);
    expect(screen.getByRole("button", { name: "Back to the note" }).closest<HTMLElement>("[data-group]")!.dataset.group).toBe(String(tabs.groups[1]!.id));
  });
});

describe("a note in two groups", () => {
  it("is one text: what is typed in one is in the other at once, and saved once", async () => {
    const fake = await twice();
    const save = vi.spyOn(fake, "save");
    const [left, right] = views();
    right!.dispatch({ changes: { from: 0, insert: "right " }, userEvent: "input.type" });
    expect(texts()).toEqual([right!.state.sliceDoc(), right!.state.sliceDoc()]);
    left!.dispatch({ changes: { from: 0, insert: "left " }, userEvent: "input.type" });
    expect(texts()[1]!.startsWith("left right ")).toBe(true);
    left!.focus();
    left!.dispatch({ changes: { from: 0, insert: "again " }, userEvent: "input.type" });
    expect(texts()[1]!.startsWith("again left right ")).toBe(true);
    await notes.documents.get(INBOX)!.saver.flush();
    await settle(12);
    expect(fake.notes.get(INBOX)).toBe(texts()[0]);
    expect(save.mock.calls.length).toBe(1);
    expect([notes.get(INBOX)!.n_overlaps, notes.get(INBOX)!.status.kind]).toEqual([0, "saved"]);
  });

  it("has one undo, wherever the keyboard is and whichever of the two was closed", async () => {
    await twice();
    const before = texts()[0]!;
    const [left, right] = views();
    right!.dispatch({ changes: { from: 0, insert: "one " } });
    left!.focus();
    await settle();
    left!.dispatch({ changes: { from: before.length + 4, insert: " two" } });
    expect(undo(left!)).toBe(true);
    expect(undo(left!)).toBe(true);
    expect(texts()).toEqual([before, before]);
    right!.focus();
    await settle();
    expect(redo(right!)).toBe(true);
    await tabs.close(INBOX, tabs.groups[1]);
    await settle(12);
    const [only] = views();
    expect(only).toBe(left);
    expect(undo(only!)).toBe(true);
    expect(only!.state.sliceDoc()).toBe(before);
    expect(redo(only!)).toBe(true);
    expect(redo(only!)).toBe(true);
    expect(notes.documents.get(INBOX)!.text()).toBe(`one ${before} two`);
  });

  it("has a caret of its own in each", async () => {
    await twice(SURVEY);
    const [left, right] = views();
    // The keyboard is elsewhere: without a screen a focused text takes its caret from a selection that is not there.
    screen.getByRole("button", { name: "Sidebar" }).focus();
    left!.dispatch({ selection: { anchor: 3 } });
    right!.dispatch({ selection: { anchor: 40 } });
    expect(views().map((view) => view.state.selection.main.head)).toEqual([3, 40]);
    right!.dispatch({ changes: { from: 0, insert: "12345" } });
    expect(views().map((view) => view.state.selection.main.head)).toEqual([8, 45]);
    expect(notes.documents.get(SURVEY)!.state.selection.main.head).toBe(45);
    tabs.focus(tabs.groups[0]!);
    await settle();
    expect(notes.documents.get(SURVEY)!.state.selection.main.head).toBe(8);
  });

  it("takes over in both what another program wrote, with what is typed", async () => {
    const fake = await twice();
    const [left, right] = views();
    left!.dispatch({ changes: { from: left!.state.doc.length, insert: "typed here\n" } });
    fake.write_outside(INBOX, fake.notes.get(INBOX)!.replace("# Inbox", "# In-tray"));
    await settle(12);
    expect(texts()[0]).toMatch(/^# In-tray[\s\S]*typed here\n$/);
    expect(right!.state.sliceDoc()).toBe(left!.state.sliceDoc());
    await notes.documents.get(INBOX)!.saver.flush();
    expect(fake.notes.get(INBOX)).toBe(texts()[1]);
    expect(notes.get(INBOX)!.n_overlaps).toBe(0);
  });

  it("is read in one while it is written in the other", async () => {
    await twice();
    tabs.set_mode(INBOX, "reading");
    await settle(12);
    views()[0]!.dispatch({ changes: { from: views()[0]!.state.doc.length, insert: "\nseen at once\n" } });
    await settle(12);
    expect(screen.getByRole("region", { name: "Reading Inbox" }).textContent).toContain("seen at once");
  });

  it("stays open in one when it is closed in the other, without a save", async () => {
    const fake = await twice();
    fake.refuse.set("save", new EngineError("disk_full", "no space left on the disk", "free some space"));
    views()[1]!.dispatch({ changes: { from: 0, insert: "typed " } });
    await run("close_tab");
    expect(groups()).toEqual(["[Inbox*]"]);
    expect(texts()[0]!.startsWith("typed ")).toBe(true);
    await run("close_tab");
    expect(groups()).toEqual(["[Inbox*]"]);
    fake.refuse.clear();
    await run("close_tab");
    expect(groups()).toEqual(["[]"]);
    expect(fake.notes.get(INBOX)!.startsWith("typed ")).toBe(true);
  });

  it("is followed in both when it is moved, and goes from both when it is deleted", async () => {
    const fake = await twice();
    const text = fake.notes.get(INBOX)!;
    await notes.follow(INBOX, "Archive/Inbox.md");
    fake.notes.delete(INBOX);
    fake.notes.set("Archive/Inbox.md", text);
    await settle(12);
    expect(tabs.groups.map((group) => group.active_path)).toEqual(["Archive/Inbox.md", "Archive/Inbox.md"]);
    views()[1]!.dispatch({ changes: { from: 0, insert: "moved " } });
    expect(texts()[0]!.startsWith("moved ")).toBe(true);
    await tabs.close_everywhere("Archive/Inbox.md");
    expect(groups()).toEqual(["[]"]);
    expect(notes.documents.get("Archive/Inbox.md")).toBeUndefined();
  });
});
