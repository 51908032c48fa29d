import { beforeEach, describe, expect, it, vi } from "vitest";
import { EngineError, use_engine } from "../ipc/engine";
import { FakeEngine } from "../ipc/fake";
import type { OperationView } from "../ipc/types";
import { Operations, READING_TIME } from "./operations.svelte";
import { toasts } from "./toasts.svelte";

const STALE = "01JD0000000000000000000003";
const SURVEY = "01JD0000000000000000000001";
const CAMPS = "01JD0000000000000000000002";
const settled = () => vi.waitFor(() => expect(true).toBe(true));

let fake: FakeEngine;
let clock: number;
let operations: Operations;

beforeEach(async () => {
  fake = new FakeEngine();
  use_engine(fake);
  clock = 1_000_000;
  operations = new Operations(() => clock);
  await operations.load();
});

async function show(id: string): Promise<void> {
  operations.select(id);
  await vi.waitFor(() => expect(operations.review?.operation.id).toBe(id));
}

describe("the queue", () => {
  it("shows what changed since first, then the newest", () => {
    expect(operations.waiting.map((one) => one.id)).toEqual([STALE, SURVEY, CAMPS]);
    expect(operations.selected).toBe(STALE);
  });

  it("keeps the latest decision at the top of the decided", async () => {
    await show(SURVEY);
    await operations.approve();
    expect(operations.decided[0]?.id).toBe(SURVEY);
    expect(operations.undoable?.id).toBe(SURVEY);
  });

  it("says what went wrong, and keeps what it has when asked again", async () => {
    fake.refuse.set("operations", new EngineError("closed", "the vault is closed", "open it again"));
    const fresh = new Operations();
    await fresh.load();
    expect(fresh.phase).toBe("failed");
    await operations.load();
    expect(operations.phase).toBe("ready");
    expect(operations.list).toHaveLength(4);
  });

  it("walks and stops at both ends", () => {
    operations.step(-1);
    expect(operations.selected).toBe(STALE);
    for (let n = 0; n < 9; n++) operations.step(1);
    expect(operations.selected).toBe(operations.decided.at(-1)?.id);
  });

  it("drops an answer about a proposal that is no longer selected", async () => {
    operations.select(SURVEY);
    operations.select(CAMPS);
    await vi.waitFor(() => expect(operations.review?.operation.id).toBe(CAMPS));
    await settled();
    expect(operations.review?.operation.id).toBe(CAMPS);
  });

  it("hears of new proposals and moves nobody", async () => {
    const stop = operations.start();
    await show(CAMPS);
    fake.operation_list = [{ ...fake.operation_list[0]!, id: "01JE" } as OperationView, ...fake.operation_list];
    fake.listeners.tell("operation_changed", { id: "01JE", state: "proposed" });
    await vi.waitFor(() => expect(operations.n_waiting).toBe(4));
    expect(operations.selected).toBe(CAMPS);
    stop();
  });
});

