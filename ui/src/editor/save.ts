// When typed text goes to disk: Clean -> Dirty -> (0.8 s of quiet, 2 s at most, blur, before an approval, before closing)
// -> Saving -> Clean. A stale save is merged and tried again; a refused one keeps the text and says why.

import { asEngineError, type EngineError } from "../ipc/engine";
import type { Saved } from "../ipc/types";

export type SaveStatus =
  | { kind: "saved" }
  | { kind: "unsaved" }
  | { kind: "saving" }
  | { kind: "failed"; error: EngineError };

/** What the saver needs of the document that it looks after. */
export interface SavePort {
  dirty(): boolean;
  /** Takes the text as it is now, and the hash that it was typed on. */
  take(): { base: string; text: string };
  write(base: string, text: string): Promise<Saved>;
  arrived(hash: string): void;
  /** The disk has another text: bring it into the document. What was typed stays. */
  merge(hash: string, text: string): void;
  lost(): void;
  status(status: SaveStatus): void;
}

export interface SaveTimes {
  idle: number;
  most: number;
  retry: number;
}

export const TIMES: SaveTimes = { idle: 800, most: 2000, retry: 5000 };
/** Another program that writes faster than we merge is told apart from one that wrote once. */
const MAX_MERGES = 5;

export class Saver {
  status: SaveStatus = { kind: "saved" };
  #idle: ReturnType<typeof setTimeout> | undefined;
  #most: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<boolean> | null = null;
  #stopped = false;

  constructor(
    private readonly port: SavePort,
    private readonly times: SaveTimes = TIMES,
  ) {}

  /** Whether a save is on its way. */
  get busy(): boolean {
    return this.#running !== null;
  }

  /** Resolves when no save is on its way. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running;
  }

  /** The person changed the text. */
  changed(): void {
    if (this.#stopped) return;
    if (!this.port.dirty()) {
      if (!this.#running) this.#settle();
      return;
    }
    if (!this.#running && this.status.kind !== "failed") this.#say({ kind: "unsaved" });
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.flush(), this.times.idle);
    this.#most ??= setTimeout(() => void this.flush(), this.times.most);
  }

  /** Saves now. Resolves to whether everything that was typed before the call is on disk. */
  async flush(): Promise<boolean> {
    if (this.#stopped) return false;
    this.#cancel();
    while (this.#running) await this.#running;
    if (!this.port.dirty()) {
      this.#settle();
      return true;
    }
    this.#running = this.#run();
    try {
      return await this.#running;
    } finally {
      this.#running = null;
      // What was typed while the save ran waits for its own quiet moment.
      if (this.status.kind !== "failed") {
        if (this.port.dirty()) this.changed();
        else this.#settle();
      }
    }
  }

  async #run(): Promise<boolean> {
    // A failure stays in sight until a save goes through, or the message would flicker with every retry.
    if (this.status.kind !== "failed") this.#say({ kind: "saving" });
    try {
      for (let n = 0; n < MAX_MERGES; n++) {
        const { base, text } = this.port.take();
        const outcome = await this.port.write(base, text);
        if (outcome.kind === "saved") this.port.arrived(outcome.hash);
        else this.port.merge(outcome.hash, outcome.text);
        if (outcome.kind === "saved" || !this.port.dirty()) {
          this.status = { kind: "saving" };
          return true;
        }
      }
      throw { code: "busy", message: "another program keeps writing this note", hint: "wait for it to finish; your text is kept here", retry: true };
    } catch (cause) {
      const error = asEngineError(cause);
      this.port.lost();
      this.#say({ kind: "failed", error });
      if (error.retry) this.#idle = setTimeout(() => void this.flush(), this.times.retry);
      return false;
    }
  }

  #settle(): void {
    this.#cancel();
    this.#say({ kind: "saved" });
  }

  #cancel(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#most);
    this.#most = undefined;
  }

  #say(status: SaveStatus): void {
    const same = status.kind === this.status.kind && status.kind !== "failed";
    this.status = status;
    if (same) return;
    this.port.status(status);
  }

  /** The document is going away, perhaps its whole vault: nothing is written after this. */
  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }
}
