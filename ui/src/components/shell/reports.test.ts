import { render, screen, within } from "@testing-library/svelte";
import { EditorView } from "@codemirror/view";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EngineError } from "../../ipc/engine";
import { fresh, expect_accessible, open_note, open_window, settle } from "../../test/window";
import { notes } from "../../state/notes.svelte";
import { reports } from "../../state/reports.svelte";
import { toasts } from "../../state/toasts.svelte";
import Broken from "./Broken.test.svelte";

const bar = () => screen.queryByText(/Something went wrong in Vidimus/)?.textContent ?? null;

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));
afterEach(() => void vi.restoreAllMocks());

/** Lets the page hear of an error as a web view tells it. */
function throws(error: unknown): void {
  window.onerror?.(String(error), "index.js", 1, 2, error as Error);
}

describe("an error in the page", () => {
  it("is taken down and told of quietly; the report is read, copied and dismissed", async () => {
    const fake = await open_window();
    expect(bar()).toBeNull();
    throws(new TypeError("undefined is not an object"));
    await settle();
    expect(bar()).toBe("Something went wrong in Vidimus. A report of it stays on this computer.");
    await expect_accessible();
    screen.getByRole("button", { name: "Show report" }).click();
    await settle();
    const dialog = screen.getByRole("dialog", { name: "Report" });
    expect(within(dialog).getByRole("region", { name: "Text of the report" }).textContent).toContain("TypeError: undefined is not an object");
    expect(dialog.textContent).toContain("The files are in /home/you/.local/share/vidimus/reports.");
    await expect_accessible();
    const copied = vi.fn(async () => undefined);
    vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText: copied } });
    within(dialog).getByRole("button", { name: "Copy report" }).click();
    await settle();
    vi.unstubAllGlobals();
    expect(copied).toHaveBeenCalledWith(fake.report_list[0]!.text.trimEnd());
    within(dialog).getByRole("button", { name: "Dismiss" }).click();
    await settle();
    expect([bar(), screen.queryByRole("dialog"), fake.report_list]).toEqual([null, null, []]);
  });

  it("is told once, and a flood of them is a few", async () => {
    const fake = await open_window();
    const same = new Error("again");
    for (let n = 0; n < 3; n++) throws(same);
    await settle();
    expect(fake.report_list).toHaveLength(1);
    for (let n = 0; n < 30; n++) throws(new Error(`error ${n}`));
    await settle();
    expect(fake.report_list).toHaveLength(10);
    expect(bar()).toContain("10 reports of it stay");
  });

  it.each([
    ["a promise that nobody waits for", () => window.dispatchEvent(Object.assign(new Event("unhandledrejection"), { reason: new RangeError("no such line") })), "RangeError: no such line"],
    ["something that is no error", () => throws("just words"), "just words"],
    ["what the program refused", () => throws(new EngineError("not_found", "note not found: `secret.md`")), null],
    ["what was called off", () => throws(new DOMException("called off", "AbortError")), null],
    ["a layout that takes two turns", () => throws("ResizeObserver loop completed with undelivered notifications."), null],
  ])("may be %s", async (_, act, said) => {
    const fake = await open_window();
    act();
    await settle();
    if (said === null) expect(fake.report_list).toEqual([]);
    else expect(fake.report_list[0]!.text).toContain(said);
  });

  it("within the editor is heard, too", async () => {
    const fake = await open_window();
    await open_note("Expedition/Kit list.md");
    const view = notes.documents.get("Expedition/Kit list.md")!.view!;
    const { logException } = await import("@codemirror/view");
    logException(view.state, new Error("a plugin broke"), "update");
    await settle();
    expect(view).toBeInstanceOf(EditorView);
    expect(fake.report_list[0]!.text).toContain("a plugin broke");
  });

  it("in one part of the window leaves the others, and that part can be shown again", async () => {
    const fake = fresh();
    const stop = reports.start();
    render(Broken);
    await settle();
    expect(screen.getByRole("alert").textContent).toContain("The sidebar cannot be shown");
    expect(screen.getByText("The rest")).toBeTruthy();
    expect(fake.report_list[0]!.text).toContain("broken on purpose");
    screen.getByRole("button", { name: "Show it again" }).click();
    await settle();
    expect(screen.getByText("It is back")).toBeTruthy();
    stop();
  });
});

describe("reports of the last time", () => {
  it("are told of at the start, with no vault open, too", async () => {
    const fake = fresh({ open: false });
    fake.report_list = [{ path: "C:\\Users\\you\\vidimus\\reports\\1.unseen.txt", text: "Vidimus 0.1.0\n\nindex out of bounds\n" }];
    render((await import("../../App.svelte")).default);
    await settle(12);
    expect(bar()).toContain("A report of it stays");
    await expect_accessible();
    fake.refuse.set("dismiss_reports", new EngineError("internal", "the disk is full"));
    screen.getByRole("button", { name: "Dismiss" }).click();
    await settle();
    expect(toasts.list.at(-1)?.message).toBe("The disk is full");
  });
});
