import { screen, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../ipc/engine";
import type { FakeEngine } from "../../ipc/fake";
import { notes } from "../../state/notes.svelte";
import { tabs } from "../../state/tabs.svelte";
import { toasts } from "../../state/toasts.svelte";
import { vault } from "../../state/vault.svelte";
import { expect_accessible, open_note, open_window, press, settle } from "../../test/window";

const KIT = "Expedition/Kit list.md";
const COPY = "Expedition/Kit list (Ada's conflicted copy 2026-11-30).md";

const bar = () => screen.queryByText(/by another program\./)?.textContent ?? null;

describe("notes that another program moved", () => {
  async function moved(): Promise<FakeEngine> {
    const fake = await open_window();
    fake.move_outside(KIT, "Reading/Gear list.md");
    await new Promise((resolve) => setTimeout(resolve, 30));
    await settle(12);
    return fake;
  }

  it("are told of, and links follow once that was shown; one undo takes it back", async () => {
    const fake = await moved();
    const before = new Map(fake.notes);
    expect(bar()).toBe("“Gear list” was moved by another program. 2 links still name its old place.");
    await expect_accessible();
    screen.getByRole("button", { name: "Show changes" }).click();
    await settle(12);
    const dialog = screen.getByRole("dialog", { name: "Preview: Repair 2 links to moved notes" });
    expect(dialog.textContent).toContain("Kit list → Reading/Gear list");
    expect(dialog.textContent).toContain("2 links in 1 note follow.");
    within(dialog).getByRole("button", { name: "Show what changes" }).click();
    await settle();
    expect(dialog.textContent).toContain("Glacier survey.md");
    await expect_accessible();
    expect(fake.notes).toEqual(before);
    within(dialog).getByRole("button", { name: /Repair/ }).click();
    await settle(20);
    expect(fake.notes.get("Expedition/Glacier survey.md")).toContain("[[Gear list#Probes]]");
    expect(bar()).toBeNull();
    expect(toasts.list.at(-1)?.message).toBe("Repaired 2 links");
    screen.getByRole("button", { name: "Undo" }).click();
    await settle(12);
    expect(fake.notes).toEqual(before);
  });

  it("are left alone when the person says so", async () => {
    const fake = await moved();
    const before = new Map(fake.notes);
    screen.getByRole("button", { name: "Leave" }).click();
    await settle(12);
    expect(bar()).toBeNull();
    expect(fake.notes).toEqual(before);
  });

  it("are counted", async () => {
    const fake = await moved();
    fake.move_outside("Inbox.md", "Reading/Inbox.md");
    await new Promise((resolve) => setTimeout(resolve, 30));
    await settle(12);
    expect(bar()).toBe("2 notes were moved by another program. 2 links still name their old places.");
  });

  it("are not spoken of where nothing can be written", async () => {
    await moved();
    vault.info = { ...vault.info!, read_only: "the folder is write-protected" };
    await settle();
    expect(bar()).toBeNull();
  });
});

describe("a copy that a sync tool kept", () => {
  async function with_copy(): Promise<FakeEngine> {
    const fake = await open_window();
    fake.conflicts.set(COPY, KIT);
    fake.write_outside(COPY, fake.notes.get(KIT)!.replace("Firn probe, 3 m", "Firn probe, 4 m"));
    await open_note(COPY);
    await settle(12);
    return fake;
  }

  it("is marked in the tree and on its page, and laid beside the note", async () => {
    const fake = await with_copy();
    const row = screen.getByRole("treeitem", { name: /conflicted copy/ });
    expect(row.textContent).toContain("Kept by a sync tool as another version of Kit list");
    expect(screen.getByText("A sync tool kept this as another version of “Kit list”.")).toBeTruthy();
    await expect_accessible();
    screen.getByRole("button", { name: "Compare" }).click();
    await settle(12);
    const view = screen.getByRole("region", { name: /beside Kit list/ });
    expect(document.activeElement).toBe(within(view).getByRole("button", { name: "Back to the note" }));
    expect([...view.querySelectorAll("del, ins")].map((one) => one.textContent)).toEqual(["4", "3"]);
    expect(view.textContent).toContain("− this copy, + Kit list");
    expect(view.textContent).toContain("1 line only in this copy, 1 line only in Kit list");
    await expect_accessible();
    fake.write_outside(KIT, fake.notes.get(COPY)!);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await settle(12);
    expect(view.textContent).toContain("Both notes hold the same text.");
    press("Escape");
    await settle(12);
    expect(screen.queryByRole("region", { name: /beside Kit list/ })).toBeNull();
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Compare" }));
  });

  it("leads to the other one, and the comparison stays with its own page", async () => {
    await with_copy();
    screen.getByRole("button", { name: "Compare" }).click();
    await settle(12);
    screen.getByRole("button", { name: "Open the other" }).click();
    await settle(12);
    expect(tabs.active_path).toBe(KIT);
    expect(screen.queryByRole("region", { name: /beside Kit list/ })).toBeNull();
  });

  it("says why the two cannot be compared", async () => {
    const fake = await with_copy();
    fake.refuse.set("compare", new EngineError("not_found", "note not found: `Expedition/Kit list.md`", "it may have been moved or deleted"));
    screen.getByRole("button", { name: "Compare" }).click();
    await settle(12);
    expect(screen.getByRole("alert").textContent).toContain("Note not found: “Expedition/Kit list.md”. It may have been moved or deleted");
  });

  it("is a note like any other once the note is gone", async () => {
    const fake = await with_copy();
    fake.conflicts.clear();
    fake.remove_outside(KIT);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await settle(12);
    expect(notes.active?.conflict_of).toBeNull();
    expect(screen.queryByRole("button", { name: "Compare" })).toBeNull();
  });
});
