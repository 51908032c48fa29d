import { cleanup, render, screen, waitFor, within } from "@testing-library/svelte";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { EngineError, use_engine } from "../../ipc/engine";
import { FakeEngine } from "../../ipc/fake";
import type { OperationView } from "../../ipc/types";
import { operations } from "../../state/operations.svelte";
import { violations } from "../../test/axe";
import ReviewPane from "./ReviewPane.svelte";

const STALE = "Todo → Before departure";
const SURVEY = "Old instruments → Instruments of 2025";
const CAMPS = "Camps → Camps and caches";

let fake: FakeEngine;

function reset(): void {
  operations.select(null);
  operations.list = [];
  operations.phase = "loading";
  operations.failure = null;
  operations.said = "";
  operations.before_decision = async () => {};
}

async function open(engine = new FakeEngine()): Promise<void> {
  fake = engine;
  use_engine(fake);
  reset();
  render(ReviewPane, { on_open: vi.fn() });
  await operations.load();
  if (operations.waiting.length > 0) await waitFor(() => heading());
}

const heading = () => screen.getByRole("heading", { level: 2, name: /→|All reviewed|Nothing waits|together/ });
const shows = (title: string) => waitFor(() => expect(heading().textContent).toBe(title));
const press = (key: string, more: KeyboardEventInit = {}) =>
  document.activeElement!.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));

async function to(title: string): Promise<void> {
  press("j");
  await shows(title);
}

describe("the queue", () => {
  beforeEach(() => open());

  it("answers who, what, how far and whether it still fits, in one card", () => {
    const cards = within(screen.getByRole("list", { name: "Waiting for your decision" })).getAllByRole("button");
    expect(cards).toHaveLength(3);
    const words = cards[1]!.textContent!.replace(/\s+/g, " ");
    for (const word of ["Claude Code", "2 min ago", "Ready", "Old instruments", "becomes", "Instruments of 2025", "Glacier survey", "12 links in 5 notes, 1 canvas"]) {
      expect(words).toContain(word);
    }
    expect(cards[0]!.textContent).toContain("Changed since");
  });

  it("folds what was decided to one line with its Undo", () => {
    const row = within(screen.getByRole("list", { name: "Decided" })).getAllByRole("listitem")[0]!;
    expect(row.textContent).toContain("Approved · Outlook → Next season");
    expect(within(row).getByRole("button", { name: /^Undo/ })).toBeTruthy();
  });

  it("is one stop for Tab", () => {
    const items = document.querySelectorAll("[data-operation]");
    expect([...items].filter((item) => item.getAttribute("tabindex") === "0")).toHaveLength(1);
  });

  it("takes the focus to the selected card when a person arrives", async () => {
    await waitFor(() => expect(document.activeElement?.getAttribute("aria-current")).toBe("true"));
  });
});

describe("the detail", () => {
  beforeEach(() => open());

  it("shows the reason, the four counts and every changed line by file", async () => {
    await to(SURVEY);
    const detail = screen.getByRole("region", { name: `Changes of ${SURVEY}` });
    expect(detail.textContent).toContain("says nothing to a reader next year");
    const counts = [...detail.querySelectorAll("dl > div")].map((one) => one.textContent);
    expect(counts).toEqual(["links follow 12", "notes change 5", "canvas changes 1", "left behind 0"]);
    const files = [...detail.querySelectorAll(".file .name")].map((name) => name.textContent);
    expect(files[0]).toBe("Expedition/Glacier survey.md");
    expect(files).toHaveLength(6);
    expect(detail.textContent).toContain("Links that follow");
  });

  it("says removed and added in words and signs, not by colour alone", async () => {
    await to(SURVEY);
    const line = document.querySelector(".line.removed")!;
    expect(line.querySelector(".glyph")!.textContent).toBe("−");
    expect(line.querySelector("code")!.textContent).toBe("Removed, line 38: ## Old instruments");
    expect(line.querySelector("del")!.textContent).toBe("Old instruments");
    expect(document.querySelector(".line.added ins")!.textContent).toBe("Instruments of 2025");
  });

  it("says of other kinds what they do, without links that could follow", async () => {
    const engine = new FakeEngine({ operations: [] });
    const [first] = new FakeEngine().operation_list;
    const summary = { ...first!.summary, old_heading: null, new_heading: null, level: null, line: null, n_links: 0, n_notes: 0 };
    engine.operation_list = [{ ...first!, kind: "set_properties", summary }];
    vi.spyOn(engine, "review").mockImplementation(async () => ({
      operation: engine.operation_list[0]!,
      digest: "1",
      warnings: [],
      files: [{ path: first!.path, link_repair: false, n_links: 0, has_change: true, creates: false, deletes: false, hunks: [] }],
    }));
    cleanup();
    use_engine(engine);
    fake = engine;
    reset();
    render(ReviewPane, { on_open: vi.fn() });
    await operations.load();
    const detail = await screen.findByRole("region", { name: "Changes of Set properties of Glacier survey" });
    await waitFor(() => expect(detail.querySelector(".file .part")?.textContent).toBe("properties"));
    expect([...detail.querySelectorAll("dl > div")].map((one) => one.textContent)).toEqual(["file changes 1", "warnings 0"]);
    const card = within(screen.getByRole("list", { name: "Waiting for your decision" })).getByRole("button");
    expect(card.textContent).toContain("Set properties of Glacier survey");
    expect(card.textContent).toContain("this note only");
    expect(document.querySelector(".review")!.textContent).not.toMatch(/no links to it|links follow|heading|Text of/);
  });

  it("says before the click that the notes changed", () => {
    expect(screen.getByRole("region", { name: `Changes of ${STALE}` }).textContent).toContain("The notes changed since this was proposed");
  });

  it("folds a file", async () => {
    const fold = document.querySelector<HTMLButtonElement>(".file button[aria-expanded]")!;
    fold.click();
    await waitFor(() => expect(fold.getAttribute("aria-expanded")).toBe("false"));
    expect(document.getElementById(fold.getAttribute("aria-controls")!)!.hidden).toBe(true);
  });
});