describe("approving", () => {
  it("writes exactly what was shown, and goes on to the next", async () => {
    await show(SURVEY);
    await operations.approve();
    expect(fake.notes.get("Expedition/Glacier survey.md")).toContain("## Instruments of 2025");
    expect(fake.notes.get("Expedition/Moraine samples.md")).toContain("[[Glacier survey#Instruments of 2025]]");
    expect(operations.selected).toBe(CAMPS);
    expect(operations.said).toBe("Approved: Old instruments → Instruments of 2025. 2 left to review.");
  });

  it("sends the digest that is on screen", async () => {
    await show(SURVEY);
    const sent = vi.spyOn(fake, "approve");
    const shown = operations.review!.digest;
    await operations.approve();
    expect(sent).toHaveBeenCalledWith(SURVEY, shown);
  });

  it("writes nothing when the notes changed since, and shows the new changes", async () => {
    await show(SURVEY);
    const text = fake.notes.get("Inbox.md")!;
    fake.notes.set("Inbox.md", `${text}- [ ] See [[Glacier survey#Old instruments]]\n`);
    await operations.approve();
    expect(fake.notes.get("Expedition/Glacier survey.md")).toContain("## Old instruments");
    expect([operations.replanned, operations.not_approved]).toEqual([true, true]);
    expect(operations.selected).toBe(SURVEY);
    expect(operations.review?.files.map((file) => file.path)).toContain("Inbox.md");
    expect(operations.said).toContain("Not approved yet");

    // A second press at once cannot have read them.
    await operations.approve();
    expect(fake.notes.get("Expedition/Glacier survey.md")).toContain("## Old instruments");
    clock += READING_TIME;
    await operations.approve();
    expect(fake.notes.get("Inbox.md")).toContain("[[Glacier survey#Instruments of 2025]]");
  });

  it("saves what is typed first", async () => {
    await show(SURVEY);
    const order: string[] = [];
    operations.before_decision = async () => void order.push("saved");
    vi.spyOn(fake, "approve").mockImplementation(async () => {
      order.push("approved");
      throw new EngineError("no_space", "the disk is full", "make room and approve again");
    });
    await operations.approve();
    expect(order).toEqual(["saved", "approved"]);
  });

  it("stays where it is when the engine refuses, with the reason", async () => {
    await show(SURVEY);
    fake.refuse.set("approve", new EngineError("no_space", "the disk is full", "make room and approve again"));
    await operations.approve();
    expect(operations.problem?.message).toBe("the disk is full");
    expect(operations.selected).toBe(SURVEY);
    expect(operations.busy).toBeNull();
  });

  it("does not write when the typing could not be saved", async () => {
    await show(SURVEY);
    operations.before_decision = async () => {
      throw new EngineError("read_only", "the file is write-protected", "");
    };
    const sent = vi.spyOn(fake, "approve");
    await operations.approve();
    expect(sent).not.toHaveBeenCalled();
    expect(operations.problem?.code).toBe("read_only");
  });

  it("does not write over typing that is not on disk", async () => {
    await show(SURVEY);
    operations.before_decision = async () => false;
    const sent = vi.spyOn(fake, "approve");
    await operations.approve();
    expect(sent).not.toHaveBeenCalled();
    expect(operations.problem?.message).toBe("some text could not be saved");
  });

  it("is sent once, however often it is pressed", async () => {
    await show(SURVEY);
    const sent = vi.spyOn(fake, "approve");
    await Promise.all([operations.approve(), operations.approve(), operations.approve()]);
    expect(sent).toHaveBeenCalledTimes(1);
  });

  it("ends in all reviewed", async () => {
    for (const id of [STALE, SURVEY, CAMPS]) {
      await show(id);
      clock += READING_TIME;
      await operations.approve();
    }
    expect(operations.n_waiting).toBe(0);
    expect(operations.selected).toBeNull();
    expect(operations.said).toContain("All reviewed.");
  });
});

describe("two proposals for one heading", () => {
  it("know of each other", async () => {
    const first = fake.operation_list.find((one) => one.id === CAMPS)!;
    const rival = { ...first, id: "01JE", summary: { ...first.summary, new_heading: "Huts" } };
    fake.operation_list = [rival, ...fake.operation_list];
    await operations.load();
    await show(CAMPS);
    expect(operations.rivals.map((one) => one.id)).toEqual(["01JE"]);
    await show(SURVEY);
    expect(operations.rivals).toEqual([]);
  });
});

