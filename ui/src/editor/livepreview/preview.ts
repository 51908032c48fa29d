// Live preview: Markdown that looks like what it means, until the caret comes near. Only what is on screen is decorated.

import { syntaxTree } from "@codemirror/language";
import type { EditorState, Extension, Range } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import type { SyntaxNode, SyntaxNodeRef } from "@lezer/common";
import { of_destination } from "../links";
import { bullet, embed_sign, type Locate, Picture, rule, step_into, TaskBox } from "./widgets";

const hidden = Decoration.replace({});
const line_class = (name: string) => Decoration.line({ class: name });
const HEADINGS = [1, 2, 3, 4, 5, 6].map((level) => line_class(`cm-h cm-h${level}`));
const IN_CODE = line_class("cm-code-line");
const FIRST_CODE = line_class("cm-code-first");
const LAST_CODE = line_class("cm-code-last");
const IN_QUOTE = line_class("cm-quote-line");
const IN_TABLE = line_class("cm-table-line");
const IN_FRONTMATTER = line_class("cm-front-line");
const INLINE_CODE = Decoration.mark({ class: "cm-inline-code" });
const DONE = Decoration.mark({ class: "cm-task-done" });
const CALLOUT_TITLE = Decoration.mark({ class: "cm-callout-title" });

const PICTURE = /\.(?:avif|bmp|gif|jpe?g|png|svg|webp)$/i;

type Touched = (from: number, to: number) => boolean;

class Painter {
  readonly ranges: Range<Decoration>[] = [];

  constructor(
    private readonly state: EditorState,
    private readonly touched: Touched,
    private readonly from: number,
    private readonly to: number,
    private readonly locate: Locate,
  ) {}

  hide(from: number, to: number): void {
    if (from < to) this.ranges.push(hidden.range(from, to));
  }

  hide_children(node: SyntaxNode, name: string): void {
    for (const child of node.getChildren(name)) this.hide(child.from, child.to);
  }

  /** Visits the lines of a block that are on screen. */
  lines(node: SyntaxNodeRef, act: (line: { from: number; to: number; text: string; number: number }) => void): void {
    const { doc } = this.state;
    const last = doc.lineAt(Math.min(node.to, this.to));
    for (let line = doc.lineAt(Math.max(node.from, this.from)); ; line = doc.line(line.number + 1)) {
      act(line);
      if (line.number >= last.number) break;
    }
  }

  /** Decorates one node; false keeps its children from being visited. */
  enter(node: SyntaxNodeRef): boolean | void {
    const { state } = this;
    const heading = /^(?:ATX|Setext)Heading(\d)$/.exec(node.name);
    if (heading) {
      const line = state.doc.lineAt(node.from);
      this.ranges.push(HEADINGS[Number(heading[1]) - 1]!.range(line.from));
      if (node.name.startsWith("ATX") && !this.touched(line.from, line.to)) {
        const mark = node.node.getChild("HeaderMark");
        if (mark && mark.from < line.to) this.hide(mark.from, Math.min(line.to, mark.to + (state.sliceDoc(mark.to, mark.to + 1) === " " ? 1 : 0)));
      }
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
      case "InlineCode":
        this.ranges.push(INLINE_CODE.range(node.from, node.to));
        if (!this.touched(node.from, node.to)) this.hide_children(node.node, "CodeMark");
        return false;
      case "Wikilink":
        if (!this.touched(node.from, node.to)) this.wikilink(node.node);
        return false;
      case "Image":
        if (!this.touched(node.from, node.to)) this.image(node.node);
        return false;
      case "Link":
        if (!this.touched(node.from, node.to)) this.link(node.node);
        return;
      case "HorizontalRule":
        if (!this.touched(node.from, node.to)) this.ranges.push(Decoration.replace({ widget: rule }).range(node.from, node.to));
        return;
      case "ListItem":
        this.list_item(node.node);
        return;
      case "Blockquote":
        this.quote(node);
        return;
      case "FencedCode":
      case "CodeBlock":
        this.code(node);
        return false;
      case "Table":
        this.lines(node, (line) => this.ranges.push(IN_TABLE.range(line.from)));
        return;
      case "Frontmatter":
        this.lines(node, (line) => this.ranges.push(IN_FRONTMATTER.range(line.from)));
        return false;
    }
  }

