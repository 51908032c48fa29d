import { describe, expect, it } from "vitest";
import { diff } from "../../ipc/fake/diff";
import type { DiffLine, Hunk } from "../../ipc/types";
import { rows_of } from "./beside";

const text = (line: DiffLine | null) => (line ? line.spans.map((span) => span.text).join("") : "·");
const rows = (hunk: Hunk) => rows_of(hunk).map((row) => `${text(row.old)} | ${text(row.new)}`);
const line = (kind: DiffLine["kind"], words: string): DiffLine => ({ kind, old_line: kind === "added" ? null : 1, new_line: kind === "removed" ? null : 1, spans: [{ text: words, changed: false }] });
const run = (removed: string[], added: string[]): Hunk => ({ lines: [...removed.map((one) => line("removed", one)), ...added.map((one) => line("added", one))] });

describe("two columns", () => {
  it("have a line beside what became of it, though others were put in before it", () => {
    expect(rows(run(["read the poles twice"], ["a new first line", "read the poles three times"]))).toEqual(["· | a new first line", "read the poles twice | read the poles three times"]);
  });

  it("have a line beside what became of it, though others were taken out before it", () => {
    expect(rows(run(["bring rope", "see the north hut", "leave at dawn"], ["leave before dawn"]))).toEqual(["bring rope | ·", "see the north hut | ·", "leave at dawn | leave before dawn"]);
  });

  it("have lines that share nothing in their order", () => {
    expect(rows(run(["one", "two"], ["alpha", "beta", "gamma"]))).toEqual(["one | alpha", "two | beta", "· | gamma"]);
  });

  it("have what did not change on both sides", () => {
    expect(rows({ lines: [line("context", "same"), line("added", "new"), line("context", "end")] })).toEqual(["same | same", "· | new", "end | end"]);
  });

  it.each([
    ["a\nb\nc", "a\nc\nd"],
    ["", "x\ny"],
    ["one two\nthree four\nfive six", "one 2\n\n\nfive 6\nthree 4"],
    ["q\n".repeat(150), "r s\n".repeat(150)],
  ])("lose no line and keep the order of both", (before, after) => {
    for (const hunk of diff(before, after, 1)) {
      const found = rows_of(hunk);
      expect(found.flatMap((row) => row.old ?? [])).toEqual(hunk.lines.filter((one) => one.kind !== "added"));
      expect(found.flatMap((row) => row.new ?? [])).toEqual(hunk.lines.filter((one) => one.kind !== "removed"));
    }
  });
});
