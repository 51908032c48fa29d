// What the window shows about each open note, beside its text, which lives in `documents` alone.

import type { EditorState } from "@codemirror/state";
import { Documents, type NoteDocument, PLAIN_ABOVE } from "../editor/documents";
import { settle_properties } from "../editor/properties/change";
import { forget_properties, learn_properties } from "../editor/properties/known";
import type { SaveStatus } from "../editor/save";
import { editor_state } from "../editor/setup";
import { asEngineError, engine, type EngineError } from "../ipc/engine";
import type { HeadingView, NoteChange, NoteView, PendingMark } from "../ipc/types";
import { moved_path } from "./paths";
import { toasts } from "./toasts.svelte";
import { tabs } from "./tabs.svelte";

/** Everything about an open note but its text. */
export class OpenNote {
  path = $state("");
  title = $state("");
  id = $state("");
  loading = $state(true);
  error = $state<EngineError | null>(null);
  writable = $state(true);
  read_only_reason = $state<string | null>(null);
  headings = $state.raw<HeadingView[]>([]);
  pending = $state.raw<PendingMark[]>([]);
  /** The note of which a sync tool made this copy. */
  conflict_of = $state<string | null>(null);
  n_backlinks = $state(0);
  n_words = $state(0);
  /** Too large for highlighting, reading view and outline. */
  plain = $state(false);
  status = $state.raw<SaveStatus>({ kind: "saved" });
  /** Line of the caret, or of the topmost visible line when reading; 1-based. */
  at_line = $state(1);
  /** Stretches that both the person and another program changed; zero once looked at. */
  n_overlaps = $state(0);
  /** The file vanished from disk while the note was open. */
  gone = $state(false);
  /** Counts texts, so that the reading view knows when to ask again. */
  revision = $state(0);
  /** What the outline calls the open section. */
  at_heading = $derived.by(() => {
    let found: HeadingView | null = null;
    for (const heading of this.headings) if (heading.line <= this.at_line) found = heading;
    return found;
  });

  constructor(path: string) {
    this.path = path;
    this.title = path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/, "");
  }

  take(note: NoteView): void {
    this.title = note.title;
    this.id = note.id;
    this.writable = note.writable;
    this.read_only_reason = note.read_only_reason;
    this.headings = note.headings;
    this.pending = note.pending;
    this.conflict_of = note.conflict_of;
    this.n_backlinks = note.n_backlinks;
    this.loading = false;
    this.error = null;
    this.gone = false;
  }
}

