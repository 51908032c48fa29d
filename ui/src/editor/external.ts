// Another program changed the file while it is open here. What it changed is mapped over what was typed. Where both touched the
// same words, both stay: a person's text is never dropped to make room.

import { type ChangeSpec, type EditorState, Text, Transaction, type TransactionSpec } from "@codemirror/state";
import { hunks } from "./diff";
import { External, rebased, unsaved } from "./unsaved";

export interface Merged {
  spec: TransactionSpec;
  /** How many stretches were changed on both sides. */
  n_overlaps: number;
}

interface Range {
  from: number;
  to: number;
}

/** Builds the transaction that brings a text from disk into the document. */
export function merge(state: EditorState, disk: string): Merged {
  const { base, since_base } = state.field(unsaved);
  const disk_text = Text.of(disk.split("\n"));
  const typed: Range[] = [];
  since_base.iterChangedRanges((from, to) => typed.push({ from, to }), true);

  const changes: ChangeSpec[] = [];
  let n_overlaps = 0;
  for (const hunk of hunks(base.toString(), disk)) {
    if (!hunk.parts.some((part) => typed.some((range) => range.from <= part.to && range.to >= part.from))) {
      for (const part of hunk.parts)
        changes.push({ from: since_base.mapPos(part.from, 1), to: Math.max(since_base.mapPos(part.to, -1), since_base.mapPos(part.from, 1)), insert: part.insert });
      continue;
    }
    const mine = { from: since_base.mapPos(hunk.from, -1), to: since_base.mapPos(hunk.to, 1) };
    const ours = state.sliceDoc(mine.from, mine.to);
    // The same change on both sides is no conflict, and a deletion outside leaves what was typed here.
    if (ours === hunk.insert) continue;
    n_overlaps++;
    if (hunk.insert === "") continue;
    const glue = ours === "" || ours.endsWith("\n") ? "" : "\n";
    changes.push({ from: mine.to, to: mine.to, insert: glue + hunk.insert });
  }
  return {
    spec: {
      changes: state.changes(changes),
      effects: rebased.of(disk_text),
      annotations: [External.of(true), Transaction.addToHistory.of(false), Transaction.remote.of(true)],
    },
    n_overlaps,
  };
}
