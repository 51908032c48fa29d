// What can be folded away: sections, list items with what is in them, code, callouts. What is folded stays so while the note is
// open, also on another tab.

import { codeFolding, ensureSyntaxTree, foldEffect, foldedRanges, syntaxTree, unfoldEffect } from "@codemirror/language";
import { type EditorState, type Extension, type Range, StateEffect, StateField, type StateCommand } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate, WidgetType } from "@codemirror/view";
import type { SyntaxNode, SyntaxNodeRef } from "@lezer/common";
import { callout_head } from "./livepreview/callouts";
import { icon } from "./livepreview/icons";
import { redraw } from "./livepreview/preview";

interface FoldRange {
  from: number;
  to: number;
}

const FOLDS = /^(?:(?:ATX|Setext)Heading\d|ListItem|FencedCode|Blockquote)$/;
const level_of = (node: { name: string }) => Number(/Heading(\d)$/.exec(node.name)?.[1] ?? 0);

function callout_of(state: EditorState, node: SyntaxNodeRef) {
  const line = state.doc.lineAt(node.from);
  const sign = /^>[ \t]?/.exec(line.text.slice(node.from - line.from))?.[0].length ?? 0;
  return callout_head(line.text.slice(node.from - line.from + sign));
}

/** Whether there is anything to fold at a node; looks no further than it must. */
function is_foldable(state: EditorState, node: SyntaxNode): boolean {
  const line = state.doc.lineAt(node.from);
  const level = level_of(node);
  if (level > 0) {
    const next = node.nextSibling;
    return next !== null && !(level_of(next) > 0 && level_of(next) <= level);
  }
  if (node.to <= line.to) return false;
  // Of an item that is a block of code or holds a list at once, the item folds.
  return node.name !== "Blockquote" || callout_of(state, node) !== null;
}

/** Returns what is folded away at a node: from the end of its first line to its own end, without blank lines. */
function range_of(state: EditorState, node: SyntaxNode): FoldRange | null {
  if (!is_foldable(state, node)) return null;
  const from = state.doc.lineAt(node.name.startsWith("Setext") ? node.to : node.from).to;
  let to = node.to;
  const level = level_of(node);
  if (level > 0)
    for (let next = node.nextSibling; next && !(level_of(next) > 0 && level_of(next) <= level); next = next.nextSibling) to = next.to;
  to = Math.min(to, state.doc.length);
  while (to > from && /\s/.test(state.sliceDoc(to - 1, to))) to--;
  return to > from ? { from, to } : null;
}

/** Finds the outermost node that starts at a line and can be folded. */
function node_at(state: EditorState, line: { from: number; to: number }): SyntaxNode | null {
  let found: SyntaxNode | null = null;
  syntaxTree(state).iterate({
    from: line.from,
    to: line.to,
    enter(node) {
      if (found) return false;
      if (node.from >= line.from && node.from <= line.to && FOLDS.test(node.name) && is_foldable(state, node.node)) found = node.node;
      return undefined;
    },
  });
  return found;
}

/** Returns what can be folded away at a line, if anything can. */
export function foldable_at(state: EditorState, line: { from: number; to: number }): FoldRange | null {
  const node = node_at(state, line);
  return node && range_of(state, node);
}

function folded_at(state: EditorState, end_of_line: number): FoldRange | null {
  let found: FoldRange | null = null;
  foldedRanges(state).between(end_of_line, end_of_line, (from, to) => {
    if (from === end_of_line) found = { from, to };
  });
  return found;
}

/** Folds what the caret is in, or what its line begins; from the inside outwards when pressed again. */
export const fold_here: StateCommand = ({ state, dispatch }) => {
  ensureSyntaxTree(state, state.doc.length, 200);
  const here = state.doc.lineAt(state.selection.main.head);
  for (let number = here.number; number >= 1; number--) {
    const line = state.doc.line(number);
    const node = node_at(state, line);
    if (!node) continue;
    const range = range_of(state, node);
    if (!range || range.to < here.from || folded_at(state, range.from)) continue;
    const inside = state.selection.main.head > range.from;
    dispatch(state.update({ effects: foldEffect.of(range), ...(inside ? { selection: { anchor: range.from } } : {}) }));
    return true;
  }
  return false;
};