export function count_words(text: string): number {
  return text.match(/[\p{L}\p{N}]+(?:[’'-][\p{L}\p{N}]+)*/gu)?.length ?? 0;
}

/** How much of a large note is counted at once: less than a frame's time. */
const COUNTED_AT_ONCE = 100_000;

/** Counts the words of a large note, with pauses for the person who goes on writing; null if they did. */
async function count_slowly(text: string, goes_on: () => boolean): Promise<number | null> {
  let n = 0;
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from + COUNTED_AT_ONCE);
    const to = end < 0 ? text.length : end;
    n += count_words(text.slice(from, to));
    from = to;
    await new Promise((resolve) => setTimeout(resolve));
    if (goes_on()) return null;
  }
  return n;
}

/** How many notes without a tab are kept as they were. */
const MOST_RESTING = 8;

class Notes {
  #open = $state.raw(new Map<string, OpenNote>());
  #clocks = new Map<string, ReturnType<typeof setTimeout>>();
  /** Notes that were shown and have no tab now, the one left last at the end. */
  #resting: string[] = [];
  /** Notes and folders that are being moved from here, and where they go. */
  #moving = new Map<string, string>();
  documents: Documents = undefined as unknown as Documents;
  active = $derived(tabs.active_path ? (this.#open.get(tabs.active_path) ?? null) : null);

  constructor() {
    this.reset();
  }

  reset(): void {
    for (const clock of this.#clocks.values()) clearTimeout(clock);
    this.#clocks.clear();
    this.#resting = [];
    this.#open = new Map();
    forget_properties();
    // Another vault is opened by another start of the program: what was just typed must not go into it.
    const lost = this.documents?.stop() ?? [];
    if (lost.length > 0)
      toasts.error(
        { message: `some text of \`${lost.map((doc) => doc.path).join("`, `")}\` was not saved before the vault was closed`, hint: "copy it now, it is nowhere else" },
        { title: "Copy the text", run: () => void navigator.clipboard.writeText(lost.map((doc) => doc.text()).join("\n\n")) },
      );
    this.documents = new Documents((doc, text): EditorState => editor_state(doc, text), {
      status: (doc, status) => this.#with(doc, (note) => (note.status = status)),
      changed: (doc) => this.#text_changed(doc),
      caret: (doc) => this.#with(doc, (note) => (note.at_line = doc.caret_line())),
      merged: (doc, n_overlaps) => this.#with(doc, (note) => (note.n_overlaps += n_overlaps)),
    });
  }

  get(path: string): OpenNote | undefined {
    return this.#open.get(path);
  }

  /** Subscribes to what the engine says about notes. */
  listen(): void {
    engine.on("notes_changed", ({ changed }) => void this.#changed(changed));
    engine.on("flush_wanted", ({ path }) => void this.documents.get(path)?.saver.flush());
    engine.on("operation_changed", () => void this.refresh_pending());
    tabs.before_close = (path) => this.put_on_disk(path);
    tabs.closed = (path) => this.drop(path);
    tabs.left = (path) => void this.#rest(path);
    tabs.must_stay = (path) => {
      const note = this.#open.get(path);
      return note !== undefined && (note.gone || note.status.kind === "failed");
    };
  }

  /** Loads a note unless it is there; a note that failed is tried again. */
  async open(path: string): Promise<void> {
    if (this.#open.get(path) && !this.#open.get(path)!.error) return;
    const note = new OpenNote(path);
    this.#open = new Map(this.#open).set(path, note);
    try {
      const view = await engine.read_note(path);
      learn_properties(view.text, view.properties);
      const doc = this.documents.open(view);
      note.plain = doc.plain;
      note.take(view);
      if (!note.plain) note.n_words = count_words(view.text);
      note.revision++;
    } catch (cause) {
      note.loading = false;
      note.error = asEngineError(cause);
    }
  }

  /** Saves a note, with what is typed meanwhile; false if its text could not be saved. */
  async put_on_disk(path: string): Promise<boolean> {
    await settle_properties();
    const doc = this.documents.get(path);
    if (!doc) return true;
    do {
      if (!(await doc.saver.flush())) return false;
    } while (doc.dirty);
    return true;
  }

  /** Keeps a note that has no tab any more for a while, so that whoever comes back finds it as it was, with all that can be
   * undone in it. */
  async #rest(path: string): Promise<void> {
    this.#resting = [...this.#resting.filter((one) => one !== path), path];
    if (!(await this.put_on_disk(path))) tabs.put_back(path);
    const resting = this.#resting.filter((one) => !tabs.paths.includes(one));
    for (const old of resting.slice(0, -MOST_RESTING)) if (!this.documents.get(old)?.dirty) this.drop(old);
    this.#resting = resting.filter((one) => this.#open.has(one));
  }

  /** Forgets a note with whatever was typed in it. */
  drop(path: string): void {
    this.documents.forget(path);
    clearTimeout(this.#clocks.get(path));
    this.#clocks.delete(path);
    const open = new Map(this.#open);
    open.delete(path);
    this.#open = open;
  }

  /** Says that a note, or all that is in a folder, will vanish from its path because the person moves it. */
  expect_move(from: string, to: string): void {
    this.#moving.set(from, to);
  }

  /** What was expected did not come to be. */
  forget_move(from: string): void {
    this.#moving.delete(from);
  }

  /** A note, or a folder with notes, was moved: every page, with all that was typed, goes along. */
  async follow(from: string, to: string): Promise<void> {
    this.#moving.delete(from);
    const moved = [...this.#open.keys()].flatMap((path) => {
      const place = moved_path(path, from, to);
      return place === undefined ? [] : [[path, place] as const];
    });
    for (const [path, place] of moved) await this.#follow_note(path, place);
    tabs.rename(from, to);
  }

  async #follow_note(from: string, to: string): Promise<void> {
    const note = this.#open.get(from);
    const doc = this.documents.rename(from, to);
    if (note) {
      const open = new Map(this.#open);
      open.delete(from);
      note.path = to;
      note.gone = false;
      this.#open = open.set(to, note);
    }
    tabs.rename(from, to);
    if (note) await this.#look_at_disk(note, doc);
  }

  /** Takes what is on disk now, without waiting to be told. */
  async look_again(path: string): Promise<void> {
    const note = this.#open.get(path);
    if (note) await this.#look_at_disk(note, this.documents.get(path));
  }

  /** Puts a note back that vanished from disk, with the text that is open here. */
  async put_back(path: string): Promise<void> {
    const note = this.#open.get(path);
    const doc = this.documents.get(path);
    if (!note || !doc) return;
    const text = doc.text();
    const empty = await engine.create_note(path);
    doc.take_from_disk(empty.hash, empty.text);
    if (doc.text() !== text) doc.dispatch({ changes: { from: 0, to: doc.state.doc.length, insert: text } });
    note.gone = false;
    await doc.saver.flush();
  }

  /** Another note may have gained or lost a link to the one on the page. */
  async refresh_backlinks(): Promise<void> {
    const note = this.active;
    if (!note || note.loading || note.error) return;
    const found = await engine.backlinks(note.path, 0).catch(() => null);
    if (found) note.n_backlinks = found.total;
  }

  /** The note of which this is a copy may be gone, and then it is a note like any other. */
  async refresh_conflict(): Promise<void> {
    const note = this.active;
    if (!note || note.conflict_of === null) return;
    const view = await engine.read_note(note.path).catch(() => null);
    if (view) note.conflict_of = view.conflict_of;
  }

  async refresh_pending(): Promise<void> {
    for (const [path, note] of this.#open) {
      if (note.loading || note.error || note.gone || note.plain) continue;
      const view = await engine.read_note(path).catch(() => null);
      if (view) note.pending = view.pending;
    }
  }

  /** Reads the headings of the text as it stands now, without waiting for a pause in the typing. */
  async refresh_outline(path: string): Promise<void> {
    const note = this.#open.get(path);
    const doc = this.documents.get(path);
    if (!note || !doc || doc.plain) return;
    clearTimeout(this.#clocks.get(path));
    await this.#look_again(doc, note);
  }

  #with(doc: NoteDocument, act: (note: OpenNote) => void): void {
    const note = this.#open.get(doc.path);
    if (note) act(note);
  }

  #text_changed(doc: NoteDocument): void {
    const note = this.#open.get(doc.path);
    if (!note) return;
    note.revision++;
    if (doc.plain) return;
    clearTimeout(this.#clocks.get(doc.path));
    const pause = doc.state.doc.length > 200_000 ? 600 : 100;
    this.#clocks.set(
      doc.path,
      setTimeout(() => void this.#look_again(doc, note), pause),
    );
  }

  async #look_again(doc: NoteDocument, note: OpenNote): Promise<void> {
    const text = doc.text();
    const revision = note.revision;
    if (text.length <= COUNTED_AT_ONCE) note.n_words = count_words(text);
    else {
      const n = await count_slowly(text, () => note.revision !== revision);
      if (n === null) return;
      note.n_words = n;
    }
    const headings = await engine.outline(text).catch(() => null);
    if (headings && revision === note.revision) note.headings = headings;
  }

  #expected(path: string): string | undefined {
    for (const [from, to] of this.#moving) {
      const place = moved_path(path, from, to);
      if (place !== undefined) return place;
    }
    return undefined;
  }

  /** Reads a note between two saves: a text that is older than what we just wrote must not come back. */
  async #read(doc: NoteDocument): Promise<NoteView> {
    for (;;) {
      await doc.saver.settled();
      const known = doc.hash;
      const view = await engine.read_note(doc.path);
      if (doc.hash === known && !doc.saver.busy) return view;
    }
  }

  async #changed(changed: NoteChange[]): Promise<void> {
    for (const { path, after } of changed) {
      const note = this.#open.get(path);
      const doc = this.documents.get(path);
      if (!note) continue;
      if (after === null) {
        // The same bytes under another name are the same note.
        const twin = doc && !doc.dirty ? changed.find((one) => one.before === null && one.after === doc.hash)?.path : undefined;
        const moved = this.#expected(path) ?? twin;
        if (moved) await this.#follow_note(path, moved);
        else note.gone = true;
        continue;
      }
      if (!doc) {
        if (note.error) await this.open(path);
        continue;
      }
      // Our own save tells nothing new.
      await doc.saver.settled();
      if (after !== doc.hash) await this.#look_at_disk(note, doc);
    }
  }

  async #look_at_disk(note: OpenNote, doc: NoteDocument | undefined): Promise<void> {
    try {
      const view = doc ? await this.#read(doc) : await engine.read_note(note.path);
      learn_properties(view.text, view.properties);
      if (doc && view.hash !== doc.hash) doc.take_from_disk(view.hash, view.text);
      const { headings } = note;
      note.take(view);
      if (doc?.dirty) note.headings = headings;
      if (doc) doc.writable = view.writable;
    } catch (cause) {
      if (asEngineError(cause).code === "not_found") note.gone = true;
    }
  }
}

export const notes = new Notes();
export { PLAIN_ABOVE };
