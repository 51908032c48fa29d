// What the review, the history and the agents panel ask of the engine, under the names that they use.

import type { Commands } from "./engine";
import type { Activity, Approval, ClientView } from "./types";

export type { AgentsView, AgentTool, ClientConfig, Connecting, NewClient, Newcomer, Policy, Scope } from "./types";
/** An approval either happened, or the plan is no longer the one that was shown. */
export type Decided = Approval;
export type AgentClient = ClientView;
export type AgentActivity = Activity;

export type OperationCalls = Pick<
  Commands,
  | "operations"
  | "review"
  | "approve"
  | "decline"
  | "amend"
  | "undo"
  | "preview_wish"
  | "carry_wish"
  | "finish"
  | "take_back"
  | "search"
  | "history"
  | "version_text"
  | "diff"
  | "restore"
  | "agents"
  | "agents_set"
  | "agents_create"
  | "agents_revoke"
  | "agents_config"
  | "agents_policy"
  | "agents_scope"
  | "agents_export"
  | "agents_open_link"
  | "agents_bundle"
  | "agents_connecting"
  | "agents_connect"
  | "agents_disconnect"
>;