describe("keys", () => {
  beforeEach(() => open());

  it("walk the queue and the changes", async () => {
    await to(SURVEY);
    press("]");
    const first = document.activeElement as HTMLElement;
    expect(first.getAttribute("aria-label")).toBe("Lines 37 to 39 of Expedition/Glacier survey.md");
    press("]");
    expect(document.activeElement).not.toBe(first);
    press("[");
    expect(document.activeElement).toBe(first);
    press("k");
    await shows(STALE);
  });

  it("approve, and bring the next one with the focus on its card", async () => {
    await to(SURVEY);
    press("a");
    await shows(CAMPS);
    expect(fake.notes.get("Expedition/Glacier survey.md")).toContain("## Instruments of 2025");
    await waitFor(() => expect(document.activeElement?.textContent).toContain("Camps and caches"));
    expect(screen.getByText(/Approved: Old instruments/).getAttribute("role")).toBe("status");
  });

  it("do not decide twice while a key is held down", async () => {
    await to(SURVEY);
    const approve = vi.spyOn(fake, "approve");
    press("a", { repeat: true });
    expect(approve).not.toHaveBeenCalled();
  });

  it("decline with a word back, and never while it is typed", async () => {
    await to(SURVEY);
    press("x");
    const field = await screen.findByLabelText(/A word back to Claude Code/);
    expect(document.activeElement).toBe(field);
    const approve = vi.spyOn(fake, "approve");
    press("a");
    expect(approve).not.toHaveBeenCalled();
    (field as HTMLTextAreaElement).value = "keep it until spring";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    press("Enter");
    await shows(CAMPS);
    expect(fake.operation_list.find((one) => one.summary.old_heading === "Old instruments")?.comment).toBe("keep it until spring");
  });


  it("put a form away and return the focus to the changes", async () => {
    await to(SURVEY);
    press("e");
    const field = await screen.findByLabelText("New heading");
    await waitFor(() => expect(document.activeElement).toBe(field));
    press("Escape");
    await waitFor(() => expect(screen.queryByLabelText("New heading")).toBeNull());
    expect(document.activeElement?.getAttribute("role")).toBe("region");
  });

  it("undo the last decision", async () => {
    await to(SURVEY);
    press("a");
    await shows(CAMPS);
    press("u");
    await waitFor(() => expect(fake.notes.get("Expedition/Glacier survey.md")).toContain("## Old instruments"));
    expect(await screen.findByRole("button", { name: "Redo Old instruments → Instruments of 2025" })).toBeTruthy();
    await waitFor(() => expect(operations.busy).toBeNull());
    press("r");
    await waitFor(() => expect(fake.notes.get("Expedition/Glacier survey.md")).toContain("## Instruments of 2025"));
    const undo = await screen.findByRole("button", { name: "Undo Old instruments → Instruments of 2025" });
    expect(undo.parentElement?.textContent).toContain("Approved");
    await waitFor(() => expect(operations.busy).toBeNull());
    undo.click();
    await waitFor(() => expect(fake.notes.get("Expedition/Glacier survey.md")).toContain("## Old instruments"));
  });

  it("do again what was undone, beside what it did", async () => {
    await to(SURVEY);
    press("a");
    await shows(CAMPS);
    press("u");
    const row = await screen.findByRole("button", { name: "Undone · Old instruments → Instruments of 2025" });
    row.click();
    const redo = await screen.findByRole("button", { name: /^Redo$/ });
    await waitFor(() => expect(screen.getByRole("heading", { level: 2, name: "Old instruments → Instruments of 2025" })).toBeTruthy());
    expect(await violations(document.body)).toEqual([]);
    redo.click();
    expect(await screen.findByRole("button", { name: /^Undo$/ })).toBeTruthy();
    expect(fake.notes.get("Expedition/Glacier survey.md")).toContain("## Instruments of 2025");
  }, 30_000);

  it("tell what they are", async () => {
    press("?");
    expect((await screen.findByRole("dialog", { name: "Keys of the review" })).textContent).toContain("Undo the last decision");
    press("Escape");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });
});