/** Unfolds what is folded at the caret's line. */
export const unfold_here: StateCommand = ({ state, dispatch }) => {
  const line = state.doc.lineAt(state.selection.main.head);
  const effects: StateEffect<FoldRange>[] = [];
  foldedRanges(state).between(line.from, line.to, (from, to) => void effects.push(unfoldEffect.of({ from, to })));
  if (effects.length > 0) dispatch(state.update({ effects }));
  return effects.length > 0;
};

export const fold_all: StateCommand = ({ state, dispatch }) => {
  const tree = ensureSyntaxTree(state, state.doc.length, 1000) ?? syntaxTree(state);
  const ranges: FoldRange[] = [];
  tree.iterate({
    enter(node) {
      if (node.name === "FencedCode" || !FOLDS.test(node.name)) return;
      const range = range_of(state, node.node);
      if (range && !folded_at(state, range.from)) ranges.push(range);
    },
  });
  if (ranges.length === 0) return false;
  const { head } = state.selection.main;
  const around = ranges.filter((range) => range.from < head && range.to >= head).sort((a, b) => a.from - b.from)[0];
  dispatch(state.update({ effects: ranges.map((range) => foldEffect.of(range)), ...(around ? { selection: { anchor: around.from } } : {}) }));
  return true;
};

export const unfold_all: StateCommand = ({ state, dispatch }) => {
  const effects: StateEffect<FoldRange>[] = [];
  foldedRanges(state).between(0, state.doc.length, (from, to) => void effects.push(unfoldEffect.of({ from, to })));
  if (effects.length > 0) dispatch(state.update({ effects }));
  return effects.length > 0;
};

/** How far callouts that begin folded were looked for. */
const looked_to = StateEffect.define<number>();
const looked = StateField.define<number>({
  create: () => 0,
  update(now, tr) {
    let next = tr.docChanged ? tr.changes.mapPos(now, 1) : now;
    for (const effect of tr.effects) if (effect.is(looked_to)) next = Math.max(next, effect.value);
    return next;
  },
});

/** Returns what folds the callouts that say so, as far as the text was read. */
function first_folds(state: EditorState): StateEffect<unknown>[] {
  const from = state.field(looked, false);
  const tree = syntaxTree(state);
  if (from === undefined || tree.length <= from) return [];
  const effects: StateEffect<unknown>[] = [looked_to.of(tree.length)];
  tree.iterate({
    from,
    to: tree.length,
    enter(node) {
      if (node.name !== "Blockquote" || node.from < from || callout_of(state, node)?.fold !== "-") return;
      const range = range_of(state, node.node);
      if (range && node.to < tree.length) effects.push(foldEffect.of(range));
      else if (range && tree.length >= state.doc.length) effects.push(foldEffect.of(range));
    },
  });
  return effects;
}

/** Opens a note as it wants to be seen: callouts with a minus sign are folded. */
export function with_first_folds(state: EditorState): EditorState {
  ensureSyntaxTree(state, Math.min(state.doc.length, 60_000), 25);
  const effects = first_folds(state);
  return effects.length > 0 ? state.update({ effects }).state : state;
}

