// While the mouse is held down nothing is revealed or hidden: the words under it would move, and a press would select them.

import { type Extension, StateEffect, StateField, type EditorState } from "@codemirror/state";
import { EditorView, ViewPlugin } from "@codemirror/view";

const set_pressing = StateEffect.define<boolean>();

const pressing = StateField.define<boolean>({
  create: () => false,
  update: (now, tr) => tr.effects.reduce((held, effect) => (effect.is(set_pressing) ? effect.value : held), now),
});

export function is_pressing(state: EditorState): boolean {
  return state.field(pressing, false) ?? false;
}

const hold = ViewPlugin.fromClass(
  class {
    constructor(private readonly view: EditorView) {
      const { defaultView } = view.dom.ownerDocument;
      for (const name of ["mouseup", "dragend", "blur"]) defaultView?.addEventListener(name, this.release);
      // A note that was left with the mouse held down is not held any more.
      if (is_pressing(view.state)) this.release();
    }

    press(event: MouseEvent): void {
      if (event.button === 0 && !is_pressing(this.view.state)) this.view.dispatch({ effects: set_pressing.of(true) });
    }

    /** The editor hears of the release first. */
    readonly release = (): void => {
      setTimeout(() => {
        if (this.view.dom.isConnected && is_pressing(this.view.state)) this.view.dispatch({ effects: set_pressing.of(false) });
      });
    };

    destroy(): void {
      const { defaultView } = this.view.dom.ownerDocument;
      for (const name of ["mouseup", "dragend", "blur"]) defaultView?.removeEventListener(name, this.release);
    }
  },
  {
    eventObservers: {
      mousedown(event) {
        this.press(event);
      },
    },
  },
);

export const holds_still: Extension = [pressing, hold];
