// The keys of the review. They work only while the focus is in the pane, and never while somebody types.

export type ReviewAct =
  | "next"
  | "previous"
  | "approve"
  | "edit"
  | "decline"
  | "undo"
  | "redo"
  | "next_edit"
  | "previous_edit"
  | "enter"
  | "help"
  | "escape";

interface Key {
  keys: string[];
  act: ReviewAct;
  title: string;
}

export const KEYS: Key[] = [
  { keys: ["j", "ArrowDown"], act: "next", title: "Next proposal" },
  { keys: ["k", "ArrowUp"], act: "previous", title: "Previous proposal" },
  { keys: ["Enter"], act: "enter", title: "Go to its changes" },
  { keys: ["]"], act: "next_edit", title: "Next change" },
  { keys: ["["], act: "previous_edit", title: "Previous change" },
  { keys: ["a"], act: "approve", title: "Approve" },
  { keys: ["e"], act: "edit", title: "Edit the heading, then approve" },
  { keys: ["x"], act: "decline", title: "Decline" },
  { keys: ["u"], act: "undo", title: "Undo the last decision" },
  { keys: ["r"], act: "redo", title: "Redo what was undone last" },
  { keys: ["?"], act: "help", title: "These keys" },
  { keys: ["Escape"], act: "escape", title: "Back to the list" },
];

const TEXT_FIELDS = "input, textarea, select, [contenteditable]:not([contenteditable='false'])";

/** Returns what a key press means here, if anything. */
export function act_of(event: KeyboardEvent): ReviewAct | null {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return null;
  const target = event.target as HTMLElement | null;
  if (target?.closest(TEXT_FIELDS)) return null;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const act = KEYS.find((one) => one.keys.includes(key))?.act ?? null;
  // Arrows walk the list only from the list; elsewhere they scroll what is read. Enter presses the button it is on.
  const on_item = target?.closest("[data-operation]") != null;
  if (key.startsWith("Arrow") && !on_item) return null;
  if (act === "enter" && !on_item) return null;
  return act;
}

/** Writes a key the way its cap does. */
export function key_cap(key: string): string {
  const caps: Record<string, string> = { ArrowDown: "↓", ArrowUp: "↑", Escape: "Esc" };
  return caps[key] ?? (key.length === 1 ? key.toUpperCase() : key);
}
