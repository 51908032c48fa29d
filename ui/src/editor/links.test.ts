import { describe, expect, it } from "vitest";
import { footnote_at, let_go_without_pasting, link_at, of_destination } from "./links";

describe("link_at", () => {
  const cases: [line: string, at: string, found: unknown][] = [
    ["see [[Note]] here", "ote", { kind: "internal", target: "Note" }],
    ["see [[Note#Head|shown]] here", "shown", { kind: "internal", target: "Note#Head" }],
    ["![[Note#^block]]", "block", { kind: "internal", target: "Note#^block" }],
    ["a [text](Some%20note.md#Head) b", "text", { kind: "internal", target: "Some note.md#Head" }],
    ["a [text](<Some note.md>) b", "text", { kind: "internal", target: "Some note.md" }],
    ["a [text](https://example.org/x) b", "text", { kind: "external", url: "https://example.org/x" }],
    ["a [text](javascript:alert(1)) b", "text", null],
    ["go to https://example.org/a, now", "example", { kind: "external", url: "https://example.org/a" }],
    ["<mailto:a@example.org>", "mailto", { kind: "external", url: "mailto:a@example.org" }],
    ["[June](obsidian://open?vault=a%20b&file=June)", "June", { kind: "vault_link", url: "obsidian://open?vault=a%20b&file=June" }],
    ["<vidimus://open?vault=v>", "open", { kind: "vault_link", url: "vidimus://open?vault=v" }],
    ["at vidimus://open?vault=v&file=a, now", "open", { kind: "vault_link", url: "vidimus://open?vault=v&file=a" }],
    ["a [x](zotero://select/1)", "select", null],
    ["see [[Note]] here", "here", null],
    ["[[broken", "broken", null],
  ];
  it.each(cases)("in %j at %j", (line, at, found) => expect(link_at(line, line.indexOf(at))).toEqual(found));
});

describe("of_destination", () => {
  it.each([
    ["file:///etc/passwd", null],
    ["a%", { kind: "internal", target: "a%" }],
    ["HTTPS://EXAMPLE.ORG", { kind: "external", url: "HTTPS://EXAMPLE.ORG" }],
  ])("reads %j", (destination, link) => expect(of_destination(destination)).toEqual(link));
});

describe("the middle button over a link", () => {
  it("pastes nothing when it is let go, and pastes again the next time", async () => {
    const paste = () => {
      const event = new Event("paste", { bubbles: true, cancelable: true });
      document.body.dispatchEvent(event);
      return event.defaultPrevented;
    };
    let_go_without_pasting();
    document.body.dispatchEvent(new MouseEvent("mouseup", { bubbles: true, button: 1 }));
    expect(paste()).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(paste()).toBe(false);
  });
});

describe("a footnote", () => {
  const text = "a[^1] b[^n]\n\n[^1]: one\n[^n]: two\n";
  it.each([
    ["a[^1] b[^n]", 2, text.indexOf(": one") + 1],
    ["a[^1] b[^n]", 9, text.indexOf(": two") + 1],
    ["[^1]: one", 2, 5],
    ["[^n]: two", 1, 11],
    ["a[^1] b[^n]", 0, null],
    ["[^none]", 2, null],
  ])("in %j at %i leads to %j", (line, column, to) => expect(footnote_at(text, line, column)).toBe(to));
});
