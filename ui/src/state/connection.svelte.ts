// Connecting one program: what its settings file would become, the writing of it, and the way back.

import { asEngineError, engine, type EngineError } from "../ipc/engine";
import type { Connecting, Newcomer } from "../ipc/operations";

export class Connection {
  /** What the engine last said of the program's settings file. */
  shown = $state.raw<Connecting | null>(null);
  /** Whether the change is laid out for the person to decide on. */
  open = $state(false);
  busy = $state(false);
  problem = $state.raw<EngineError | null>(null);
  said = $state("");

  #newcomer: Newcomer | null = null;

  /** Looks at the settings file of another program, or of the same one under a new token. */
  async look(newcomer: Newcomer): Promise<void> {
    const is_other = this.#newcomer?.program !== newcomer.program;
    this.#newcomer = newcomer;
    if (is_other) {
      this.shown = null;
      this.said = "";
      this.problem = null;
    }
    this.open = false;
    await this.#ask(newcomer, () => engine.agents_connecting(newcomer));
  }

  /** Writes what is shown. */
  async write(): Promise<void> {
    const { shown } = this;
    const newcomer = this.#newcomer;
    if (shown?.outcome !== "write" || newcomer === null) return;
    await this.#act(newcomer, `Wrote ${shown.file}. Restart the program to use it.`, () => engine.agents_connect(newcomer, shown.seen));
  }

  /** Takes our entry out of the file again. */
  async take_out(): Promise<void> {
    const { shown } = this;
    const newcomer = this.#newcomer;
    if (shown === null || newcomer === null) return;
    await this.#act(newcomer, `Took Vidimus out of ${shown.file}.`, () => engine.agents_disconnect(newcomer));
  }

  async #act(newcomer: Newcomer, said: string, act: () => Promise<Connecting>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    this.said = "";
    if (await this.#ask(newcomer, act)) {
      this.open = false;
      this.said = said;
    }
    this.busy = false;
  }

  async #ask(newcomer: Newcomer, ask: () => Promise<Connecting>): Promise<boolean> {
    try {
      const shown = await ask();
      // The person may have picked another program meanwhile.
      if (this.#newcomer !== newcomer) return false;
      this.shown = shown;
      this.problem = null;
      return true;
    } catch (cause) {
      if (this.#newcomer === newcomer) this.problem = asEngineError(cause);
      return false;
    }
  }
}
