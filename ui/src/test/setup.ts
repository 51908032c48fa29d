// What jsdom lacks and the window uses.

import { cleanup, configure } from "@testing-library/svelte";
import { afterEach } from "vitest";

afterEach(() => {
  cleanup();
  localStorage.clear();
});

configure({
  // A failed look-up names what was looked for; the whole page would hide it.
  getElementError: (message) => new Error(message ?? "element not found"),
  // What is waited for comes at once; on a machine that does other things, at once is later.
  asyncUtilTimeout: 5000,
});

globalThis.CSS ??= {} as typeof CSS;
CSS.escape ??= (text: string) => text.replace(/[^\w-]/g, (sign) => `\\${sign}`);

// axe looks for fonts of icons on a canvas; there is none.
HTMLCanvasElement.prototype.getContext = () => null;

class QuietObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

globalThis.ResizeObserver ??= QuietObserver as unknown as typeof ResizeObserver;
globalThis.IntersectionObserver ??= QuietObserver as unknown as typeof IntersectionObserver;
window.matchMedia ??= ((query: string) => ({
  matches: false,
  media: query,
  onchange: null,
  addEventListener() {},
  removeEventListener() {},
  addListener() {},
  removeListener() {},
  dispatchEvent: () => false,
})) as unknown as typeof window.matchMedia;
Element.prototype.scrollIntoView ??= () => {};
Range.prototype.getClientRects ??= () => [] as unknown as DOMRectList;
Range.prototype.getBoundingClientRect ??= () => new DOMRect();
