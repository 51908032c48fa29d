// Notes of a day and of a moment, templates, and a note by chance. How they are named and filled in is for the engine to say, by
// the vault's own settings; here is only what time it is.

import { isolateHistory } from "@codemirror/commands";
import { asEngineError, engine, EngineError } from "../ipc/engine";
import type { Made } from "../ipc/types";
import { notes } from "./notes.svelte";
import { open_file } from "./opening";
import { palette } from "./palette.svelte";
import { focus_note } from "./panes";
import { tabs } from "./tabs.svelte";
import { sentence, toasts } from "./toasts.svelte";

/** Writes the local time as the engine reads it: RFC 3339, with how far it is from Greenwich. */
export function local_time(at = new Date()): string {
  const two = (n: number) => String(Math.floor(Math.abs(n))).padStart(2, "0");
  const east = -at.getTimezoneOffset();
  const date = `${String(at.getFullYear()).padStart(4, "0")}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}${east < 0 ? "-" : "+"}${two(east / 60)}:${two(east % 60)}`;
}

async function said<T>(act: () => Promise<T>): Promise<T | null> {
  try {
    return await act();
  } catch (cause) {
    toasts.error(asEngineError(cause));
    return null;
  }
}

function show(made: Made): void {
  if (made.missing_template !== null)
    toasts.say(`The template “${made.missing_template}” is not there`, { hint: "The note was made without it; the vault’s own settings name it." });
  open_file(made.path);
  focus_note(made.path);
}

export async function open_daily_note(): Promise<void> {
  const made = await said(() => engine.daily_note(local_time()));
  if (made) show(made);
}

export async function new_unique_note(): Promise<void> {
  const made = await said(() => engine.unique_note(local_time()));
  if (made) show(made);
}

export async function open_random_note(): Promise<void> {
  const thrown = crypto.getRandomValues(new Uint32Array(1))[0]!;
  const path = await said(() => engine.random_note(tabs.active_path, thrown));
  if (path === null) return;
  open_file(path);
  focus_note(path);
}

/** Lets the person choose a template, and puts its text where the caret is. */
export async function choose_template(): Promise<void> {
  const { active } = notes;
  if (!active) return;
  const found = await said(() => engine.templates());
  if (!found) return;
  if (found.folder === null) return void toasts.say("This vault names no folder for templates", { hint: "Obsidian’s settings for Templates name it; Vidimus reads them." });
  if (found.notes.length === 0) return void toasts.say(`There is no template in “${found.folder}”`, { hint: "Every note in that folder is one." });
  const choices = found.notes.map(({ path, title }) => ({ kind: "note" as const, id: path, title, detail: "", path }));
  palette.open_list({ label: "Insert a template", hint: "Which template?", act: "insert" }, choices, (template) => void insert_template(active.path, template));
}

/** Puts a template's text where the caret of a note is, as one edit. */
export async function insert_template(path: string, template: string): Promise<void> {
  const doc = notes.documents.get(path);
  const note = notes.get(path);
  if (!doc || !note) return;
  if (!note.writable) return void toasts.say("This note cannot be written here", { hint: note.read_only_reason ? sentence(note.read_only_reason) : undefined });
  await said(async () => {
    const before = doc.state.doc;
    const edit = await engine.insert_template(path, doc.text(), doc.state.selection.main.head, template, local_time());
    if (doc.state.doc !== before) throw new EngineError("moved_on", "the text was changed just now", "try again");
    doc.dispatch({ changes: edit.changes, selection: { anchor: edit.caret }, annotations: isolateHistory.of("full"), userEvent: "input.template", scrollIntoView: true });
    tabs.set_mode(path, "editing");
    focus_note(path);
  });
}
