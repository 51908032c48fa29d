import { beforeEach, describe, expect, it, vi } from "vitest";
import { EngineError, use_engine } from "../ipc/engine";
import { FakeEngine } from "../ipc/fake";
import type { SearchResults } from "../ipc/types";
import { by_note, Search } from "./search.svelte";

let fake: FakeEngine;
let search: Search;

beforeEach(() => {
  vi.useFakeTimers();
  fake = new FakeEngine();
  use_engine(fake);
  search = new Search();
  return () => vi.useRealTimers();
});

const hit = (path: string, line: number) => ({ path, title: path, heading: null, line, spans: [], score: 1 });

describe("searching", () => {
  it("waits until the typing rests, then asks once", async () => {
    const asked = vi.spyOn(fake, "search");
    for (const query of ["t", "th", "theo"]) search.type(query);
    await vi.advanceTimersByTimeAsync(500);
    expect(asked.mock.calls).toEqual([["theo"]]);
    expect(search.phase).toBe("ready");
    expect(search.notes.length).toBeGreaterThan(0);
  });

  it("drops the answer to an older query", async () => {
    const answers: ((results: SearchResults) => void)[] = [];
    vi.spyOn(fake, "search").mockImplementation(() => new Promise((answer) => answers.push(answer)));
    search.query = "old";
    void search.run();
    search.query = "new";
    void search.run();
    answers[1]!({ hits: [hit("new.md", 1)], n_total: 1 });
    answers[0]!({ hits: [hit("old.md", 1)], n_total: 1 });
    await vi.advanceTimersByTimeAsync(1);
    expect(search.hits.map((one) => one.path)).toEqual(["new.md"]);
  });

  it("is idle again when the field is emptied, even with an answer on its way", async () => {
    search.type("theo");
    await vi.advanceTimersByTimeAsync(125);
    search.type("");
    await vi.advanceTimersByTimeAsync(500);
    expect([search.phase, search.hits.length]).toEqual(["idle", 0]);
  });

  it("says what went wrong", async () => {
    vi.spyOn(fake, "search").mockRejectedValue(new EngineError("indexing", "the index is being built", "try again in a moment"));
    search.type("theo");
    await vi.advanceTimersByTimeAsync(500);
    expect([search.phase, search.failure?.code]).toEqual(["failed", "indexing"]);
  });

  it("counts what was left off", async () => {
    vi.spyOn(fake, "search").mockResolvedValue({ hits: [hit("a.md", 1)], n_total: 412 });
    search.type("a");
    await vi.advanceTimersByTimeAsync(500);
    expect(search.n_left_off).toBe(411);
  });

  it("gathers hits under their notes, best note first", () => {
    expect(by_note([hit("a.md", 3), hit("b.md", 1), hit("a.md", 9)]).map((note) => [note.path, note.hits.length])).toEqual([
      ["a.md", 2],
      ["b.md", 1],
    ]);
  });

  it("folds a note and unfolds it", () => {
    search.fold("a.md");
    expect(search.folded.has("a.md")).toBe(true);
    search.fold("a.md", false);
    expect(search.folded.has("a.md")).toBe(false);
  });
});
