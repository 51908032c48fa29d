// Links in the source: where they are, and what a Ctrl+click on one does.

import { EditorView } from "@codemirror/view";
import type { NoteDocument } from "./documents";
import { tag_length } from "./syntax_inline";

/** `from` is the note that the link stands in, when it is not the open one but embedded there. */
export type LinkAtPoint = { kind: "internal"; target: string; from?: string | null } | { kind: "external"; url: string } | { kind: "vault_link"; url: string } | { kind: "tag"; tag: string };

const PATTERNS: { find: RegExp; read: (match: RegExpMatchArray) => LinkAtPoint | null }[] = [
  { find: /!?\[\[((?:(?!\[\[|\]\]|\\\|)[^\n|])+)(?:\\?\|(?:(?!\]\])[^\n])*)?\]\]/g, read: (m) => ({ kind: "internal", target: m[1]!.trim() }) },
  { find: /!?\[[^\]\n]*\]\(\s*(?:<([^>\n]+)>|([^)>\s]+))(?:\s+"[^"]*")?\s*\)/g, read: (m) => of_destination(m[1] ?? m[2]!) },
  { find: /<((?:https?|mailto|vidimus|obsidian):[^>\s]+)>/gi, read: (m) => of_destination(m[1]!) },
  { find: /\b(?:https?|vidimus|obsidian):\/\/[^\s<>()\]"']+/gi, read: (m) => of_destination(m[0].replace(/[.,;:!?]+$/, "")) },
];

/** Reads the destination of a Markdown link: a URL, a link to a place in a vault, or a path inside the open one. */
export function of_destination(destination: string): LinkAtPoint | null {
  if (/^(https?|mailto):/i.test(destination)) return { kind: "external", url: destination };
  // The program itself says where these lead; they can only show something.
  if (/^(vidimus|obsidian):\/\//i.test(destination)) return { kind: "vault_link", url: destination };
  // Any other scheme is not ours to start.
  if (/^[a-z][a-z0-9+.-]*:/i.test(destination)) return null;
  try {
    return { kind: "internal", target: decodeURIComponent(destination) };
  } catch {
    return { kind: "internal", target: destination };
  }
}

/** Reads where an element leads that the editor drew as a link. */
export function of_element(target: HTMLElement): LinkAtPoint | null {
  const found = target.closest<HTMLElement>("[role=link]");
  if (!found) return null;
  const { target: internal, url, tag } = found.dataset;
  if (internal !== undefined) return { kind: "internal", target: internal };
  if (url !== undefined) return of_destination(url);
  return tag === undefined ? null : { kind: "tag", tag };
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

/** On Linux the middle button pastes when it is let go; over a link it has done its work by then. */
export function let_go_without_pasting(): void {
  const ends = new AbortController();
  const still = { capture: true, signal: ends.signal };
  window.addEventListener("paste", (event) => (event.preventDefault(), event.stopImmediatePropagation()), still);
  window.addEventListener("mouseup", () => setTimeout(() => ends.abort()), still);
}

/** A tag at a column: what the editor drew as one. */
function tag_at(line: string, column: number): LinkAtPoint | null {
  for (let at = line.lastIndexOf("#", column); at >= 0; at = line.lastIndexOf("#", at - 1)) {
    const length = tag_length(line.slice(at));
    if (length > 0 && column < at + length && (at === 0 || /[\s\p{L}\p{N}_/-]/u.test(line[at - 1]!))) return { kind: "tag", tag: line.slice(at + 1, at + length) };
    if (at === 0 || /\s/.test(line[at]!)) break;
  }
  return null;
}

/** Where a footnote is explained, or where it is referred to; null if the line says nothing of one at the column. */
export function footnote_at(text: string, line: string, column: number): number | null {
  for (const match of line.matchAll(/\[\^([^\s[\]^]+)\](:?)/g)) {
    if (column < match.index || column > match.index + match[0].length) continue;
    const name = match[1]!.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const is_definition = match[2] === ":" && line.slice(0, match.index).trim() === "";
    const wanted = is_definition ? new RegExp(`\\[\\^${name}\\](?!:)`, "i") : new RegExp(`^[ >]*\\[\\^${name}\\]:`, "im");
    const found = wanted.exec(text);
    return found ? found.index + found[0].length : null;
  }
  return null;
}

export function link_clicks(doc: NoteDocument) {
  const at = (view: EditorView, pos: number) => {
    const line = view.state.doc.lineAt(pos);
    return line.length > 20_000 ? null : link_at(line.text, pos - line.from);
  };
  const under = (view: EditorView, event: MouseEvent) => {
    const pos = view.posAtCoords({ x: event.clientX, y: event.clientY });
    if (pos === null) return null;
    const target = event.target as HTMLElement;
    if (target.closest(".cm-tag")) {
      const line = view.state.doc.lineAt(pos);
      // At the last half of a letter the place is the one behind it.
      return tag_at(line.text, pos - line.from) ?? tag_at(line.text, pos - line.from - 1);
    }
    return at(view, pos) ?? (target.closest(".cm-drawn-link") ? at(view, Math.max(0, pos - 1)) : null);
  };
  /** From a footnote to what it says, and back. */
  const footnote = (view: EditorView, pos: number | null) => {
    if (pos === null) return false;
    const line = view.state.doc.lineAt(pos);
    const to = line.length > 20_000 ? null : footnote_at(view.state.sliceDoc(), line.text, pos - line.from);
    if (to === null) return false;
    view.dispatch({ selection: { anchor: to }, effects: EditorView.scrollIntoView(to, { y: "center" }) });
    return true;
  };
  return EditorView.domEventHandlers({
    mousedown(event, view) {
      if (event.button > 1 || event.shiftKey || event.altKey) return false;
      const with_key = event.ctrlKey || event.metaKey;
      // A link that is drawn leads somewhere at one press; one that is being written needs the key.
      if (!with_key && !(event.target as HTMLElement).closest(".cm-drawn-link")) return false;
      const link = under(view, event);
      if (!link) return with_key && footnote(view, view.posAtCoords({ x: event.clientX, y: event.clientY }));
      event.preventDefault();
      if (event.button === 1) let_go_without_pasting();
      follow(doc, link);
      return true;
    },
    keydown(event, view) {
      if (event.key !== "Enter" || !event.altKey) return false;
      const link = at(view, view.state.selection.main.head);
      if (!link) return footnote(view, view.state.selection.main.head);
      event.preventDefault();
      follow(doc, link);
      return true;
    },
  });
}
