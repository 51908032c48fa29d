// The shapes of whole lines: lists with hanging indents, quotes and callouts inside of each other. What the nodes around a line
// say of it is gathered first and drawn once.

import type { Line, Range } from "@codemirror/state";
import { Decoration } from "@codemirror/view";
import { callout_head, type CalloutKind } from "./callouts";
import { CalloutSign } from "./widgets";

const hidden = Decoration.replace({});
const CALLOUT_TITLE = Decoration.mark({ class: "cm-callout-title" });
const QUOTE_SIGN = Decoration.mark({ class: "cm-quote-sign" });
const indents: Decoration[] = [];

/** One quote around a line. */
export interface QuoteLevel {
  kind: CalloutKind | null;
  first: boolean;
  last: boolean;
  /** The caret is in it: the signs are shown. */
  near: boolean;
  /** How deep in lists it stands. */
  inset: number;
}

interface Shape {
  line: Line;
  quotes: QuoteLevel[];
  /** How deep in lists; 1 is the outermost. */
  depth: number;
  is_item: boolean;
  /** Where the text of a list item starts, to keep its sign in a box of one step. */
  mark: { from: number; to: number } | null;
  is_code: boolean;
  /** Blanks before code in a list, which its box stands in for. */
  code_inset: { steps: number; blank: number };
}

/** Spaces in front of a list line, as wide as its depth says. */
function indent(steps: number): Decoration {
  indents[steps] ??= Decoration.mark({ class: "cm-list-indent", attributes: { style: `--n:${steps}` } });
  return indents[steps];
}

export class LineShapes {
  readonly #shapes = new Map<number, Shape>();

  #of(line: Line): Shape {
    let shape = this.#shapes.get(line.from);
    if (!shape) this.#shapes.set(line.from, (shape = { line, quotes: [], depth: 0, is_item: false, mark: null, is_code: false, code_inset: { steps: 0, blank: 0 } }));
    return shape;
  }

  quote(line: Line, level: QuoteLevel): void {
    this.#of(line).quotes.push(level);
  }

  /** A line of code that stands `steps` deep in lists, behind as many blanks. */
  code(line: Line, steps: number, blank: number): void {
    Object.assign(this.#of(line), { is_code: true, code_inset: { steps, blank } });
  }

  /** A line of a list item; items further in come later and win. */
  list(line: Line, depth: number, is_item: boolean, mark: { from: number; to: number } | null): void {
    const shape = this.#of(line);
    if (depth < shape.depth) return;
    Object.assign(shape, { depth, is_item, mark });
  }

  draw(): Range<Decoration>[] {
    const ranges: Range<Decoration>[] = [];
    for (const shape of this.#shapes.values()) {
      const inside = this.#quotes(shape, ranges);
      if (shape.code_inset.steps > 0 && shape.quotes.length === 0) this.#code(shape, ranges);
      if (shape.depth > 0 && !shape.is_code && !shape.quotes.some((level) => level.near || level.inset > 0)) this.#list(shape, inside, ranges);
    }
    return ranges;
  }

  /** Draws the quotes around a line; returns where what they hold begins. */
  #quotes({ line, quotes }: Shape, ranges: Range<Decoration>[]): number {
    const [outer] = quotes;
    if (!outer) return line.from;
    const names = outer.kind ? ["cm-callout-line"] : ["cm-quote-line"];
    const attributes: Record<string, string> = {};
    if (outer.kind) {
      attributes["data-callout"] = outer.kind;
      if (outer.first) names.push("cm-callout-first");
      if (outer.last) names.push("cm-callout-last");
    }
    if (quotes.length > 1) {
      const inner = quotes.findLast((level) => level.kind) ?? quotes.at(-1)!;
      names.push(inner.kind && inner !== outer ? "cm-callout-inner" : "cm-quote-inner");
      if (inner.kind && inner !== outer) attributes["data-callout-inner"] = inner.kind;
      attributes.style = `--nest:${quotes.length - 1};--inset:${outer.inset}`;
    } else if (outer.inset > 0) attributes.style = `--inset:${outer.inset}`;
    ranges.push(Decoration.line({ class: names.join(" "), attributes }).range(line.from));
    const sign = new RegExp(`^(?:[ \\t]*>[ \\t]?){1,${quotes.length}}`).exec(line.text)?.[0].length ?? 0;
    const from = line.from + sign;
    if (outer.near) {
      if (sign > 0) ranges.push(QUOTE_SIGN.range(line.from, from));
      return from;
    }
    const level = quotes.at(-1)!;
    const head = level.kind && level.first ? callout_head(line.text.slice(sign)) : null;
    if (!head) {
      if (sign > 0) ranges.push(hidden.range(line.from, from));
      return from;
    }
    const title = from + head.length;
    const is_bare = title >= line.to;
    ranges.push(Decoration.replace({ widget: new CalloutSign(head.kind, is_bare ? head.default_title : null) }).range(line.from, Math.min(title, line.to)));
    if (!is_bare) ranges.push(CALLOUT_TITLE.range(title, line.to));
    return line.to;
  }

  #code({ line, code_inset: { steps, blank } }: Shape, ranges: Range<Decoration>[]): void {
    ranges.push(Decoration.line({ attributes: { style: `--inset:${steps}` } }).range(line.from));
    const there = Math.min(blank, /^[ \t]*/.exec(line.text)![0].length);
    if (there > 0) ranges.push(indent(0).range(line.from, line.from + there));
  }

  #list({ line, depth, is_item, mark }: Shape, from: number, ranges: Range<Decoration>[]): void {
    const blank = /^[ \t]*/.exec(line.text.slice(from - line.from))![0].length;
    const steps = is_item ? depth - 1 : depth;
    ranges.push(Decoration.line({ class: "cm-list-line", attributes: { style: `--depth:${depth}` } }).range(line.from));
    if (blank > 0) ranges.push(indent(steps).range(from, from + blank));
    if (mark) ranges.push(Decoration.mark({ class: "cm-list-mark" }).range(mark.from, mark.to));
  }
}
