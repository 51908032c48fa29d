// Files that are pasted or dropped into a note: the program keeps them where the vault wants its attachments, and the note gets
// the links that show them.

import { syntaxTree } from "@codemirror/language";
import { type EditorState, type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, WidgetType } from "@codemirror/view";
import { asEngineError, engine, EngineError } from "../ipc/engine";
import type { AddedFile } from "../ipc/types";
import type { NoteDocument } from "./documents";
import { PICTURE } from "./livepreview/pictures";

/** A file under the name that it is to have. */
export interface NamedFile {
  name: string;
  /** Null for a folder, which is no file. */
  file: Blob | null;
}

/** What became of files that were put into a note. */
export interface Put {
  added: AddedFile[];
  /** The links to them, as they were written into the note. */
  links: string;
  refused: EngineError[];
}

type Tell = (doc: NoteDocument, put: Put) => void;
let tell: Tell = () => {};

/** Sets who hears what was put into a note and what was refused; the window does it once. */
export function on_put_files(act: Tell): void {
  tell = act;
}

const EXTENSIONS: Record<string, string> = { "image/jpeg": "jpg", "image/svg+xml": "svg", "image/x-icon": "ico", "image/vnd.microsoft.icon": "ico" };

/** Names a picture that came without a name of its own, as Obsidian does. */
export function pasted_name(type: string, now: Date): string {
  const two = (n: number) => String(n).padStart(2, "0");
  const day = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  const extension = EXTENSIONS[type] ?? type.slice(type.indexOf("/") + 1).replace(/[^a-z0-9].*$/i, "");
  return `Pasted image ${day}${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}.${extension || "png"}`;
}

/** What browsers call a picture that is no file. */
const NO_NAME = /^(?:image|blob|unknown)?(?:\.\w+)?$/i;

/** Returns the files that are dropped. */
export function dropped_files(data: DataTransfer): NamedFile[] {
  const folders = new Set<string>();
  for (const item of data.items ?? []) {
    const entry = item.kind === "file" ? item.webkitGetAsEntry?.() : null;
    if (entry?.isDirectory) folders.add(entry.name);
  }
  return [...data.files].map((file) => ({ name: file.name, file: folders.has(file.name) && file.type === "" ? null : file }));
}

/** Returns the files that are pasted; none where the clipboard holds text, for programs add pictures of the text they copy. */
export function pasted_files(data: DataTransfer, now: Date): NamedFile[] {
  const files = [...data.files];
  if (files.length === 0) return [];
  const names = new Set(files.map((file) => file.name));
  // A file manager adds where its files are.
  const is_file = (line: string) => line.trim() === "" || /^(?:copy|cut|x-special\/\S+)$/.test(line) || /^(?:file:\/\/|\/|[a-z]:\\)/i.test(line) || names.has(line);
  if (!data.getData("text/plain").split(/\r?\n/).every(is_file)) return [];
  return files.map((file) => ({ name: NO_NAME.test(file.name) && (file.type.startsWith("image/") || PICTURE.test(file.name)) ? pasted_name(file.type || "image/png", now) : file.name, file }));
}

/** Reads the picture that is copied, where a paste does not hand it over: WebKitGTK shows a page no picture that is no file. */
async function copied_picture(now: Date): Promise<NamedFile[]> {
  const items = await navigator.clipboard.read();
  for (const item of items) {
    const type = ["image/png", ...item.types].find((one) => one.startsWith("image/") && item.types.includes(one));
    if (type) return [{ name: pasted_name(type, now), file: await item.getType(type) }];
  }
  return [];
}

/** A place where links will stand once their files are kept. */
interface Waiting {
  id: number;
  from: number;
  to: number;
  names: string[];
}

const wait = StateEffect.define<Waiting>();
const arrived = StateEffect.define<number>();

const waiting = StateField.define<Waiting[]>({
  create: () => [],
  update(now, tr) {
    let next = now;
    if (tr.docChanged && next.length > 0)
      next = next.map((one) => {
        const from = tr.changes.mapPos(one.from, -1);
        return { ...one, from, to: Math.max(from, tr.changes.mapPos(one.to, -1)) };
      });
    for (const effect of tr.effects) {
      if (effect.is(wait)) next = [...next, effect.value];
      else if (effect.is(arrived)) next = next.filter(({ id }) => id !== effect.value);
    }
    return next;
  },
  provide: (field) =>
    EditorView.decorations.from(field, (all) =>
      Decoration.set(
        all.map(({ to, names }) => Decoration.widget({ widget: new Sign(names), side: 1 }).range(to)),
        true,
      ),
    ),
});

