// How the person wants the window to look and behave. The engine keeps it; the page mirrors the theme for its first paint.

import { engine } from "../ipc/engine";
import type { Settings } from "../ipc/types";
import { look } from "./look.svelte";
import { toasts } from "./toasts.svelte";

export const DEFAULTS: Settings = {
  theme: "system",
  font_size: 16,
  line_width: "readable",
  default_mode: "editing",
  show_line_numbers: false,
  spellcheck: true,
  notify: true,
  vault_look: true,
  tray_icon: true,
  close_to_tray: false,
};

class SettingsStore {
  now = $state<Settings>({ ...DEFAULTS });
  /** What `system` means at the moment. */
  dark = $state(false);
  #system = matchMedia("(prefers-color-scheme: dark)");

  constructor() {
    this.#system.addEventListener("change", () => this.paint());
  }

  async load(): Promise<void> {
    this.now = { ...DEFAULTS, ...(await engine.settings_get()) };
    this.paint();
  }

  async set(change: Partial<Settings>): Promise<void> {
    const before = this.now;
    this.now = { ...before, ...change };
    this.paint();
    try {
      this.now = { ...DEFAULTS, ...(await engine.settings_set({ ...this.now })) };
    } catch (cause) {
      this.now = before;
      toasts.error(cause as Error);
    }
    this.paint();
  }

  /** Puts what was chosen onto the page, and what the vault says where nothing was. */
  paint(): void {
    this.dark = look.is_dark(this.now, this.#system.matches);
    const root = document.documentElement;
    root.dataset.theme = this.dark ? "dark" : "light";
    root.dataset.width = this.now.line_width;
    look.dress(root, this.now, this.dark, DEFAULTS.font_size);
    try {
      localStorage.setItem("vidimus.theme", this.now.theme === "system" && look.now.theme && this.now.vault_look ? look.now.theme : this.now.theme);
    } catch {
      // Without storage the window flashes once at start; nothing else is lost.
    }
  }
}

export const settings = new SettingsStore();

/** The classes that the vault's snippets know the theme by, on the element that they reach. */
export function look_classes(): string {
  return settings.dark ? "theme-dark" : "theme-light";
}
