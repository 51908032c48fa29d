// The edges of a line whose signs are hidden: End and a press behind the last word go behind the signs, Home before them, so that
// what is typed there does not become part of a link or of bold words.

import { syntaxTree } from "@codemirror/language";
import { EditorSelection, EditorState, type Extension, type SelectionRange } from "@codemirror/state";
import type { EditorView, KeyBinding } from "@codemirror/view";
import { item_of } from "./lists";

const TAIL = /^(?:\]\]|\]\([^()\n]*\)|\]|>|[*_~=`$]+)+$/;
const HEAD = /^(?:!?\[\[(?:[^\]|\n]*\|)?|!?\[|<|[*_~=`$]+)+$/;
const SIGNED = /^(?:Wikilink|Link|Autolink|InlineCode|InlineMath|FootnoteRef|InlineFootnote|StrongEmphasis|Emphasis|Strikethrough|Highlight)$/;

/** Whether the signs around a place are hidden: the caret was not in what they belong to. */
function are_hidden(state: EditorState, at: number, side: -1 | 1): boolean {
  for (let node = syntaxTree(state).resolveInner(at, side); node.parent; node = node.parent)
    if (SIGNED.test(node.name)) return !state.selection.ranges.some((range) => range.from <= node.to && range.to >= node.from);
  return false;
}

/** Returns the edge of the line if nothing but hidden signs is between it and a place, else the place. */
export function past_signs(state: EditorState, at: number, side: -1 | 1): number {
  const line = state.doc.lineAt(at);
  const between = side > 0 ? state.sliceDoc(at, line.to) : state.sliceDoc(line.from, at);
  if (between === "" || between.length > 2000 || !(side > 0 ? TAIL : HEAD).test(between) || !are_hidden(state, at, side > 0 ? -1 : 1)) return at;
  return side > 0 ? line.to : line.from;
}

/** Where Home goes from a place: to the first word of an item, and from there to the edge of the line. */
export function home_of(state: EditorState, from: number, edge: number): number {
  const line = state.doc.lineAt(from);
  const item = edge - line.from > 200 ? null : item_of(line.text);
  if (!item) return past_signs(state, edge, -1);
  const text = line.from + item.quote.length + item.indent.length + item.mark.length + item.end.length + item.gap.length + item.box.length;
  // In a further row of an item that wraps, the edge is the row's.
  if (edge > text) return edge;
  return from > text ? text : line.from;
}

function go(side: -1 | 1, extend: boolean) {
  return (view: EditorView) => {
    const { state } = view;
    const move = (range: SelectionRange) => {
      const edge = view.moveToLineBoundary(range, side > 0, true).head;
      const head = side > 0 ? past_signs(state, edge, 1) : home_of(state, range.head, edge);
      return extend ? EditorSelection.range(range.anchor, head) : EditorSelection.cursor(head, side > 0 ? -1 : 1);
    };
    view.dispatch({ selection: EditorSelection.create(state.selection.ranges.map(move), state.selection.mainIndex), scrollIntoView: true, userEvent: "select" });
    return true;
  };
}

export const EDGE_KEYS: KeyBinding[] = [
  { key: "End", mac: "Cmd-ArrowRight", run: go(1, false), shift: go(1, true) },
  { key: "Home", mac: "Cmd-ArrowLeft", run: go(-1, false), shift: go(-1, true) },
];

/** A press behind the last word of a line means the end of the line. */
export const pressed_edges: Extension = EditorState.transactionFilter.of((tr) => {
  if (!tr.isUserEvent("select.pointer") || tr.docChanged) return tr;
  const { main, ranges } = tr.newSelection;
  if (ranges.length > 1 || !main.empty) return tr;
  const at = past_signs(tr.startState, past_signs(tr.startState, main.head, 1), -1);
  return at === main.head ? tr : [tr, { selection: { anchor: at } }];
});
