// The finder: what was typed, what fits, and which of it is chosen.

import { engine } from "../ipc/engine";
import type { QuickHit } from "../ipc/types";
import { commands } from "./commands.svelte";
import { open_file } from "./opening";
import { focus_note } from "./panes";
import { tabs } from "./tabs.svelte";
import { wants_own_tab } from "./tab_wish";
import { sentence, toasts } from "./toasts.svelte";
import { folder_of, is_within } from "./paths";
import { all_folders } from "./tree.svelte";
import { name_problem } from "./new_note";

export interface Choice {
  kind: "note" | "heading" | "command" | "create" | "folder" | "new_folder";
  id: string;
  title: string;
  detail: string;
  path?: string;
  /** The heading that matched; its line is asked for when it is chosen. An alias names no line, and none is found. */
  heading?: string | null;
}

export type PaletteMode = "notes" | "commands" | "folders" | "list";

/** Tells how well a title fits: all words must be in it; an early and close match is better. Absent = it does not fit. */
export function fit(title: string, query: string): number | undefined {
  const text = title.toLowerCase();
  let score = text.length / 100;
  for (const word of query.toLowerCase().split(/\s+/).filter(Boolean)) {
    const at = text.indexOf(word);
    if (at < 0) return undefined;
    score += at === 0 ? 0 : /\s/.test(text[at - 1]!) ? 1 : 3;
  }
  return score;
}

/** What fits, the best first; all of it in its own order if nothing was typed. */
function fitting<T>(list: T[], typed: string, title: (one: T) => string): T[] {
  const scored = list.flatMap((one) => {
    const score = fit(title(one), typed);
    return score === undefined ? [] : [{ one, score }];
  });
  return (typed ? scored.sort((a, b) => a.score - b.score) : scored).map(({ one }) => one);
}

const title_of = (path: string) => path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/, "");

class Palette {
  shown = $state(false);
  mode = $state<PaletteMode>("notes");
  query = $state("");
  at = $state(0);
  choices = $state.raw<Choice[]>([]);
  asking = $state(false);
  error = $state<string | null>(null);
  /** What is asked for, where it is not the usual, and the question in the empty field. */
  label = $state("");
  hint = $state("");
  /** What Enter does with what is chosen. */
  act = $state("");
  #listed: Choice[] = [];
  #folders: string[] = [];
  #then: (folder: string) => void = () => {};
  #moved: string | null = null;
  #asked = 0;
  /** Resolves once what was asked last is on screen. */
  #answered: Promise<void> = Promise.resolve();

  open(mode: PaletteMode): void {
    this.mode = mode;
    this.query = "";
    this.at = 0;
    this.choices = [];
    this.error = null;
    this.shown = true;
    this.ask();
  }

