// What is folded in a note is folded again when it is opened the next time, as long as the line still says the same.

import { foldedRanges, foldEffect } from "@codemirror/language";
import type { EditorState, Extension, StateEffect } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { NoteDocument } from "./documents";
import { foldable_at } from "./folding";

const KEY = "vidimus.folds";
/** Of so many notes it is known; those that were not folded in for the longest time are forgotten. */
const MOST_NOTES = 300;
const MOST_FOLDS = 200;
const PAUSE = 400;

/** A line that is folded: its number and the beginning of its text. */
type Kept = [line: number, text: string];

function read(): Record<string, Kept[]> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return kept && typeof kept === "object" ? (kept as Record<string, Kept[]>) : {};
  } catch {
    return {};
  }
}

function write(path: string, folds: Kept[]): void {
  const kept = read();
  // The newest stands last.
  delete kept[path];
  if (folds.length > 0) kept[path] = folds;
  const paths = Object.keys(kept);
  for (const old of paths.slice(0, Math.max(0, paths.length - MOST_NOTES))) delete kept[old];
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // Not remembered, then.
  }
}

function folds_of(state: EditorState): Kept[] {
  const lines = new Map<number, string>();
  foldedRanges(state).between(0, state.doc.length, (from) => {
    const line = state.doc.lineAt(from);
    if (lines.size < MOST_FOLDS) lines.set(line.number, line.text.slice(0, 80));
  });
  return [...lines].sort(([a], [b]) => a - b);
}

/** Returns the state with what was folded in the note before. */
export function with_kept_folds(path: string, state: EditorState): EditorState {
  const kept = read()[path];
  if (!Array.isArray(kept)) return state;
  const effects: StateEffect<unknown>[] = [];
  const known = new Set<number>();
  foldedRanges(state).between(0, state.doc.length, (from) => void known.add(from));
  for (const [number, text] of kept) {
    if (!(number >= 1 && number <= state.doc.lines)) continue;
    const line = state.doc.line(number);
    const range = line.text.slice(0, 80) === text ? foldable_at(state, line) : null;
    if (range && !known.has(range.from)) effects.push(foldEffect.of(range));
  }
  return effects.length > 0 ? state.update({ effects }).state : state;
}

export function keep_folds(doc: NoteDocument): Extension {
  let clock: ReturnType<typeof setTimeout> | undefined;
  return EditorView.updateListener.of(({ startState, state }) => {
    if (foldedRanges(startState) === foldedRanges(state)) return;
    clearTimeout(clock);
    clock = setTimeout(() => write(doc.path, folds_of(doc.state)), PAUSE);
  });
}
