// The properties above a note, in the place of their source. What the program cannot read is shown as it is written, and says why.

import { syntaxTree } from "@codemirror/language";
import { searchPanelOpen } from "@codemirror/search";
import { EditorState, type Extension, Facet, Prec, StateEffect, StateField, type TransactionSpec } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, keymap, ViewPlugin, WidgetType } from "@codemirror/view";
import type { PropertyChange, PropertyRow } from "../../ipc/types";
import type { LinkAtPoint } from "../links";
import type { Locate } from "../livepreview/pictures";
import { redraw } from "../livepreview/preview";
import { change_property, type OpenText } from "./change";
import { known_properties } from "./known";
import { enter_panel, fill_panel, panel_keys, want_focus } from "./panel";

export interface PropertyWorld {
  locate: Locate;
  follow: (link: LinkAtPoint) => void;
  change: (change: PropertyChange) => Promise<boolean>;
  /** Opens the row of a new property, or closes it. */
  add: (view: EditorView, open: boolean) => void;
  /** Puts the caret below the properties. */
  leave: (view: EditorView) => void;
  again: (view: EditorView) => void;
}

/** What is the note's own of a world. */
export interface NoteWorld {
  /** The note's text, also when the view that a field stood in is gone. */
  text?: OpenText;
  locate: Locate;
  follow: (link: LinkAtPoint) => void;
  /** More is known of the properties than when they were drawn. */
  redraw: () => void;
}

const note_world = Facet.define<NoteWorld, NoteWorld>({ combine: ([first]) => first ?? { locate: async () => null, follow: () => {}, redraw: () => {} } });

const adding_property = StateEffect.define<boolean>();

interface Shown {
  /** The end of their source; null for a text without any. */
  end: number | null;
  /** The end of the properties that are drawn; null while none are, or their source is shown. */
  to: number | null;
  rows: PropertyRow[];
  adding: boolean;
  /** They are being written as text. */
  writing: boolean;
  drawn: DecorationSet;
}

const NOTHING: Shown = { end: null, to: null, rows: [], adding: false, writing: false, drawn: Decoration.none };

class Rows extends WidgetType {
  private readonly key: string;

  constructor(
    private readonly rows: PropertyRow[],
    private readonly adding: boolean,
    writable: boolean,
  ) {
    super();
    this.key = JSON.stringify([rows, adding, writable]);
  }

  override eq(other: Rows): boolean {
    return other.key === this.key;
  }

  override toDOM(view: EditorView): HTMLElement {
    const panel = document.createElement("div");
    panel.className = "cm-properties";
    panel.contentEditable = "false";
    panel.setAttribute("role", "group");
    panel.setAttribute("aria-label", "Properties");
    const world = world_of(view);
    panel_keys(panel, view, world);
    if (this.adding) want_focus(view, { key: "", part: "new" }, false);
    fill_panel(panel, this.rows, this.adding, view, world);
    return panel;
  }

  override updateDOM(panel: HTMLElement, view: EditorView): boolean {
    if (!panel.classList.contains("cm-properties")) return false;
    if (this.adding && !panel.querySelector('[data-part="new"]')) want_focus(view, { key: "", part: "new" });
    fill_panel(panel, this.rows, this.adding, view, world_of(view));
    return true;
  }

  /** What was typed and not yet taken is taken when its field goes away. */
  override destroy(panel: HTMLElement): void {
    for (const field of panel.querySelectorAll<HTMLElement & { take?: () => void }>("[data-part]")) field.take?.();
  }

