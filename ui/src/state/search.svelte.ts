// What is looked for in the vault, and what was found.

import { asEngineError, engine, type EngineError } from "../ipc/engine";
import type { SearchHit } from "../ipc/types";

/** The hits of one note. */
export interface FoundNote {
  path: string;
  title: string;
  hits: SearchHit[];
}

export type SearchPhase = "idle" | "searching" | "ready" | "failed";

/** Notes change in bursts; what is found in them may be read in between. */
const REFRESH_DELAY = 300;
/** Results asked for at once. */
const PAGE = 100;
/** The most that the engine gives at once. */
const MOST = 500;

export class Search {
  query = $state("");
  phase = $state<SearchPhase>("idle");
  hits = $state.raw<SearchHit[]>([]);
  n_total = $state(0);
  /** How the query was understood, when not as typed. */
  note = $state<string | null>(null);
  failure = $state.raw<EngineError | null>(null);
  /** The query that the hits answer. */
  answered = $state("");
  folded = $state.raw<ReadonlySet<string>>(new Set());
  /** Grows when the field should take the focus. */
  n_focus = $state(0);

  notes = $derived(by_note(this.hits));
  n_left_off = $derived(Math.max(0, this.n_total - this.hits.length));

  #asked = 0;
  /** Whether an answer to what was typed is awaited. */
  #awaits = false;
  #refresh_timer: ReturnType<typeof setTimeout> | undefined;

  /** Keeps what is shown true to the notes; returns what stops it. */
  start(): () => void {
    // What an earlier visit found may be old by now.
    if (this.phase !== "idle") this.#soon();
    const stop = engine.on("notes_changed", () => this.phase !== "idle" && this.#soon());
    return () => {
      clearTimeout(this.#refresh_timer);
      stop();
    };
  }

  /** Asks for the focus in the field. */
  focus(): void {
    this.n_focus += 1;
  }

  /** Says that the pane is only passed by: the keyboard stays where it is. */
  pass_by(): void {
    this.#passed_by = true;
  }

  /** Asked by the field when it appears, or when it is wished for: whether it may take the focus. */
  takes_focus(): boolean {
    const takes = !this.#passed_by;
    this.#passed_by = false;
    return takes;
  }
  #passed_by = false;

  /** Follows the typing, one question at a time: what is typed while one is answered is asked right after it. */
  type(query: string): void {
    this.query = query;
    if (query.trim() === "") {
      this.#asked += 1;
      this.phase = "idle";
      this.hits = [];
      this.n_total = 0;
      this.note = null;
      this.answered = "";
      this.failure = null;
      return;
    }
    if (!this.#awaits) void this.#follow();
  }

  async #follow(): Promise<void> {
    this.#awaits = true;
    let asked = "";
    while (this.query.trim() !== "" && this.query.trim() !== asked) {
      asked = this.query.trim();
      await this.run();
    }
    this.#awaits = false;
  }

  /** Asks at once. */
  async run(): Promise<void> {
    const query = this.query.trim();
    if (query === "") return;
    const asked = ++this.#asked;
    this.phase = "searching";
    try {
      const page = await engine.search(query, null, PAGE, 0);
      if (asked !== this.#asked) return;
      this.hits = page.hits;
      this.n_total = page.total;
      this.note = page.query_note;
      this.answered = query;
      this.folded = new Set();
      this.failure = null;
      this.phase = "ready";
    } catch (cause) {
      if (asked !== this.#asked) return;
      this.failure = asEngineError(cause);
      this.phase = "failed";
    }
  }

  /** Asks again for what is shown, in place: as many results, the same notes folded. */
  async refresh(): Promise<void> {
    const query = this.answered;
    // A query that is being typed, or asked already, brings the notes of now by itself.
    if (query === "" || query !== this.query.trim() || this.phase === "searching") return;
    const asked = ++this.#asked;
    try {
      const limit = Math.min(MOST, Math.max(PAGE, this.hits.length));
      const page = await engine.search(query, null, limit, 0);
      if (asked !== this.#asked) return;
      this.hits = page.hits;
      this.n_total = page.total;
      this.note = page.query_note;
      this.failure = null;
      this.phase = "ready";
    } catch (cause) {
      if (asked !== this.#asked) return;
      this.failure = asEngineError(cause);
      this.phase = "failed";
    }
  }

  #soon(): void {
    clearTimeout(this.#refresh_timer);
    this.#refresh_timer = setTimeout(() => (this.phase === "searching" ? this.#soon() : void this.refresh()), REFRESH_DELAY);
  }

  /** Asks for the results that come after those shown. */
  async more(): Promise<void> {
    if (this.phase !== "ready" || this.n_left_off === 0) return;
    const asked = this.#asked;
    const page = await engine.search(this.answered, null, PAGE, this.hits.length).catch((cause: unknown) => {
      if (asked === this.#asked) this.failure = asEngineError(cause);
      return null;
    });
    if (asked === this.#asked && page) this.hits = [...this.hits, ...page.hits];
  }

  /** Folds or unfolds a note's hits. */
  fold(path: string, fold?: boolean): void {
    const folded = new Set(this.folded);
    if (fold ?? !folded.has(path)) folded.add(path);
    else folded.delete(path);
    this.folded = folded;
  }
}

/** Gathers hits under their notes, in the order of each note's best hit. */
export function by_note(hits: SearchHit[]): FoundNote[] {
  const notes = new Map<string, FoundNote>();
  for (const hit of hits) {
    const note = notes.get(hit.path);
    if (note) note.hits.push(hit);
    else notes.set(hit.path, { path: hit.path, title: hit.title, hits: [hit] });
  }
  return [...notes.values()];
}

/** Cuts a snippet at its matches. Ranges out of order or out of bounds are left out rather than trusted. */
export function marked(hit: Pick<SearchHit, "snippet" | "highlights">): { text: string; match: boolean }[] {
  const parts: { text: string; match: boolean }[] = [];
  let at = 0;
  for (const [start, end] of hit.highlights) {
    if (start < at || end <= start || end > hit.snippet.length) continue;
    if (start > at) parts.push({ text: hit.snippet.slice(at, start), match: false });
    parts.push({ text: hit.snippet.slice(start, end), match: true });
    at = end;
  }
  if (at < hit.snippet.length) parts.push({ text: hit.snippet.slice(at), match: false });
  return parts;
}

export const search = new Search();