  wikilink(node: SyntaxNode): void {
    const marks = node.getChildren("WikilinkMark");
    const target = node.getChild("WikilinkTarget");
    const alias = node.getChild("WikilinkAlias");
    const [first, last] = [marks[0], marks.at(-1)];
    if (!first || !last || !target) return;
    if (this.state.sliceDoc(node.from, node.from + 1) === "!") {
      const name = this.state.sliceDoc(target.from, target.to).trim();
      if (PICTURE.test(name)) {
        const width = alias ? Number.parseInt(this.state.sliceDoc(alias.from, alias.to), 10) : Number.NaN;
        this.ranges.push(Decoration.replace({ widget: new Picture(name, Number.isFinite(width) ? width : null, this.locate) }).range(node.from, node.to));
        return;
      }
      // What another note says is shown by the reading view; here its name stands for it.
      this.ranges.push(Decoration.replace({ widget: embed_sign }).range(node.from, node.from + 1));
      this.hide(node.from + 1, first.to);
      this.hide(last.from, last.to);
      return;
    }
    if (alias && alias.from < alias.to) this.hide(first.from, alias.from);
    else {
      this.hide(first.from, first.to);
      const text = this.state.sliceDoc(target.from, target.to);
      const hash = text.indexOf("#");
      if (hash > 0) this.ranges.push(Decoration.replace({ widget: step_into }).range(target.from + hash, target.from + hash + 1));
      else if (hash === 0 && text.length > 1) this.hide(target.from, target.from + 1);
    }
    this.hide(last.from, last.to);
  }

