// What may follow `[[`: notes by name, and after a `#` the headings of the note that is named.

import { autocompletion, type Completion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { engine } from "../ipc/engine";
import type { NoteDocument } from "./documents";

const MOST = 30;

const name_of = (path: string) => path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/, "");
const folder_of = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** Puts a link's target in and closes the link, unless it is closed already. */
function put(target: string) {
  return (view: EditorView, _: Completion, from: number, to: number) => {
    const closed = view.state.sliceDoc(to, to + 2) === "]]";
    view.dispatch({
      changes: { from, to, insert: closed ? target : `${target}]]` },
      selection: { anchor: from + target.length + 2 },
      userEvent: "input.complete",
    });
  };
}

/** The shortest name that leads from here to the note. */
async function link_text(from: string, path: string): Promise<string> {
  const name = name_of(path);
  const found = await engine.resolve_link(from, name).catch(() => null);
  return found?.path === path ? name : path.replace(/\.md$/, "");
}

async function notes_for(from: string, typed: string): Promise<Completion[]> {
  const hits = await engine.quick(typed, MOST);
  const notes = hits.filter((hit) => hit.matched === null);
  return Promise.all(
    notes.map(async (hit) => {
      const target = await link_text(from, hit.path);
      return { label: name_of(hit.path), detail: folder_of(hit.path), apply: put(target) };
    }),
  );
}

async function headings_for(doc: NoteDocument, note: string, typed: string): Promise<Completion[]> {
  const target = note === "" ? { path: doc.path } : await engine.resolve_link(doc.path, note);
  if (!target) return [];
  const headings = target.path === doc.path ? await engine.outline(doc.text()) : (await engine.read_note(target.path)).headings;
  const wanted = typed.toLowerCase();
  return headings
    .filter((heading) => heading.text.toLowerCase().includes(wanted))
    .slice(0, MOST)
    // In a link these signs would mean something else.
    .map((heading) => ({ label: heading.text, detail: "#".repeat(heading.level), apply: put(heading.text.replace(/[#^|[\]\\:]|%%/g, " ").replace(/\s+/g, " ").trim()) }));
}

/** Offers what fits the link that is being typed. */
export async function complete_link(doc: NoteDocument, context: CompletionContext): Promise<CompletionResult | null> {
  const open = context.matchBefore(/\[\[[^\]\n|]*/);
  if (!open) return null;
  const typed = open.text.slice(2);
  const hash = typed.lastIndexOf("#");
  try {
    const options = hash < 0 ? await notes_for(doc.path, typed) : await headings_for(doc, typed.slice(0, typed.indexOf("#")), typed.slice(hash + 1));
    // The engine chose and ordered them; they are asked for again with every letter.
    return { from: open.from + 2 + (hash < 0 ? 0 : hash + 1), options, filter: false };
  } catch {
    return null;
  }
}

export function link_completion(doc: NoteDocument): Extension {
  return autocompletion({ override: [(context) => complete_link(doc, context)], icons: false, closeOnBlur: true, maxRenderedOptions: MOST });
}
