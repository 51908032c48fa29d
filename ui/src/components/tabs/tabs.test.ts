import { screen } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
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
