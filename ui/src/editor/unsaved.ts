// What was typed since the text that is on disk: kept inside the editor's state, so that there is one truth about the text.

import { Annotation, ChangeSet, type EditorState, StateEffect, StateField, type Text } from "@codemirror/state";
import { changes } from "./diff";

export interface Unsaved {
  /** The text on disk as we know it. Shares its structure with the document, so it costs almost nothing. */
  base: Text;
  /** From `base` to the document. */
  since_base: ChangeSet;
  /** What is on its way to disk, and what was typed after it left. */
  sent: { doc: Text; since: ChangeSet } | null;
}

/** Marks a transaction that came from disk, not from the person. */
export const External = Annotation.define<boolean>();

/** The document as it is now leaves for disk. */
export const sending = StateEffect.define<null>();
/** What left has arrived. */
export const sent = StateEffect.define<null>();
/** What left did not arrive. */
export const not_sent = StateEffect.define<null>();
/** The disk has another text; the same transaction brings the document along. */
export const rebased = StateEffect.define<Text>();

export const unsaved = StateField.define<Unsaved>({
  create: (state) => ({ base: state.doc, since_base: ChangeSet.empty(state.doc.length), sent: null }),
  update(now, tr) {
    let next = now;
    if (tr.docChanged)
      next = {
        base: next.base,
        since_base: next.since_base.compose(tr.changes),
        sent: next.sent && { doc: next.sent.doc, since: next.sent.since.compose(tr.changes) },
      };
    for (const effect of tr.effects) {
      if (effect.is(sending)) next = { ...next, sent: { doc: tr.newDoc, since: ChangeSet.empty(tr.newDoc.length) } };
      else if (effect.is(sent) && next.sent) next = { base: next.sent.doc, since_base: next.sent.since, sent: null };
      else if (effect.is(not_sent)) next = { ...next, sent: null };
      else if (effect.is(rebased)) next = { base: effect.value, since_base: between(effect.value, tr.newDoc), sent: null };
    }
    return next;
  },
});

/** Tells whether the document differs from what is on disk. */
export function is_dirty(state: EditorState): boolean {
  const { base, since_base } = state.field(unsaved);
  return !since_base.empty && !base.eq(state.doc);
}

/** Returns the change from one text to another. */
export function between(from: Text, to: Text): ChangeSet {
  if (from.eq(to)) return ChangeSet.empty(from.length);
  return ChangeSet.of(changes(from.toString(), to.toString()), from.length, "\n");
}
