// What waits for a decision, what was decided, and the one proposal that is being looked at.

import { count, facts, outcome, title } from "../components/review/wording";
import { asEngineError, engine, EngineError } from "../ipc/engine";
import type { OperationView, Review } from "../ipc/types";
import { following, move_of, reversed } from "./moves";
import { type Standing, standing_of } from "./standing";
import { toasts } from "./toasts.svelte";

export type Phase = "loading" | "ready" | "failed";
export type Doing = "approve" | "decline" | "amend" | "undo" | "redo" | "finish" | "batch";

/** How many proposals a batch would approve, and why the others stay. */
export interface Batch {
  reviews: Review[];
  approvable: Review[];
  n_changed: number;
  n_blocked: number;
}

/** A plan that was replaced on screen this short a time ago (in milliseconds) cannot have been read yet. */
export const READING_TIME = 700;
const REFRESH_DELAY = 120;

export class Operations {
  list = $state.raw<OperationView[]>([]);
  phase = $state<Phase>("loading");
  failure = $state.raw<EngineError | null>(null);

  selected = $state<string | null>(null);
  review = $state.raw<Review | null>(null);
  review_phase = $state<Phase>("loading");
  review_failure = $state.raw<EngineError | null>(null);
  /** The plan on screen replaced another one that the person had been shown. */
  replanned = $state(false);
  /** An approval was answered with another plan, and that one waits for a second look. */
  not_approved = $state(false);

  busy = $state<Doing | null>(null);
  /** What an act ran into; the person stays where they are. */
  problem = $state.raw<EngineError | null>(null);
  /** Read out by screen readers. */
  said = $state("");
  /** Grows with each decision, so that the pane can move the focus on. */
  n_decisions = $state(0);
  batch = $state.raw<Batch | null>(null);

  /** Saves what is typed but not yet on disk, and tells whether it could; the window sets it. */
  before_decision: () => Promise<boolean | void> = async () => {};

  waiting = $derived(this.list.filter(waits).sort(by_attention));
  decided = $derived(this.list.filter(was_decided).sort(by_decision));
  n_waiting = $derived(this.waiting.length);
  current = $derived(this.list.find((operation) => operation.id === this.selected) ?? null);
  /** Other proposals for the heading that is being looked at. */
  rivals = $derived(this.waiting.filter((operation) => this.current !== null && is_rival(operation, this.current)));
  /** The decision that `undo_last` takes back. */
  undoable = $derived(this.decided.find((operation) => this.can(operation, "undo")) ?? null);
  /** What was undone last, and can be done again. */
  redoable = $derived(this.decided.filter((operation) => this.can(operation, "redo")).sort((a, b) => by_decision(this.standing(a).tip, this.standing(b).tip))[0] ?? null);

  #asked_list = 0;
  #asked_review = 0;
  #shown_at = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly now: () => number = () => Date.now()) {}