describe("the other decisions", () => {
  it("declines with a word back", async () => {
    await show(CAMPS);
    await operations.decline("  keep the short name ");
    const declined = fake.operation_list.find((one) => one.id === CAMPS);
    expect([declined?.state, declined?.comment]).toEqual(["declined", "keep the short name"]);
  });

  it("declines without a word", async () => {
    await show(CAMPS);
    await operations.decline("   ");
    expect(fake.operation_list.find((one) => one.id === CAMPS)?.comment).toBeNull();
  });

  it("plans anew with another heading and writes nothing yet", async () => {
    await show(CAMPS);
    expect(await operations.amend("Camps, huts and caches")).toBe(true);
    expect(operations.review?.operation.amended).toBe(true);
    expect(operations.replanned).toBe(false);
    expect(fake.notes.get("Expedition/Route and camps.md")).toContain("## Camps\n");
    await operations.approve();
    expect(fake.notes.get("Expedition/Route and camps.md")).toContain("## Camps, huts and caches\n");
  });

  it("keeps the form open when the heading cannot be", async () => {
    await show(CAMPS);
    expect(await operations.amend("two\nlines")).toBe(false);
    expect(operations.problem?.code).toBe("invalid_heading");
  });

  it("takes the last decision back", async () => {
    const before = new Map(fake.notes);
    await show(SURVEY);
    await operations.approve();
    await operations.undo_last();
    expect(new Map(fake.notes)).toEqual(before);
    expect(operations.said).toContain("Undone");
  });

  it("does again what was undone, as often as is wished, and says what can be done next", async () => {
    const before = new Map(fake.notes);
    await show(SURVEY);
    await operations.approve();
    const after = new Map(fake.notes);
    const operation = () => operations.list.find((one) => one.id === SURVEY)!;
    for (const way of ["undo", "redo", "undo", "redo", "undo"] as const) {
      expect([operations.can(operation(), "undo"), operations.can(operation(), "redo")]).toEqual([way === "undo", way === "redo"]);
      await (way === "undo" ? operations.undo_last() : operations.redo_last());
      expect(new Map(fake.notes)).toEqual(way === "undo" ? before : after);
      expect(operations.said).toContain(way === "undo" ? "Undone: Old instruments" : "Done again: Old instruments");
    }
    expect(operations.decided.filter((one) => one.kind === "undo")).toEqual([]);
  });

  it("says that there is nothing to redo", async () => {
    await operations.redo_last();
    expect(operations.said).toBe("There is nothing to redo.");
  });

  it("says why an undo was refused, whatever is on screen", async () => {
    toasts.list = [];
    const decided = operations.decided[0]!.id;
    fake.refuse.set("undo", new EngineError("changed", "note changed since: `Inbox.md`", "undo the later change first"));
    await show(SURVEY);
    await operations.undo(decided);
    expect(toasts.list.map((toast) => [toast.kind, toast.message, toast.hint])).toEqual([
      ["error", "Note changed since: “Inbox.md”", "Undo the later change first"],
    ]);
    // It is no fault of the proposal on screen.
    expect(operations.problem).toBeNull();

    operations.select(null);
    await operations.undo_last();
    expect(toasts.list).toHaveLength(2);

    await show(decided);
    await operations.undo(decided);
    expect(operations.problem?.message).toBe("note changed since: `Inbox.md`");
    expect(toasts.list).toHaveLength(2);
  });

  it("shows what a decided operation did", async () => {
    await show(SURVEY);
    await operations.approve();
    await show(SURVEY);
    expect(operations.review?.digest).toBeNull();
    expect(operations.review?.files).toHaveLength(6);
    expect(operations.review?.files.every((file) => file.hunks.length > 0)).toBe(true);
  });
});

describe("a batch", () => {
  it("approves what is ready and says what it skips", async () => {
    await operations.open_batch();
    expect(operations.batch?.approvable.map((review) => review.operation.id)).toEqual([SURVEY, CAMPS]);
    expect(operations.batch?.n_changed).toBe(1);
    await operations.approve_batch();
    // Both touch the same notes, so the first made the second another plan: it is shown again, not written unseen.
    expect(operations.waiting.map((one) => one.id)).toEqual([STALE, CAMPS]);
    expect(operations.said).toBe("1 proposal approved. 2 left to review.");
    await operations.approve_batch();
    expect(operations.waiting.map((one) => one.id)).toEqual([STALE]);
    expect(operations.said).toBe("1 proposal approved. 1 left to review.");
  });

  it("goes on past a failure and keeps what failed", async () => {
    await operations.open_batch();
    const approve = fake.approve;
    vi.spyOn(fake, "approve").mockImplementation((id, seen) => {
      if (id === SURVEY) throw new EngineError("no_space", "the disk is full", "");
      return approve(id, seen);
    });
    await operations.approve_batch();
    expect(operations.waiting.map((one) => one.id)).toEqual([STALE, SURVEY]);
    expect(operations.problem?.message).toBe("the disk is full");
  });
});
