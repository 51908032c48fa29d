// Which way a text runs.

/** Scripts that run from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]|[\ud802\ud803\ud83a\ud83b]/;

/** Tells whether some of a text runs from right to left, so that its lines must be asked each for itself. */
export function runs_both_ways(text: string): boolean {
  return RIGHT_TO_LEFT.test(text);
}

/** The way of a text's first letter, as the Unicode algorithm for both ways has it (UAX 9, P2 and P3). */
export function direction_of(text: string): "ltr" | "rtl" {
  const first = /\p{L}/u.exec(text);
  return first && RIGHT_TO_LEFT.test(first[0]) ? "rtl" : "ltr";
}
