// Blocks that are drawn whole while the caret is elsewhere: tables, formulas between lines, and diagrams.
// Pressing one puts the caret into its text.

import { syntaxTree } from "@codemirror/language";
import { searchPanelOpen } from "@codemirror/search";
import { type EditorState, type Extension, Facet, type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, WidgetType } from "@codemirror/view";
import { Tree } from "@lezer/common";
import { diagram, known_height, redraw_diagram } from "../diagrams";
import { type LinkAtPoint, of_element } from "../links";
import { type Around, dress_around, OUTSIDE } from "./around";
import { callout_head } from "./callouts";
import type { InlineWorld } from "./inline";
import { MathWidget } from "./math";
import { redraw } from "./preview";
import type { Locate } from "./pictures";
import { is_pressing } from "./pressing";
import { draw_table } from "./tables";

/** A block longer than this stays as it is written. */
const LONGEST = 100_000;

export interface BlockWorld {
  locate: Locate;
  follow: (link: LinkAtPoint) => void;
}

const block_world = Facet.define<BlockWorld, BlockWorld>({
  combine: ([first]) => first ?? { locate: async () => null, follow: () => {} },
});

class Block extends WidgetType {
  constructor(
    private readonly source: string,
    private readonly draw: (world: InlineWorld) => HTMLElement | null,
    private readonly around: Around,
    /** How much of each of its lines is the quote's or the list's. */
    private readonly leads: number[],
  ) {
    super();
  }

  override eq(other: Block): boolean {
    const { name, kind, depth } = this.around;
    const same = other.around.name === name && other.around.kind === kind && other.around.depth === depth;
    return same && other.source === this.source && other.leads.join() === this.leads.join();
  }

  override toDOM(view: EditorView): HTMLElement {
    const { locate, follow } = view.state.facet(block_world);
    const frame = document.createElement("div");
    frame.className = "cm-drawn cm-drawn-table";
    dress_around(frame, this.around);
    frame.append(this.draw({ locate, grown: () => view.requestMeasure() }) ?? this.source);
    frame.onmousedown = (event) => {
      event.preventDefault();
      if (event.button !== 0) return;
      const target = event.target as HTMLElement;
      const link = of_element(target);
      if (link) return follow(link);
      const cell = target.closest<HTMLElement>("[data-row]");
      const { doc } = view.state;
      const row = Number(cell?.dataset.row ?? 0);
      const line = doc.line(Math.min(doc.lineAt(view.posAtDOM(frame)).number + row, doc.lines));
      view.dispatch({ selection: { anchor: cell ? Math.min(line.from + (this.leads[row] ?? 0) + Number(cell.dataset.column), line.to) : line.to } });
      view.focus();
    };
    return frame;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

/** A fence of a diagram, and what stands in it; the fence at its end may be missing. */
const DIAGRAM = /^[ \t]*(`{3,}|~{3,})[ \t]*mermaid[ \t]*\n([\s\S]*?)(?:\n?[ \t]*\1[`~]*[ \t]*)?$/i;

class DiagramWidget extends WidgetType {
  constructor(
    private readonly source: string,
    private readonly around: Around,
  ) {
    super();
  }

  override eq(other: DiagramWidget): boolean {
    const { name, kind, depth } = this.around;
    return other.source === this.source && other.around.name === name && other.around.kind === kind && other.around.depth === depth;
  }

  override get estimatedHeight(): number {
    return known_height(this.source);
  }

  override toDOM(view: EditorView): HTMLElement {
    const frame = document.createElement("div");
    frame.className = "cm-drawn cm-drawn-diagram";
    dress_around(frame, this.around);
    frame.append(diagram(this.source, () => view.requestMeasure()));
    frame.onmousedown = (event) => {
      if ((event.target as HTMLElement).closest("button")) return;
      event.preventDefault();
      if (event.button !== 0) return;
      // Into the first line below the fence.
      const { doc } = view.state;
      const line = doc.lineAt(view.posAtDOM(frame));
      view.dispatch({ selection: { anchor: doc.line(Math.min(line.number + 1, doc.lines)).to } });
      view.focus();
    };
    return frame;
  }

