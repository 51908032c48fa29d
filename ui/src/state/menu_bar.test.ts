import { beforeEach, describe, expect, it, vi } from "vitest";
import { fresh, open_note, open_window, settle } from "../test/window";
import { commands } from "./commands.svelte";
import { MENUS, menu_bar } from "./menu_bar";

// As on a Mac: there the keys of commands are Cmd, and there is a menu bar.
vi.hoisted(() => Object.defineProperty(globalThis.navigator, "platform", { value: "MacIntel", configurable: true }));

const entries = () => menu_bar().flatMap((menu) => menu.entries);
const enabled = (id: string) => entries().some((entry) => entry.kind === "command" && entry.id === id && entry.enabled);

beforeEach(() => void fresh());

describe("the menu bar", () => {
  it("is drawn from the list of commands, and what the program is tested with is the same", async () => {
    const fake = await open_window();
    await open_note("Expedition/Kit list.md");
    for (const place of MENUS.flatMap((menu) => menu.places)) if (typeof place === "string") expect(commands.get(place)?.id).toBe(place);
    for (const entry of entries())
      if (entry.kind === "command") {
        const command = commands.get(entry.id)!;
        expect([entry.title, entry.key]).toEqual([command.title, command.keys?.[0] ?? command.shown_key ?? null]);
      }
    expect(fake.menu_bar).toEqual(menu_bar());
    // The program's own test reads this file: every key in it must be one that the system's menus know.
    const said = menu_bar().map((menu) => ({ ...menu, entries: menu.entries.map((entry) => (entry.kind === "command" ? { ...entry, enabled: true } : entry)) }));
    await expect(`${JSON.stringify(said, null, 2)}\n`).toMatchFileSnapshot("menu_bar.json");
  });

  it("holds every command that a person would look for, and none twice", async () => {
    await open_window();
    const placed = MENUS.flatMap((menu) => menu.places).filter((place) => typeof place === "string");
    expect(new Set(placed).size).toBe(placed.length);
    // What has a key of its own is found in a menu.
    const keyed = commands.list.filter((command) => command.keys && !command.hidden).map((command) => command.id);
    expect(keyed.filter((id) => !placed.includes(id))).toEqual([]);
  });

  it("says what can be done now, and follows the vault's own keys", async () => {
    const fake = await open_window();
    expect([enabled("find_note"), enabled("close_tab")]).toEqual([true, false]);
    await open_note("Expedition/Kit list.md");
    expect(enabled("close_tab")).toBe(true);
    commands.vault_keys = new Map([["find_note", ["Mod-j"]]]);
    await settle();
    expect(fake.menu_bar!.flatMap((menu) => menu.entries).find((entry) => entry.kind === "command" && entry.id === "find_note")).toMatchObject({ key: "Mod-j" });
    commands.vault_keys = new Map();
  });

  it("does what is chosen", async () => {
    const fake = await open_window();
    fake.listeners.tell("command_wanted", { id: "settings" });
    await settle();
    expect(document.querySelector("[role=dialog]")).toBeTruthy();
  });

  it("is said anew by the window that comes to the front", async () => {
    const fake = await open_window();
    fake.menu_bar = null;
    window.dispatchEvent(new Event("focus"));
    await settle();
    expect(fake.menu_bar).toEqual(menu_bar());
  });
});
