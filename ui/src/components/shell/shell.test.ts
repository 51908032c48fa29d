import { screen } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../ipc/engine";
import { commands } from "../../state/commands.svelte";
import { layout } from "../../state/layout.svelte";
import { notes } from "../../state/notes.svelte";
import { settings } from "../../state/settings.svelte";
import { tabs } from "../../state/tabs.svelte";
import { expect_accessible, open_note, open_window, press, settle } from "../../test/window";

const SURVEY = "Expedition/Glacier survey.md";

describe("the window", () => {
  it("has no accessibility faults without a note", async () => {
    await open_window();
    await expect_accessible();
  });

  it.each(["editing", "reading"] as const)("has no accessibility faults with a note for %s", async (default_mode) => {
    await open_window({ settings: { default_mode } });
    await open_note(SURVEY);
    await expect_accessible();
  });

  it("shows what waits, and one press leads to it", async () => {
    await open_window();
    const badge = screen.getByRole("button", { name: "3 to review" });
    badge.click();
    await settle();
    expect(layout.place).toBe("review");
    expect(screen.getByRole("main", { name: "Review" })).toBeTruthy();
  });

  it("walks its parts with F6 and back with Shift+F6", async () => {
    await open_window();
    await open_note(SURVEY);
    (screen.getByRole("button", { name: "Sidebar" }) as HTMLElement).focus();
    const seen: (string | undefined)[] = [];
    for (let n = 0; n < 5; n++) {
      press("F6");
      seen.push(document.activeElement?.closest<HTMLElement>("[data-pane]")?.dataset.pane);
    }
    expect(seen).toEqual(["left", "centre", "right", "status", "top"]);
    press("F6", { shiftKey: true });
    expect(document.activeElement?.closest<HTMLElement>("[data-pane]")?.dataset.pane).toBe("status");
  });

  it("resizes panes from the keyboard and remembers it", async () => {
    await open_window();
    const line = screen.getByRole("separator", { name: "Width of the sidebar" });
    const before = Number(line.getAttribute("aria-valuenow"));
    press("ArrowRight", {}, line);
    await settle(1);
    expect(line.getAttribute("aria-valuenow")).toBe(String(before + 16));
    layout.left_width = 200;
    layout.recall();
    expect(layout.left_width).toBe(before + 16);
    press("Home", {}, line);
    press("Enter", {}, line);
    await settle(1);
    expect(layout.left_width).toBe(248);
  });

  it("counts words and backlinks, and says that all is saved", async () => {
    await open_window();
    await open_note(SURVEY);
    const status = document.querySelector('[data-pane="status"]')!.textContent!;
    expect(status).toMatch(/\d+ words/);
    expect(status).toMatch(/backlinks/);
    expect(status).toMatch(/notes indexed/);
    expect(status).toMatch(/Saved/);
  });

  it("shows how far indexing is", async () => {
    const fake = await open_window();
    fake.listeners.tell("indexing", { done: 40, total: 400 });
    await settle(1);
    expect(screen.getByRole("progressbar", { name: "Indexing notes" }).getAttribute("aria-valuenow")).toBe("40");
    fake.notes.set("Late.md", "");
    fake.vault = await fake.open_vault("/home/you/Field notes");
    fake.listeners.tell("indexing", { done: 400, total: 400 });
    await settle();
    expect(screen.queryByRole("progressbar")).toBeNull();
    // The count is the engine's own, not that of the files it looked at.
    expect(document.querySelector('[data-pane="status"]')!.textContent).toContain(`${fake.vault.n_notes} notes indexed`);
  });

  it("keeps the text when a save is refused, and says what to do", async () => {
    const fake = await open_window();
    await open_note(SURVEY);
    fake.refuse.set("save", new EngineError("disk_full", "no space left on the disk", "free some space, then try again"));
    notes.documents.get(SURVEY)!.dispatch({ changes: { from: 0, insert: "typed" } });
    await notes.documents.get(SURVEY)!.saver.flush();
    await settle();
    expect(screen.getByRole("alert").textContent).toMatch(/no space left on the disk.*Free some space/s);
    await expect_accessible();
    fake.refuse.delete("save");
    (screen.getAllByRole("button", { name: "Try again" })[0] as HTMLElement).click();
    await settle();
    expect(screen.queryByRole("alert")).toBeNull();
    expect(fake.notes.get(SURVEY)!.startsWith("typed")).toBe(true);
  });

  it("keeps the tab open when its text could not be saved", async () => {
    const fake = await open_window();
    await open_note(SURVEY);
    fake.refuse.set("save", new EngineError("disk_full", "no space left on the disk", "free some space"));
    notes.documents.get(SURVEY)!.dispatch({ changes: { from: 0, insert: "typed" } });
    await tabs.close(SURVEY);
    expect(tabs.list.map((tab) => tab.path)).toEqual([SURVEY]);
  });

  it("saves everything before the window closes", async () => {
    const fake = await open_window();
    await open_note(SURVEY);
    notes.documents.get(SURVEY)!.dispatch({ changes: { from: 0, insert: "typed" } });
    fake.listeners.tell("close_requested", null);
    await settle();
    expect(fake.closed).toBe(true);
    expect(fake.notes.get(SURVEY)!.startsWith("typed")).toBe(true);
  });

  it("stays open when text could not be saved, and closes without it only when told to", async () => {
    const fake = await open_window();
    await open_note(SURVEY);
    fake.refuse.set("save", new EngineError("disk_full", "no space left on the disk", "free some space"));
    notes.documents.get(SURVEY)!.dispatch({ changes: { from: 0, insert: "typed" } });
    fake.listeners.tell("close_requested", null);
    await settle();
    expect([fake.closed, fake.kept_open]).toEqual([false, 1]);
    const dialog = screen.getByRole("alertdialog", { name: "Not everything is saved" });
    expect(dialog.textContent).toContain("Glacier survey");
    await expect_accessible();
    screen.getByRole("button", { name: "Close without saving" }).click();
    await settle();
    expect(fake.closed).toBe(true);
  });

  it("writes nothing into another vault that is opened meanwhile", async () => {
    const fake = await open_window();
    await open_note(SURVEY);
    notes.documents.get(SURVEY)!.dispatch({ changes: { from: 0, insert: "typed" } });
    const before = fake.notes.get(SURVEY);
    await fake.open_vault("/home/you/Documents/Work");
    fake.listeners.tell("vault_opened", { path: "/home/you/Documents/Work" });
    await settle(12);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(fake.notes.get(SURVEY)).toBe(before);
    expect(screen.getByRole("button", { name: "Copy the text" })).toBeTruthy();
  });

  it("asks before a link leaves the program, and shows where it leads", async () => {
    const fake = await open_window({ settings: { default_mode: "reading" } });
    await open_note(SURVEY);
    (screen.getByRole("link", { name: "the archive" }) as HTMLElement).click();
    await settle();
    expect(screen.getByRole("dialog").textContent).toContain("https://example.org/archive");
    await expect_accessible();
    (screen.getByRole("button", { name: "Open" }) as HTMLElement).click();
    await settle();
    expect(fake.opened_urls).toEqual(["https://example.org/archive"]);
  });

  it("opens another vault in a window of its own, and takes settings over that were changed there", async () => {
    const fake = await open_window();
    await commands.run("new_window");
    expect(fake.new_windows).toBe(1);
    fake.settings = { ...fake.settings, theme: "dark" };
    fake.listeners.tell("settings_changed", null);
    await settle();
    expect(settings.now.theme).toBe("dark");
    expect(document.documentElement.dataset.theme).toBe("dark");
  });

  it("looks again when the program has opened a vault by itself", async () => {
    const fake = await open_window({ open: false });
    await fake.open_vault("/home/you/Documents/Work");
    fake.listeners.tell("vault_opened", { path: "/home/you/Documents/Work" });
    await settle(12);
    expect(screen.getByRole("heading", { name: "Work", level: 2 })).toBeTruthy();
  });
});
