// Formulas. KaTeX is loaded with the first one; it ships with the program and loads nothing from outside.

import type { KatexOptions } from "katex";
import { WidgetType, type EditorView } from "@codemirror/view";
import { type Around, dress_around, OUTSIDE } from "./around";

type Draw = (tex: string, into: HTMLElement, options: KatexOptions) => void;

let draw: Draw | null = null;
let loading: Promise<Draw> | null = null;

function load(): Promise<Draw> {
  loading ??= Promise.all([import("katex"), import("katex/dist/katex.min.css")]).then(([{ default: katex }]) => (draw = katex.render));
  return loading;
}

/** A formula that cannot be read is shown as it was written, with the reason. */
function show(tex: string, display: boolean, into: HTMLElement, with_katex: Draw): void {
  try {
    // Neither links nor pictures nor endless macros: a formula comes from a file that anybody may have written.
    with_katex(tex, into, { displayMode: display, throwOnError: true, strict: "ignore", trust: false, maxSize: 40, maxExpand: 1000 });
    into.classList.remove("is-wrong");
    into.removeAttribute("title");
  } catch (cause) {
    const reason = String(cause instanceof Error ? cause.message : cause)
      .replace(/^KaTeX parse error:\s*/, "")
      .replace(/ at (?:position \d+|end of input):[\s\S]*$/, "");
    const source = document.createElement("code");
    source.textContent = tex.trim();
    const message = document.createElement("span");
    message.className = "math-message";
    message.textContent = reason;
    into.replaceChildren(source, " ", message);
    into.classList.add("is-wrong");
  }
}

/** Draws a formula into an element, at once if it can; `done` is called when it was drawn later. */
export function draw_math(tex: string, display: boolean, into: HTMLElement, done: () => void = () => {}): void {
  if (draw) return show(tex, display, into, draw);
  into.textContent = tex.trim();
  void load().then(
    (with_katex) => {
      show(tex, display, into, with_katex);
      done();
    },
    () => {
      // The formula stays as it is written.
      loading = null;
    },
  );
}

export class MathWidget extends WidgetType {
  constructor(
    readonly tex: string,
    readonly display: boolean,
    readonly block: boolean,
    /** What the formula stands in, where it is a block. */
    readonly around: Around = OUTSIDE,
  ) {
    super();
  }

  override eq(other: MathWidget): boolean {
    return other.tex === this.tex && other.display === this.display && other.block === this.block && other.around.name === this.around.name && other.around.kind === this.around.kind && other.around.depth === this.around.depth;
  }

  override toDOM(view: EditorView): HTMLElement {
    const frame = document.createElement(this.block ? "div" : "span");
    frame.className = this.display ? "cm-math cm-math-display" : "cm-math";
    draw_math(this.tex, this.display, frame, () => view.requestMeasure());
    if (!this.block) return frame;
    dress_around(frame, this.around);
    frame.onmousedown = (event) => {
      event.preventDefault();
      const line = view.state.doc.lineAt(view.posAtDOM(frame));
      view.dispatch({ selection: { anchor: line.number < view.state.doc.lines && !/\S/.test(line.text.replace(/\$\$/, "")) ? view.state.doc.line(line.number + 1).to : line.to } });
      view.focus();
    };
    return frame;
  }

  override ignoreEvent(): boolean {
    return this.block;
  }
}
