import { screen } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../ipc/engine";
import { settings } from "../../state/settings.svelte";
import { commands } from "../../state/commands.svelte";
import { vault } from "../../state/vault.svelte";
import { expect_accessible, open_window, settle } from "../../test/window";

describe("the first screen", () => {
  it("offers a folder, the recent vaults and the ones Obsidian knows", async () => {
    await open_window({ open: false });
    expect(screen.getByRole("button", { name: "Open a folder of notes" })).toBeTruthy();
    expect(screen.getByRole("heading", { name: "Found in Obsidian" })).toBeTruthy();
    expect(screen.getByRole("button", { name: /Archive/ }).textContent).toContain("Not there now");
    await expect_accessible();
  });

  it("waits while the program opens a vault by itself, and says why when it cannot", async () => {
    const fake = await open_window({ open: false });
    fake.opening = "/home/you/Field notes";
    await vault.refresh();
    await settle(1);
    expect(document.body.textContent).toContain("Opening Field notes");
    fake.opening = null;
    fake.app_state = async () => ({ ...(await Object.getPrototypeOf(fake).app_state.call(fake)), not_opened: { code: "cannot_open", message: "the vault is open elsewhere", hint: "close it there", retryable: true } });
    fake.listeners.tell("vault_opened", { path: "" });
    await settle();
    expect(screen.getByRole("alert").textContent).toContain("The vault is open elsewhere");
  });

  it("opens a vault and shows its notes", async () => {
    await open_window({ open: false });
    screen.getByRole("button", { name: /Work/ }).click();
    await settle(12);
    expect(screen.getByRole("tree", { name: "Notes" })).toBeTruthy();
  });

  it.each([
    ["missing", new EngineError("not_found", "folder not found: `/x`", "plug in the drive it is on, or choose another folder"), "Folder not found: “/x”"],
    ["not a folder", new EngineError("not_a_folder", "this is a file: `/x.md`", "choose the folder it is in"), "This is a file: “/x.md”"],
    ["unreadable", new EngineError("unreadable", "the folder cannot be read: `/x`", "check its permissions"), "The folder cannot be read: “/x”"],
  ])("says kindly that a folder is %s, and stays usable", async (_, error, shown) => {
    const fake = await open_window({ open: false });
    fake.refuse.set("open_vault", error);
    screen.getByRole("button", { name: /Work/ }).click();
    await settle();
    expect(screen.getByRole("alert").textContent).toContain(shown);
    await expect_accessible();
    fake.refuse.clear();
    screen.getByRole("button", { name: "Open a folder of notes" }).click();
    await settle(12);
    expect(vault.phase).toBe("open");
  });
});

describe("settings", () => {
  it("change the theme at once and keep it", async () => {
    const fake = await open_window();
    await commands.run("settings");
    await settle();
    await expect_accessible();
    screen.getByRole("radio", { name: "Dark" }).click();
    await settle();
    expect(document.documentElement.dataset.theme).toBe("dark");
    expect(fake.settings.theme).toBe("dark");
    expect(localStorage.getItem("vidimus.theme")).toBe("dark");
  });

  it("go back to what they were when they cannot be kept", async () => {
    const fake = await open_window();
    await settings.set({ theme: "light" });
    fake.refuse.set("settings_set", new EngineError("unwritable", "the settings could not be written", "check the disk"));
    await settings.set({ theme: "dark" });
    await settle();
    expect(settings.now.theme).toBe("light");
    expect(document.documentElement.dataset.theme).toBe("light");
    expect(screen.getByRole("status", { name: "Messages" }).textContent).toContain("The settings could not be written");
  });
});
