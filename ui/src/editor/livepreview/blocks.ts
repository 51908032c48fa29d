// Blocks that are drawn whole while the caret is elsewhere: the properties above a note, tables, and formulas between lines.
// Pressing one puts the caret into its text.

import { syntaxTree } from "@codemirror/language";
import { searchPanelOpen } from "@codemirror/search";
import { type EditorState, type Extension, Facet, type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, WidgetType } from "@codemirror/view";
import type { SyntaxNode, Tree } from "@lezer/common";
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

function cached(state: EditorState, node: SyntaxNode, from: number, to: number): Decoration | null {
  const key = node.tree;
  const known = key && made.get(key);
  const source = state.sliceDoc(from, to);
  if (known && known.source === source) return known.drawn;
  const drawn = decoration(node.name, source);
  if (key) made.set(key, { source, drawn });
  return drawn;
}

function draw(state: EditorState, in_text: boolean): DecorationSet {
  // What was found must be seen, although the keyboard is in the bar above.
  const focused = in_text || searchPanelOpen(state);
  const found: Range<Decoration>[] = [];
  const { ranges } = state.selection;
  syntaxTree(state).iterate({
    enter(node) {
      if (node.name === "Document") return true;
      if (node.name !== "Frontmatter" && node.name !== "Table" && node.name !== "MathBlock" && node.name !== "Paragraph") return false;
      let { from, to } = node;
      if (node.name === "Paragraph") {
        // A formula that is a line of its own is a block, however it is written.
        if (to - from < 5 || state.sliceDoc(from, from + 2) !== "$$" || state.sliceDoc(to - 2, to) !== "$$") return false;
        const only = node.node.firstChild;
        if (only?.name !== "InlineMath" || only.from !== from || only.to !== to) return false;
      }
      if (focused && ranges.some((range) => range.from <= to && range.to >= from)) return false;
      from = state.doc.lineAt(from).from;
      to = state.doc.lineAt(to).to;
      const drawn = node.name === "Paragraph" ? decoration("MathBlock", state.sliceDoc(from, to)) : cached(state, node.node, from, to);
      if (drawn) found.push(drawn.range(from, to));
      return false;
    },
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
