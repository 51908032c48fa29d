// What the window says of files that were put into a note, and how that is taken back.

import { isolateHistory, undo } from "@codemirror/commands";
import type { Text } from "@codemirror/state";
import type { NoteDocument } from "../editor/documents";
import type { Put } from "../editor/put_files";
import { engine } from "../ipc/engine";
import { deeds } from "./deeds.svelte";
import { notes } from "./notes.svelte";
import { folder_of, name_of } from "./paths";
import { toasts } from "./toasts.svelte";

export function told_of_files(doc: NoteDocument, { added, links, refused }: Put): void {
  if (added.length > 0) remember(doc, added.map(({ path, operation }) => ({ path, id: operation.id })), links);
  // Of many that are refused for one reason the first says it all.
  const reasons = new Map(refused.map((error) => [error.code, error]));
  for (const error of reasons.values()) toasts.error(error);
}

function remember(doc: NoteDocument, files: { path: string; id: string }[], links: string): void {
  const { path } = files[0]!;
  const where = folder_of(path) === "" ? "the top of the vault" : folder_of(path);
  // The text without the links, as taking them out left it.
  let without: Text | null = null;
  const turn = async () => {
    for (const file of [...files].reverse()) file.id = (await engine.undo(file.id)).id;
  };
  deeds.did({
    said: files.length === 1 ? `Added ${name_of(path)} to ${where}` : `Added ${files.length} files to ${where}`,
    before: doc.path,
    after: doc.path,
    operation: () => files[0]!.id,
    undo: async () => {
      await turn();
      without = taken_out(doc, links);
    },
    redo: async () => {
      await turn();
      if (is_open(doc) && without && doc.state.doc.eq(without)) doc.run(undo);
    },
  });
}

const is_open = (doc: NoteDocument) => notes.documents.get(doc.path) === doc;

/** Takes links out of a note if they stand there as they were written; returns the text without them. */
function taken_out(doc: NoteDocument, links: string): Text | null {
  const text = doc.text();
  const at = text.indexOf(links);
  if (!is_open(doc) || at < 0 || text.indexOf(links, at + 1) >= 0) return null;
  doc.dispatch({ changes: { from: at, to: at + links.length }, annotations: isolateHistory.of("full"), userEvent: "delete.file" });
  return doc.state.doc;
}