  override get estimatedHeight(): number {
    return 34 * this.rows.length + 52;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

class Problem extends WidgetType {
  constructor(private readonly problem: string) {
    super();
  }

  override eq(other: Problem): boolean {
    return other.problem === this.problem;
  }

  override toDOM(): HTMLElement {
    const said = document.createElement("div");
    said.className = "cm-properties-problem";
    said.setAttribute("role", "note");
    const problem = document.createElement("strong");
    problem.textContent = `${this.problem.charAt(0).toUpperCase()}${this.problem.slice(1)}. `.replace(/`([^`]*)`/g, "“$1”");
    said.append(problem, "They are shown as they are written; mend them as text.");
    return said;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

function world_of(view: EditorView): PropertyWorld {
  const { locate, follow, text = view } = view.state.facet(note_world);
  return {
    locate,
    follow,
    change: (change) => change_property(text, change),
    add: (to, open) => to.dispatch({ effects: adding_property.of(open) }),
    leave: (from) => {
      const to = from.state.field(properties, false)?.to ?? null;
      if (to !== null) from.dispatch({ selection: { anchor: Math.min(to + 1, from.state.doc.length) }, scrollIntoView: true });
    },
    again: (to) => to.dispatch({ effects: redraw.of(null) }),
  };
}

/** The source of the properties. It comes first, so that a long text is not gone through for it. */
function front_in(state: EditorState): { to: number } | null {
  const first = syntaxTree(state).topNode.firstChild;
  return first?.name === "Frontmatter" ? first : null;
}

/** Works out what is shown of the properties of a text. */
function show(state: EditorState, before: Shown): Shown {
  const { adding, writing } = before;
  const front = front_in(state);
  const own = (rows: PropertyRow[]) => new Rows(rows, adding, !state.readOnly);
  if (!front) return adding ? { ...before, end: null, to: null, rows: [], drawn: Decoration.set(Decoration.widget({ widget: own([]), block: true, side: -1 }).range(0)) } : NOTHING;
  const { to } = front;
  const known = known_properties(state.sliceDoc(0, to), state.facet(note_world).redraw);
  if (known?.shown === "source") return { ...NOTHING, end: to, writing };
  if (known?.shown === "hidden" && !adding && !writing) return { ...before, end: to, to, rows: known.rows, drawn: Decoration.set(Decoration.replace({ block: true }).range(0, to)) };
  if (known?.problem) return { ...NOTHING, end: to, writing, drawn: Decoration.set(Decoration.widget({ widget: new Problem(known.problem), block: true, side: -1 }).range(0)) };
  const { main } = state.selection;
  const is_found = searchPanelOpen(state) && !main.empty && main.to <= to;
  // What is not known yet looks as it did; it is a moment only.
  const rows = known?.rows ?? before.rows;
  if (writing || is_found || (!known && before.to === null)) return { ...before, end: to, to: null, rows, drawn: Decoration.none };
  return { ...before, end: to, to, rows, drawn: Decoration.set(Decoration.replace({ widget: own(rows), block: true }).range(0, to)) };
}

const properties = StateField.define<Shown>({
  create: (state) => show(state, NOTHING),
  update(now, tr) {
    let { adding, writing } = now;
    for (const effect of tr.effects) if (effect.is(adding_property)) adding = effect.value;
    const front = front_in(tr.state);
    const is_inside = front !== null && tr.state.selection.main.head <= front.to;
    // Properties that are typed as text stay text until the caret leaves them.
    if (!is_inside) writing = false;
    else if (tr.docChanged && now.to === null && (tr.isUserEvent("input") || tr.isUserEvent("delete"))) writing = true;
    const told = tr.effects.some((effect) => effect.is(redraw)) || tr.startState.readOnly !== tr.state.readOnly;
    const same = adding === now.adding && writing === now.writing;
    const touched = tr.docChanged && touches_front(tr.changes, front?.to ?? 0);
    const seeks = searchPanelOpen(tr.state);
    const sought = (tr.selection !== undefined && seeks) || seeks !== searchPanelOpen(tr.startState);
    if (!told && same && !touched && !sought && (front?.to ?? null) === now.end) return now;
    return show(tr.state, { ...now, adding, writing });
  },
  provide: (field) => EditorView.decorations.from(field, ({ drawn }) => drawn),
});

function touches_front(changes: { iterChanges: (act: (from: number, to: number, start: number) => void) => void }, to: number): boolean {
  let found = false;
  changes.iterChanges((_from, _to, start) => void (found ||= start <= to));
  return found;
}

/** While the properties are drawn, no key writes into their source, where nobody would see it. */
const keeps_out = EditorState.transactionFilter.of((tr): TransactionSpec | readonly TransactionSpec[] => {
  const to = tr.startState.field(properties, false)?.to ?? null;
  if (to === null || !tr.docChanged || !["input", "delete", "move"].some((event) => tr.isUserEvent(event))) return tr;
  if (tr.startState.selection.ranges.some((range) => !range.empty)) return tr;
  let inside = false;
  tr.changes.iterChanges((from) => void (inside ||= from <= to));
  if (!inside) return tr;
  // A note that is nothing but properties is written below them.
  const { length } = tr.startState.doc;
  let typed: string | null = null;
  if (to === length && tr.isUserEvent("input")) tr.changes.iterChanges((from, end, _start, _end, text) => void (from === length && end === length && (typed = text.toString())));
  if (typed === null) return [];
  const insert = `\n${(typed as string).replace(/^\n/, "")}`;
  return { changes: { from: length, insert }, selection: { anchor: length + insert.length }, effects: tr.effects, userEvent: "input" };
});

/** The caret is never in a source that is not shown. */
const stays_below = ViewPlugin.define((view) => ({
  update() {
    const to = view.state.field(properties, false)?.to ?? null;
    const { main } = view.state.selection;
    const below = to === null ? 0 : Math.min(to + 1, view.state.doc.length);
    if (to === null || !main.empty || main.head >= below) return;
    queueMicrotask(() => {
      const now = view.state.field(properties, false)?.to ?? null;
      const { main: there } = view.state.selection;
      if (!view.dom.isConnected || now === null || !there.empty || there.head > now) return;
      view.dispatch({ selection: { anchor: Math.min(now + 1, view.state.doc.length) } });
    });
  },
}));

function panel_in(view: EditorView): HTMLElement | null {
  return view.dom.querySelector<HTMLElement>(".cm-properties");
}

/** From the first line of the text an arrow goes up into the properties. */
function go_up(view: EditorView): boolean {
  const to = view.state.field(properties, false)?.to ?? null;
  const { main } = view.state.selection;
  const panel = to === null || !main.empty ? null : panel_in(view);
  if (to === null || !panel) return false;
  const first = view.state.doc.lineAt(Math.min(to + 1, view.state.doc.length));
  if (main.head > first.to) return false;
  const [caret, start] = [view.coordsAtPos(main.head), view.coordsAtPos(first.from)];
  if (caret && start && caret.top - start.top > 4) return false;
  enter_panel(panel);
  return true;
}

/** Opens the row of a new property, in notes that have none too. */
export function add_property(target: { state: EditorState; dispatch: (tr: ReturnType<EditorState["update"]>) => void }): boolean {
  const { state } = target;
  if (state.readOnly || state.field(properties, false) === undefined) return false;
  target.dispatch(state.update({ effects: adding_property.of(true), selection: undefined }));
  return true;
}

export function property_rows(world: NoteWorld): Extension {
  return [note_world.of(world), properties, keeps_out, stays_below, Prec.high(keymap.of([{ key: "ArrowUp", run: go_up }]))];
}
