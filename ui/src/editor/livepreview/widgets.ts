// Small things drawn in place of Markdown signs while the caret is elsewhere.

import { type EditorView, WidgetType } from "@codemirror/view";

/** A task's box; pressing it ticks the task in the text. */
export class TaskBox extends WidgetType {
  constructor(
    private readonly done: boolean,
    private readonly from: number,
    private readonly to: number,
    private readonly name: string,
  ) {
    super();
  }

  override eq(other: TaskBox): boolean {
    return other.done === this.done && other.from === this.from && other.to === this.to && other.name === this.name;
  }

  override toDOM(view: EditorView): HTMLElement {
    const box = document.createElement("input");
    box.type = "checkbox";
    box.className = "cm-task-box";
    box.checked = this.done;
    box.disabled = view.state.readOnly;
    // Tab goes through the page, not through every box of a note: the keyboard ticks with Ctrl Enter.
    box.tabIndex = -1;
    box.setAttribute("aria-label", this.name);
    box.onmousedown = (event) => event.preventDefault();
    box.onclick = (event) => {
      event.preventDefault();
      view.dispatch({ changes: { from: this.from, to: this.to, insert: this.done ? " " : "x" }, userEvent: "input.task" });
    };
    return box;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

class Sign extends WidgetType {
  constructor(
    private readonly text: string,
    private readonly name: string,
  ) {
    super();
  }

  override eq(other: Sign): boolean {
    return other.text === this.text && other.name === this.name;
  }

  override toDOM(): HTMLElement {
    const sign = document.createElement("span");
    sign.className = this.name;
    sign.textContent = this.text;
    return sign;
  }
}

/** Asks where a link leads; the engine knows, the editor does not. */
export type Locate = (target: string) => Promise<string | null>;

/** A picture of the vault, in the place of the link that embeds it. Pictures from outside are never loaded. */
export class Picture extends WidgetType {
  constructor(
    private readonly target: string,
    private readonly width: number | null,
    private readonly locate: Locate,
  ) {
    super();
  }

  override eq(other: Picture): boolean {
    return other.target === this.target && other.width === this.width;
  }

  override toDOM(view: EditorView): HTMLElement {
    const frame = document.createElement("span");
    frame.className = "cm-picture";
    frame.textContent = this.target;
    void this.locate(this.target).then((address) => {
      if (!address) return;
      const picture = document.createElement("img");
      picture.alt = this.target;
      if (this.width) picture.width = this.width;
      picture.onload = () => {
        frame.replaceChildren(picture);
        view.requestMeasure();
      };
      picture.src = address;
    });
    return frame;
  }
}

export const bullet = new Sign("•", "cm-bullet");
export const step_into = new Sign(" › ", "cm-step");
export const embed_sign = new Sign("↳ ", "cm-embed-sign");
export const rule = new Sign("", "cm-rule");
