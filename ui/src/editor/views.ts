// One text on screen in several places. Each view has a caret, folds and a find panel of its own; what was typed, what of it
// is saved and what can be undone is one. The view that leads has the keyboard, and its state is the document's.

import { history, historyField } from "@codemirror/commands";
import { Annotation, Compartment, type EditorState, type Extension, StateEffect, Transaction, type TransactionSpec } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { External, not_sent, rebased, sending, sent } from "./unsaved";

const undoing = new Compartment();
/** What a view takes over from another one; it goes no further. */
const TakenOver = Annotation.define<boolean>();
/** The view that already has what the leading one is told. */
const From = Annotation.define<EditorView>();

/** Keeps what can be undone, in a way that another view can take over. */
export const undo_history: Extension = undoing.of(history());

/** Returns what makes a view's undo that of a state with the same text. */
function undo_of(state: EditorState): StateEffect<unknown>[] {
  const past = state.field(historyField, false);
  return past === undefined ? [] : [undoing.reconfigure([history(), historyField.init(() => past)])];
}

const is_about_saving = (effect: StateEffect<unknown>) => [sending, sent, not_sent, rebased].some((kind) => effect.is(kind as typeof sending));

/** The views of one document. */
export class Views {
  #shown = new Set<EditorView>();
  #leading: EditorView | null = null;

  constructor(private readonly took: (tr: Transaction) => void) {}

  /** The view that leads; nothing while the note is not on screen. */
  get leading(): EditorView | null {
    return this.#leading;
  }

  all(): EditorView[] {
    return [...this.#shown];
  }

  add(view: EditorView): void {
    this.#shown.add(view);
    this.#leading ??= view;
  }

  /** Takes a view away; if it was the one that leads, another goes on with its text and its undo. */
  remove(view: EditorView): void {
    this.#shown.delete(view);
    if (this.#leading !== view) return;
    this.#leading = null;
    const [next] = this.#shown;
    if (next) this.#hand_over(view.state, next);
  }

  /** Makes a view the one that leads: it has the keyboard now. */
  lead(view: EditorView): void {
    if (view === this.#leading || this.#leading === null || !this.#shown.has(view)) return;
    this.#hand_over(this.#leading.state, view);
  }

  /** Applies what a view asks for, and tells the other views. */
  dispatched(view: EditorView, transactions: readonly Transaction[]): void {
    view.update(transactions);
    for (const tr of transactions) {
      if (view === this.#leading) {
        this.took(tr);
        this.#share(tr);
      } else if (tr.docChanged && !tr.annotation(TakenOver)) {
        // The one that leads records it: there is one undo.
        this.#leading?.dispatch({ changes: tr.changes, annotations: From.of(view), filter: false });
      }
    }
  }

  #hand_over(state: EditorState, to: EditorView): void {
    this.#leading = to;
    to.dispatch({ effects: undo_of(state) });
  }

  #share(tr: Transaction): void {
    const effects = tr.effects.filter(is_about_saving);
    if (!tr.docChanged && effects.length === 0) return;
    const known = tr.annotation(From);
    for (const view of this.#shown) {
      if (view === this.#leading) continue;
      if (view !== known) view.dispatch(taken_over({ changes: tr.changes, effects }, tr));
      else if (effects.length > 0) view.dispatch(taken_over({ effects }, tr));
    }
  }
}

function taken_over(told: TransactionSpec, tr: Transaction): TransactionSpec {
  const annotations = [TakenOver.of(true), Transaction.addToHistory.of(false), Transaction.remote.of(true)];
  if (tr.annotation(External)) annotations.push(External.of(true));
  return { ...told, annotations, filter: false };
}
