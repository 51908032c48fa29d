import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { forget_webs_undo, one_undo } from "./one_undo";

function shown() {
  const forget = vi.fn();
  const view = new EditorView({ state: EditorState.create({ doc: "a", extensions: one_undo(forget) }), parent: document.body });
  const type = () => view.dispatch({ changes: { from: 0, insert: "x" } });
  return { view, forget, type };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("the web view's own undo", () => {
  it("is forgotten when a note that was written in is closed, and once only", () => {
    const { view, forget, type } = shown();
    type();
    type();
    view.destroy();
    expect(forget).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(100_000);
    expect(forget).toHaveBeenCalledTimes(1);
  });

  it("is left alone when the note was only read", () => {
    const { view, forget } = shown();
    view.dispatch({ selection: { anchor: 1 } });
    vi.advanceTimersByTime(100_000);
    view.destroy();
    expect(forget).not.toHaveBeenCalled();
  });

  it("is forgotten now and then while the note stays open", () => {
    const { view, forget, type } = shown();
    for (let second = 0; second < 100; second++) {
      type();
      vi.advanceTimersByTime(1000);
    }
    expect(forget).toHaveBeenCalledTimes(3);
    view.destroy();
  });

  it("waits for an input method", () => {
    const { view, forget, type } = shown();
    const composing = vi.spyOn(view, "composing", "get").mockReturnValue(true);
    type();
    vi.advanceTimersByTime(70_000);
    expect(forget).not.toHaveBeenCalled();
    composing.mockReturnValue(false);
    vi.advanceTimersByTime(30_000);
    expect(forget).toHaveBeenCalledTimes(1);
    view.destroy();
  });
});

describe("forgetting", () => {
  it.each([
    ["Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/60.5 Safari/605.1.15", 1],
    ["Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0", 0],
  ])("in %s takes %i frames, and leaves none", (agent, n) => {
    vi.spyOn(navigator, "userAgent", "get").mockReturnValue(agent);
    const append = vi.spyOn(document.body, "append");
    forget_webs_undo();
    expect(append).toHaveBeenCalledTimes(n);
    expect(document.querySelector("iframe")).toBeNull();
  });
});
