// Which links of a note lead somewhere. The engine is asked for those on screen, and again when notes come or go.

import { engine } from "../ipc/engine";
import type { NoteDocument } from "./documents";

/** How long to gather before asking. */
const PAUSE = 60;

export class KnownLinks {
  #known = new Map<string, boolean>();
  #wanted = new Set<string>();
  #clock: ReturnType<typeof setTimeout> | undefined;
  #path: string;

  constructor(
    private readonly doc: NoteDocument,
    /** Something is known now that was not, or is no longer so. */
    private readonly told: () => void,
  ) {
    this.#path = doc.path;
  }

  /** Whether a link leads nowhere, as far as is known by now. */
  is_missing(target: string): boolean {
    if (this.#path !== this.doc.path) this.forget();
    const known = this.#known.get(target);
    if (known === undefined) this.#want(target);
    return known === false;
  }

  /** Notes came or went: what is known is asked for again, and stays until it is answered. */
  ask_again(): void {
    for (const target of this.#known.keys()) this.#want(target);
  }

  forget(): void {
    this.#path = this.doc.path;
    this.#known.clear();
  }

  stop(): void {
    clearTimeout(this.#clock);
    this.#clock = undefined;
  }

  #want(target: string): void {
    this.#wanted.add(target);
    this.#clock ??= setTimeout(() => void this.#ask(), PAUSE);
  }

  async #ask(): Promise<void> {
    const wanted = [...this.#wanted];
    const path = this.#path;
    this.#wanted.clear();
    this.#clock = undefined;
    const before = new Map(this.#known);
    await Promise.all(
      wanted.map(async (target) => {
        // What cannot be asked is not said to be missing.
        const found = await engine.resolve_link(path, target).catch(() => undefined);
        if (found !== undefined && path === this.#path) this.#known.set(target, found !== null);
      }),
    );
    if (wanted.some((target) => (before.get(target) ?? true) !== (this.#known.get(target) ?? true))) this.told();
  }
}
