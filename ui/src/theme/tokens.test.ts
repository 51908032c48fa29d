import css from "./tokens.css?raw";
import { describe, expect, it } from "vitest";


function tokens(selector: string): Record<string, string> {
  const start = css.indexOf(`\n${selector} {`);
  const block = css.slice(start, css.indexOf("}", start));
  return Object.fromEntries([...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g)].map((m) => [m[1]!, m[2]!]));
}

function luminance(hex: string): number {
  const part = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
}

function contrast(a: string, b: string): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light! + 0.05) / (dark! + 0.05);
}

const GROUNDS = ["bg", "surface", "raised"];
const TEXT: [text: string, on: string[]][] = [
  ["text", [...GROUNDS, "hover", "selected", "seal-bg", "link-bg", "warn-bg", "rem-bg", "add-bg", "code-bg", "selection", "match-bg"]],
  ["muted", [...GROUNDS, "hover", "selected", "code-bg"]],
  ["seal", [...GROUNDS, "hover", "seal-bg"]],
  ["on-seal", ["seal", "seal-hover"]],
  ["link", [...GROUNDS, "hover", "selected", "link-bg", "code-bg"]],
  ["add", [...GROUNDS, "add-bg"]],
  ["rem", [...GROUNDS, "rem-bg"]],
  ["warn", [...GROUNDS, "warn-bg", "code-bg"]],
  ["teal", [...GROUNDS, "teal-bg", "code-bg"]],
  ["violet", [...GROUNDS, "violet-bg", "code-bg"]],
];
/** Icons, the edges of controls and other lines that carry meaning. */
const MARKS: [mark: string, on: string[]][] = [
  ["faint", GROUNDS],
  ["seal", [...GROUNDS, "selected"]],
  ["link", GROUNDS],
];

describe.each([
  ["light", tokens(":root")],
  ["dark", { ...tokens(":root"), ...tokens(':root[data-theme="dark"]') }],
])("%s tokens", (_, found) => {
  it.each(TEXT.flatMap(([text, on]) => on.map((ground) => [text, ground] as const)))("%s reads well on %s", (text, ground) => {
    expect(contrast(found[text]!, found[ground]!)).toBeGreaterThanOrEqual(4.5);
  });

  it.each(MARKS.flatMap(([mark, on]) => on.map((ground) => [mark, ground] as const)))("%s is seen on %s", (mark, ground) => {
    expect(contrast(found[mark]!, found[ground]!)).toBeGreaterThanOrEqual(3);
  });
});

describe("the tokens", () => {
  it("are the same in light and dark", () => {
    expect(Object.keys(tokens(':root[data-theme="dark"]')).sort()).toEqual(Object.keys(tokens(":root")).sort());
  });
});
