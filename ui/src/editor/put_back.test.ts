import { describe, expect, it } from "vitest";
import { diff } from "../ipc/fake/diff";
import { put_back } from "./put_back";

/** Puts the nth part of the difference between two texts back into a document; `refused` if it is not there. */
function put(old: string, compared: string, doc = compared, nth = 0): string {
  const changes = put_back(doc, compared, diff(old, compared)[nth]!);
  if (!changes) return "refused";
  return [...changes].reverse().reduce((text, { from, to, insert }) => text.slice(0, from) + insert + text.slice(to), doc);
}

describe("putting a part of a comparison back", () => {
  it.each([
    ["a changed line", "a\nold\nc\n", "a\nnew\nc\n", "a\nold\nc\n"],
    ["lines that were taken out", "a\nb\nc\nd\n", "a\nd\n", "a\nb\nc\nd\n"],
    ["lines that were put in", "a\nd\n", "a\nb\nc\nd\n", "a\nd\n"],
    ["two changes that stand close", "a\nb\nc\nd\n", "A\nb\nC\nd\n", "a\nb\nc\nd\n"],
    ["the first line", "one\ntwo\n", "two\n", "one\ntwo\n"],
    ["the last lines", "a\nb\nc\n", "a\n", "a\nb\nc\n"],
    ["an open end", "a\nb\nc", "a\nb", "a\nb\nc"],
    ["a changed open end", "a\nold", "a\nnew", "a\nold"],
    ["everything", "a\nb\n", "", "a\nb\n"],
  ])("puts %s back", (_what, old, compared, wanted) => expect(put(old, compared)).toBe(wanted));

  it("touches the one part only", () => {
    const old = "a\n1\n2\n3\n4\nz\n";
    const compared = "A\n1\n2\n3\n4\nZ\n";
    expect(put(old, compared, compared, 0)).toBe("a\n1\n2\n3\n4\nZ\n");
    expect(put(old, compared, compared, 1)).toBe("A\n1\n2\n3\n4\nz\n");
  });

  it("finds the part where text was written around it", () => {
    const doc = "Before.\n\na\nnew\nc\nAfter.\n";
    expect(put("a\nold\nc\n", "a\nnew\nc\n", doc)).toBe("Before.\n\na\nold\nc\nAfter.\n");
  });

  it("knows which of two like places it is", () => {
    const old = "x\nold\ny\n\nx\nnew\ny\n";
    const compared = "x\nnew\ny\n\nx\nnew\ny\n";
    expect(put(old, compared, `First.\n${compared}`)).toBe(`First.\n${old}`);
  });

  it("finds a part that was moved as a whole, unless it stands there twice", () => {
    const compared = "a\nnew\nc\n\nsome\nmore\nlines\n";
    const moved = "some\nmore\nlines\n\na\nnew\nc\n";
    expect(put("a\nold\nc\n\nsome\nmore\nlines\n", compared, moved)).toContain("a\nold\nc\n");
    expect(put("a\nold\nc\n", "a\nnew\nc\n", "Q\na\nnew\nc\nQ\na\nnew\nc\nQ\n")).toMatch(/refused|old/);
  });

  it.each([
    ["its lines were changed since", "a\nnewer\nc\n"],
    ["the line above was changed since", "A\nnew\nc\n"],
    ["words were put in front of the line above", "then a\nnew\nc\n"],
    ["the line below went on", "a\nnew\nc and more\n"],
    ["nothing of it is left", "Else.\n"],
    ["the note is empty", ""],
  ])("is refused where %s", (_why, doc) => expect(put("a\nold\nc\n", "a\nnew\nc\n", doc)).toBe("refused"));

  it("is refused when the comparison is of another text", () => {
    const [hunk] = diff("a\nold\nc\n", "a\nnew\nc\n");
    expect(put_back("z\nnew\nc\n", "z\nnew\nc\n", hunk!)).toBeNull();
  });

  it("does not take an empty line for a place", () => {
    expect(put("1\n\nold\n\n2\n", "1\n\n\n2\n", "Quite\n\n\nanother.\n")).toBe("refused");
  });
});
