// A note is drawn, or shown as it is written: the person's choice, for every note, until they choose again.

import { Compartment, type EditorState, type Extension, Facet, type StateCommand } from "@codemirror/state";
import { type EditorView, ViewPlugin } from "@codemirror/view";

const KEY = "vidimus.source";

/** Makes what draws a note; the note's own state says it. */
const drawn_by = Facet.define<() => Extension, () => Extension>({ combine: ([first]) => first ?? (() => []) });
const drawing = new Compartment();

/** Whether notes are shown as they are written. */
export function is_source(): boolean {
  try {
    return localStorage.getItem(KEY) === "1";
  } catch {
    return false;
  }
}

/** What draws a note, unless the person wants to see its source. */
export function drawn_or_source(draw: () => Extension): Extension {
  return [drawn_by.of(draw), drawing.of(is_source() ? [] : draw()), on_screen];
}

/** The notes on screen: the choice is for all of them at once. */
const shown = new Set<EditorView>();
const on_screen = ViewPlugin.define((view) => {
  shown.add(view);
  return { destroy: () => void shown.delete(view) };
});

function show_as_chosen(): void {
  for (const view of shown) {
    const effects = as_chosen(view.state);
    if (effects.length > 0) view.dispatch({ effects });
  }
}

/** Returns the effects that bring a note in line with the person's choice; none if it is. */
export function as_chosen(state: EditorState) {
  const now = drawing.get(state);
  if (now === undefined) return [];
  const is_drawn = !(Array.isArray(now) && now.length === 0);
  if (is_drawn !== is_source()) return [];
  return [drawing.reconfigure(is_source() ? [] : state.facet(drawn_by)())];
}

export const toggle_source: StateCommand = ({ state, dispatch }) => {
  if (drawing.get(state) === undefined) return false;
  try {
    localStorage.setItem(KEY, is_source() ? "0" : "1");
  } catch {
    return false;
  }
  dispatch(state.update({ effects: as_chosen(state) }));
  show_as_chosen();
  return true;
};
