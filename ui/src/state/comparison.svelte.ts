// Two notes that are laid side by side: a copy that a sync tool kept, and the note that it is of.

import { asEngineError, engine, type EngineError } from "../ipc/engine";
import type { Hunk } from "../ipc/types";
import { operations, type Phase } from "./operations.svelte";
import { type TabGroup, tabs } from "./tabs.svelte";

const REFRESH_DELAY = 150;

class Comparison {
  /** The note on screen, and the other one. */
  pair = $state.raw<{ path: string; other: string } | null>(null);
  #group = $state(0);
  hunks = $state.raw<Hunk[]>([]);
  phase = $state<Phase>("loading");
  failure = $state.raw<EngineError | null>(null);
  #asked = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Follows the engine; returns what stops it. */
  start(): () => void {
    const stop = engine.on("notes_changed", ({ changed }) => {
      const { pair } = this;
      if (!pair || !changed.some(({ path }) => path === pair.path || path === pair.other)) return;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#compare(), REFRESH_DELAY);
    });
    return () => {
      clearTimeout(this.#timer);
      this.close();
      stop();
    };
  }

  /** What a group of tabs shows in place of its note: a comparison belongs to the page that it was opened from. */
  shown_in(group: TabGroup): { path: string; other: string } | null {
    return this.#group === group.id && this.pair?.path === group.active_path ? this.pair : null;
  }

  open(path: string, other: string): void {
    this.pair = { path, other };
    this.#group = tabs.group.id;
    this.hunks = [];
    this.phase = "loading";
    void this.#compare();
  }

  close(): void {
    this.pair = null;
    this.hunks = [];
    this.#asked++;
  }

  async #compare(): Promise<void> {
    const { pair } = this;
    if (!pair) return;
    const asked = ++this.#asked;
    try {
      await operations.save_typing();
      const hunks = await engine.compare(pair.path, pair.other);
      if (asked !== this.#asked) return;
      this.hunks = hunks;
      this.phase = "ready";
      this.failure = null;
    } catch (cause) {
      if (asked !== this.#asked) return;
      this.failure = asEngineError(cause);
      this.phase = "failed";
    }
  }
}

export const comparison = new Comparison();
