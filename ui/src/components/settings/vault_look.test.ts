import { screen, within } from "@testing-library/svelte";
import { beforeEach, describe, expect, it } from "vitest";
import { EDITOR_COMMANDS } from "../../editor/commands";
import type { Hotkey, Look } from "../../ipc/types";
import { contrast, hsl_of, readable } from "../../state/colours";
import { commands } from "../../state/commands.svelte";
import { layout } from "../../state/layout.svelte";
import { look, PLAIN } from "../../state/look.svelte";
import { palette } from "../../state/palette.svelte";
import { settings } from "../../state/settings.svelte";
import { CALLED_HERE, vault_keys } from "../../state/vault_keys.svelte";
import { dialogs } from "../../state/window.svelte";
import { expect_accessible, fresh, open_note, open_window, press, settle } from "../../test/window";
import { render } from "@testing-library/svelte";
import App from "../../App.svelte";

const SURVEY = "Expedition/Glacier survey.md";
const root = document.documentElement;
const WIDE = { name: "wide", enabled: true, css: ".vault-look p { color: red; }\n" };
const OFF = { name: "off", enabled: false, css: ".vault-look a { color: blue; }\n" };
const EMPTY = { name: "empty", enabled: true, css: "" };

async function open_with(vault_look: Partial<Look>, vault_hotkeys: Hotkey[] = []) {
  const fake = fresh();
  Object.assign(fake, { vault_look: { ...PLAIN, ...vault_look }, vault_hotkeys });
  render(App);
  await settle(12);
  return fake;
}

beforeEach(() => localStorage.clear());

describe("the looks of the vault", () => {
  it("are worn: theme, size, fonts and accent", async () => {
    await open_with({ theme: "dark", accent: "#ff0000", font_size: 19, text_font: '"Charter"' });
    expect(root.dataset.theme).toBe("dark");
    expect(root.style.getPropertyValue("--prose-size")).toBe("19px");
    expect(root.style.getPropertyValue("--prose-font")).toContain('"Charter", ');
    expect(contrast(root.style.getPropertyValue("--link"), "#191817")).toBeGreaterThan(4.5);
  });

  it("give way to what the person chose here", async () => {
    await open_with({ theme: "dark", font_size: 19 });
    await settings.set({ theme: "light", font_size: 15 });
    expect([root.dataset.theme, root.style.getPropertyValue("--prose-size")]).toEqual(["light", "15px"]);
  });

  it("change as another program changes them, and go with their vault", async () => {
    const fake = await open_with({});
    fake.vault_look = { ...PLAIN, theme: "dark", accent: "#00ff00", snippets: [WIDE] };
    fake.listeners.tell("look_changed", null);
    await settle();
    expect(root.dataset.theme).toBe("dark");
    expect(document.getElementById("vault-snippets")!.textContent).toContain("color: red");
    fake.vault_look = PLAIN;
    fake.listeners.tell("look_changed", null);
    await settle();
    expect(root.dataset.theme).toBe("light");
    expect(root.style.getPropertyValue("--link")).toBe("");
    expect(document.getElementById("vault-snippets")).toBeNull();
    expect(root.hasAttribute("data-snippets")).toBe(false);
  });

  it("are those of the last answer, whichever comes first", async () => {
    const fake = await open_with({});
    const answers: ((look: Look) => void)[] = [];
    fake.look = () => new Promise((answer) => answers.push(answer));
    fake.listeners.tell("look_changed", null);
    fake.listeners.tell("look_changed", null);
    answers[1]!({ ...PLAIN, theme: "dark" });
    await settle();
    answers[0]!(PLAIN);
    await settle();
    expect(root.dataset.theme).toBe("dark");
  });

  it("are switched in the settings, all of them or a snippet, and the vault is not written", async () => {
    await open_with({ snippets: [EMPTY, OFF, WIDE], community_theme: "Minimal" });
    const worn = () => document.getElementById("vault-snippets")?.textContent ?? "";
    expect([worn().includes("red"), worn().includes("blue")]).toEqual([true, false]);
    dialogs.settings = true;
    await settle();
    await expect_accessible();
    const list = within(screen.getByRole("list", { name: /Snippets/ }));
    expect(list.getAllByRole("switch").map((one) => (one as HTMLInputElement).checked)).toEqual([false, false, true]);
    expect(list.getByText("Nothing in it can be used here")).toBeTruthy();
    list.getByRole("switch", { name: /off/ }).click();
    list.getByRole("switch", { name: /wide/ }).click();
    await settle();
    expect([worn().includes("red"), worn().includes("blue")]).toEqual([false, true]);
    expect(list.getByText("On here, off in Obsidian")).toBeTruthy();
    await look.load();
    expect([look.is_on(WIDE), look.is_on(OFF)]).toEqual([false, true]);
    screen.getByRole("switch", { name: /Looks and keys/ }).click();
    await settle();
    expect(worn()).toBe("");
    expect(screen.queryByText(/Minimal/)).toBeNull();
  });
});

