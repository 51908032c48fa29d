// Blocks that are drawn whole while the caret is elsewhere: the properties above a note, tables, and formulas between lines.
// Pressing one puts the caret into its text.

import { syntaxTree } from "@codemirror/language";
import { searchPanelOpen } from "@codemirror/search";
import { type EditorState, type Extension, Facet, type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, WidgetType } from "@codemirror/view";
import { Tree } from "@lezer/common";
import { type LinkAtPoint, of_element } from "../links";
import { type Around, dress_around, OUTSIDE } from "./around";
import { callout_head } from "./callouts";
import type { InlineWorld } from "./inline";
import { MathWidget } from "./math";
import { redraw } from "./preview";
import type { Locate } from "./pictures";
import { draw_properties, read_properties } from "./properties";
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
    private readonly kind: "properties" | "table",
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
    return same && other.source === this.source && other.kind === this.kind && other.leads.join() === this.leads.join();
  }

  override toDOM(view: EditorView): HTMLElement {
    const { locate, follow } = view.state.facet(block_world);
    const frame = document.createElement("div");
    frame.className = `cm-drawn cm-drawn-${this.kind}`;
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

/** What was made of a piece of the tree. The parser keeps the pieces that a change left alone, and so do we. */
const made = new WeakMap<Tree, { source: string; around: Around; drawn: Decoration | null }>();

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
  if (name === "Table") {
    // A table on the line of an item's sign is shown as it is written.
    if (!/^[ \t]*\S/.test(source) || (around.depth > 0 && /^[ \t]*(?:[-*+]|\d+[.)])[ \t]/.test(lines[0]!))) return null;
    return Decoration.replace({ widget: new Block("table", source, (world) => draw_table(source, world), around, leads), block: true });
  }
  const rows = read_properties(source);
  return rows && Decoration.replace({ widget: new Block("properties", source, (world) => draw_properties(rows, world), around, leads), block: true });
}

function cached(state: EditorState, block: Tree, name: string, from: number, to: number, around: Around): Decoration | null {
  const known = made.get(block);
  const source = state.sliceDoc(from, to);
  if (known && known.source === source && known.around.name === around.name && known.around.kind === around.kind && known.around.depth === around.depth) return known.drawn;
  const drawn = decoration(name, source, around);
  made.set(block, { source, around, drawn });
  return drawn;
}

/** Whether a paragraph is nothing but one formula: then it is a block, however it is written. */
function is_formula(block: Tree): boolean {
  const [only, more] = block.children;
  if (!only || more || only.length !== block.length) return false;
  return only instanceof Tree ? only.type.name === "InlineMath" : only.set.types[only.buffer[0]!]!.name === "InlineMath" && only.buffer[1] === 0 && only.buffer[2] === block.length;
}

/** What is known of a place while the tree is gone through. */
interface Place {
  around: Around;
  /** The outermost quote around it: while the caret is in that, all of it is shown as it is written. */
  quote: { from: number; to: number } | null;
}

type Act = (block: Tree, name: string, from: number, place: Place) => void;

/**
 * Visits the blocks that may be drawn. With every key all of the note is gone through, so this looks at the tree's own arrays: a
 * walk over nodes would cost more than all the rest.
 */
function each_block(state: EditorState, tree: Tree, start: number, place: Place, act: Act): void {
  for (let n = 0; n < tree.children.length; n++) {
    const child = tree.children[n]!;
    if (!(child instanceof Tree)) continue;
    const from = start + tree.positions[n]!;
    const { name } = child.type;
    if (child.type.isAnonymous || name === "BulletList" || name === "OrderedList") each_block(state, child, from, place, act);
    else if (name === "Table" || name === "MathBlock" || name === "Frontmatter") act(child, name, from, place);
    else if (name === "Paragraph") {
      if (is_formula(child)) act(child, "MathBlock", from, place);
    } else if (name === "ListItem" && child.children.length > 2) each_block(state, child, from, { ...place, around: { ...place.around, depth: place.around.depth + 1 } }, act);
    else if (name === "Blockquote" && !place.quote && place.around.depth === 0 && child.children.length > 1) {
      const line = state.doc.lineAt(from);
      const kind = callout_head(line.text.slice(from - line.from).replace(/^>[ \t]?/, ""))?.kind ?? null;
      each_block(state, child, from, { around: { name: kind ? "in-callout" : "in-quote", kind, depth: 0 }, quote: { from, to: from + child.length } }, act);
    }
  }
}

function draw(state: EditorState, in_text: boolean): DecorationSet {
  // What was found must be seen, although the keyboard is in the bar above.
  const focused = in_text || searchPanelOpen(state);
  const found: Range<Decoration>[] = [];
  const { ranges } = state.selection;
  each_block(state, syntaxTree(state), 0, { around: OUTSIDE, quote: null }, (block, name, start, { around, quote }) => {
    const end = start + block.length;
    const near = quote ?? { from: start, to: end };
    if (focused && ranges.some((range) => range.from <= near.to && range.to >= near.from)) return;
    const from = state.doc.lineAt(start).from;
    const to = state.doc.lineAt(end).to;
    const drawn = cached(state, block, name, from, to, around);
    if (drawn) found.push(drawn.range(from, to));
  });
  return Decoration.set(found);
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
    const told = tr.effects.some((effect) => effect.is(redraw));
    if (!tr.docChanged && !tr.selection && !parsed && !told && focused === now.focused) return now;
    const awake = now.awake || tr.docChanged || tr.selection !== undefined;
    // While an input method composes, no block may come or go around the caret.
    if (tr.isUserEvent("input.type.compose")) return { focused, awake, drawn: now.drawn.map(tr.changes) };
    return { focused, awake, drawn: draw(tr.state, focused && awake) };
  },
  provide: (field) => EditorView.decorations.from(field, (value) => value.drawn),
});

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
