import { describe, expect, it } from "vitest";
import { matched } from "./matched";

describe("what of a title was asked for", () => {
  it.each([
    ["Kit list", "list", "Kit [list]"],
    ["Kit list", "LIST ki", "[Ki]t [list]"],
    ["Kit list", "kl", "[K]it [l]ist"],
    ["Commercial license", "call", "[C]ommerci[al] [l]icense"],
    ["Çédille", "ced", "[Çéd]ille"],
    ["Über uns", "uber", "[Über] uns"],
    ["😀 Smile", "smi", "😀 [Smi]le"],
    ["Kit list", "", "Kit list"],
    ["Kit list", "  ", "Kit list"],
    ["Kit list", "zebra", "Kit list"],
    ["", "a", ""],
  ])("%s for %j", (title, typed, wanted) => {
    expect(matched(title, typed).map(({ text, hit }) => (hit ? `[${text}]` : text)).join("")).toBe(wanted);
  });
});
