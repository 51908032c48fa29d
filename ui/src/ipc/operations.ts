// What the review, the history, the search and the agents panel ask of the engine. `Engine` extends this.

import type { EngineFault, Hunk, OperationView, Review, SearchPage, Version } from "./types";

/** An approval either happened, or the plan is no longer the one that was shown. */
export type Decided = { kind: "decided"; operation: OperationView } | { kind: "changed"; review: Review };

export interface AgentClient {
  id: string;
  name: string;
  created_at: string;
  last_seen_at: string | null;
  connected: boolean;
}

/** One call that an agent made. */
export interface AgentActivity {
  at: string;
  client: string;
  tool: string;
  /** The note or the words it was about. */
  subject: string | null;
  /** The call made a proposal that still waits for a person. */
  waiting: boolean;
  failed: boolean;
}

export interface AgentsView {
  on: boolean;
  url: string | null;
  port: number | null;
  n_connected: number;
  clients: AgentClient[];
  activity: AgentActivity[];
  /** Why nothing listens although it is on. */
  error: EngineFault | null;
}

/** A client just let in; the token is told this once. */
export interface NewClient {
  client: AgentClient;
  token: string;
}

/** How one program is told about the vault. */
export interface ClientConfig {
  id: string;
  title: string;
  transport: "http" | "stdio";
  /** Where the text belongs; absent for a command to run. */
  file: string | null;
  language: "json" | "toml" | "yaml" | "shell";
  text: string;
}

export interface OperationCalls {
  operations(): Promise<OperationView[]>;
  review(id: string): Promise<Review>;
  approve(id: string, seen: string): Promise<Decided>;
  decline(id: string, comment: string | null): Promise<OperationView>;
  amend(id: string, new_heading: string): Promise<Review>;
  undo(id: string): Promise<OperationView>;
  /** Finishes an operation that was stopped half-way. */
  finish(id: string): Promise<OperationView>;
  /** Takes back what an operation did before it was stopped half-way. */
  take_back(id: string): Promise<OperationView>;

  search(query: string, folder: string | null, limit: number, offset: number): Promise<SearchPage>;

  history(path: string): Promise<Version[]>;
  /** `from` absent: the text just before `to`; `to` absent: the text of now. */
  diff(path: string, from: string | null, to: string | null): Promise<Hunk[]>;
  restore(path: string, version: string): Promise<OperationView>;

  agents(): Promise<AgentsView>;
  agents_set(on: boolean): Promise<AgentsView>;
  agents_create(name: string): Promise<NewClient>;
  agents_revoke(id: string): Promise<AgentsView>;
  agents_config(client: string | null, token: string | null): Promise<ClientConfig[]>;
}

type Call = <T>(command: string, args?: Record<string, unknown>) => Promise<T>;

/** Makes the calls over the given transport. */
export function operation_calls(call: Call): OperationCalls {
  return {
    operations: () => call("operations"),
    review: (id) => call("review", { id }),
    approve: (id, seen) => call("approve", { id, seen }),
    decline: (id, comment) => call("decline", { id, comment }),
    amend: (id, new_heading) => call("amend", { id, new_heading }),
    undo: (id) => call("undo", { id }),
    finish: (id) => call("finish", { id }),
    take_back: (id) => call("take_back", { id }),
    search: (query, folder, limit, offset) => call("search", { query, folder, limit, offset }),
    history: (path) => call("history", { path }),
    diff: (path, from, to) => call("diff", { path, from, to }),
    restore: (path, version) => call("restore", { path, version }),
    agents: () => call("agents"),
    agents_set: (on) => call("agents_set", { on }),
    agents_create: (name) => call("agents_create", { name }),
    agents_revoke: (id) => call("agents_revoke", { id }),
    agents_config: (client, token) => call("agents_config", { client, token }),
  };
}
