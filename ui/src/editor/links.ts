// Links in the source: where they are, and what a Ctrl+click on one does.

import { EditorView } from "@codemirror/view";
import type { NoteDocument } from "./documents";

/** `from` is the note that the link stands in, when it is not the open one but embedded there. */
export type LinkAtPoint = { kind: "internal"; target: string; from?: string | null } | { kind: "external"; url: string } | { kind: "tag"; tag: string };

const PATTERNS: { find: RegExp; read: (match: RegExpMatchArray) => LinkAtPoint | null }[] = [
  { find: /!?\[\[([^\]\n|]+)(?:\|[^\]\n]*)?\]\]/g, read: (m) => ({ kind: "internal", target: m[1]!.trim() }) },
  { find: /!?\[[^\]\n]*\]\(\s*(?:<([^>\n]+)>|([^)>\s]+))(?:\s+"[^"]*")?\s*\)/g, read: (m) => of_destination(m[1] ?? m[2]!) },
  { find: /<((?:https?|mailto):[^>\s]+)>/g, read: (m) => ({ kind: "external", url: m[1]! }) },
  { find: /\bhttps?:\/\/[^\s<>()\]"']+/g, read: (m) => ({ kind: "external", url: m[0].replace(/[.,;:!?]+$/, "") }) },
];

/** Reads the destination of a Markdown link: a URL, or a path inside the vault. */
export function of_destination(destination: string): LinkAtPoint | null {
  if (/^(https?|mailto):/i.test(destination)) return { kind: "external", url: destination };
  // Any other scheme is not ours to start.
  if (/^[a-z][a-z0-9+.-]*:/i.test(destination)) return null;
  try {
    return { kind: "internal", target: decodeURIComponent(destination) };
  } catch {
    return { kind: "internal", target: destination };
  }
}

/** Returns the link that covers a column of a line. */
export function link_at(line: string, column: number): LinkAtPoint | null {
  for (const { find, read } of PATTERNS)
    for (const match of line.matchAll(find)) {
      const from = match.index;
      if (column >= from && column < from + match[0].length) return read(match);
    }
  return null;
}

type Follow = (doc: NoteDocument, link: LinkAtPoint) => void;
let follow: Follow = () => {};

/** Sets what following a link means; the window does it once. */
export function on_follow(act: Follow): void {
  follow = act;
}

export function follow_link(doc: NoteDocument, link: LinkAtPoint): void {
  follow(doc, link);
}

export function link_clicks(doc: NoteDocument) {
  const at = (view: EditorView, pos: number) => {
    const line = view.state.doc.lineAt(pos);
    return line.length > 20_000 ? null : link_at(line.text, pos - line.from);
  };
  return EditorView.domEventHandlers({
    mousedown(event, view) {
      if (!(event.ctrlKey || event.metaKey) || event.button !== 0) return false;
      const pos = view.posAtCoords({ x: event.clientX, y: event.clientY });
      const link = pos === null ? null : at(view, pos);
      if (!link) return false;
      event.preventDefault();
      follow(doc, link);
      return true;
    },
    keydown(event, view) {
      if (event.key !== "Enter" || !event.altKey) return false;
      const link = at(view, view.state.selection.main.head);
      if (!link) return false;
      event.preventDefault();
      follow(doc, link);
      return true;
    },
  });
}