  /** Follows the engine; returns what stops it. */
  start(): () => void {
    void this.load();
    const stops = [
      engine.on("operation_changed", () => this.#soon()),
      engine.on("notes_changed", () => this.n_waiting > 0 && this.#soon()),
    ];
    return () => {
      clearTimeout(this.#timer);
      for (const stop of stops) stop();
    };
  }

  /** Asks the engine for all operations. */
  async load(): Promise<void> {
    const asked = ++this.#asked_list;
    try {
      const list = await engine.operations();
      if (asked !== this.#asked_list) return;
      this.list = list;
      this.phase = "ready";
      this.failure = null;
      if (this.selected !== null && !this.current) this.#deselect();
      if (this.selected === null) this.select(this.waiting[0]?.id ?? null);
    } catch (cause) {
      if (asked !== this.#asked_list) return;
      this.failure = asEngineError(cause);
      if (this.phase !== "ready") this.phase = "failed";
    }
  }

  /** Shows one operation. */
  select(id: string | null): void {
    this.batch = null;
    if (id === this.selected) return;
    this.#deselect();
    this.selected = id;
    if (id !== null) void this.look();
  }

  /** Moves to the next (or previous) operation of the queue. */
  step(by: 1 | -1): void {
    const order = [...this.waiting, ...this.decided];
    const at = order.findIndex((operation) => operation.id === this.selected);
    const next = order[at === -1 ? 0 : Math.min(order.length - 1, Math.max(0, at + by))];
    if (next) this.select(next.id);
  }

  /** Asks for the plan of the selected operation on the text of now; of a decided one, for what it did. */
  async look(): Promise<void> {
    const id = this.selected;
    if (id === null) return;
    const asked = ++this.#asked_review;
    if (this.review_failure) this.review_phase = "loading";
    try {
      const review = await engine.review(id);
      if (asked !== this.#asked_review) return;
      this.#show(review);
    } catch (cause) {
      if (asked !== this.#asked_review) return;
      this.review_failure = asEngineError(cause);
      this.review_phase = "failed";
    }
  }

  /** Approves exactly the plan on screen. */
  async approve(): Promise<void> {
    const shown = this.review;
    if (!shown?.digest || this.busy || this.review_phase !== "ready") return;
    if (this.replanned && this.now() - this.#shown_at < READING_TIME) {
      this.said = "The changes were just planned anew. Look at them, then approve.";
      return;
    }
    const digest = shown.digest;
    await this.#act("approve", async () => {
      const move = move_of(shown.operation);
      const answer = await following(move, () => engine.approve(shown.operation.id, digest), ({ kind }) => kind === "decided");
      if (answer.kind === "changed") {
        this.#show(answer.review, true);
        this.not_approved = true;
        this.said = "Not approved yet: the notes changed since you looked. Check the new changes and approve again.";
      } else {
        this.#decided(answer.operation);
      }
    });
  }

  /** Says no, with an optional word to the agent. */
  async decline(comment: string): Promise<void> {
    const id = this.selected;
    if (id === null || this.current?.state !== "proposed" || this.busy) return;
    await this.#act("decline", async () => this.#decided(await engine.decline(id, comment.trim() || null)));
  }

  /** Changes the new heading and plans again; tells whether it could be. */
  async amend(new_heading: string): Promise<boolean> {
    const id = this.selected;
    if (id === null || this.current?.state !== "proposed" || this.busy) return false;
    return this.#act("amend", async () => {
      const review = await engine.amend(id, new_heading.trim());
      this.#show(review, false);
      this.not_approved = false;
      this.said = `Planned anew with “${review.operation.summary.new_heading}”. Nothing is written until you approve.`;
    });
  }

  /** Tells what is left of a change after it was undone or done again. */
  standing(operation: OperationView): Standing {
    return standing_of(operation, this.list);
  }

  can(operation: OperationView, way: "undo" | "redo"): boolean {
    const { stands, turn } = this.standing(operation);
    return turn !== null && stands === (way === "undo");
  }

  /** Takes a finished operation back. */
  undo(id: string): Promise<void> {
    return this.#turn(id, "undo");
  }

  /** Does again what was undone. */
  redo(id: string): Promise<void> {
    return this.#turn(id, "redo");
  }

  async #turn(id: string, way: "undo" | "redo"): Promise<void> {
    const change = this.list.find((operation) => operation.id === id);
    if (this.busy || !change || !this.can(change, way)) return;
    const { turn } = this.standing(change);
    const move = way === "undo" ? reversed(move_of(change)) : move_of(change);
    const turned = await this.#act(way, async () => {
      await following(move, () => engine.undo(turn!));
      this.said = `${way === "undo" ? "Undone" : "Done again"}: ${title(change)}.`;
      await this.load();
      if (this.selected === id) void this.look();
    });
    // What is on screen speaks for itself alone: a refusal about any other operation is said above the window.
    if (!turned && this.problem && (this.selected !== id || this.batch)) {
      toasts.error(this.problem);
      this.problem = null;
    }
  }

  /** Takes back the latest decision that can be. */
  async undo_last(): Promise<void> {
    if (this.undoable) await this.undo(this.undoable.id);
    else this.said = "There is no decision to undo.";
  }

  /** Does again what was undone last. */
  async redo_last(): Promise<void> {
    if (this.redoable) await this.redo(this.redoable.id);
    else this.said = "There is nothing to redo.";
  }

  /** Finishes an operation that was stopped half-way. */
  async finish(id: string): Promise<void> {
    if (this.busy) return;
    await this.#act("finish", async () => this.#decided(await engine.finish(id)));
  }

  /** Takes back what an operation did before it was stopped half-way. */
  async take_back(id: string): Promise<void> {
    if (this.busy) return;
    await this.#act("undo", async () => this.#decided(await engine.take_back(id)));
  }

