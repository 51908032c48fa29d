import { beforeEach, describe, expect, it, vi } from "vitest";
import { EngineError, use_engine } from "../ipc/engine";
import { FakeEngine } from "../ipc/fake";
import type { SearchHit, SearchPage } from "../ipc/types";
import { by_note, marked, Search } from "./search.svelte";

let fake: FakeEngine;
let search: Search;

beforeEach(() => {
  vi.useFakeTimers();
  fake = new FakeEngine();
  use_engine(fake);
  search = new Search();
  return () => vi.useRealTimers();
});

const hit = (path: string, line: number): SearchHit => ({
  path,
  id: path,
  title: path,
  heading_path: [],
  line_start: line,
  line_end: line,
  snippet: "",
  highlights: [],
  score: 1,
});
const page = (hits: SearchHit[], total = hits.length): SearchPage => ({ hits, total, query_note: null });

describe("searching", () => {
  it("asks at once, and what was typed meanwhile as soon as that is answered", async () => {
    const asked = vi.spyOn(fake, "search");
    for (const query of ["t", "th", "theo"]) search.type(query);
    expect(asked.mock.calls).toEqual([["t", null, 100, 0]]);
    await vi.advanceTimersByTimeAsync(500);
    expect(asked.mock.calls).toEqual([["t", null, 100, 0], ["theo", null, 100, 0]]);
    expect(search.phase).toBe("ready");
    expect(search.notes.length).toBeGreaterThan(0);
  });

  it("asks again, once, when notes change while results are shown", async () => {
    const stop = search.start();
    fake.write_outside("Inbox.md", "theo\n");
    await vi.advanceTimersByTimeAsync(1000);
    search.type("theo");
    await vi.advanceTimersByTimeAsync(500);
    search.fold("Inbox.md", true);
    const phases = new Set<string>();
    const search_notes = fake.search;
    const asked = vi.spyOn(fake, "search").mockImplementation(async (...args) => {
      phases.add(search.phase);
      return search_notes(...args);
    });
    const before = search.n_total;
    fake.write_outside("A.md", "theodolite\n");
    fake.write_outside("B.md", "theodolite\n");
    await vi.advanceTimersByTimeAsync(250);
    expect(asked).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(100);
    expect(asked.mock.calls).toEqual([["theo", null, 100, 0]]);
    expect(search.n_total).toBe(before + 2);
    expect([...phases]).toEqual(["ready"]);
    expect(search.folded.has("Inbox.md")).toBe(true);

    search.type("");
    fake.remove_outside("A.md");
    stop();
    search.type("theo");
    await vi.advanceTimersByTimeAsync(500);
    fake.remove_outside("B.md");
    await vi.advanceTimersByTimeAsync(500);
    expect(asked).toHaveBeenCalledTimes(2);
  });

  it("keeps as many results as were shown when it asks again", async () => {
    const asked = vi.spyOn(fake, "search").mockImplementation(async (_query, _folder, limit, offset) =>
      page(Array.from({ length: Math.min(limit, 230 - offset) }, (_, at) => hit("a.md", offset + at)), 230),
    );
    search.type("a");
    await vi.advanceTimersByTimeAsync(500);
    await search.more();
    await search.refresh();
    expect(asked.mock.lastCall).toEqual(["a", null, 200, 0]);
    expect([search.hits.length, search.n_left_off]).toEqual([200, 30]);
  });

  it("drops the answer to an older query", async () => {
    const answers: ((page: SearchPage) => void)[] = [];
    vi.spyOn(fake, "search").mockImplementation(() => new Promise((answer) => answers.push(answer)));
    search.query = "old";
    void search.run();
    search.query = "new";
    void search.run();
    answers[1]!(page([hit("new.md", 1)]));
    answers[0]!(page([hit("old.md", 1)]));
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
    vi.spyOn(fake, "search").mockResolvedValue(page([hit("a.md", 1)], 412));
    search.type("a");
    await vi.advanceTimersByTimeAsync(500);
    expect(search.n_left_off).toBe(411);
    await search.more();
    expect(search.n_left_off).toBe(410);
  });

  it("cuts a snippet at its matches, and trusts no range", () => {
    const shown = (highlights: [number, number][]) =>
      marked({ snippet: "über den Gletscher", highlights })
        .map((part) => (part.match ? `<${part.text}>` : part.text))
        .join("");
    expect(shown([[0, 4], [9, 18]])).toBe("<über> den <Gletscher>");
    expect(shown([])).toBe("über den Gletscher");
    expect(shown([[9, 18], [0, 4]])).toBe("über den <Gletscher>");
    expect(shown([[3, 99]])).toBe("über den Gletscher");
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
