// Where the keyboard goes in a flat list of rows that is a tree.

/** Returns the place of the row above that a row belongs to. */
export function parent_of(rows: { level: number }[], at: number): number | undefined {
  for (let up = at - 1; up >= 0; up--) if (rows[up]!.level < rows[at]!.level) return up;
  return undefined;
}

/** Returns the place that a key leads to in a list of `n` rows, whatever they are to each other. */
export function step(key: string, at: number, n: number, page: number): number | undefined {
  return { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: n - 1, PageDown: at + page, PageUp: at - page }[key];
}

/** Finds rows by their first letters, as they are typed one after the other. */
export class TypeAhead {
  #typed = "";
  #clock: ReturnType<typeof setTimeout> | undefined;

  /** Takes a letter; returns the place of the next row that begins with what was typed. */
  find(letter: string, names: string[], at: number): number | undefined {
    clearTimeout(this.#clock);
    this.#clock = setTimeout(() => (this.#typed = ""), 700);
    this.#typed += letter.toLowerCase();
    // The same letter again means the next one.
    const same = [...this.#typed].every((one) => one === this.#typed[0]);
    const wanted = same ? this.#typed[0]! : this.#typed;
    for (let n = same ? 1 : 0; n <= names.length; n++) {
      const to = (at + n) % names.length;
      if (names[to]!.toLowerCase().startsWith(wanted)) return to;
    }
    return undefined;
  }
}
