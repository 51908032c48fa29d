import { afterEach, describe, expect, it } from "vitest";
import { focus_pane } from "./panes";

const frame = () => new Promise((resolve) => requestAnimationFrame(() => resolve(undefined)));
const settled = () => new Promise((resolve) => setTimeout(resolve));

function pane(): HTMLElement {
  document.body.innerHTML = `
    <aside data-pane="right"><button id="tab">History</button><div role="status" aria-label="Loading the history"></div></aside>
    <button id="elsewhere">Elsewhere</button>`;
  return document.querySelector("aside")!;
}

function load(within: HTMLElement): void {
  within.querySelector('[role="status"]')!.outerHTML = '<button id="row" data-pane-focus tabindex="0">A version</button>';
}

afterEach(() => void (document.body.innerHTML = ""));

describe("a pane that still loads", () => {
  it("gives the keyboard to what it shows as soon as that is there", async () => {
    const within = pane();
    focus_pane("right");
    await frame();
    expect(document.activeElement?.id).toBe("tab");
    load(within);
    await settled();
    expect(document.activeElement?.id).toBe("row");
  });

  it("leaves the keyboard where a person took it meanwhile", async () => {
    const within = pane();
    focus_pane("right");
    await frame();
    document.getElementById("elsewhere")!.focus();
    load(within);
    await settled();
    expect(document.activeElement?.id).toBe("elsewhere");
  });
});
