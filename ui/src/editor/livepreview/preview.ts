// Live preview: Markdown that looks like what it means, until the caret comes near. Only what is on screen is decorated.

import { syntaxTree } from "@codemirror/language";
import { searchPanelOpen } from "@codemirror/search";
import { type EditorState, type Extension, type Line, type Range, StateEffect } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate, type WidgetType } from "@codemirror/view";
import type { SyntaxNode, SyntaxNodeRef } from "@lezer/common";
import { runs_both_ways } from "../direction";
import { of_destination } from "../links";
import { callout_head } from "./callouts";
import { LineShapes } from "./lines";
import { MathWidget } from "./math";
import { type Locate, Picture, PICTURE, sized } from "./pictures";
import { holds_still, is_pressing } from "./pressing";
import { bullet, CopyCode, rule, step_into, TaskBox } from "./widgets";

const hidden = Decoration.replace({});
const line_class = (name: string) => Decoration.line({ class: name });
const mark_class = (name: string) => Decoration.mark({ class: name });
const HEADINGS = [1, 2, 3, 4, 5, 6].map((level) => line_class(`cm-h cm-h${level} HyperMD-header HyperMD-header-${level} cm-header-${level}`));
const IN_CODE = line_class("cm-code-line");
const FIRST_CODE = line_class("cm-code-first");
const FIRST_PLAIN = line_class("cm-code-first cm-code-plain");
const LAST_CODE = line_class("cm-code-last");
const IN_TABLE = line_class("cm-table-line");
const IN_FRONTMATTER = line_class("cm-front-line");
const IN_COMMENT = line_class("cm-comment-line");
const IN_MATH = line_class("cm-math-line");
const EITHER_WAY = Decoration.line({ attributes: { dir: "auto" } });
const INLINE_CODE = mark_class("cm-inline-code");
const DONE = mark_class("cm-task-done");
const DRAWN_LINK = mark_class("cm-drawn-link");
const MISSING_LINK = mark_class("cm-drawn-link is-missing");
const FOOTNOTE = mark_class("cm-footnote-ref");

/** A line longer than this is not looked through. */
const LONG_LINE = 20_000;

type Touched = (from: number, to: number) => boolean;

/** What the preview must ask of others. */
export interface PreviewWorld {
  locate: Locate;
  /** Draws what another note says; null leaves the link. */
  embed: (source: string) => WidgetType | null;
  /** Whether a link is known to lead nowhere. */
  is_missing: (target: string) => boolean;
}

const NOWHERE: PreviewWorld = { locate: async () => null, embed: () => null, is_missing: () => false };

class Painter {
  readonly ranges: Range<Decoration>[] = [];
  readonly shapes = new LineShapes();

  constructor(
    private readonly state: EditorState,
    private readonly touched: Touched,
    private readonly from: number,
    private readonly to: number,
    private readonly world: PreviewWorld,
  ) {}

  hide(from: number, to: number): void {
    if (from < to) this.ranges.push(hidden.range(from, to));
  }

  put(widget: WidgetType, from: number, to: number): void {
    this.ranges.push(Decoration.replace({ widget }).range(from, to));
  }

  hide_children(node: SyntaxNode, name: string): void {
    for (const child of node.getChildren(name)) this.hide(child.from, child.to);
  }

  /** Visits the lines of a block that are on screen. */
  lines(node: { from: number; to: number }, act: (line: Line) => void): void {
    const { doc } = this.state;
    const last = doc.lineAt(Math.min(node.to, this.to));
    for (let line = doc.lineAt(Math.max(node.from, this.from)); ; line = doc.line(line.number + 1)) {
      act(line);
      if (line.number >= last.number) break;
    }
  }

  paint(): Range<Decoration>[] {
    syntaxTree(this.state).iterate({ from: this.from, to: this.to, enter: (node) => this.enter(node) });
    this.lines({ from: this.from, to: this.to }, (line) => {
      if (line.length < LONG_LINE && runs_both_ways(line.text)) this.ranges.push(EITHER_WAY.range(line.from));
    });
    return [...this.ranges, ...this.shapes.draw()];
  }

