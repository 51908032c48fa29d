import { screen } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { layout } from "../../state/layout.svelte";
import { dialogs } from "../../state/window.svelte";
import { commands } from "../../state/commands.svelte";
import { expect_accessible, open_window, settle } from "../../test/window";

const ICON = "Icon in the tray";
const CLOSING = "Closing the window leaves Vidimus in the tray";

async function open(tray: boolean) {
  const fake = await open_window();
  fake.tray = tray;
  dialogs.settings = true;
  await settle();
  const named = (name: string) => screen.getByRole<HTMLInputElement>("switch", { name: new RegExp(name) });
  return { fake, icon: () => named(ICON), closing: () => named(CLOSING) };
}

describe("the tray", () => {
  it("keeps the program only where there is one, and an icon in it", async () => {
    const { fake, icon, closing } = await open(true);
    await expect_accessible();
    expect([icon().checked, closing().checked, closing().disabled]).toEqual([true, false, false]);
    closing().click();
    await settle();
    expect(fake.settings.close_to_tray).toBe(true);
    icon().click();
    await settle();
    expect([fake.settings.tray_icon, closing().checked, closing().disabled]).toEqual([false, false, true]);
  });

  it("is said to be missing where the desktop has none", async () => {
    const { icon, closing } = await open(false);
    expect([icon().disabled, closing().disabled]).toEqual([true, true]);
    expect(screen.getByText("This desktop has no tray")).toBeTruthy();
    await expect_accessible();
  });

  it("leads to the review", async () => {
    const fake = await open_window();
    fake.listeners.tell("review_wanted", null);
    await settle();
    expect(layout.place).toBe("review");
  });

  it("is not needed to quit, and everything is saved first", async () => {
    const fake = await open_window();
    await commands.run("quit");
    await settle();
    expect(fake.closed).toBe(true);
  });
});
