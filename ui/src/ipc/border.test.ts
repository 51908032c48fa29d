// The house rules that a compiler does not know.

import { describe, expect, it } from "vitest";

const files = import.meta.glob<string>("../**/*.{ts,svelte}", { query: "?raw", import: "default", eager: true });
const sources = Object.entries(files).map(([path, text]) => [path.replace(/^\.\.\//, "").replace(/^\.\//, "ipc/"), text] as const);

describe("the page", () => {
  it("talks to the program through ipc alone", () => {
    expect(sources.filter(([path, text]) => !path.startsWith("ipc/") && /from ["']@tauri-apps|import\(["']@tauri-apps/.test(text)).map(([path]) => path)).toEqual([]);
  });

  it("knows the generated bindings in three places of ipc", () => {
    const importers = sources.filter(([, text]) => /["']\.{1,2}(?:\/ipc)?\/bindings["']/.test(text)).map(([path]) => path);
    expect(importers.sort()).toEqual(["ipc/engine.ts", "ipc/tauri.ts", "ipc/types.ts"]);
  });

  it("keeps the editor free of Svelte", () => {
    const in_editor = sources.filter(([path]) => path.startsWith("editor/") && !path.endsWith(".test.ts"));
    expect(in_editor.filter(([path, text]) => path.endsWith(".svelte") || /from ["']svelte|\.svelte["']/.test(text)).map(([path]) => path)).toEqual([]);
  });

  it("has components that a person can read in one go", () => {
    expect(sources.filter(([path, text]) => path.endsWith(".svelte") && text.split("\n").length > 300).map(([path]) => path)).toEqual([]);
  });
});
