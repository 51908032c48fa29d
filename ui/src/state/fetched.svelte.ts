// A list of the whole vault that a pane shows: asked for while the pane is there, and again when notes change.

import { asEngineError, engine, type EngineError } from "../ipc/engine";

/** Notes change in bursts, and such a list is read in passing. */
const REFRESH_DELAY = 500;

export class Fetched<T> {
  list = $state.raw<T[] | null>(null);
  error = $state.raw<EngineError | null>(null);
  #asked = 0;

  constructor(private readonly ask: () => Promise<T[]>) {}

  /** Keeps the list true; returns what stops it. */
  follow(): () => void {
    let clock: ReturnType<typeof setTimeout> | undefined;
    const soon = () => {
      clock ??= setTimeout(() => {
        clock = undefined;
        void this.load();
      }, REFRESH_DELAY);
    };
    // The vault's own settings change without a note being touched, but only while another window is in front.
    window.addEventListener("focus", soon);
    const stop = engine.on("notes_changed", soon);
    void this.load();
    return () => {
      clearTimeout(clock);
      window.removeEventListener("focus", soon);
      stop();
    };
  }

  async load(): Promise<void> {
    const asked = ++this.#asked;
    try {
      const list = await this.ask();
      if (asked !== this.#asked) return;
      this.list = list;
      this.error = null;
    } catch (cause) {
      if (asked === this.#asked) this.error = asEngineError(cause);
    }
  }

  /** Forgets what belongs to another vault. */
  reset(): void {
    this.#asked++;
    this.list = null;
    this.error = null;
  }
}
