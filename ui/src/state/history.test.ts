import { beforeEach, describe, expect, it, vi } from "vitest";
import { EngineError, use_engine } from "../ipc/engine";
import { FakeEngine } from "../ipc/fake";
import { History } from "./history.svelte";
import { operations } from "./operations.svelte";

const PATH = "Expedition/Glacier survey.md";
let fake: FakeEngine;
let history: History;

beforeEach(async () => {
  fake = new FakeEngine();
  use_engine(fake);
  history = new History();
  history.open(PATH);
  await vi.waitFor(() => expect(history.phase).toBe("ready"));
});

async function show(at: number): Promise<void> {
  history.show(history.versions[at]!.id);
  await vi.waitFor(() => expect(history.diff_phase).toBe("ready"));
}

describe("the history of a note", () => {
  it("lists what happened, newest first", () => {
    expect(history.versions.map((version) => version.actor.kind)).toEqual(["person", "agent", "disk", "person", "person"]);
    expect(history.versions[0]?.is_current).toBe(true);
  });

  it("shows what a version changed, or how it differs from now", async () => {
    await show(1);
    const lines = () => history.hunks.flatMap((hunk) => hunk.lines).filter((line) => line.kind !== "context");
    expect(lines()).toHaveLength(2);
    history.compare_with("now");
    await vi.waitFor(() => expect(lines().length).toBeGreaterThan(2));
  });

  it("walks, and stops at both ends", () => {
    history.step(1);
    expect(history.shown).toBe(history.versions[0]?.id);
    for (let n = 0; n < 9; n++) history.step(1);
    expect(history.shown).toBe(history.versions.at(-1)?.id);
  });

  it("drops an answer about a version that is no longer shown", async () => {
    history.show(history.versions[2]!.id);
    history.show(history.versions[1]!.id);
    await vi.waitFor(() => expect(history.diff_phase).toBe("ready"));
    expect(history.hunks.flatMap((hunk) => hunk.lines).some((line) => line.spans.some((span) => span.text.includes("Next season")))).toBe(true);
  });

  it("restores, keeps the text from before, and can take it back", async () => {
    const before = fake.notes.get(PATH)!;
    await show(2);
    const saved = vi.fn(async () => {});
    operations.before_decision = saved;
    await history.restore();
    expect(saved).toHaveBeenCalledOnce();
    expect(fake.notes.get(PATH)).toContain("## Outlook");
    expect(history.versions[0]?.kind).toBe("restore");
    await history.undo(history.restored!.id);
    expect(fake.notes.get(PATH)).toBe(before);
    expect(history.restored?.stands).toBe(false);
    await history.undo(history.restored!.id);
    expect(fake.notes.get(PATH)).toContain("## Outlook");
    expect(history.restored?.stands).toBe(true);
    await history.undo(history.restored!.id);
    expect(fake.notes.get(PATH)).toBe(before);
  });

  it("says why it could not restore", async () => {
    await show(2);
    fake.refuse.set("restore", new EngineError("no_space", "the disk is full", "make room"));
    await history.restore();
    expect(history.problem?.message).toBe("the disk is full");
    expect(history.busy).toBeNull();
  });

  it("hears of changes from outside", async () => {
    const stop = history.start();
    fake.write_outside(PATH, "# Glacier survey\n");
    await vi.waitFor(() => expect(history.versions).toHaveLength(6));
    expect(history.versions[0]?.actor.kind).toBe("disk");
    stop();
  });

  it("goes back to the note when another one is opened", async () => {
    await show(1);
    history.open("Inbox.md");
    expect(history.shown).toBeNull();
    await vi.waitFor(() => expect(history.versions).toHaveLength(1));
  });

  it("says what went wrong", async () => {
    fake.refuse.set("history", new EngineError("io", "the journal cannot be read", "try again"));
    history.open("Inbox.md");
    await vi.waitFor(() => expect(history.phase).toBe("failed"));
  });
});
