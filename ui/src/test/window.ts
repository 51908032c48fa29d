// Helpers for tests that mount the window, or a part of it, on the fake engine.

import { render } from "@testing-library/svelte";
import axe from "axe-core";
import { tick } from "svelte";
import { expect } from "vitest";
import App from "../App.svelte";
import { use_engine } from "../ipc/engine";
import { FakeEngine, type FakeOptions } from "../ipc/fake";
import { layout } from "../state/layout.svelte";
import { linked } from "../state/linked.svelte";
import { notes } from "../state/notes.svelte";
import { palette } from "../state/palette.svelte";
import { reports } from "../state/reports.svelte";
import { shelf } from "../state/shelf.svelte";
import { tabs } from "../state/tabs.svelte";
import { toasts } from "../state/toasts.svelte";
import { vault } from "../state/vault.svelte";
import { menu } from "../state/menu.svelte";
import { wishes } from "../state/wishes.svelte";
import { dialogs } from "../state/window.svelte";

/** Lets promises, effects and frames run until the window is quiet. */
export async function settle(times = 6): Promise<void> {
  for (let n = 0; n < times; n++) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    await tick();
  }
}

/** Puts every store back to where a program start finds it. */
export function fresh(options: FakeOptions = {}): FakeEngine {
  const fake = new FakeEngine(options);
  use_engine(fake);
  vault.phase = "starting";
  vault.info = null;
  vault.error = null;
  notes.reset();
  tabs.reset();
  layout.recall();
  layout.place = "notes";
  layout.agents_beside = false;
  layout.left_tab = "files";
  palette.shown = false;
  dialogs.settings = dialogs.new_note = dialogs.keys = false;
  dialogs.new_note_in = dialogs.external = null;
  menu.close();
  wishes.reset();
  linked.reset();
  reports.reset();
  shelf.reset();
  dialogs.unsaved = [];
  for (const toast of toasts.list) toasts.dismiss(toast.id);
  return fake;
}

/** Starts the whole window. */
export async function open_window(options: FakeOptions = {}): Promise<FakeEngine> {
  const fake = fresh(options);
  render(App);
  await settle(12);
  return fake;
}

/** Opens a note in a tab of its own. */
export async function open_note(path: string): Promise<void> {
  tabs.open_anew(path);
  await settle(12);
}

/** Fails with every rule that the page breaks. Contrast is held by the tokens' own test: jsdom paints nothing. */
export async function expect_accessible(root: Element = document.body): Promise<void> {
  const { violations } = await axe.run(root, {
    rules: { "color-contrast": { enabled: false }, region: { enabled: root === document.body } },
  });
  expect(violations.map((one) => `${one.id}: ${one.help}\n${one.nodes.map((node) => node.html.slice(0, 200)).join("\n")}`)).toEqual([]);
}

export function press(key: string, more: KeyboardEventInit = {}, on: Element = document.activeElement ?? document.body): void {
  on.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
}
