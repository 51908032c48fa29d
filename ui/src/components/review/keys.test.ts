import { afterEach, describe, expect, it } from "vitest";
import { act_of, KEYS, key_cap } from "./keys";

function press(key: string, on: HTMLElement, more: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  on.dispatchEvent(event);
  return event;
}

function element(html: string): HTMLElement {
  document.body.innerHTML = html;
  return document.body.querySelector<HTMLElement>("[data-here]") ?? (document.body.firstElementChild as HTMLElement);
}

afterEach(() => {
  document.body.innerHTML = "";
});

describe("keys of the review", () => {
  it.each(KEYS.flatMap((key) => key.keys.map((one) => [one, key.act] as const)))("%s on a card means %s", (key, act) => {
    expect(act_of(press(key, element("<button data-operation='1'></button>")))).toBe(act);
  });

  it("take capital letters too", () => {
    expect(act_of(press("A", element("<div></div>"), { shiftKey: true }))).toBe("approve");
  });

  it.each(["<input>", "<textarea></textarea>", "<select></select>", "<div contenteditable='true'><b data-here></b></div>"])("never work in %s", (html) => {
    for (const key of ["a", "x", "j", "?", "Enter"]) expect(act_of(press(key, element(html)))).toBeNull();
  });

  it("leave the window's own keys alone", () => {
    const on = element("<div></div>");
    expect(act_of(press("a", on, { ctrlKey: true }))).toBeNull();
    expect(act_of(press("a", on, { metaKey: true }))).toBeNull();
    expect(act_of(press("a", on, { altKey: true }))).toBeNull();
  });

  it("let Enter press a button and the arrows scroll what is read", () => {
    const on = element("<button></button>");
    expect(act_of(press("Enter", on))).toBeNull();
    expect(act_of(press("ArrowDown", on))).toBeNull();
  });

  it("are written as on their caps", () => {
    expect(["a", "ArrowDown", "Escape", "]"].map(key_cap)).toEqual(["A", "↓", "Esc", "]"]);
  });
});
