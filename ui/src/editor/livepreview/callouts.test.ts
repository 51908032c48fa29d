import { describe, expect, it } from "vitest";
import { callout_head } from "./callouts";

describe("the head of a callout", () => {
  it.each([
    ["[!tip] Do this", "tip", null, "Do this", "Tip"],
    ["[!FAQ]- Folded", "question", "-", "Folded", "Faq"],
    ["[!info|wide]+", "info", "+", "", "Info"],
    ["[!my-own_kind] x", "note", null, "x", "My own kind"],
    ["[!constructor] x", "note", null, "x", "Constructor"],
    ["[!warning]\u00a0x", "warning", null, "x", "Warning"],
  ])("of %j", (text, kind, fold, title, default_title) => {
    const head = callout_head(text)!;
    expect([head.kind, head.fold, text.slice(head.length), head.default_title]).toEqual([kind, fold, title, default_title]);
  });
  it.each(["[!tip]x", "[!]", "[tip] x", "[![a](b)] x", " [!tip]"])("is not %j", (text) => expect(callout_head(text)).toBeNull());
});