class Sign extends WidgetType {
  constructor(private readonly names: string[]) {
    super();
  }

  override eq(other: Sign): boolean {
    return other.names.join("\n") === this.names.join("\n");
  }

  override toDOM(): HTMLElement {
    const sign = document.createElement("span");
    sign.className = "cm-putting";
    sign.setAttribute("role", "status");
    sign.textContent = `Adding ${this.names.length === 1 ? this.names[0]! : `${this.names.length} files`}…`;
    return sign;
  }
}

let last_id = 0;

/** Where a link may stand: not among the properties, which it would break. */
function writable_at(state: EditorState, at: number): number {
  const front = syntaxTree(state).topNode.firstChild;
  if (front?.name !== "Frontmatter" || at > front.to) return at;
  return Math.min(front.to + 1, state.doc.length);
}

/** Whether links that follow each other must stay on one line. */
function is_in_table(state: EditorState, at: number): boolean {
  for (let node = syntaxTree(state).resolveInner(at, -1); node.parent; node = node.parent) if (node.name === "Table") return true;
  return false;
}

/** Keeps files in the vault, one after the other, and puts the links to them in place of a stretch of text. */
export async function put_files(doc: NoteDocument, files: NamedFile[], range: { from: number; to: number }, how: "paste" | "drop"): Promise<void> {
  if (doc.state.readOnly) return tell(doc, { added: [], links: "", refused: [new EngineError("read_only", `the note cannot be written: \`${doc.path}\``, "make the file writable, then try again")] });
  const from = writable_at(doc.state, range.from);
  const id = ++last_id;
  doc.dispatch({ effects: wait.of({ id, from, to: Math.max(from, range.to), names: files.map(({ name }) => name) }) });
  const added: AddedFile[] = [];
  const refused: EngineError[] = [];
  for (const { name, file } of files) {
    try {
      if (!file) throw new EngineError("not_a_file", `a folder cannot be put into a note: \`${name}\``, "copy it into the vault with the file manager");
      added.push(await engine.add_file(doc.path, name, file));
    } catch (cause) {
      refused.push(asEngineError(cause));
    }
  }
  // Another view of the note may lead by now, and knows nothing of the place.
  const place = doc.state.field(waiting, false)?.find((one) => one.id === id) ?? { from: Math.min(from, doc.state.doc.length), to: Math.min(from, doc.state.doc.length) };
  const insert = added.map(({ link }) => link).join(is_in_table(doc.state, place.from) ? " " : "\n");
  if (insert !== "") {
    const { main } = doc.state.selection;
    // Whoever went on elsewhere meanwhile stays there.
    const is_here = main.from === place.from && main.to === place.to;
    doc.dispatch({
      changes: { from: place.from, to: place.to, insert },
      ...(is_here || how === "drop" ? { selection: { anchor: place.from + insert.length }, scrollIntoView: true } : {}),
      effects: arrived.of(id),
      userEvent: `input.${how}`,
    });
  } else doc.dispatch({ effects: arrived.of(id) });
  tell(doc, { added, links: insert, refused });
}

export function putting_files(doc: NoteDocument): Extension {
  return [
    waiting,
    EditorView.domEventHandlers({
      paste(event, view) {
        const data = event.clipboardData;
        const files = data ? pasted_files(data, new Date()) : [];
        if (data && files.length === 0 && data.types.length === 0 && "read" in (navigator.clipboard ?? {})) {
          event.preventDefault();
          const { from, to } = view.state.selection.main;
          void copied_picture(new Date()).then(
            (found) => (found.length > 0 ? put_files(doc, found, { from, to }, "paste") : undefined),
            () => tell(doc, { added: [], links: "", refused: [new EngineError("unreadable", "the clipboard cannot be read", "save the picture as a file and drop it into the note")] }),
          );
          return true;
        }
        if (files.length === 0) return false;
        event.preventDefault();
        void put_files(doc, files, view.state.selection.main, "paste");
        return true;
      },
      dragover(event) {
        if (!event.dataTransfer?.types.includes("Files")) return false;
        event.preventDefault();
        event.dataTransfer.dropEffect = "copy";
        return true;
      },
      drop(event, view) {
        const files = event.dataTransfer ? dropped_files(event.dataTransfer) : [];
        if (files.length === 0) return false;
        event.preventDefault();
        const at = view.posAtCoords({ x: event.clientX, y: event.clientY }, false);
        view.focus();
        void put_files(doc, files, { from: at, to: at }, "drop");
        return true;
      },
    }),
  ];
}
