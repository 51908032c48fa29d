// Sections change places and levels: an edit of the open text, planned by the engine, that one undo takes back.

import { isolateHistory, redo, undo } from "@codemirror/commands";
import { EditorSelection, type StateCommand, type Text } from "@codemirror/state";
import type { NoteDocument } from "../editor/documents";
import { asEngineError, engine, EngineError } from "../ipc/engine";
import type { HeadingView, OutlineEdit, OutlineMove } from "../ipc/types";
import { deeds } from "./deeds.svelte";
import { notes, type OpenNote } from "./notes.svelte";
import { heading_ids, type OutlineRow } from "./outline.svelte";
import { sentence, toasts } from "./toasts.svelte";

/** Where a section goes; another one is named by its id, for its place may change meanwhile. */
export type SectionMove = { kind: "up" | "down" | "promote" | "demote" } | { kind: "before" | "after" | "first_child" | "last_child"; id: string };

export type SectionMoved =
  /** The line of its heading now. */
  | { kind: "moved"; line: number }
  /** It stays; why, unless a message says it. */
  | { kind: "stays"; why: string };

const KEYS: Record<string, SectionMove> = {
  ArrowUp: { kind: "up" },
  ArrowDown: { kind: "down" },
  ArrowLeft: { kind: "promote" },
  ArrowRight: { kind: "demote" },
};

/** Returns the move that a key press in the outline means. */
export function section_key(event: KeyboardEvent): SectionMove | null {
  const alone = event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
  return alone ? (KEYS[event.key] ?? null) : null;
}

/** Says where a section stands, for who does not see it. */
export function standing(row: OutlineRow): string {
  return `“${row.heading.text}” is now ${row.position} of ${row.set_size}, level ${row.heading.level}`;
}

/** Moves the section with an id of the outline, with all that belongs to it. */
export async function move_section(note: OpenNote, id: string, to: SectionMove): Promise<SectionMoved> {
  const doc = notes.documents.get(note.path);
  const stays = (why: string): SectionMoved => ({ kind: "stays", why });
  if (!doc || !note.writable) {
    toasts.say("This note cannot be written here", { hint: note.read_only_reason ? sentence(note.read_only_reason) : undefined });
    return stays("");
  }
  await notes.refresh_outline(note.path);
  const ids = heading_ids(note.headings);
  const index = ids.indexOf(id);
  const move = placed(to, ids);
  if (index < 0 || !move) return stays("This section is no longer there");
  const before = doc.state.doc;
  let edit: OutlineEdit;
  try {
    edit = await engine.move_section(doc.text(), index, move);
    if (doc.state.doc !== before) throw new EngineError("moved_on", "the text was changed just now", "try again");
  } catch (cause) {
    const error = asEngineError(cause);
    // At either end the section stays where it is, as a caret does.
    if (error.code === "at_the_end") return stays(sentence(error.message));
    toasts.say(sentence(error.message), { hint: sentence(error.hint) });
    return stays("");
  }
  if (edit.changes.length > 0) {
    const selection = selection_after(doc, note.headings, index, edit);
    doc.dispatch({ changes: edit.changes, selection, annotations: isolateHistory.of("full"), userEvent: "move.section" });
    remember(doc, note.headings[index]!.text, before);
  }
  await notes.refresh_outline(note.path);
  return { kind: "moved", line: edit.line };
}

function placed(to: SectionMove, ids: string[]): OutlineMove | null {
  if (!("id" in to)) return to;
  const at = ids.indexOf(to.id);
  return at < 0 ? null : { kind: to.kind, at };
}

/** Keeps the caret at its place of the section, if it stands in it. */
function selection_after(doc: NoteDocument, headings: HeadingView[], index: number, edit: OutlineEdit): EditorSelection | undefined {
  const own = headings[index]!;
  const end = headings.slice(index + 1).find((heading) => heading.level <= own.level)?.line ?? Infinity;
  const { head } = doc.state.selection.main;
  const line = doc.state.doc.lineAt(head);
  if (line.number < own.line || line.number >= end) return undefined;
  const after = doc.state.changes(edit.changes).apply(doc.state.doc);
  const { from, length } = after.line(Math.min(edit.line + line.number - own.line, after.lines));
  return EditorSelection.single(from + Math.min(head - line.from, length));
}

/** Ctrl+Z in the outline means what was done there last. */
function remember(doc: NoteDocument, title: string, before: Text): void {
  const after = doc.state.doc;
  const turn = async (command: StateCommand) => {
    doc.run(command);
    await notes.refresh_outline(doc.path);
  };
  deeds.did({
    said: `Moved “${title}”`,
    quiet: true,
    before: doc.path,
    after: doc.path,
    operation: () => null,
    // Whoever typed on takes it back in the text, step by step.
    stands: (way) => notes.documents.get(doc.path) === doc && doc.state.doc.eq(way === "undo" ? after : before),
    undo: () => turn(undo),
    redo: () => turn(redo),
  });
}
