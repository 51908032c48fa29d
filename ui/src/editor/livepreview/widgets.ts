// Small things drawn in place of Markdown signs while the caret is elsewhere.

import { type EditorView, WidgetType } from "@codemirror/view";

/** A task's box; pressing it ticks the task in the text. */
export class TaskBox extends WidgetType {
  constructor(
    private readonly done: boolean,
    private readonly at: number,
    private readonly name: string,
  ) {
    super();
  }

  override eq(other: TaskBox): boolean {
    return other.done === this.done && other.at === this.at && other.name === this.name;
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
      view.dispatch({ changes: { from: this.at, to: this.at + 1, insert: this.done ? " " : "x" }, userEvent: "input.task" });
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

export const bullet = new Sign("•", "cm-bullet");
export const step_into = new Sign(" › ", "cm-step");
export const rule = new Sign("", "cm-rule");
