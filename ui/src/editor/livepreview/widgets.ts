// Small things drawn in place of Markdown signs while the caret is elsewhere.

import { EditorView, WidgetType } from "@codemirror/view";
import type { CalloutKind } from "./callouts";
import { icon } from "./icons";

/** A task's box; pressing it ticks the task in the text. */
export class TaskBox extends WidgetType {
  constructor(
    private readonly sign: string,
    private readonly from: number,
    private readonly name: string,
  ) {
    super();
  }

  override eq(other: TaskBox): boolean {
    return other.sign === this.sign && other.from === this.from && other.name === this.name;
  }

  override toDOM(view: EditorView): HTMLElement {
    const frame = document.createElement("span");
    frame.className = "cm-list-mark";
    const box = document.createElement("input");
    box.type = "checkbox";
    box.className = "cm-task-box";
    box.dataset.task = this.sign;
    box.checked = this.sign !== " ";
    box.disabled = view.state.readOnly;
    // Tab goes through the page, not through every box of a note: the keyboard ticks with Ctrl Enter.
    box.tabIndex = -1;
    box.setAttribute("aria-label", this.name);
    box.onmousedown = (event) => event.preventDefault();
    box.onclick = (event) => {
      event.preventDefault();
      if (view.state.readOnly) return;
      const insert = this.sign === " " ? "x" : " ";
      view.dispatch({ changes: { from: this.from, to: this.from + this.sign.length, insert }, userEvent: "input.task" });
    };
    frame.append(box);
    return frame;
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

  override ignoreEvent(): boolean {
    return false;
  }
}

export const bullet = new Sign("•", "cm-list-mark cm-bullet");
export const step_into = new Sign(" > ", "cm-step");
export const rule = new Sign("", "cm-rule");

/** What stands before the title of a callout, and its title if it was given none. */
export class CalloutSign extends WidgetType {
  constructor(
    private readonly kind: CalloutKind,
    private readonly title: string | null,
  ) {
    super();
  }

  override eq(other: CalloutSign): boolean {
    return other.kind === this.kind && other.title === this.title;
  }

  override toDOM(): HTMLElement {
    const sign = document.createElement("span");
    sign.className = "cm-callout-sign";
    sign.append(icon(this.kind));
    if (this.title !== null) {
      const title = document.createElement("span");
      title.className = "cm-callout-title";
      title.textContent = this.title;
      sign.append(title);
    }
    return sign;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}

/** Copies the text of the code block that it stands in. */
export class CopyCode extends WidgetType {
  constructor(private readonly code: string) {
    super();
  }

  override eq(other: CopyCode): boolean {
    return other.code === this.code;
  }

  override toDOM(): HTMLElement {
    // The keyboard copies with the command of the same name.
    const button = copy_button(() => this.code);
    button.classList.add("cm-copy-code");
    button.tabIndex = -1;
    button.onmousedown = (event) => event.preventDefault();
    return button;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

/** A button that copies some code and says that it did. */
export function copy_button(code: () => string): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy-code";
  const say = (done: boolean) => {
    button.replaceChildren(icon(done ? "copied" : "copy"));
    button.setAttribute("aria-label", done ? "Copied" : "Copy the code");
    button.title = done ? "Copied" : "Copy the code";
  };
  say(false);
  button.onclick = () =>
    void navigator.clipboard.writeText(code()).then(() => {
      say(true);
      setTimeout(() => say(false), 1600);
    });
  return button;
}
