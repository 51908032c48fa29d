// F6 walks through the parts of the window in reading order, as screen reader users know it from other programs.

const ORDER = ["top", "left", "centre", "right", "status"];
const FOCUSABLE = ["button:not(:disabled)", "input:not(:disabled)", "select", "textarea", "a[href]", '[contenteditable="true"]', '[tabindex="0"]']
  .map((kind) => `${kind}:not([tabindex="-1"]):not([role="separator"])`)
  .join(", ");

/** Later than this, in milliseconds, a person who asked for a pane is about something else. */
const PATIENCE = 3000;

function panes(name: string): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(`[data-pane="${name}"]`)];
}

/** A part of the window; of several groups of tabs the one that has the keyboard, or had it last. */
function pane(name: string): HTMLElement | undefined {
  const found = panes(name);
  return found.find((one) => one.hasAttribute("data-focused")) ?? found[0];
}

/** The part of a pane that is worth most to a keyboard: its text or its tree, before its buttons. */
function entry(within: HTMLElement): HTMLElement | null {
  const preferred = within.querySelector<HTMLElement>("[data-pane-focus]");
  const inside = preferred?.querySelector<HTMLElement>('[contenteditable="true"]');
  return (
    inside ??
    (preferred?.tabIndex === 0 ? preferred : null) ??
    within.querySelector<HTMLElement>('[role="treeitem"][tabindex="0"]') ??
    [...(within.querySelector('[role="tabpanel"]')?.querySelectorAll<HTMLElement>(FOCUSABLE) ?? [])][0] ??
    within.querySelector<HTMLElement>(FOCUSABLE)
  );
}

/** A page stays where it was scrolled to: some web views would bring its top into sight. */
function focus(element: HTMLElement | null): void {
  element?.focus({ preventScroll: true });
}

/** Focuses a pane once what it shows has been painted. */
export function focus_pane(name: string): void {
  requestAnimationFrame(() => {
    const found = pane(name);
    if (!found) return;
    focus(entry(found));
    await_content(found);
  });
}

/** Goes on to what a pane shows once that is there, unless the keyboard has gone elsewhere meanwhile. */
function await_content(within: HTMLElement): void {
  const has_content = () => within.querySelector("[data-pane-focus]") !== null;
  if (has_content()) return;
  const left_at = document.activeElement;
  const watch = new MutationObserver(() => {
    const stays = document.activeElement === left_at;
    if (stays && has_content()) focus(entry(within));
    if (!stays || has_content()) watch.disconnect();
  });
  watch.observe(within, { childList: true, subtree: true });
  setTimeout(() => watch.disconnect(), PATIENCE);
}

/** The note that takes the keyboard as soon as its page is there. */
let wanted: string | null = null;

/** Gives the keyboard to a note's page, now or when it has loaded. */
export function focus_note(path: string): void {
  wanted = path;
  focus_pane("centre");
}

/** Asked by a page that has just appeared: whether it may take the keyboard. */
export function takes_focus(path: string): boolean {
  const takes = wanted === path || document.activeElement === document.body || document.activeElement === null;
  if (wanted === path) wanted = null;
  return takes;
}

export function cycle_panes(by: 1 | -1): void {
  const shown = ORDER.flatMap(panes).filter((found) => entry(found) !== null);
  if (shown.length === 0) return;
  const at = shown.findIndex((found) => found.contains(document.activeElement));
  const next = at < 0 ? (by === 1 ? 0 : shown.length - 1) : (at + by + shown.length) % shown.length;
  focus(entry(shown[next]!));
}
