// The head line of a callout, `[!type|meta]- Title`, read as the engine reads it.

import type { IconName } from "./icons";

export type CalloutKind = Exclude<IconName, "fold" | "copy" | "copied">;

export interface CalloutHead {
  kind: CalloutKind;
  /** `+`: it can be folded and is open; `-`: it can be folded and is folded. */
  fold: "+" | "-" | null;
  /** How much of the text the head takes, up to the title. */
  length: number;
  /** The title of a callout that was given none. */
  default_title: string;
}

const KINDS: Record<string, CalloutKind> = {
  abstract: "abstract",
  summary: "abstract",
  tldr: "abstract",
  info: "info",
  todo: "todo",
  tip: "tip",
  hint: "tip",
  important: "tip",
  success: "success",
  check: "success",
  done: "success",
  question: "question",
  help: "question",
  faq: "question",
  warning: "warning",
  caution: "warning",
  attention: "warning",
  failure: "failure",
  fail: "failure",
  missing: "failure",
  danger: "danger",
  error: "danger",
  bug: "bug",
  example: "example",
  quote: "quote",
  cite: "quote",
};

/** Every name that has a look of its own. */
export const CALLOUT_NAMES: string[] = ["note", ...Object.keys(KINDS)];

/** Returns the type that a written name stands for; a name nobody knows is a note. */
export function callout_kind(name: string): CalloutKind {
  return Object.hasOwn(KINDS, name) ? KINDS[name]! : "note";
}

/** Reads the head of a callout at the start of a text of one line. */
export function callout_head(text: string): CalloutHead | null {
  const match = /^\[!([^\]]*)\]([+-]?)(?=\s|$)\s*/.exec(text);
  const written = match?.[1]!.split("|")[0]!.trim().toLowerCase();
  if (!match || !written || /[[(<:]/.test(written)) return null;
  const spaced = written.replace(/[-_]/g, " ");
  return {
    kind: callout_kind(written),
    fold: match[2] === "" ? null : (match[2] as "+" | "-"),
    length: match[0].length,
    default_title: spaced[0]!.toUpperCase() + spaced.slice(1),
  };
}
