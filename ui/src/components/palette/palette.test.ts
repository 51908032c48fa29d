import { screen } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { commands, label_of, matches } from "../../state/commands.svelte";
import { name_problem, new_note_path } from "../../state/new_note";
import { fit, palette } from "../../state/palette.svelte";
import { tabs } from "../../state/tabs.svelte";
import { expect_accessible, open_note, open_window, press, settle } from "../../test/window";

function type(text: string): void {
  const field = screen.getByRole("combobox") as HTMLInputElement;
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

describe("the finder", () => {
  it("opens with its key, finds a note, and opens it", async () => {
    await open_window();
    press("o", { ctrlKey: true });
    await settle();
    expect(document.activeElement).toBe(screen.getByRole("combobox"));
    await expect_accessible();
    type("kit");
    await settle();
    expect(screen.getAllByRole("option")[0]!.textContent).toContain("Kit list");
    press("Enter");
    await settle();
    expect(palette.shown).toBe(false);
    expect(tabs.active_path).toBe("Expedition/Kit list.md");
  });

  it("finds headings and goes to their line", async () => {
    await open_window();
    palette.open("notes");
    await settle();
    type("who paints");
    await settle();
    press("Enter");
    await settle();
    expect(tabs.jump).toMatchObject({ path: "Open questions.md", line: 3 });
  });

  it("waits for the list of all that was typed when Enter comes before it", async () => {
    await open_window();
    palette.open("notes");
    await settle();
    type("kit");
    await settle();
    type("route");
    press("Enter");
    await settle();
    expect(tabs.active_path).toBe("Expedition/Route and camps.md");
    expect(palette.shown).toBe(false);
  });

  it("runs commands after a >", async () => {
    await open_window();
    palette.open("notes");
    await settle();
    type("> settings");
    await settle();
    press("Enter");
    await settle();
    expect(screen.getByRole("dialog", { name: "Settings" })).toBeTruthy();
  });

  it("makes a note of a name that is not there", async () => {
    const fake = await open_window();
    palette.open("notes");
    await settle();
    type("Something quite new");
    await settle();
    press("Enter");
    await settle();
    expect(fake.notes.has("Something quite new.md")).toBe(true);
  });

  it("closes with Esc and gives the focus back", async () => {
    await open_window();
    const before = screen.getByRole("button", { name: /Find a note, heading or command/ });
    before.focus();
    before.click();
    await settle();
    press("Escape");
    await settle();
    expect(document.activeElement).toBe(before);
  });

  it("holds the keyboard: Tab stays inside and hotkeys rest", async () => {
    await open_window();
    palette.open("commands");
    await settle();
    press("n", { ctrlKey: true });
    await settle();
    expect(screen.getAllByRole("dialog").length).toBe(1);
  });
});

describe("commands", () => {
  it("have one owner for each key", async () => {
    await open_window();
    const keys = commands.list.flatMap((command) => command.keys ?? []);
    expect(keys.length).toBe(new Set(keys).size);
  });

  it.each([
    ["Mod-o", { key: "o", ctrlKey: true }, false, true],
    ["Mod-o", { key: "o", metaKey: true }, true, true],
    ["Mod-o", { key: "o", ctrlKey: true }, true, false],
    ["Mod-Shift-f", { key: "F", ctrlKey: true, shiftKey: true }, false, true],
    ["Mod-f", { key: "F", ctrlKey: true, shiftKey: true }, false, false],
    ["Mod-s", { key: "ы", code: "KeyS", ctrlKey: true }, false, true],
    ["F6", { key: "F6" }, false, true],
    ["Mod-,", { key: ",", ctrlKey: true }, false, true],
  ])("%s on %j (Mac: %s): %s", (key, event, mac, means) => expect(matches(key, new KeyboardEvent("keydown", event), mac)).toBe(means));

  it("write their keys as the system does", () => {
    expect(label_of("Mod-Shift-f", false)).toBe("Ctrl Shift F");
    expect(label_of("Mod-Shift-f", true)).toBe("⌘⇧F");
  });
});

describe("fit", () => {
  it("wants all words and likes early ones", () => {
    expect(fit("Glacier survey", "sur gla")).toBeDefined();
    expect(fit("Glacier survey", "sur x")).toBeUndefined();
    expect(fit("Survey", "sur")!).toBeLessThan(fit("Glacier survey", "sur")!);
  });
});

describe("a new note's name", () => {
  it.each([
    ["Expedition", "Plan", "Expedition/Plan.md"],
    ["Expedition", "/Plan", "Plan.md"],
    ["Expedition", "People/Plan.md", "People/Plan.md"],
    ["", "Plan", "Plan.md"],
  ])("in %j, %j means %j", (folder, typed, path) => expect(new_note_path(folder, typed)).toBe(path));

  it.each(["a:b", "a#b", "a[b", ".hidden", "a/", "a.", "a|b"])("refuses %j", (typed) => expect(name_problem(typed)).toBeDefined());
  it.each(["Plan", "Größe 2", "folder/Plan", "日誌"])("takes %j", (typed) => expect(name_problem(typed)).toBeUndefined());

  it("is asked for in a dialog", async () => {
    const fake = await open_window();
    await open_note("Expedition/Kit list.md");
    press("n", { ctrlKey: true }, document.body);
    await settle();
    await expect_accessible();
    const field = screen.getByRole("textbox", { name: "New note" }) as HTMLInputElement;
    field.value = "Shopping";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await settle(1);
    expect(screen.getByText("Expedition/Shopping.md")).toBeTruthy();
    screen.getByRole("button", { name: "Create" }).click();
    await settle();
    expect(fake.notes.has("Expedition/Shopping.md")).toBe(true);
    expect(tabs.active_path).toBe("Expedition/Shopping.md");
  });
});
