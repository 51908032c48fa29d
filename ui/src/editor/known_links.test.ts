import { describe, expect, it } from "vitest";
import { open_note, open_window, settle } from "../test/window";

const missing = () => [...document.querySelectorAll(".cm-drawn-link.is-missing")].map((one) => one.textContent);

describe("links that lead nowhere", () => {
  it("look so, until a note of that name comes", async () => {
    const fake = await open_window({ notes: new Map([["A.md", "see [[There]], [[Nowhere|x]] and [y](Gone.md)\n"], ["There.md", ""]]), operations: [] });
    await open_note("A.md");
    await new Promise((resolve) => setTimeout(resolve, 120));
    await settle();
    expect(missing()).toEqual(["x", "y"]);
    await fake.create_note("Nowhere.md");
    await new Promise((resolve) => setTimeout(resolve, 120));
    await settle();
    expect(missing()).toEqual(["y"]);
  });
});