  image(node: SyntaxNode): void {
    const url = node.getChild("URL");
    if (!url || this.state.doc.lineAt(node.from).to < node.to) return;
    const link = of_destination(this.state.sliceDoc(url.from, url.to).replace(/^<|>$/g, ""));
    if (link?.kind !== "internal" || !PICTURE.test(link.target)) return;
    const size = /^!\[(?:[^\]|]*\|)?(\d+)(?:x\d+)?\]/.exec(this.state.sliceDoc(node.from, url.from));
    this.ranges.push(Decoration.replace({ widget: new Picture(link.target, size ? Number(size[1]) : null, this.locate) }).range(node.from, node.to));
  }

  link(node: SyntaxNode): void {
    const marks = node.getChildren("LinkMark");
    const url = node.getChild("URL");
    if (!url || marks.length < 3 || marks[1]!.from - marks[0]!.to < 1) return;
    if (this.state.doc.lineAt(node.from).to < node.to) return;
    this.hide(marks[0]!.from, marks[0]!.to);
    this.hide(marks[1]!.from, node.to);
  }

  list_item(node: SyntaxNode): void {
    const mark = node.getChild("ListMark");
    if (!mark || mark.from < this.from - 2000) return;
    const parsed = node.getChild("Task")?.getChild("TaskMarker");
    // Obsidian knows tasks with any sign in the box.
    const other = parsed ? null : /^(?:\[\S\])(?= )/u.exec(this.state.sliceDoc(mark.to + 1, mark.to + 6));
    const marker = parsed ?? (other ? { from: mark.to + 1, to: mark.to + 1 + other[0].length } : null);
    if (marker) {
      const end = this.state.doc.lineAt(marker.to).to;
      const sign = this.state.sliceDoc(marker.from + 1, marker.to - 1);
      const done = sign !== " ";
      if (/^x$/i.test(sign) && marker.to + 1 < end) this.ranges.push(DONE.range(marker.to + 1, end));
      if (!this.touched(mark.from, marker.to)) {
        const name = this.state.sliceDoc(marker.to, Math.min(end, marker.to + 80)).trim() || "Task";
        this.ranges.push(Decoration.replace({ widget: new TaskBox(done, marker.from + 1, marker.to - 1, name) }).range(mark.from, marker.to));
      }
    } else if (/^[-*+]$/.test(this.state.sliceDoc(mark.from, mark.to)) && !this.touched(mark.from, mark.to)) {
      this.ranges.push(Decoration.replace({ widget: bullet }).range(mark.from, mark.to));
    }
  }

  quote(node: SyntaxNodeRef): void {
    const first = this.state.doc.lineAt(node.from);
    const callout = /^\s*>\s*\[!([\w-]+)(?:\|[^\]]*)?\][+-]?[ \t]*/.exec(first.text);
    const near = this.touched(first.from, Math.max(first.to, node.to));
    this.lines(node, (line) => {
      if (callout) {
        const edge = `${line.number === first.number ? " cm-callout-first" : ""}${node.to <= line.to ? " cm-callout-last" : ""}`;
        this.ranges.push(Decoration.line({ class: `cm-callout-line${edge}`, attributes: { "data-callout": callout[1]!.toLowerCase() } }).range(line.from));
      } else this.ranges.push(IN_QUOTE.range(line.from));
      if (near) return;
      const sign = /^\s*>[ \t]?/.exec(line.text);
      if (!sign) return;
      const is_title = callout && line.number === first.number && callout[0].length < line.text.length;
      this.hide(line.from, line.from + (is_title ? callout[0].length : sign[0].length));
      if (is_title) this.ranges.push(CALLOUT_TITLE.range(line.from + callout[0].length, line.to));
    });
  }

  code(node: SyntaxNodeRef): void {
    const first = this.state.doc.lineAt(node.from).number;
    const last = this.state.doc.lineAt(node.to).number;
    const near = this.touched(node.from, node.to);
    this.lines(node, (line) => {
      this.ranges.push(IN_CODE.range(line.from));
      if (line.number === first) this.ranges.push(FIRST_CODE.range(line.from));
      if (line.number === last) this.ranges.push(LAST_CODE.range(line.from));
      // The fences are signs like any other; the language stays as the block's label.
      const fence = near || (line.number !== first && line.number !== last) ? null : /^\s*(?:`{3,}|~{3,})\s*/.exec(line.text);
      if (fence) this.hide(line.from, line.from + fence[0].length);
    });
  }
}

/** Returns the decorations for the stretches of text on screen. */
export function preview(
  state: EditorState,
  visible: readonly { from: number; to: number }[],
  focused: boolean,
  locate: Locate = async () => null,
): DecorationSet {
  const { ranges } = state.selection;
  const touched: Touched = (from, to) => focused && ranges.some((range) => range.from <= to && range.to >= from);
  const all: Range<Decoration>[] = [];
  for (const { from, to } of visible) {
    const painter = new Painter(state, touched, from, to, locate);
    syntaxTree(state).iterate({ from, to, enter: (node) => painter.enter(node) });
    all.push(...painter.ranges);
  }
  return Decoration.set(all, true);
}

export function live_preview(locate: Locate): Extension {
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      /** A note that was just opened shows no signs where the caret happens to be, until the person moves or writes. */
      awake = false;

      constructor(view: EditorView) {
        this.decorations = preview(view.state, view.visibleRanges, false, locate);
      }

      update(update: ViewUpdate): void {
        const parsed = syntaxTree(update.startState) !== syntaxTree(update.state);
        if (!update.docChanged && !update.viewportChanged && !update.selectionSet && !update.focusChanged && !parsed) return;
        if (update.docChanged || update.selectionSet) this.awake = true;
        // While an input method composes, the line must stay as it is.
        if (update.view.composing && !update.docChanged) return;
        this.decorations = preview(update.state, update.view.visibleRanges, this.awake && update.view.hasFocus, locate);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
}
