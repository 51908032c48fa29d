// The door for agents: open or shut, who was let in, and what they did.

import { asEngineError, engine, type EngineError } from "../ipc/engine";
import { toasts } from "./toasts.svelte";
import type { AgentActivity, AgentClient, AgentsView, ClientConfig, NewClient, Policy, Scope } from "../ipc/operations";
import type { OperationView } from "../ipc/types";
import type { Phase } from "./operations.svelte";

export type AgentsDoing = "switch" | "create" | "revoke" | "policy" | "scope" | "export" | "connect";

export class Agents {
  view = $state.raw<AgentsView | null>(null);
  phase = $state<Phase>("loading");
  failure = $state.raw<EngineError | null>(null);
  busy = $state<AgentsDoing | null>(null);
  problem = $state.raw<EngineError | null>(null);
  said = $state("");

  /** The client just let in, with the token that is shown this once. */
  created = $state.raw<NewClient | null>(null);
  configs = $state.raw<ClientConfig[]>([]);

  on = $derived(this.view?.on ?? false);
  n_connected = $derived(this.view?.n_connected ?? 0);
  clients = $derived<AgentClient[]>(this.view?.clients ?? []);
  activity = $derived<AgentActivity[]>(this.view?.activity ?? []);

  #asked = 0;

  /** Follows the engine; returns what stops it. */
  start(): () => void {
    void this.refresh();
    const stops = [
      engine.on("agents_changed", () => void this.refresh()),
      engine.on("operation_changed", () => void this.refresh()),
    ];
    return () => stops.forEach((stop) => stop());
  }

  async refresh(): Promise<void> {
    const asked = ++this.#asked;
    try {
      const view = await engine.agents();
      if (asked !== this.#asked) return;
      this.view = view;
      this.phase = "ready";
      this.failure = null;
      this.configs = await engine.agents_config(this.created?.client.name ?? null, this.created?.token ?? null);
    } catch (cause) {
      if (asked !== this.#asked) return;
      this.failure = asEngineError(cause);
      if (this.phase !== "ready") this.phase = "failed";
    }
  }

  /** Opens or shuts the door. */
  async set(on: boolean): Promise<void> {
    await this.#act("switch", async () => {
      this.#take(await engine.agents_set(on));
      this.said = on ? "Agents are on. They can read this vault and propose changes." : "Agents are off.";
    });
  }

  /** Lets a client in and keeps its token on screen until it is dismissed; tells whether it could be. */
  async create(name: string): Promise<boolean> {
    const wanted = name.trim();
    if (wanted === "") return false;
    return this.#act("create", async () => {
      this.created = await engine.agents_create(wanted);
      this.said = `${wanted} is let in. Copy its token now; it is not shown again.`;
      await this.refresh();
    });
  }

  /** Lets a program in under its own name, or under that name and a number if the name is taken. */
  async let_in(program: string): Promise<boolean> {
    const taken = new Set(this.clients.map((client) => client.name));
    let name = program;
    for (let n = 2; taken.has(name); n++) name = `${program} ${n}`;
    return this.create(name);
  }

  /** Forgets the token on screen. */
  async dismiss_token(): Promise<void> {
    this.created = null;
    await this.refresh();
  }

  /** Shuts a client out for good. */
  async revoke(client: AgentClient): Promise<void> {
    await this.#act("revoke", async () => {
      const view = await engine.agents_revoke(client.id);
      if (this.created?.client.id === client.id) this.created = null;
      this.#take(view);
      this.said = `${client.name} is shut out.`;
    });
  }

  /** Sets what a client may do in this vault; tells whether it could be. */
  async set_policy(client: AgentClient, policy: Policy): Promise<boolean> {
    return this.#act("policy", async () => {
      this.#take(await engine.agents_policy(client.id, policy));
      this.said = policy_sentence(client.name, policy);
    });
  }

  /** Sets what a client may see of this vault, and with which tools; tells whether it could be. */
  async set_scope(client: AgentClient, scope: Scope): Promise<boolean> {
    return this.#act("scope", async () => {
      const view = await engine.agents_scope(client.id, scope);
      this.#take(view);
      this.said = scope_sentence(client.name, view.clients.find((one) => one.id === client.id)?.scope ?? scope);
    });
  }

  /** Opens a program, which asks whether the vault may be added to it. */
  async open_link(config: ClientConfig): Promise<void> {
    await this.#act("connect", async () => {
      await engine.agents_open_link(config.id);
      this.said = `${config.title} asks whether to add the vault.`;
      toasts.say(this.said);
    });
  }

  /** Writes what Claude Desktop opens to add the vault, to a file that the person chooses. */
  async save_bundle(config: ClientConfig): Promise<void> {
    await this.#act("connect", async () => {
      const file = await engine.agents_bundle();
      if (file === null) return;
      this.said = `Wrote ${file}. Open it with ${config.title}.`;
      toasts.say(this.said);
    });
  }

  /** Writes every call that is kept to a file that the person chooses. */
  async export_activity(): Promise<void> {
    await this.#act("export", async () => {
      const file = await engine.agents_export();
      if (file === null) return;
      this.said = `Wrote ${file}.`;
      toasts.say(this.said);
    });
  }

  #take(view: AgentsView): void {
    this.#asked += 1;
    this.view = view;
    this.phase = "ready";
    void this.refresh();
  }

  async #act(doing: AgentsDoing, act: () => Promise<void>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = doing;
    this.problem = null;
    try {
      await act();
      return true;
    } catch (cause) {
      this.problem = asEngineError(cause);
      return false;
    } finally {
      this.busy = null;
    }
  }
}

function policy_sentence(name: string, policy: Policy): string {
  switch (policy.kind) {
    case "off":
      return `${name} is kept out of this vault.`;
    case "read_only":
      return `${name} reads only.`;
    case "ask":
      return `${name} asks before every change.`;
    case "allow":
      return `${name} changes ${policy.folders.map((folder) => folder || "the whole vault").join(", ")} without asking.`;
  }
}

function scope_sentence(name: string, { folders, tools }: Scope): string {
  const what = folders === null ? "the whole vault" : `${folders.join(", ")} only`;
  return `${name} sees ${what}, with ${tools === null ? "all tools" : tools.length === 1 ? "1 tool" : `${tools.length} tools`}.`;
}

// Calls are told to the second, operations to the millisecond.
const CALL_ROUNDING = 1000;

/** Finds what became of the proposal that a call made. The engine tells only that there was one, not which. */
export function proposal_of(call: AgentActivity, operations: OperationView[]): OperationView | null {
  if (!call.waiting) return null;
  const latest = Date.parse(call.at) + CALL_ROUNDING;
  let found: OperationView | null = null;
  for (const one of operations) {
    const made_here = one.actor.kind === "agent" && one.actor.client === call.client && one.path === call.subject;
    if (!made_here || Date.parse(one.proposed_at) > latest) continue;
    if (found === null || one.proposed_at > found.proposed_at) found = one;
  }
  return found;
}

export const agents = new Agents();
