import { describe, expect, it } from "vitest";
import { diff } from "../../ipc/fake/diff";
import type { DiffLine, FileReview, Hunk } from "../../ipc/types";
import { blocks_of, capped, changed_lines, grouped, n_lines, number_width, opened, smoothed } from "./hunks";

const line = (n: number): DiffLine => ({ kind: "context", old_line: n, new_line: n, spans: [] });
const hunk = (n: number, from = 1): Hunk => ({ lines: Array.from({ length: n }, (_, at) => line(from + at)) });
const file = (path: string, n: number, link_repair = false): FileReview => ({
  path,
  link_repair,
  n_links: 1,
  has_change: !link_repair,
  creates: false,
  deletes: false,
  hunks: [hunk(n)],
});

describe("a long diff", () => {
  it("is shown whole when a button would save nothing", () => expect(n_lines(capped([hunk(100), hunk(24)], 100))).toBe(124));
  it("is capped inside a hunk", () => expect(capped([hunk(80), hunk(80)], 100).map((one) => one.lines.length)).toEqual([80, 20]));
  it("drops what lies wholly behind the cap", () => expect(capped([hunk(100), hunk(100)], 100)).toHaveLength(1));
  it("is cut into blocks without losing a line", () => {
    const blocks = blocks_of(hunk(125));
    expect(blocks.map((block) => block.length)).toEqual([60, 60, 5]);
    expect(blocks.flat()).toEqual(hunk(125).lines);
  });
  it("makes room for its largest number", () => {
    expect(number_width([hunk(3)])).toBe(2);
    expect(number_width([hunk(3, 9998)])).toBe(5);
  });
});

describe("files", () => {
  const files = [file("links.md", 3, true), file("lead.md", 3)];
  it("are grouped with the change first", () => {
    expect(grouped(files).changes.map((one) => one.path)).toEqual(["lead.md"]);
    expect(grouped(files).repairs.map((one) => one.path)).toEqual(["links.md"]);
  });
  it("start folded beyond what can be read at once", () => {
    expect(opened([file("a", 900), file("b", 10), file("c", 10)])).toEqual([true, false, false]);
    expect(opened([file("a", 10), file("b", 10)])).toEqual([true, true]);
  });
});

describe("changed words", () => {
  it("read as one phrase across a space", () => {
    expect(
      smoothed([
        { text: "## ", changed: false },
        { text: "Old", changed: true },
        { text: " ", changed: false },
        { text: "instruments", changed: true },
      ]),
    ).toEqual([
      { text: "## ", changed: false },
      { text: "Old instruments", changed: true },
    ]);
  });
  it("keep a space that nothing changed around", () => {
    const spans = [
      { text: "a", changed: true },
      { text: " b ", changed: false },
    ];
    expect(smoothed(spans)).toEqual(spans);
  });
  it("are counted by line", () => {
    expect(changed_lines(diff("a\nb\nc", "a\nB\nc\nd"))).toEqual({ added: 2, removed: 1 });
  });
});

describe("the in-memory diff", () => {
  const shown = (before: string, after: string) =>
    diff(before, after, 1).map((one) =>
      one.lines.map((each) => `${{ context: " ", removed: "-", added: "+" }[each.kind]}${each.spans.map((span) => (span.changed ? `<${span.text}>` : span.text)).join("")}`),
    );
  it("marks the words that differ", () => {
    expect(shown("# N\n\n## Old name\n\ntext", "# N\n\n## New name\n\ntext")).toEqual([[" ", "-## <Old> name", "+## <New> name", " "]]);
  });
  it("is empty for equal texts", () => expect(shown("a\nb", "a\nb")).toEqual([]));
  it("splits what lies far apart", () => expect(shown("1\n2\n3\n4\n5\n6\n7", "x\n2\n3\n4\n5\n6\ny")).toHaveLength(2));
});