  /** Lays all waiting proposals out, so that what a batch approves has been shown. */
  async open_batch(): Promise<void> {
    if (this.busy) return;
    await this.#act("batch", async () => {
      const proposed = this.waiting.filter((operation) => operation.state === "proposed");
      this.batch = batch_of(await Promise.all(proposed.map((operation) => engine.review(operation.id))));
    });
  }

  close_batch(): void {
    this.batch = null;
  }

  /** Approves, one after the other, what the batch shows as ready; what could not be approved stays in it. */
  async approve_batch(): Promise<void> {
    const batch = this.batch;
    if (!batch || this.busy) return;
    await this.#act("batch", async () => {
      const left = batch.reviews.filter((review) => !batch.approvable.includes(review));
      let n_approved = 0;
      for (const review of batch.approvable) {
        try {
          const answer = await engine.approve(review.operation.id, review.digest ?? "");
          if (answer.kind === "decided") {
            this.#replace(answer.operation);
            n_approved += 1;
          } else {
            left.push(answer.review);
          }
        } catch (cause) {
          this.problem = asEngineError(cause);
          left.push(review);
        }
      }
      this.said = `${count(n_approved, "proposal")} approved. ${n_left(left.length)}`;
      const problem = this.problem;
      this.#deselect();
      await this.load();
      this.problem = problem;
      this.batch = left.length > 0 ? batch_of(left) : null;
      this.n_decisions += 1;
    });
  }

  /** Saves what is typed. Nothing is written over text that could not be saved. */
  async save_typing(): Promise<void> {
    if ((await this.before_decision()) === false)
      throw new EngineError("unsaved", "some text could not be saved", "look at the notes marked as unsaved, then try again");
  }

  async #act(doing: Doing, act: () => Promise<void>): Promise<boolean> {
    this.busy = doing;
    this.problem = null;
    try {
      if (doing !== "decline") await this.save_typing();
      await act();
      return true;
    } catch (cause) {
      this.problem = asEngineError(cause);
      return false;
    } finally {
      this.busy = null;
    }
  }

  // `replanned` says whether another plan on screen is news to the person; left out, a new digest is.
  #show(review: Review, replanned?: boolean): void {
    const same_one = this.review?.operation.id === review.operation.id && this.review.operation.state === review.operation.state;
    const other_plan = same_one && this.review?.digest !== review.digest;
    if (replanned !== undefined) this.replanned = replanned;
    else if (other_plan) {
      this.replanned = true;
      this.said = "The notes changed, so the changes were planned anew.";
    }
    if (!same_one || other_plan) this.#shown_at = this.now();
    this.review = review;
    this.review_phase = "ready";
    this.review_failure = null;
    this.#replace(review.operation);
  }

  #decided(operation: OperationView): void {
    const order = this.waiting;
    const at = order.findIndex((one) => one.id === operation.id);
    const next = [...order.slice(at + 1), ...order.slice(0, Math.max(at, 0))].find((one) => one.id !== operation.id);
    this.#replace(operation);
    this.said = `${outcome(operation)}: ${title(operation)}. ${n_left(this.n_waiting)}`;
    this.#deselect();
    this.select(next?.id ?? null);
    this.n_decisions += 1;
  }

  #replace(operation: OperationView): void {
    this.list = this.list.map((one) => (one.id === operation.id ? operation : one));
  }

  #deselect(): void {
    this.#asked_review += 1;
    this.selected = null;
    this.review = null;
    this.review_phase = "loading";
    this.review_failure = null;
    this.replanned = false;
    this.not_approved = false;
    this.problem = null;
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.busy) return this.#soon();
      void this.load().then(() => this.look());
    }, REFRESH_DELAY);
  }
}

/** Tells whether a person has something to decide about it. */
export function waits(operation: OperationView): boolean {
  return operation.state === "proposed" || operation.state === "interrupted";
}

// What a person did to one note alone is in that note's history; the queue keeps what agents did and what went far.
function was_decided(operation: OperationView): boolean {
  if (waits(operation) || operation.kind === "undo") return false;
  return operation.actor.kind === "agent" || operation.files.length > 1;
}

function is_rival(one: OperationView, other: OperationView): boolean {
  if (one.id === other.id || one.kind !== "rename_section" || other.kind !== "rename_section") return false;
  const [a, b] = [facts(one.summary), facts(other.summary)];
  return one.path === other.path && a.old_heading === b.old_heading && a.heading_occurrence === b.heading_occurrence;
}

function batch_of(reviews: Review[]): Batch {
  const of = (kind: string) => reviews.filter((review) => review.operation.readiness?.kind === kind);
  return {
    reviews,
    approvable: of("ready").filter((review) => review.digest !== null),
    n_changed: of("changed_since").length,
    n_blocked: of("blocked").length,
  };
}

function n_left(n: number): string {
  return n === 0 ? "All reviewed." : `${n} left to review.`;
}

// What needs a second look comes first, so that nobody finds out only when approving.
function by_attention(a: OperationView, b: OperationView): number {
  if (attention(a) !== attention(b)) return attention(a) - attention(b);
  if (a.proposed_at === b.proposed_at) return a.id < b.id ? -1 : 1;
  return a.proposed_at < b.proposed_at ? 1 : -1;
}

// The latest decision first: that is the one that Undo means.
function by_decision(a: OperationView, b: OperationView): number {
  const [one, other] = [a.decided_at ?? a.proposed_at, b.decided_at ?? b.proposed_at];
  return one < other ? 1 : one > other ? -1 : 0;
}

function attention(operation: OperationView): number {
  if (operation.state === "interrupted") return 0;
  return { changed_since: 1, blocked: 2, ready: 3 }[operation.readiness?.kind ?? "ready"];
}

export const operations = new Operations();