  /** Decorates one node; false keeps its children from being visited. */
  enter(node: SyntaxNodeRef): boolean | void {
    const { state } = this;
    const heading = /^(?:ATX|Setext)Heading(\d)$/.exec(node.name);
    if (heading) {
      const line = state.doc.lineAt(node.from);
      this.ranges.push(HEADINGS[Number(heading[1]) - 1]!.range(line.from));
      if (node.name.startsWith("ATX") && !this.touched(line.from, line.to)) this.heading_marks(node.node, line);
      return;
    }
    switch (node.name) {
      case "StrongEmphasis":
      case "Emphasis":
        if (!this.touched(node.from, node.to)) this.hide_children(node.node, "EmphasisMark");
        return;
      case "Strikethrough":
        if (!this.touched(node.from, node.to)) this.hide_children(node.node, "StrikethroughMark");
        return;
      case "Highlight":
        if (!this.touched(node.from, node.to)) this.hide_children(node.node, "HighlightMark");
        return;
      case "Escape":
        if (!this.touched(node.from, node.to)) this.hide(node.from, node.from + 1);
        return;
      case "InlineCode":
        this.ranges.push(INLINE_CODE.range(node.from, node.to));
        if (!this.touched(node.from, node.to)) this.hide_children(node.node, "CodeMark");
        return false;
      case "InlineMath":
        if (!this.touched(node.from, node.to)) this.math(node);
        return false;
      case "Wikilink":
        this.wikilink(node.node, this.touched(node.from, node.to));
        return false;
      case "Image":
        this.image(node.node, this.touched(node.from, node.to));
        return false;
      case "Link":
        if (!this.touched(node.from, node.to)) this.link(node.node);
        return;
      case "Autolink":
        if (!this.touched(node.from, node.to)) this.hide_children(node.node, "LinkMark");
        return;
      case "URL":
        // In a link with a text of its own the address is hidden, or being written.
        if (node.node.parent?.name !== "Link" && node.node.parent?.name !== "Image" && !this.touched(node.from, node.to)) this.ranges.push(DRAWN_LINK.range(node.from, node.to));
        return;
      case "FootnoteRef":
      case "InlineFootnote":
        this.ranges.push(FOOTNOTE.range(node.from, node.to));
        if (!this.touched(node.from, node.to)) this.hide_children(node.node, "FootnoteMark");
        return;
      case "HorizontalRule":
        if (!this.touched(node.from, node.to)) this.put(rule, node.from, node.to);
        return;
      case "ListItem":
        this.list_item(node.node);
        return;
      case "Blockquote":
        this.quote(node.node);
        return;
      case "FencedCode":
      case "CodeBlock":
        this.code(node.node);
        return false;
      case "Table":
        this.lines(node, (line) => this.ranges.push(IN_TABLE.range(line.from)));
        return;
      case "MathBlock":
        this.lines(node, (line) => this.ranges.push(IN_MATH.range(line.from)));
        return false;
      case "HiddenCommentBlock":
        this.lines(node, (line) => this.ranges.push(IN_COMMENT.range(line.from)));
        return false;
      case "Frontmatter":
        this.lines(node, (line) => this.ranges.push(IN_FRONTMATTER.range(line.from)));
        return false;
    }
  }

  heading_marks(node: SyntaxNode, line: Line): void {
    const [mark, closing] = node.getChildren("HeaderMark");
    if (!mark || mark.to >= line.to) return;
    this.hide(mark.from, mark.to + (/[ \t]/.test(this.state.sliceDoc(mark.to, mark.to + 1)) ? 1 : 0));
    if (closing) this.hide(closing.from, closing.to);
  }

  math(node: SyntaxNodeRef): void {
    const source = this.state.sliceDoc(node.from, node.to);
    const n = source.startsWith("$$") ? 2 : 1;
    // Across lines it can only be shown as it is written.
    if (!source.includes("\n")) this.put(new MathWidget(source.slice(n, -n), n === 2, false), node.from, node.to);
  }

  /** Shows a picture in the place of its link, or below it while that is written. */
  picture(target: string, label: string, { from, to }: SyntaxNode, touched: boolean): void {
    const widget = new Picture({ target, ...sized(label) }, this.world.locate, touched);
    if (touched) this.ranges.push(Decoration.widget({ widget, side: 1 }).range(to));
    else this.put(widget, from, to);
  }

