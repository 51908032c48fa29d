import { screen, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { settings } from "../../state/settings.svelte";
import { dialogs } from "../../state/window.svelte";
import { violations } from "../../test/axe";
import { open_window, press, settle } from "../../test/window";
import { show_fitting } from "./finding";

const dialog = () => screen.getByRole("dialog", { name: "Settings" });
const field = () => within(dialog()).getByRole<HTMLInputElement>("searchbox", { name: "Find a setting" });

async function open(): Promise<void> {
  await open_window();
  dialogs.settings = true;
  await settle();
}

async function find(text: string): Promise<void> {
  field().value = text;
  field().dispatchEvent(new Event("input", { bubbles: true }));
  await settle(2);
}

/** What is in sight: the headings, and the settings by their names. */
function shown(): string[] {
  const body = dialog().querySelector(".body")!;
  return [...body.querySelectorAll<HTMLElement>(":scope > *")].filter((one) => !one.hidden).map((one) => (one.querySelector("span")?.firstChild ?? one).textContent!.trim());
}

describe("the settings", () => {
  it("are found by name, by what is said below them and by what can be chosen", async () => {
    await open();
    expect(document.activeElement).toBe(field());
    await find("spell");
    expect(shown()).toEqual(["Notes", "Check spelling"]);
    await find("DICTIONARY");
    expect(shown()).toEqual(["Notes", "Check spelling"]);
    await find("dark");
    expect(shown()).toEqual(["Look", "Theme"]);
    expect(within(dialog()).getByText("1 setting")).toBeTruthy();
    expect(await violations(document.body)).toEqual([]);
    await find("");
    expect(shown().length).toBeGreaterThan(8);
  });

  it("are all there under a heading that fits", async () => {
    await open();
    await find("agents");
    expect(shown()).toEqual(["Agents", "Tell me of proposals"]);
    await find("look width");
    expect(shown()).toEqual(["Look", "Line width"]);
  });

  it("say that there is none", async () => {
    await open();
    await find("gravity");
    expect(dialog().textContent).toContain("Nothing here has “gravity” in it.");
    expect(dialog().querySelector<HTMLElement>(".body")!.hidden).toBe(true);
    expect(await violations(document.body)).toEqual([]);
    await find("line width");
    expect(shown()).toEqual(["Look", "Line width"]);
  });

  it("are set from what was found, and Tab stays in what is in sight", async () => {
    await open();
    await find("numbers");
    const line_numbers = within(dialog()).getByRole<HTMLInputElement>("switch", { name: /Line numbers/ });
    line_numbers.click();
    await settle();
    expect(settings.now.show_line_numbers).toBe(true);
    expect(shown()).toEqual(["Notes", "Line numbers"]);
    line_numbers.focus();
    press("Tab");
    expect(document.activeElement).toBe(field());
    press("Tab", { shiftKey: true });
    expect(document.activeElement).toBe(line_numbers);
  });
});

describe("a list of settings", () => {
  const body = document.createElement("div");
  body.innerHTML = "<h3>Vault</h3><p>Theme of this vault</p><h4>Snippets</h4><ul><li>wide tables</li><li>ink</li></ul><h4>Keys</h4><ul><li>Ctrl S</li></ul>";
  const left = () => [...body.querySelectorAll<HTMLElement>("*")].filter((one) => !one.closest("[hidden]")).map((one) => (one.tagName === "UL" ? "list" : one.textContent));

  it.each([
    ["wide", 1, ["Vault", "Snippets", "list", "wide tables"]],
    ["snippets", 2, ["Vault", "Snippets", "list", "wide tables", "ink"]],
    ["ctrl keys", 1, ["Vault", "Keys", "list", "Ctrl S"]],
    ["theme", 1, ["Vault", "Theme of this vault"]],
    ["nothing", 0, []],
    ["", 4, ["Vault", "Theme of this vault", "Snippets", "list", "wide tables", "ink", "Keys", "list", "Ctrl S"]],
  ])("is searched item by item: %j", (typed, n, expected) => {
    expect(show_fitting(body, typed)).toBe(n);
    expect(left()).toEqual(expected);
  });
});