  /** Written in beside this view: what was drawn stays until the next is. */
  override updateDOM(dom: HTMLElement, view: EditorView, from: WidgetType): boolean {
    const frame = dom.querySelector<HTMLElement>("figure.diagram");
    if (!frame || !(from instanceof DiagramWidget) || from.around.name !== this.around.name || from.around.depth !== this.around.depth || from.around.kind !== this.around.kind) return false;
    redraw_diagram(frame, this.source, () => view.requestMeasure());
    return true;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

/** What was made of a block, and how far its lines reach beyond it. */
interface Made {
  around: Around;
  lead: number;
  tail: number;
  drawn: Decoration | null;
}

/** The parser keeps the pieces of the tree that a change left alone, and so do we. */
const made = new WeakMap<Tree, Made>();

function decoration(name: string, written: string, around: Around): Decoration | null {
  if (written.length > LONGEST) return null;
  const lead = around.name ? /^(?:[ \t]*>[ \t]?)+/ : around.depth > 0 ? /^[ \t]*/ : /^/;
  const lines = written.split("\n");
  const leads = lines.map((line) => lead.exec(line)?.[0].length ?? 0);
  const source = lines.map((line, n) => line.slice(leads[n])).join("\n");
  if (name === "MathBlock") {
    const formula = /^[ \t]*\$\$([\s\S]*?)\$\$[ \t]*$/.exec(source);
    return formula?.[1]!.trim() ? Decoration.replace({ widget: new MathWidget(formula[1]!, true, true, around), block: true }) : null;
  }
  if (name === "FencedCode") {
    const drawing = DIAGRAM.exec(source);
    return drawing ? Decoration.replace({ widget: new DiagramWidget(drawing[2]!, around), block: true }) : null;
  }
  // A table on the line of an item's sign is shown as it is written.
  if (!/^[ \t]*\S/.test(source) || (around.depth > 0 && /^[ \t]*(?:[-*+]|\d+[.)])[ \t]/.test(lines[0]!))) return null;
  return Decoration.replace({ widget: new Block(source, (world) => draw_table(source, world), around, leads), block: true });
}

function make(state: EditorState, block: Tree, name: string, start: number, around: Around): Made {
  const known = made.get(block);
  if (known && known.around.name === around.name && known.around.kind === around.kind && known.around.depth === around.depth) return known;
  const { from } = state.doc.lineAt(start);
  const { to } = state.doc.lineAt(start + block.length);
  const now = { around, lead: start - from, tail: to - start - block.length, drawn: decoration(name, state.sliceDoc(from, to), around) };
  made.set(block, now);
  return now;
}

/** Whether a paragraph is nothing but one formula: then it is a block, however it is written. */
function is_formula(block: Tree): boolean {
  const [only, more] = block.children;
  if (!only || more || only.length !== block.length) return false;
  return only instanceof Tree ? only.type.name === "InlineMath" : only.set.types[only.buffer[0]!]!.name === "InlineMath" && only.buffer[1] === 0 && only.buffer[2] === block.length;
}

/** A block that may be drawn, by its place in the piece of the tree that it was found in. */
interface Found {
  block: Tree;
  name: string;
  at: number;
  /** The outermost quote around it: while the caret is in that, all of it is shown as it is written. */
  quote: { at: number; length: number } | null;
  depth: number;
}

const NONE: Found[] = [];
const found_before = new WeakMap<Tree, Found[]>();

/** Finds the blocks in a list or a quote; what was found in it before is still there. */
function found_in(tree: Tree, is_quote: boolean): Found[] {
  const known = found_before.get(tree);
  if (known) return known;
  const found: Found[] = [];
  gather(tree, 0, found);
  const here = found.length === 0 ? NONE : is_quote ? found.map((one) => ({ ...one, quote: { at: 0, length: tree.length } })) : found;
  found_before.set(tree, here);
  return here;
}

/**
 * Gathers the blocks that may be drawn. With every key all of the note is gone through, so this looks at the tree's own arrays: a
 * walk over nodes would cost more than all the rest.
 */
function gather(tree: Tree, start: number, into: Found[]): void {
  for (let n = 0; n < tree.children.length; n++) {
    const child = tree.children[n]!;
    if (!(child instanceof Tree)) continue;
    const at = start + tree.positions[n]!;
    if (child.type.isAnonymous) {
      gather(child, at, into);
      continue;
    }
    const { name } = child.type;
    if (name === "Table" || name === "MathBlock" || name === "FencedCode") into.push({ block: child, name, at, quote: null, depth: 0 });
    else if (name === "Paragraph") {
      if (is_formula(child)) into.push({ block: child, name: "MathBlock", at, quote: null, depth: 0 });
    } else if (name === "BulletList" || name === "OrderedList" || name === "ListItem" || name === "Blockquote") {
      const deeper = name === "ListItem" ? 1 : 0;
      for (const one of found_in(child, name === "Blockquote")) into.push({ ...one, at: one.at + at, quote: one.quote && { ...one.quote, at: one.quote.at + at }, depth: one.depth + deeper });
    }
  }
}

function around_of(state: EditorState, { quote, depth }: Found): Around {
  if (!quote) return depth === 0 ? OUTSIDE : { name: "", kind: null, depth };
  const line = state.doc.lineAt(quote.at);
  const kind = callout_head(line.text.slice(quote.at - line.from).replace(/^>[ \t]?/, ""))?.kind ?? null;
  return { name: kind ? "in-callout" : "in-quote", kind, depth };
}

function draw(state: EditorState, in_text: boolean): DecorationSet {
  // What was found must be seen, although the keyboard is in the bar above.
  const focused = in_text || searchPanelOpen(state);
  const { ranges } = state.selection;
  const found: Found[] = [];
  gather(syntaxTree(state), 0, found);
  const drawn: Range<Decoration>[] = [];
  for (const one of found) {
    const { block, name, at, quote, depth } = one;
    // A quote in a list is drawn where the list puts it, and what is in it stays as it is written.
    if (quote && depth > 0) continue;
    const near = quote ? { from: quote.at, to: quote.at + quote.length } : { from: at, to: at + block.length };
    if (focused && ranges.some((range) => range.from <= near.to && range.to >= near.from)) continue;
    const { lead, tail, drawn: decoration } = make(state, block, name, at, around_of(state, one));
    if (decoration) drawn.push(decoration.range(at - lead, at + block.length + tail));
  }
  return Decoration.set(drawn);
}

const focus_moved = StateEffect.define<boolean>();

interface Blocks {
  focused: boolean;
  /** The person has moved or written since the note was opened. */
  awake: boolean;
  drawn: DecorationSet;
}

const blocks = StateField.define<Blocks>({
  create: (state) => ({ focused: false, awake: false, drawn: draw(state, false) }),
  update(now, tr) {
    let { focused } = now;
    for (const effect of tr.effects) if (effect.is(focus_moved)) focused = effect.value;
    const parsed = syntaxTree(tr.startState) !== syntaxTree(tr.state);
    const held = is_pressing(tr.state);
    const told = tr.effects.some((effect) => effect.is(redraw)) || is_pressing(tr.startState) !== held;
    if (!tr.docChanged && !tr.selection && !parsed && !told && focused === now.focused) return now;
    const awake = now.awake || tr.docChanged || tr.selection !== undefined;
    if (held && !tr.docChanged && !parsed) return { focused, awake, drawn: now.drawn };
    // While an input method composes, no block may come or go around the caret.
    if (tr.isUserEvent("input.type.compose")) return { focused, awake, drawn: now.drawn.map(tr.changes) };
    return { focused, awake, drawn: draw(tr.state, focused && awake) };
  },
  provide: (field) => EditorView.decorations.from(field, (value) => value.drawn),
});

/** Returns the first drawn block that lies wholly between two places, seen from the first of them or the last. */
export function drawn_between(state: EditorState, from: number, to: number, first: boolean): { from: number; to: number } | null {
  let found: { from: number; to: number } | null = null;
  state.field(blocks, false)?.drawn.between(from, to, (start, end) => {
    if (start <= from || end >= to) return;
    if (!found || !first) found = { from: start, to: end };
  });
  return found;
}

/** A view that is being updated cannot be told at once; a moment later it can. */
const follow_focus = ViewPlugin.define((view) => {
  const tell = () => queueMicrotask(() => view.dom.isConnected && view.dispatch({ effects: focus_moved.of(view.hasFocus) }));
  view.contentDOM.addEventListener("focus", tell);
  view.contentDOM.addEventListener("blur", tell);
  return {
    destroy() {
      view.contentDOM.removeEventListener("focus", tell);
      view.contentDOM.removeEventListener("blur", tell);
    },
  };
});

export function drawn_blocks(world: BlockWorld): Extension {
  return [block_world.of(world), blocks, follow_focus];
}