  wikilink(node: SyntaxNode, touched: boolean): void {
    const marks = node.getChildren("WikilinkMark");
    const target = node.getChild("WikilinkTarget");
    const alias = node.getChild("WikilinkAlias");
    const [first, last] = [marks[0], marks.at(-1)];
    if (!first || !last || !target) return;
    const text = this.state.sliceDoc(target.from, target.to);
    const embeds = this.state.sliceDoc(node.from, node.from + 1) === "!";
    if (touched && !embeds) return;
    if (embeds) {
      const label = alias ? this.state.sliceDoc(alias.from, alias.to) : "";
      if (PICTURE.test(text.trim())) return this.picture(text.trim(), label, node, touched);
      if (touched) return;
      const embed = this.world.embed(this.state.sliceDoc(node.from, node.to));
      if (embed) return this.put(embed, node.from, node.to);
    }
    const drawn = this.world.is_missing(text.trim()) ? MISSING_LINK : DRAWN_LINK;
    if (alias && alias.from < alias.to) {
      this.hide(node.from, alias.from);
      this.ranges.push(drawn.range(alias.from, alias.to));
    } else {
      this.hide(node.from, first.to);
      this.ranges.push(drawn.range(target.from, target.to));
      for (let hash = text.indexOf("#"); hash >= 0; hash = text.indexOf("#", hash + 1)) {
        const at = target.from + hash;
        if (text.slice(0, hash).trim() === "") this.hide(at, at + 1);
        else this.put(step_into, at, at + 1);
      }
      if (alias) this.hide(target.to, last.from);
    }
    this.hide(last.from, last.to);
  }

  image(node: SyntaxNode, touched: boolean): void {
    const url = node.getChild("URL");
    if (!url || this.state.doc.lineAt(node.from).to < node.to) return;
    const link = of_destination(this.state.sliceDoc(url.from, url.to).replace(/^<|>$/g, ""));
    // A picture from outside is never loaded: its name is a link that asks.
    if (link?.kind === "external") return touched ? undefined : this.link(node);
    if (link?.kind !== "internal" || !PICTURE.test(link.target)) return;
    const label = /^!\[([^\]]*)\]/.exec(this.state.sliceDoc(node.from, url.from))?.[1] ?? "";
    this.picture(link.target, label, node, touched);
  }

  link(node: SyntaxNode): void {
    const marks = node.getChildren("LinkMark");
    const url = node.getChild("URL");
    if (!url || marks.length < 3 || marks[1]!.from - marks[0]!.to < 1) return;
    if (this.state.doc.lineAt(node.from).to < node.to) return;
    this.hide(marks[0]!.from, marks[0]!.to);
    const leads = of_destination(this.state.sliceDoc(url.from, url.to).replace(/^<|>$/g, ""));
    const is_missing = leads?.kind === "internal" && this.world.is_missing(leads.target);
    this.ranges.push((is_missing ? MISSING_LINK : DRAWN_LINK).range(marks[0]!.to, marks[1]!.from));
    this.hide(marks[1]!.from, node.to);
  }

  list_item(node: SyntaxNode): void {
    const mark = node.getChild("ListMark");
    if (!mark) return;
    const { doc } = this.state;
    const depth = depth_of(node, "ListItem");
    const first = doc.lineAt(mark.from);
    this.lines(node, (line) => {
      if (line.number !== first.number) this.shapes.list(line, depth, false, null);
    });
    if (first.to < this.from || first.from > this.to) return;
    // The blank after the sign belongs to it.
    const end = Math.min(first.to, mark.to + 1);
    const marker = /^\[(\S| )\](?=[ \t]|$)/u.exec(first.text.slice(end - first.from));
    const touched = this.touched(mark.from, marker ? end + marker[0].length : mark.to);
    let boxed: { from: number; to: number } | null = { from: mark.from, to: end };
    if (marker) {
      const [sign, text] = [marker[1]!, end + marker[0].length];
      if (/^[x-]$/i.test(sign) && text + 1 < first.to) this.ranges.push(DONE.range(text + 1, first.to));
      if (!touched) {
        const name = first.text.slice(text - first.from).trim().slice(0, 80) || "Task";
        this.put(new TaskBox(sign, end + 1, name), mark.from, Math.min(first.to, text + 1));
        boxed = null;
      }
    } else if (!touched && node.parent?.name === "BulletList") {
      this.put(bullet, mark.from, end);
      boxed = null;
    }
    this.shapes.list(first, depth, true, boxed);
  }

  quote(node: SyntaxNode): void {
    const { doc } = this.state;
    const first = doc.lineAt(node.from);
    const sign = /^[ \t]*>[ \t]?/.exec(first.text.slice(node.from - first.from))?.[0].length ?? 0;
    const head = callout_head(first.text.slice(node.from - first.from + sign));
    let outer = node;
    for (let at = node.parent; at; at = at.parent) if (at.name === "Blockquote") outer = at;
    const near = this.touched(doc.lineAt(outer.from).from, doc.lineAt(outer.to).to);
    // A quote that begins on the line of its item's sign is shown where it stands.
    const inset = /^[ \t]*$/.test(doc.lineAt(outer.from).text.slice(0, outer.from - doc.lineAt(outer.from).from)) ? depth_of(outer, "ListItem") : 0;
    this.lines(node, (line) => this.shapes.quote(line, { kind: head?.kind ?? null, first: line.number === first.number, last: node.to <= line.to, near, inset }));
  }

  code(node: SyntaxNode): void {
    const { doc } = this.state;
    const first = doc.lineAt(node.from);
    const last = doc.lineAt(node.to);
    const near = this.touched(node.from, node.to);
    const lead = first.text.slice(0, node.from - first.from);
    const blank = node.name === "FencedCode" && /^[ \t]+$/.test(lead) ? lead.length : 0;
    // The fences are signs like any other; the language stays as the block's label.
    if (!near && node.name === "FencedCode") this.hide_children(node, "CodeMark");
    this.lines(node, (line) => {
      this.shapes.code(line, blank > 0 ? depth_of(node, "ListItem") : 0, blank);
      this.ranges.push(IN_CODE.range(line.from));
      if (line.number === first.number) this.ranges.push((node.name === "FencedCode" ? FIRST_CODE : FIRST_PLAIN).range(line.from));
      if (line.number === last.number) this.ranges.push(LAST_CODE.range(line.from));
      if (line.number === first.number && node.name === "FencedCode" && first.number < last.number) {
        const code = node.getChildren("CodeText");
        const text = code.length > 0 && node.to - node.from < 200_000 ? this.state.sliceDoc(code[0]!.from, code.at(-1)!.to) : "";
        if (text) this.ranges.push(Decoration.widget({ widget: new CopyCode(text), side: 1 }).range(line.to));
      }
    });
  }
}

