// How the vault looks in Obsidian, as far as it can be honoured: colours, fonts and size by variables, snippets as stylesheets that
// reach the notes only. All of it is read from the vault's own settings and none of it is written there.

import { engine } from "../ipc/engine";
import type { Look, Settings, Snippet } from "../ipc/types";
import { hsl_of, readable } from "./colours";
import { vault } from "./vault.svelte";

export const PLAIN: Look = { theme: null, accent: null, font_size: null, interface_font: "", text_font: "", monospace_font: "", snippets: [], community_theme: null };
/** What an accent is read on, by theme: the ground of the notes and the one of a marked row. */
const GROUNDS = { light: ["#fdfcfa", "#e4e1da"], dark: ["#191817", "#32302c"] };

class LookStore {
  now = $state.raw<Look>(PLAIN);
  /** Snippets that the person switched on this computer, against what the vault says. */
  #switched = $state.raw<Record<string, boolean>>({});
  #asked = 0;

  async load(): Promise<void> {
    const asked = ++this.#asked;
    const said = vault.path === null ? PLAIN : await engine.look().catch(() => PLAIN);
    // An answer that was overtaken by a later one is of yesterday.
    if (asked !== this.#asked) return;
    this.#switched = kept(vault.path);
    this.now = said;
  }

  reset(): void {
    this.now = PLAIN;
    this.#switched = {};
  }

  is_on(snippet: Snippet): boolean {
    return this.#switched[snippet.name] ?? snippet.enabled;
  }

  /** Turns a snippet on or off on this computer; the vault's own settings stay as they are. */
  turn(snippet: Snippet, on: boolean): void {
    const { [snippet.name]: _, ...others } = this.#switched;
    this.#switched = on === snippet.enabled ? others : { ...others, [snippet.name]: on };
    try {
      localStorage.setItem(key_of(vault.path), JSON.stringify(this.#switched));
    } catch {
      // It holds until the window closes, then.
    }
  }

  /** Whether the page is dark. What the person chose here counts more than what the vault says. */
  is_dark(chosen: Settings, system_is_dark: boolean): boolean {
    const theme = chosen.theme === "system" && chosen.vault_look ? (this.now.theme ?? "system") : chosen.theme;
    return theme === "dark" || (theme === "system" && system_is_dark);
  }

  /** Puts the looks onto the page. */
  dress(root: HTMLElement, chosen: Settings, dark: boolean, usual_size: number): void {
    const look = chosen.vault_look ? this.now : PLAIN;
    const set = (name: string, value: string | null) => (value ? root.style.setProperty(name, value) : root.style.removeProperty(name));
    const font = (list: string, usual: string) => (list ? `${list}, ${usual}` : null);
    set("--prose-size", `${chosen.font_size === usual_size ? (look.font_size ?? usual_size) : chosen.font_size}px`);
    set("--sans", font(look.interface_font, '"Inter Variable", system-ui, sans-serif'));
    set("--prose-font", font(look.text_font, '"Inter Variable", system-ui, sans-serif'));
    set("--mono", font(look.monospace_font, '"JetBrains Mono Variable", ui-monospace, monospace'));
    const accent = look.accent && readable(look.accent, GROUNDS[dark ? "dark" : "light"]);
    set("--link", accent);
    set("--link-bg", accent && `color-mix(in srgb, ${accent} 12%, var(--bg))`);
    const [hue, saturation, lightness] = accent ? hsl_of(accent) : [null, null, null];
    set("--accent-h", hue);
    set("--accent-s", saturation);
    set("--accent-l", lightness);
    this.#wear(look.snippets.filter((snippet) => this.is_on(snippet)).map((snippet) => snippet.css));
    root.toggleAttribute("data-snippets", look.snippets.some((snippet) => this.is_on(snippet) && snippet.css !== ""));
  }

  #wear(sheets: string[]): void {
    const id = "vault-snippets";
    const worn = document.getElementById(id) ?? Object.assign(document.createElement("style"), { id });
    const css = sheets.join("\n");
    if (worn.textContent !== css) worn.textContent = css;
    // Last in the head, so that of two rules that weigh the same the vault's counts.
    if (css && document.head.lastElementChild !== worn) document.head.append(worn);
    if (!css) worn.remove();
  }
}

function key_of(path: string | null): string {
  return `vidimus.snippets:${path}`;
}

function kept(path: string | null): Record<string, boolean> {
  try {
    const read = JSON.parse(localStorage.getItem(key_of(path)) ?? "{}") as Record<string, unknown>;
    return Object.fromEntries(Object.entries(read).filter((one): one is [string, boolean] => typeof one[1] === "boolean"));
  } catch {
    return {};
  }
}

export const look = new LookStore();
