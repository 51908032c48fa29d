import { describe, expect, it } from "vitest";
import { changes, hunks } from "./diff";

function apply(text: string, list: { from: number; to: number; insert: string }[]): string {
  let out = text;
  for (const change of [...list].reverse()) out = out.slice(0, change.from) + change.insert + out.slice(change.to);
  return out;
}

const PAIRS: [string, string][] = [
  ["", ""],
  ["", "a\n"],
  ["a", ""],
  ["a\nb\nc\n", "a\nB\nc\n"],
  ["a\nb\nc", "a\nc"],
  ["one two three", "one 2 three"],
  ["x\n", "x"],
  ["a\nb\n", "b\na\n"],
  ["see [[A#Old]] and [[A#Old]]\n", "see [[A#New]] and [[A#New]]\n"],
  ["naïve 🏔 café", "naïve 🏔🏔 cafés"],
];

describe("changes", () => {
  it.each(PAIRS)("turn %j into %j", (from, to) => {
    expect(apply(from, changes(from, to))).toBe(to);
    expect(apply(from, hunks(from, to))).toBe(to);
  });

  it("turn any text into any other", () => {
    let seed = 7;
    const random = (n: number) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % n;
    const word = () => ["ice ", "rock ", "\n", "stake\n", "é ", "a", "# "][random(7)]!;
    for (let n = 0; n < 400; n++) {
      const from = Array.from({ length: random(30) }, word).join("");
      const to = random(2) ? Array.from({ length: random(30) }, word).join("") : from.replace("ice", "snow").slice(random(3));
      expect(apply(from, changes(from, to))).toBe(to);
      expect(apply(from, hunks(from, to))).toBe(to);
    }
  });

  it("mark only the words that differ", () => {
    expect(changes("see the old table below\n", "see the new table below\n")).toEqual([{ from: 8, to: 11, insert: "new" }]);
  });

  it("give up on texts that have little in common, and are still right", () => {
    const from = Array.from({ length: 3000 }, (_, n) => `a${n}\n`).join("");
    const to = Array.from({ length: 3000 }, (_, n) => `b${n}\n`).join("");
    expect(apply(from, changes(from, to))).toBe(to);
  });
});