describe("amending", () => {
  it("plans anew and says that a person changed it", async () => {
    await open();
    await to(SURVEY);
    press("e");
    const field = (await screen.findByLabelText("New heading")) as HTMLInputElement;
    field.value = "Instruments, season 2025";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    screen.getByRole("button", { name: /See the changes/ }).click();
    await shows("Old instruments → Instruments, season 2025");
    expect(screen.getByText(/heading edited by you/)).toBeTruthy();
    expect(document.querySelector(".line.added ins")!.textContent).toContain("season");
    expect(fake.notes.get("Expedition/Glacier survey.md")).toContain("## Old instruments");
  });
});

describe("when something changed or failed", () => {
  it("shows the new changes with a banner, and asks again", async () => {
    await open();
    await to(SURVEY);
    fake.notes.set("Inbox.md", "See [[Glacier survey#Old instruments]].\n");
    press("a");
    await screen.findByText("The notes changed since you looked.");
    expect(fake.notes.get("Expedition/Glacier survey.md")).toContain("## Old instruments");
    expect(document.querySelector(".detail")!.textContent).toContain("Inbox.md");
    expect(screen.getByText(/Not approved yet/)).toBeTruthy();
  });

  it("says no more than that it was planned anew when nobody had approved", async () => {
    await open();
    const stop = operations.start();
    await to(SURVEY);
    fake.write_outside("Inbox.md", "See [[Glacier survey#Old instruments]].\n");
    const detail = screen.getByRole("region", { name: `Changes of ${SURVEY}` });
    await waitFor(() => expect(detail.textContent).toContain("The notes changed since this was proposed. It was planned anew"));
    expect(detail.textContent).toContain("Inbox.md");
    expect(detail.textContent).not.toContain("approve again");
    expect(operations.not_approved).toBe(false);
    stop();
  });

  it("says why nothing was written", async () => {
    await open();
    await to(SURVEY);
    fake.refuse.set("approve", new EngineError("no_space", "the disk is full", "make room and approve again"));
    press("a");
    expect((await screen.findByRole("alert")).textContent!.trim()).toBe("The disk is full. Make room and approve again.");
    expect(heading().textContent).toBe(SURVEY);
  });

  it("offers only to decline what cannot be done", async () => {
    const engine = new FakeEngine();
    const blocked: OperationView = { ...engine.operation_list[1]!, readiness: { kind: "blocked", message: "the heading is gone: `Camps`" } };
    engine.operation_list = [blocked];
    await open(engine);
    expect(screen.getByText(/The heading is gone: “Camps”/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: /^Approve/ })).toBeNull();
    expect(screen.getByRole("button", { name: /^Decline/ })).toBeTruthy();
  });

  it("offers to finish or take back what was stopped half-way", async () => {
    const engine = new FakeEngine();
    engine.operation_list = [{ ...engine.operation_list[3]!, state: "interrupted", can_undo: false }];
    await open(engine);
    expect(screen.getByText("Stopped half-way.")).toBeTruthy();
    screen.getByRole("button", { name: /^Undo$/ }).click();
    await waitFor(() => expect(fake.operation_list[0]?.state).toBe("undone"));
  });

  it("says when the list cannot be had, and tries again", async () => {
    const engine = new FakeEngine();
    engine.refuse.set("operations", new EngineError("closed", "the vault is closed", "open it again"));
    await open(engine);
    expect((await screen.findByRole("alert")).textContent).toContain("The vault is closed. Open it again");
    engine.refuse.clear();
    screen.getByRole("button", { name: "Try again" }).click();
    await shows(STALE);
  });
});

