// How the person wants the window to look and behave. The engine keeps it; the page mirrors the theme for its first paint.

import { engine } from "../ipc/engine";
import type { Settings } from "../ipc/types";
import { toasts } from "./toasts.svelte";

export const DEFAULTS: Settings = {
  theme: "system",
  font_size: 16,
  line_width: "readable",
  default_mode: "editing",
  show_line_numbers: false,
  spellcheck: true,
  notify: true,
};

class SettingsStore {
  now = $state<Settings>({ ...DEFAULTS });
  /** What `system` means at the moment. */
  dark = $state(false);
  #system = matchMedia("(prefers-color-scheme: dark)");

  constructor() {
    this.#system.addEventListener("change", () => this.#paint());
  }

  async load(): Promise<void> {
    this.now = { ...DEFAULTS, ...(await engine.settings_get()) };
    this.#paint();
  }

  async set(change: Partial<Settings>): Promise<void> {
    const before = this.now;
    this.now = { ...before, ...change };
    this.#paint();
    try {
      this.now = { ...DEFAULTS, ...(await engine.settings_set({ ...this.now })) };
    } catch (cause) {
      this.now = before;
      toasts.error(cause as Error);
    }
    this.#paint();
  }

  #paint(): void {
    this.dark = this.now.theme === "dark" || (this.now.theme === "system" && this.#system.matches);
    const root = document.documentElement;
    root.dataset.theme = this.dark ? "dark" : "light";
    root.dataset.width = this.now.line_width;
    root.style.setProperty("--prose-size", `${this.now.font_size}px`);
    try {
      localStorage.setItem("vidimus.theme", this.now.theme);
    } catch {
      // Without storage the window flashes once at start; nothing else is lost.
    }
  }
}

export const settings = new SettingsStore();
