import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EngineError } from "../ipc/engine";
import type { Saved } from "../ipc/types";
import { type SavePort, Saver } from "./save";

/** A document of one string, and a disk that answers as told. */
class Desk implements SavePort {
  text = "";
  on_disk = "";
  base = "h0";
  writes: { base: string; text: string }[] = [];
  said: string[] = [];
  answers: (Saved | Error | Promise<Saved>)[] = [];

  dirty = () => this.text !== this.on_disk;
  take = () => ({ base: this.base, text: this.text });
  async write(base: string, text: string): Promise<Saved> {
    this.writes.push({ base, text });
    const answer = await (this.answers.shift() ?? ({ kind: "saved", hash: `h${this.writes.length}` } as Saved));
    if (answer instanceof Error) throw answer;
    if (answer.kind === "saved") this.on_disk = text;
    return answer;
  }
  arrived = (hash: string) => void (this.base = hash);
  merge(hash: string, text: string): void {
    this.base = hash;
    this.on_disk = text;
    this.text = `${this.text}+${text}`;
  }
  lost = () => {};
  status = (status: { kind: string }) => void this.said.push(status.kind);
}

let desk: Desk;
let saver: Saver;

function type(text: string): void {
  desk.text = text;
  saver.changed();
}

beforeEach(() => {
  vi.useFakeTimers();
  desk = new Desk();
  saver = new Saver(desk);
});
afterEach(() => void vi.useRealTimers());

describe("Saver", () => {
  it("saves after 0.8 s of quiet", async () => {
    type("a");
    await vi.advanceTimersByTimeAsync(799);
    expect(desk.writes).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(desk.writes).toEqual([{ base: "h0", text: "a" }]);
    expect(desk.said).toEqual(["unsaved", "saving", "saved"]);
    expect(desk.base).toBe("h1");
  });

  it("saves after 2 s at most, however much is typed", async () => {
    for (let n = 0; n < 5; n++) {
      type("a".repeat(n + 1));
      await vi.advanceTimersByTimeAsync(500);
    }
    expect(desk.writes.length).toBe(1);
  });

  it("saves at once when asked, and says whether it is on disk", async () => {
    type("a");
    expect(await saver.flush()).toBe(true);
    expect(desk.writes.length).toBe(1);
    await vi.advanceTimersByTimeAsync(5000);
    expect(desk.writes.length).toBe(1);
  });

  it("has nothing to do for a clean note", async () => {
    expect(await saver.flush()).toBe(true);
    expect(desk.writes).toEqual([]);
  });

  it("does not save what was taken back", async () => {
    type("a");
    type("");
    await vi.advanceTimersByTimeAsync(3000);
    expect(desk.writes).toEqual([]);
    expect(saver.status.kind).toBe("saved");
  });

  it("merges a stale save and saves the merged text on the new base", async () => {
    desk.answers = [{ kind: "stale", hash: "hx", text: "disk" }];
    type("mine");
    expect(await saver.flush()).toBe(true);
    expect(desk.writes).toEqual([
      { base: "h0", text: "mine" },
      { base: "hx", text: "mine+disk" },
    ]);
  });

  it("gives up on a note that another program never stops writing, and keeps the text", async () => {
    desk.answers = Array.from({ length: 9 }, (_, n) => ({ kind: "stale" as const, hash: `x${n}`, text: String(n) }));
    type("mine");
    expect(await saver.flush()).toBe(false);
    expect(saver.status).toMatchObject({ kind: "failed", error: { code: "busy" } });
    expect(desk.text).toContain("mine");
  });

  it("keeps the text and says why when the disk is full; the next save may go through", async () => {
    desk.answers = [new EngineError("no_space", "no space left on the disk", "free some space, then try again")];
    type("a");
    expect(await saver.flush()).toBe(false);
    expect(saver.status).toMatchObject({ kind: "failed", error: { code: "no_space" } });
    type("ab");
    await vi.advanceTimersByTimeAsync(800);
    expect(saver.status.kind).toBe("saved");
    expect(desk.on_disk).toBe("ab");
    expect(desk.said).toEqual(["unsaved", "saving", "failed", "saved"]);
  });

  it("tries again by itself when that may help", async () => {
    desk.answers = [new EngineError("busy", "the file is locked", "", true)];
    type("a");
    await saver.flush();
    await vi.advanceTimersByTimeAsync(5000);
    expect(desk.on_disk).toBe("a");
  });

  it("does not start a second save while one runs; what was typed meanwhile follows", async () => {
    let arrive!: (saved: Saved) => void;
    desk.answers = [new Promise<Saved>((resolve) => (arrive = resolve))];
    type("a");
    const first = saver.flush();
    type("ab");
    await vi.advanceTimersByTimeAsync(3000);
    expect(desk.writes.length).toBe(1);
    desk.on_disk = "a";
    arrive({ kind: "saved", hash: "h1", changed: true });
    await first;
    await vi.advanceTimersByTimeAsync(2000);
    expect(desk.writes.at(-1)).toEqual({ base: "h1", text: "ab" });
  });

  it("waits for the running save before a flush is done", async () => {
    let arrive!: (saved: Saved) => void;
    desk.answers = [new Promise<Saved>((resolve) => (arrive = resolve))];
    type("a");
    const first = saver.flush();
    desk.text = "ab";
    const second = saver.flush();
    arrive({ kind: "saved", hash: "h1", changed: true });
    expect(await first).toBe(true);
    expect(await second).toBe(true);
    expect(desk.on_disk).toBe("ab");
  });
});
