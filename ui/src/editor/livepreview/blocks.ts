// Blocks that are drawn whole while the caret is elsewhere: the properties above a note, tables, and formulas between lines.
// Pressing one puts the caret into its text.

import { syntaxTree } from "@codemirror/language";
import { searchPanelOpen } from "@codemirror/search";
import { type EditorState, type Extension, Facet, type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, WidgetType } from "@codemirror/view";
import { Tree } from "@lezer/common";
import { type LinkAtPoint, of_element } from "../links";
import type { InlineWorld } from "./inline";
import { MathWidget } from "./math";
import { composed } from "./preview";
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
  ) {
    super();
  }

  override eq(other: Block): boolean {
    return other.source === this.source && other.kind === this.kind;
  }

  override toDOM(view: EditorView): HTMLElement {
    const { locate, follow } = view.state.facet(block_world);
    const frame = document.createElement("div");
    frame.className = `cm-drawn cm-drawn-${this.kind}`;
    frame.append(this.draw({ locate, grown: () => view.requestMeasure() }) ?? this.source);
    frame.onmousedown = (event) => {
      event.preventDefault();
      if (event.button !== 0) return;
      const target = event.target as HTMLElement;
      const link = of_element(target);
      if (link) return follow(link);
      const cell = target.closest<HTMLElement>("[data-row]");
      const { doc } = view.state;
      const line = doc.line(Math.min(doc.lineAt(view.posAtDOM(frame)).number + Number(cell?.dataset.row ?? 0), doc.lines));
      view.dispatch({ selection: { anchor: cell ? Math.min(line.from + Number(cell.dataset.column), line.to) : line.to } });
      view.focus();
    };
    return frame;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

/** What was made of a piece of the tree. The parser keeps the pieces that a change left alone, and so do we. */
const made = new WeakMap<Tree, { source: string; drawn: Decoration | null }>();

function decoration(name: string, source: string): Decoration | null {
  if (source.length > LONGEST) return null;
  if (name === "MathBlock") {
    const formula = /^[ \t]*\$\$([\s\S]*?)\$\$[ \t]*$/.exec(source);
    return formula?.[1]!.trim() ? Decoration.replace({ widget: new MathWidget(formula[1]!, true, true), block: true }) : null;
  }
  if (name === "Table") {
    if (/^\s*>/.test(source)) return null;
    return Decoration.replace({ widget: new Block("table", source, (world) => draw_table(source, world)), block: true });
  }
  const rows = read_properties(source);
  return rows && Decoration.replace({ widget: new Block("properties", source, (world) => draw_properties(rows, world)), block: true });
}

function cached(state: EditorState, block: Tree, name: string, from: number, to: number): Decoration | null {
  const known = made.get(block);
  const source = state.sliceDoc(from, to);
  if (known && known.source === source) return known.drawn;
  const drawn = decoration(name, source);
  made.set(block, { source, drawn });
  return drawn;
}

/** Whether a paragraph is nothing but one formula: then it is a block, however it is written. */
function is_formula(block: Tree): boolean {
  const [only, more] = block.children;
  if (!only || more || only.length !== block.length) return false;
  return only instanceof Tree ? only.type.name === "InlineMath" : only.set.types[only.buffer[0]!]!.name === "InlineMath" && only.buffer[1] === 0 && only.buffer[2] === block.length;
}

/**
 * Visits the outermost blocks that may be drawn. With every key all of the note is gone through, so this looks at the tree's own
 * arrays: a walk over nodes would cost more than all the rest.
 */
function each_block(tree: Tree, start: number, act: (block: Tree, name: string, from: number) => void): void {
  tree.children.forEach((child, n) => {
    if (!(child instanceof Tree)) return;
    const from = start + tree.positions[n]!;
    if (child.type.isAnonymous) return each_block(child, from, act);
    const { name } = child.type;
    if (name === "Table" || name === "MathBlock" || name === "Frontmatter") act(child, name, from);
    else if (name === "Paragraph" && is_formula(child)) act(child, "MathBlock", from);
  });
}

function draw(state: EditorState, in_text: boolean): DecorationSet {
  // What was found must be seen, although the keyboard is in the bar above.
  const focused = in_text || searchPanelOpen(state);
  const found: Range<Decoration>[] = [];
  const { ranges } = state.selection;
  each_block(syntaxTree(state), 0, (block, name, start) => {
    const end = start + block.length;
    if (focused && ranges.some((range) => range.from <= end && range.to >= start)) return;
    const from = state.doc.lineAt(start).from;
    const to = state.doc.lineAt(end).to;
    const drawn = cached(state, block, name, from, to);
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
    const told = tr.effects.some((effect) => effect.is(composed));
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
