// Whether what a person does just now asks for a tab of its own.

/** Tells it of the press or key that is being handled: Ctrl (on macOS Cmd) with it, or the middle button. Once something was
 * waited for nothing is being handled any more, so it is asked first. */
export function wants_own_tab(): boolean {
  // What handles a press may stand many calls below it; the event is the browser's to know.
  const now = window.event;
  if (now instanceof MouseEvent) return now.ctrlKey || now.metaKey || now.button === 1;
  return now instanceof KeyboardEvent && now.key === "Enter" && (now.ctrlKey || now.metaKey) && !now.altKey;
}