describe("the keys of the vault", () => {
  it("are for commands that are here", async () => {
    await open_window();
    const missing = Object.values(CALLED_HERE).filter((id) => !commands.get(id));
    expect(missing).toEqual([]);
  });

  const KEYS: Hotkey[] = [
    { command: "switcher:open", keys: ["Mod-j"] },
    { command: "editor:toggle-bold", keys: ["Mod-Shift-b"] },
    { command: "app:toggle-left-sidebar", keys: [] },
    { command: "some-plugin:do", keys: ["Mod-Alt-x"] },
  ];

  it("count in place of the usual ones, in the text, too", async () => {
    const fake = await open_with({}, KEYS);
    await open_note(SURVEY);
    expect(commands.key_label("find_note")).toBe("Ctrl J");
    expect(commands.key_label("toggle_left")).toBe("");
    const text = document.querySelector<HTMLElement>(".cm-content")!;
    text.focus();
    press("o", { ctrlKey: true });
    expect(palette.shown).toBe(false);
    press("b", { ctrlKey: true });
    press("\\", { ctrlKey: true });
    await settle();
    expect(layout.left_seen).toBe(true);
    expect(fake.notes.get(SURVEY)).not.toContain("****");
    press("B", { ctrlKey: true, shiftKey: true });
    await settle();
    expect(text.textContent).toContain("**");
    press("j", { ctrlKey: true });
    await settle();
    expect(palette.shown).toBe(true);
    // A dialog has the keyboard to itself.
    press("j", { ctrlKey: true });
    expect(palette.shown).toBe(true);
  });

  it("that mean two things are named in the settings", async () => {
    await open_with({}, [...KEYS, { command: "markdown:toggle-preview", keys: ["Mod-j", "Mod-n"] }]);
    expect(vault_keys.conflicts.map(({ key, wins, loses }) => `${key}: ${wins} / ${loses}`)).toEqual([
      "Mod-j: Find a note or heading / Switch between editing and reading",
      "Mod-n: Switch between editing and reading / New note",
    ]);
    dialogs.settings = true;
    await settle();
    expect(screen.getByText("and not “New note”")).toBeTruthy();
    expect(screen.getByText(/those of 1 are for commands that are not here/)).toBeTruthy();
    await expect_accessible();
  });

  it("count no more when they are turned off", async () => {
    await open_with({}, KEYS);
    await settings.set({ vault_look: false });
    await vault_keys.load();
    expect(commands.key_label("find_note")).toBe("Ctrl O");
    expect(EDITOR_COMMANDS.length).toBeGreaterThan(0);
  });
});

describe("an accent", () => {
  it.each([
    ["#ffff00", ["#fdfcfa"]],
    ["#000080", ["#191817", "#32302c"]],
    ["#1f5f99", ["#fdfcfa", "#e4e1da"]],
  ])("of %s can be read", (wanted, grounds) => {
    const shown = readable(wanted, grounds);
    for (const ground of grounds) expect(contrast(shown, ground)).toBeGreaterThanOrEqual(4.5);
  });

  it("that can be read stays as it is", () => {
    expect(readable("#1f5f99", ["#fdfcfa"])).toBe("#1f5f99");
    expect(hsl_of("#336699")).toEqual(["210", "50%", "40%"]);
  });
});