  /** Lets the person choose a folder, and hands it over; the one that is `now` makes no choice, nor does any within `moved`. */
  open_folders(label: string, now: string, then: (folder: string) => void, moved: string | null = null): void {
    this.label = label;
    this.hint = `${label} a folder, or a new one`;
    this.#folders = [];
    this.#then = then;
    this.#moved = moved;
    this.open("folders");
    this.asking = true;
    all_folders()
      .then((found) => (this.#folders = ["", ...found].filter((folder) => folder !== now && (moved === null || !is_within(folder, moved)))))
      .catch((cause: Error) => (this.error = sentence(cause.message)))
      .finally(() => this.mode === "folders" && this.ask());
  }

  /** Lets the person choose one of a list, and hands its path over. */
  open_list({ label, hint, act }: { label: string; hint: string; act: string }, listed: Choice[], then: (path: string) => void): void {
    this.label = label;
    this.hint = hint;
    this.act = act;
    this.#listed = listed;
    this.#then = then;
    this.open("list");
  }

  close(): void {
    this.shown = false;
  }

  /** What is asked for, without the sign that asks for commands only. */
  get wanted(): string {
    return this.query.trim().replace(/^>\s*/, "");
  }

  ask(): void {
    const typed = this.query.trim();
    const asked = ++this.#asked;
    this.at = 0;
    if (this.mode === "folders") {
      this.asking = false;
      this.choices = this.#folder_choices(typed);
      return;
    }
    this.error = null;
    if (this.mode === "list") {
      this.asking = false;
      this.choices = fitting(this.#listed, typed, (choice) => choice.title);
      return;
    }
    if (this.mode === "commands" || typed.startsWith(">")) {
      this.asking = false;
      this.choices = this.#commands(this.wanted);
      return;
    }
    this.asking = true;
    this.#answered = engine
      .quick(typed, 60)
      .then((found) => {
        if (asked !== this.#asked) return;
        this.asking = false;
        this.choices = [...this.#recent(typed), ...this.#found(found, typed), ...(typed ? this.#commands(typed).slice(0, 4) : []), ...this.#create(typed, found)];
      })
      .catch((cause: Error) => {
        if (asked !== this.#asked) return;
        this.asking = false;
        this.choices = this.#commands(typed);
        this.error = sentence(cause.message);
      });
  }

  #recent(typed: string): Choice[] {
    if (typed) return [];
    return tabs.list
      .filter((tab) => tab.path !== tabs.active_path)
      .map((tab) => ({ kind: "note", id: `open:${tab.path}`, title: title_of(tab.path), detail: folder_of(tab.path), path: tab.path }));
  }

  #found(found: QuickHit[], typed: string): Choice[] {
    const open = new Set(typed ? [] : tabs.list.map((tab) => tab.path));
    return found
      .filter((one) => !open.has(one.path))
      .map((one) => ({
        kind: one.matched === null ? "note" : "heading",
        id: `${one.path}#${one.matched ?? ""}`,
        title: one.matched ?? one.title,
        detail: one.matched === null ? folder_of(one.path) : one.title,
        path: one.path,
        heading: one.matched,
      }));
  }

  #create(typed: string, found: QuickHit[]): Choice[] {
    if (!typed || /[\\:*?"<>|#^[\]]/.test(typed) || found.some((one) => one.matched === null && one.title.toLowerCase() === typed.toLowerCase())) return [];
    return [{ kind: "create", id: "create", title: `Create “${typed}”`, detail: "", path: `${typed}.md` }];
  }

  #folder_choices(typed: string): Choice[] {
    const title = (folder: string) => folder || "The top of the vault";
    const found = fitting(this.#folders, typed, title)
      .slice(0, 200)
      .map((folder): Choice => ({ kind: "folder", id: `folder:${folder}`, title: title(folder), detail: "", path: folder }));
    const wanted = typed.replace(/^\/+|\/+$/g, "");
    const is_known = this.#folders.some((folder) => folder.toLowerCase() === wanted.toLowerCase());
    if (!wanted || is_known || name_problem(wanted) || (this.#moved !== null && is_within(wanted, this.#moved))) return found;
    return [...found, { kind: "new_folder", id: "new_folder", title: `New folder “${wanted}”`, detail: "", path: wanted }];
  }

  #commands(typed: string): Choice[] {
    const offered = commands.list.filter((command) => !command.hidden && commands.can(command)).sort((a, b) => a.title.localeCompare(b.title));
    return fitting(offered, typed, (command) => command.title).map((command) => ({ kind: "command", id: command.id, title: command.title, detail: "" }));
  }

  move(by: number, around = true): void {
    const n = this.choices.length;
    if (n === 0) return;
    this.at = around ? (this.at + by + n) % n : Math.min(n - 1, Math.max(0, this.at + by));
  }

  /** Makes a note of exactly what was typed, even if something like it exists. */
  async create(): Promise<void> {
    const at = this.choices.findIndex((choice) => choice.kind === "create");
    if (at >= 0) await this.choose(at);
  }

  /** Chooses what is named, or what is marked once the list is that of all that was typed: Enter may come before it. */
  async choose(named?: number): Promise<void> {
    const anew = wants_own_tab();
    while (named === undefined && this.asking && this.shown && this.mode !== "folders") await this.#answered;
    const choice = this.shown ? this.choices[named ?? this.at] : undefined;
    if (!choice) return;
    this.close();
    if (this.mode === "list" || choice.kind === "folder" || choice.kind === "new_folder") return this.#then(choice.path!);
    if (choice.kind === "command") return commands.run(choice.id);
    if (choice.kind === "create") {
      try {
        await engine.create_note(choice.path!);
      } catch (cause) {
        toasts.error(cause as Error);
        return;
      }
    }
    const target = choice.heading ? await engine.resolve_link(choice.path!, `#${choice.heading}`).catch(() => null) : null;
    open_file(choice.path!, target?.line ?? null, anew);
    focus_note(choice.path!);
  }
}

export const palette = new Palette();
