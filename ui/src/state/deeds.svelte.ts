// What a person did beside typing, in order: each can be taken back, and what was taken back can be done again.

import { asEngineError } from "../ipc/engine";
import type { OpState } from "../ipc/types";
import { toasts } from "./toasts.svelte";

/** One thing that was done, and how to turn it back and forth. */
export interface Deed {
  /** What was done, as a sentence without its full stop. */
  said: string;
  hint?: string;
  /** It is seen where it was done, and needs no message. */
  quiet?: boolean;
  /** Whether it can still be turned; one that cannot is passed over. Absent means always. */
  stands?: (way: "undo" | "redo") => boolean;
  /** Where the keyboard belongs once it is done, and once it is undone. */
  after: string;
  before: string;
  /** Returns the operation that is taken back next, if it is one. */
  operation: () => string | null;
  undo: () => Promise<void>;
  redo: () => Promise<void>;
}

/** Nobody goes back further than this. */
const MOST = 50;

class Deeds {
  #done = $state.raw<Deed[]>([]);
  #undone = $state.raw<Deed[]>([]);
  /** What `undo` takes back, and what `redo` does again. */
  last = $derived(this.#done.at(-1) ?? null);
  next = $derived(this.#undone.at(-1) ?? null);
  /** What was asked for last: who presses a key three times means three deeds, one after the other. */
  #turning: Promise<unknown> = Promise.resolve();
  #busy = false;
  /** The message that offers to turn a deed. */
  #told = new Map<Deed, number>();

  /** Takes in what was just done, and says so. */
  did(deed: Deed): void {
    this.#done = [...this.#done, deed].slice(-MOST);
    // What was undone before cannot be done again on top of it.
    for (const undone of this.#undone) this.#forget(undone);
    this.#tell(deed, deed.said, "Undo");
  }

  /** Takes a deed back, the latest unless one is named. Resolves to where the keyboard belongs. */
  undo(deed?: Deed): Promise<string | undefined> {
    return this.#in_turn(() => this.#turn(deed ?? this.#standing("undo"), "undo"));
  }

  /** Does again what was taken back. */
  redo(deed?: Deed): Promise<string | undefined> {
    return this.#in_turn(() => this.#turn(deed ?? this.#standing("redo"), "redo"));
  }

  #standing(way: "undo" | "redo"): Deed | null {
    for (;;) {
      const deed = way === "undo" ? this.last : this.next;
      if (!deed || (deed.stands?.(way) ?? true)) return deed;
      this.#forget(deed);
    }
  }

  #in_turn<T>(act: () => Promise<T>): Promise<T> {
    const turned = this.#turning.then(act);
    this.#turning = turned;
    return turned;
  }

  async #turn(deed: Deed | null, way: "undo" | "redo"): Promise<string | undefined> {
    const from = way === "undo" ? this.#done : this.#undone;
    if (!deed || !from.includes(deed)) return undefined;
    this.#busy = true;
    this.#forget(deed);
    // What was said about earlier turns is no news any more.
    for (const told of this.#told.values()) toasts.dismiss(told);
    try {
      await deed[way]();
    } catch (cause) {
      // It may work later: another program may give the file free.
      this.#put(way === "undo" ? "done" : "undone", deed);
      toasts.error(asEngineError(cause));
      return undefined;
    } finally {
      this.#busy = false;
    }
    this.#put(way === "undo" ? "undone" : "done", deed);
    if (way === "undo") this.#tell(deed, "Undone", "Redo");
    else this.#tell(deed, deed.said, "Undo");
    return way === "undo" ? deed.before : deed.after;
  }

  #tell(deed: Deed, said: string, title: "Undo" | "Redo"): void {
    if (deed.quiet) return;
    const run = () => void (title === "Undo" ? this.undo(deed) : this.redo(deed));
    this.#told.set(deed, toasts.say(said, { hint: title === "Undo" ? deed.hint : undefined, action: { title, run } }));
  }

  /** An operation moved on: what was turned in another place is not offered here any more. */
  heard(id: string, state: OpState): void {
    if (state !== "undone" || this.#busy) return;
    for (const deed of [...this.#done, ...this.#undone]) if (deed.operation() === id) this.#forget(deed);
  }

  #put(where: "done" | "undone", deed: Deed): void {
    if (where === "done") this.#done = [...this.#done, deed];
    else this.#undone = [...this.#undone, deed];
  }

  #forget(deed: Deed): void {
    this.#done = this.#done.filter((one) => one !== deed);
    this.#undone = this.#undone.filter((one) => one !== deed);
    const told = this.#told.get(deed);
    if (told !== undefined) toasts.dismiss(told);
    this.#told.delete(deed);
  }

  /** Forgets what belongs to another vault. */
  reset(): void {
    this.#done = this.#undone = [];
    this.#told.clear();
    this.#busy = false;
  }
}

export const deeds = new Deeds();
