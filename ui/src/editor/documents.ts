// The open notes: path -> editor state and the hash of the bytes it came from. The text of a note lives here and nowhere else.

import { EditorSelection, type EditorState, type StateCommand, type StateEffect, type Transaction, type TransactionSpec } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { engine } from "../ipc/engine";
import type { NoteView } from "../ipc/types";
import { merge } from "./external";
import { type SaveStatus, Saver, type SaveTimes, TIMES } from "./save";
import { is_dirty, not_sent, sending, sent } from "./unsaved";
import { settle_properties } from "./properties/change";
import { Views } from "./views";

/** Above this many characters a note is shown without highlighting, and saved less eagerly. */
export const PLAIN_ABOVE = 2_000_000;

/** What the window is told about a document. */
export interface DocumentEvents {
  status(doc: NoteDocument, status: SaveStatus): void;
  /** The text changed, by whoever. */
  changed(doc: NoteDocument): void;
  caret(doc: NoteDocument): void;
  /** Text from disk met typed text; `n_overlaps` stretches were changed on both sides. */
  merged(doc: NoteDocument, n_overlaps: number): void;
}

export type MakeState = (doc: NoteDocument, text: string) => EditorState;

export class NoteDocument {
  state: EditorState;
  readonly saver: Saver;
  readonly plain: boolean;
  #views = new Views((tr) => this.applied(tr));
  #told_dirty = false;

  constructor(
    public path: string,
    text: string,
    public hash: string,
    public writable: boolean,
    make_state: MakeState,
    private readonly events: DocumentEvents,
    times?: SaveTimes,
  ) {
    this.plain = text.length > PLAIN_ABOVE;
    this.state = make_state(this, text);
    const slow: SaveTimes = { ...TIMES, idle: 2500, most: 10_000 };
    this.saver = new Saver(
      {
        dirty: () => is_dirty(this.state),
        take: () => {
          this.dispatch({ effects: sending.of(null) });
          return { base: this.hash, text: this.text() };
        },
        write: (base, sent_text) => engine.save(this.path, base, sent_text),
        arrived: (arrived_hash) => {
          this.hash = arrived_hash;
          this.dispatch({ effects: sent.of(null) });
        },
        merge: (disk_hash, disk) => this.take_from_disk(disk_hash, disk),
        lost: () => this.dispatch({ effects: not_sent.of(null) }),
        status: (status) => {
          this.#tell_engine();
          this.events.status(this, status);
        },
      },
      times ?? (this.plain ? slow : TIMES),
    );
  }

  text(): string {
    return this.state.sliceDoc();
  }

  get dirty(): boolean {
    return is_dirty(this.state);
  }

  /** The view that has the keyboard, or had it last; nothing while the note is not being written. */
  get view(): EditorView | null {
    return this.#views.leading;
  }

  /** A view of the text has come on screen. */
  show(view: EditorView): void {
    this.#views.add(view);
  }

  /** A view of the text goes away. */
  hide(view: EditorView): void {
    this.#views.remove(view);
  }

  /** A view has the keyboard now: its caret is the note's. */
  lead(view: EditorView): void {
    this.#views.lead(view);
    this.events.caret(this);
  }

  /** Takes in what a view of the text asks for. */
  dispatched(view: EditorView, transactions: readonly Transaction[]): void {
    this.#views.dispatched(view, transactions);
  }

  /** Tells every view of the text something that does not change it. */
  tell_views(effects: StateEffect<unknown>): void {
    for (const view of this.#views.all()) view.dispatch({ effects });
  }

  /** Applies a transaction, through the view if the note is on screen. */
  dispatch(spec: TransactionSpec): void {
    if (this.view) this.view.dispatch(spec);
    else this.applied(this.state.update(spec));
  }

  /** Runs an editor command, also while the note is not on screen; false if there was nothing to do. */
  run(command: StateCommand): boolean {
    return command({ state: this.state, dispatch: (tr) => (this.view ? this.view.dispatch(tr) : this.applied(tr)) });
  }

  /** Takes over what a transaction made. */
  applied(tr: Transaction): void {
    this.state = tr.state;
    if (tr.docChanged) {
      this.events.changed(this);
      this.saver.changed();
    }
    if (tr.docChanged || tr.selection) this.events.caret(this);
  }

  /** Brings a text from disk in: into a clean document as it is, into a dirty one by merging. */
  take_from_disk(hash: string, disk: string): void {
    this.hash = hash;
    const was_dirty = this.dirty;
    const merged = merge(this.state, disk);
    this.dispatch(merged.spec);
    if (was_dirty) this.events.merged(this, merged.n_overlaps);
  }

  /** Puts the caret at the start of a line, 1-based. */
  select_line(line: number): void {
    const at = this.state.doc.line(Math.min(Math.max(line, 1), this.state.doc.lines)).from;
    this.dispatch({ selection: EditorSelection.cursor(at) });
  }

  caret_line(): number {
    return this.state.doc.lineAt(this.state.selection.main.head).number;
  }

  /** The engine must know that newer text exists before an agent reads the note. */
  #tell_engine(): void {
    const dirty = this.dirty;
    if (dirty === this.#told_dirty) return;
    this.#told_dirty = dirty;
    void engine.editing(this.path, dirty).catch(() => {
      this.#told_dirty = !dirty;
    });
  }
}

export class Documents {
  #open = new Map<string, NoteDocument>();

  constructor(
    private readonly make_state: MakeState,
    private readonly events: DocumentEvents,
  ) {}

  get(path: string): NoteDocument | undefined {
    return this.#open.get(path);
  }

  open(note: NoteView): NoteDocument {
    const known = this.#open.get(note.path);
    if (known) return known;
    const doc = new NoteDocument(note.path, note.text, note.hash, note.writable, this.make_state, this.events);
    this.#open.set(note.path, doc);
    return doc;
  }

  /** A note was moved: its text, caret and undo go along. */
  rename(from: string, to: string): NoteDocument | undefined {
    const doc = this.#open.get(from);
    if (!doc) return undefined;
    this.forget(to);
    this.#open.delete(from);
    this.#open.set(to, doc);
    doc.path = to;
    return doc;
  }

  all(): NoteDocument[] {
    return [...this.#open.values()];
  }

  /** Saves every dirty document; before an approval, and before the window closes. */
  async flush_all(): Promise<boolean> {
    await settle_properties();
    const results = await Promise.all(this.all().map((doc) => doc.saver.flush()));
    return results.every(Boolean);
  }

  /** Stops every document; returns those whose text is not on disk. */
  stop(): NoteDocument[] {
    const lost = this.all().filter((doc) => doc.dirty);
    for (const doc of this.all()) doc.saver.stop();
    return lost;
  }

  forget(path: string): void {
    this.#open.get(path)?.saver.stop();
    this.#open.delete(path);
  }
}