/** How many nodes of a name a node stands in, itself included. */
function depth_of(node: SyntaxNode, name: string): number {
  let depth = 0;
  for (let at: SyntaxNode | null = node; at; at = at.parent) if (at.name === name) depth++;
  return depth;
}

/** Returns the decorations for the stretches of text on screen. */
export function preview(state: EditorState, visible: readonly { from: number; to: number }[], focused: boolean, world: PreviewWorld = NOWHERE): DecorationSet {
  const { ranges } = state.selection;
  const touched: Touched = (from, to) => focused && ranges.some((range) => range.from <= to && range.to >= from);
  const all = visible.flatMap(({ from, to }) => new Painter(state, touched, from, to, world).paint());
  return Decoration.set(all, true);
}

/** Something outside of the text changed how it is drawn: an input method has finished, a link leads somewhere now. */
export const redraw = StateEffect.define<null>();

export function live_preview(world: PreviewWorld): Extension {
  const plugin = ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      /** A note that was just opened shows no signs where the caret happens to be, until the person moves or writes. */
      awake = false;

      constructor(view: EditorView) {
        this.decorations = preview(view.state, view.visibleRanges, false, world);
      }

      update(update: ViewUpdate): void {
        const parsed = syntaxTree(update.startState) !== syntaxTree(update.state);
        const held = is_pressing(update.state);
        const told = update.transactions.some((tr) => tr.effects.some((effect) => effect.is(redraw))) || is_pressing(update.startState) !== held;
        if (!update.docChanged && !update.viewportChanged && !update.selectionSet && !update.focusChanged && !parsed && !told) return;
        if (update.docChanged || update.selectionSet) this.awake = true;
        if (held && !update.docChanged && !update.viewportChanged && !parsed) return;
        // While an input method composes, nothing around the caret may be drawn anew: the system would lose its place.
        if (update.view.composing) this.decorations = this.decorations.map(update.changes);
        else this.decorations = preview(update.state, update.view.visibleRanges, (this.awake && update.view.hasFocus) || searchPanelOpen(update.state), world);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
  const after_composing = EditorView.domEventObservers({
    compositionend: (_, view) => void setTimeout(() => view.dom.isConnected && view.dispatch({ effects: redraw.of(null) }), 30),
  });
  return [holds_still, plugin, after_composing, EditorView.perLineTextDirection.of(true)];
}
