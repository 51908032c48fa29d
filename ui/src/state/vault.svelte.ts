// The open vault, and what the engine says about it.

import { asEngineError, engine, type EngineError } from "../ipc/engine";
import type { AgentsChanged, HealthNotice, IndexProgress, KnownVault, VaultInfo } from "../ipc/types";

export type Phase = "starting" | "welcome" | "opening" | "open" | "broken";

class VaultStore {
  phase = $state<Phase>("starting");
  info = $state<VaultInfo | null>(null);
  known = $state<KnownVault[]>([]);
  indexing = $state<IndexProgress | null>(null);
  notices = $state<HealthNotice[]>([]);
  agents = $state<AgentsChanged>({ on: false, n_connected: 0, writes_allowed: false });
  version = $state("");
  error = $state<EngineError | null>(null);
  opening_path = $state<string | null>(null);
  /** The folder that is open now; stays the same while counts change. */
  path = $derived(this.phase === "open" ? (this.info?.root ?? null) : null);

  /** Asks the engine where we stand; the first thing a window does. */
  async start(): Promise<void> {
    engine.on("indexing", (progress) => {
      this.indexing = progress.done < progress.total ? progress : null;
      if (!this.indexing) void this.recount();
    });
    engine.on("notes_changed", ({ changed }) => {
      if (changed.some((one) => one.before === null || one.after === null)) this.#recount_soon();
    });
    engine.on("health", ({ notices }) => {
      this.notices = notices;
      // With the notices may have come that notes were moved by another program.
      this.#recount_soon(0);
    });
    // The program opens the last vault by itself, or one that another start named.
    engine.on("vault_opened", () => void this.refresh());
    engine.on("agents_changed", (agents) => (this.agents = agents));
    await this.refresh();
  }

  async refresh(): Promise<void> {
    try {
      const state = await engine.app_state();
      this.known = state.known_vaults;
      this.indexing = state.indexing;
      this.notices = state.notices;
      this.agents = state.agents;
      this.version = state.version;
      this.info = state.vault;
      if (!state.vault && state.not_opened) this.error = asEngineError(state.not_opened);
      // While the program opens a vault by itself nothing is to be chosen: `vault_opened` follows.
      this.opening_path = state.vault ? null : state.opening;
      this.phase = state.vault ? "open" : state.opening ? "starting" : "welcome";
      // What the engine told before anybody listened is asked for once more.
      if (state.vault) this.#recount_soon(1000);
    } catch (cause) {
      this.error = asEngineError(cause);
      this.phase = "broken";
    }
  }

  /** Asks how many notes there are by now, and how far the index is. */
  async recount(): Promise<void> {
    const state = await engine.app_state().catch(() => null);
    if (!state?.vault || this.phase !== "open" || state.vault.root !== this.info?.root) return;
    this.info = state.vault;
    this.notices = state.notices;
    this.indexing = state.indexing;
  }

  #recount_soon(pause = 300): void {
    clearTimeout(this.#recounting);
    this.#recounting = setTimeout(() => void this.recount(), pause);
  }
  #recounting: ReturnType<typeof setTimeout> | undefined;

  async choose(): Promise<void> {
    this.error = null;
    try {
      const path = await engine.choose_folder();
      if (path) await this.open(path);
    } catch (cause) {
      this.error = asEngineError(cause);
    }
  }

  async open(path: string): Promise<void> {
    this.error = null;
    this.opening_path = path;
    this.phase = "opening";
    try {
      this.info = await engine.open_vault(path);
      await this.refresh();
    } catch (cause) {
      this.error = asEngineError(cause);
      this.phase = "welcome";
    } finally {
      this.opening_path = null;
    }
  }

  async close(): Promise<void> {
    await engine.close_vault();
    this.info = null;
    await this.refresh();
  }
}

export const vault = new VaultStore();
