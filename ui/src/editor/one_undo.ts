// What can be undone in a note is known to the editor alone. WebKit keeps an undo of its own for every stretch that is typed
// into a page, without end, and with it the whole page of each note that was written in and is long closed.

import type { Extension } from "@codemirror/state";
import { ViewPlugin } from "@codemirror/view";

/** How long WebKit may keep what was typed into a note that stays open. */
const KEPT = 30_000;

/** Has WebKit forget what it could undo in the page. Nothing else says so to it: it forgets when any frame goes. */
export function forget_webs_undo(): void {
  // Chromium keeps a thousand steps and forgets nothing this way.
  if (!/AppleWebKit\/(?!537\.36)/.test(navigator.userAgent)) return;
  const frame = document.createElement("iframe");
  frame.hidden = true;
  document.body.append(frame);
  frame.remove();
}

/** Has the web view forget what was typed into a note when the note is closed, and now and then while it is written. */
export function one_undo(forget = forget_webs_undo): Extension {
  return ViewPlugin.define((view) => {
    let clock: ReturnType<typeof setTimeout> | undefined;
    const wait = () => {
      clock = setTimeout(() => {
        clock = undefined;
        // What an input method has begun is WebKit's until it is done.
        if (view.composing) return wait();
        forget();
      }, KEPT);
    };
    return {
      update: ({ docChanged }) => {
        if (docChanged && clock === undefined) wait();
      },
      destroy: () => {
        if (clock === undefined) return;
        clearTimeout(clock);
        forget();
      },
    };
  });
}