const look_further = ViewPlugin.fromClass(
  class {
    #waiting = false;
    update(update: ViewUpdate): void {
      if (this.#waiting || update.docChanged || syntaxTree(update.state).length <= update.state.field(looked)) return;
      this.#waiting = true;
      setTimeout(() => {
        this.#waiting = false;
        const effects = update.view.dom.isConnected ? first_folds(update.view.state) : [];
        if (effects.length > 0) update.view.dispatch({ effects });
      });
    }
  },
);

/** The arrow beside a line that can be folded. */
class Arrow extends WidgetType {
  constructor(
    private readonly folded: boolean,
    private readonly name: string,
    private readonly what: string,
  ) {
    super();
  }

  override eq(other: Arrow): boolean {
    return other.folded === this.folded && other.name === this.name && other.what === this.what;
  }

  override toDOM(view: EditorView): HTMLElement {
    const button = document.createElement("button");
    button.type = "button";
    button.className = `cm-fold-arrow ${this.name}${this.folded ? " is-folded" : ""}`;
    // The keyboard folds with Ctrl Shift [ and ].
    button.tabIndex = -1;
    button.setAttribute("aria-expanded", String(!this.folded));
    button.setAttribute("aria-label", `${this.folded ? "Unfold" : "Fold"} ${this.what}`);
    button.append(icon("fold"));
    button.onmousedown = (event) => event.preventDefault();
    button.onclick = () => {
      const line = view.state.doc.lineAt(view.posAtDOM(button));
      const node = node_at(view.state, line);
      const range = node && range_of(view.state, node);
      const folded = range && folded_at(view.state, range.from);
      if (folded) view.dispatch({ effects: unfoldEffect.of(folded) });
      else if (range) {
        const { head } = view.state.selection.main;
        const inside = head > range.from && head <= range.to;
        view.dispatch({ effects: foldEffect.of(range), ...(inside ? { selection: { anchor: range.from } } : {}) });
      }
    };
    return button;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

const FOLDABLE = Decoration.line({ class: "cm-foldable" });

function arrows(view: EditorView): DecorationSet {
  const { state } = view;
  const found: Range<Decoration>[] = [];
  const lines = new Set<number>();
  for (const { from, to } of view.visibleRanges)
    syntaxTree(state).iterate({
      from,
      to,
      enter(node) {
        if (!FOLDS.test(node.name)) return;
        const line = state.doc.lineAt(node.from);
        if (node.from < from || lines.has(line.from) || !is_foldable(state, node.node)) return;
        lines.add(line.from);
        const callout = node.name === "Blockquote";
        if (callout && !callout_of(state, node)?.fold) return;
        const end = state.doc.lineAt(node.name.startsWith("Setext") ? node.to : node.from).to;
        const what = `“${line.text.replace(/^[\s>#*+-]*(?:\[![^\]]*\][+-]?)?\s*/, "").slice(0, 60) || "this"}”`;
        const name = callout ? "of-callout" : node.name === "ListItem" ? "of-item" : "of-block";
        const widget = new Arrow(folded_at(state, end) !== null, name, what);
        found.push(FOLDABLE.range(line.from), Decoration.widget({ widget, side: callout ? 1 : -1 }).range(callout ? line.to : line.from));
      },
    });
  return Decoration.set(found, true);
}

const fold_arrows = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = arrows(view);
    }
    update(update: ViewUpdate): void {
      const folds = foldedRanges(update.startState) !== foldedRanges(update.state);
      const parsed = syntaxTree(update.startState) !== syntaxTree(update.state);
      const told = update.transactions.some((tr) => tr.effects.some((effect) => effect.is(redraw)));
      if (!update.docChanged && !update.viewportChanged && !folds && !parsed && !told) return;
      this.decorations = update.view.composing ? this.decorations.map(update.changes) : arrows(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

export const folding: Extension = [
  codeFolding({
    placeholderDOM(_, unfold) {
      const chip = document.createElement("button");
      chip.type = "button";
      chip.className = "cm-fold-chip";
      chip.textContent = "…";
      chip.tabIndex = -1;
      chip.setAttribute("aria-label", "Show what is folded away");
      chip.onmousedown = (event) => event.preventDefault();
      chip.onclick = unfold;
      return chip;
    },
  }),
  looked,
  look_further,
  fold_arrows,
];