describe("the ends", () => {
  it("says that nothing waits", async () => {
    const engine = new FakeEngine();
    engine.operation_list = [];
    await open(engine);
    expect(screen.getByText("Nothing to review")).toBeTruthy();
    expect(screen.getByRole("heading", { name: "Nothing waits for you" })).toBeTruthy();
  });

  it("gives the keyboard to the first proposal that comes in while nothing waits", async () => {
    const engine = new FakeEngine();
    const [first] = engine.operation_list;
    engine.operation_list = [];
    await open(engine);
    await waitFor(() => expect(document.activeElement?.textContent).toBe("Nothing waits for you"));
    engine.operation_list = [first!];
    await operations.load();
    await waitFor(() => expect(document.activeElement?.getAttribute("data-operation")).toBe(first!.id));
  });

  it("ends in all reviewed, with the focus there", async () => {
    const engine = new FakeEngine();
    engine.operation_list = engine.operation_list.slice(0, 1);
    await open(engine);
    press("a");
    await shows("All reviewed");
    await waitFor(() => expect(document.activeElement?.textContent).toBe("All reviewed"));
  });

  it("lays several out together and approves those that fit", async () => {
    await open();
    screen.getByRole("button", { name: "Review 2 together" }).click();
    const approve = await screen.findByRole("button", { name: "Approve 2 of 3 (skips 1 changed since)" });
    approve.click();
    await waitFor(() => expect(fake.notes.get("Expedition/Glacier survey.md")).toContain("## Instruments of 2025"));
  });

  it("shows a long diff a stretch at a time", async () => {
    const engine = new FakeEngine({ operations: [] });
    const lines = Array.from({ length: 900 }, (_, at) => `See [[Glacier survey#Old instruments]] ${at}`);
    engine.notes.set("Long.md", lines.join("\n"));
    engine.operation_list = [new FakeEngine().operation_list[0]!];
    await open(engine);
    const long = [...document.querySelectorAll<HTMLElement>(".file")].find((file) => file.textContent!.includes("Long.md"))!;
    const fold = long.querySelector<HTMLButtonElement>("button[aria-expanded]")!;
    if (fold.getAttribute("aria-expanded") === "false") fold.click();
    const more = await waitFor(() => within(long).getByRole("button", { name: "Show all 1,800 lines" }));
    expect(long.querySelectorAll(".line")).toHaveLength(160);
    more.click();
    await waitFor(() => expect(long.querySelectorAll(".line")).toHaveLength(1800));
  });
});

describe("a change that goes far", () => {
  it("shows its files a stretch at a time", async () => {
    const engine = new FakeEngine({ operations: [] });
    for (let n = 0; n < 100; n++) engine.notes.set(`Far/${n}.md`, "See [[Glacier survey#Old instruments]].\n");
    engine.operation_list = [new FakeEngine().operation_list[0]!];
    await open(engine);
    expect(document.querySelectorAll(".file")).toHaveLength(61);
    screen.getByRole("button", { name: "Show 45 more files" }).click();
    await waitFor(() => expect(document.querySelectorAll(".file")).toHaveLength(106));
  });

  it("opens only what can be read at once", async () => {
    const engine = new FakeEngine({ operations: [] });
    for (let n = 0; n < 30; n++) engine.notes.set(`Far/${n}.md`, "See [[Glacier survey#Old instruments]].\n\n".repeat(20));
    engine.operation_list = [new FakeEngine().operation_list[0]!];
    await open(engine);
    const open_files = document.querySelectorAll(".file button[aria-expanded='true']").length;
    expect(open_files).toBeGreaterThan(5);
    expect(open_files).toBeLessThan(20);
  });
});

describe("accessibility", () => {
  it("has no violations, whatever is shown", async () => {
    await open();
    const pane = () => document.querySelector(".review")!;
    expect(await violations(pane())).toEqual([]);
    press("j");
    await shows(SURVEY);
    expect(await violations(pane())).toEqual([]);
    press("e");
    await screen.findByLabelText("New heading");
    expect(await violations(pane())).toEqual([]);
    press("Escape");
    await waitFor(() => expect(screen.queryByLabelText("New heading")).toBeNull());
    press("x");
    await screen.findByLabelText(/A word back/);
    expect(await violations(pane())).toEqual([]);
    press("Escape");
    await waitFor(() => expect(screen.queryByLabelText(/A word back/)).toBeNull());
    press("?");
    await screen.findByRole("dialog");
    expect(await violations(pane())).toEqual([]);
  }, 30_000);

  it("has none while loading, failed or empty", async () => {
    use_engine(new FakeEngine());
    reset();
    render(ReviewPane, {});
    expect(await violations(document.querySelector(".review")!)).toEqual([]);
    operations.failure = new EngineError("closed", "the vault is closed", "open it again");
    operations.phase = "failed";
    await screen.findByRole("alert");
    expect(await violations(document.querySelector(".review")!)).toEqual([]);
  }, 30_000);
});
