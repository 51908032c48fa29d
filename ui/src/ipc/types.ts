// The engine's types for the window, written by hand until `bindings.ts` is generated. Names are the engine's own.

// ---- the program and the vault

export interface VaultInfo {
  name: string;
  root: string;
  n_notes: number;
  n_pending: number;
  /** Why nothing can be written, if so. */
  read_only: string | null;
  health: HealthNotice[];
  indexing: IndexProgress | null;
  strict_line_breaks: boolean;
  readable_line_length: boolean;
}

export interface KnownVault {
  path: string;
  name: string;
  /** Whence we know it: opened here before, or listed in Obsidian's own settings. */
  source: "recent" | "obsidian";
  exists: boolean;
}

export interface AppState {
  vault: VaultInfo | null;
  known_vaults: KnownVault[];
  indexing: IndexProgress | null;
  n_proposed: number;
  agents: AgentsSummary;
  notices: HealthNotice[];
  version: string;
  /** Why the vault of the last time, or the one named at the start, was not opened. */
  not_opened: EngineFault | null;
}

export interface IndexProgress {
  done: number;
  total: number;
}

export interface AgentsSummary {
  on: boolean;
  n_connected: number;
}

export interface HealthNotice {
  message: string;
  hint: string;
}

export interface Settings {
  theme: "system" | "light" | "dark";
  font_size: number;
  line_width: "readable" | "wide" | "full";
  default_mode: "editing" | "reading";
  show_line_numbers: boolean;
  spellcheck: boolean;
}

// ---- notes

export type EntryKind = "folder" | "note" | "canvas" | "base" | "image" | "audio" | "video" | "pdf" | "other";

export interface TreeEntry {
  path: string;
  name: string;
  kind: EntryKind;
  /** Notes in a folder and below it. */
  n_notes: number;
  /** Proposals that wait in this note, or below this folder. */
  pending: number;
}

export interface HeadingView {
  level: number;
  text: string;
  /** 1-based. */
  line: number;
  /** The place of the nearest heading above of a lower level, in this list. */
  parent: number | null;
  /** 1-based among the headings with the same ancestry, and how many there are. */
  nth: number;
  of: number;
}

/** A proposal shown where the eye is: beside the heading that it would rename. */
export interface PendingMark {
  operation: string;
  kind: string;
  client: string;
  heading: string | null;
  new_heading: string | null;
  /** 1-based line of the heading when it was proposed. */
  line: number | null;
}

export interface NoteView {
  path: string;
  id: string;
  title: string;
  /** The text with line feeds only. */
  text: string;
  hash: string;
  writable: boolean;
  read_only_reason: string | null;
  headings: HeadingView[];
  n_backlinks: number;
  pending: PendingMark[];
  n_chars: number;
  created: string;
  updated: string;
}

export interface Rendered {
  html: string;
}

export type Saved = { kind: "saved"; hash: string; changed: boolean } | { kind: "stale"; hash: string; text: string };

export interface LinkTarget {
  path: string;
  heading: string | null;
  line: number | null;
}

export interface BacklinkView {
  path: string;
  id: string;
  title: string;
  line: number;
  /** The line that holds the link, shortened. */
  snippet: string;
  /** `wiki`, `markdown`, `embed`, `property`, `canvas`. */
  kind: string;
  subpath: string | null;
}

// ---- finding

/** One row of the switcher. */
export interface QuickHit {
  path: string;
  title: string;
  /** The alias or heading that matched, when it was not the name. */
  matched: string | null;
}

/** One section that matches. */
export interface SearchHit {
  path: string;
  id: string;
  title: string;
  heading_path: string[];
  line_start: number;
  line_end: number;
  snippet: string;
  /** Matches in the snippet, as start and end in UTF-16 code units. */
  highlights: [number, number][];
  score: number;
}

export interface SearchPage {
  hits: SearchHit[];
  total: number;
  /** How the query was understood, when not as typed. */
  query_note: string | null;
}

// ---- operations, review, history

export type Actor = { kind: "person" } | { kind: "agent"; client: string } | { kind: "disk" };
export type OpState = "proposed" | "declined" | "withdrawn" | "begun" | "done" | "interrupted" | "undone";

export interface ChangedFile {
  path: string;
  before: string | null;
  after: string | null;
  n_links: number;
  link_repair: boolean;
}

export interface Summary {
  old_heading: string | null;
  new_heading: string | null;
  level: number | null;
  line: number | null;
  heading_occurrence: number | null;
  n_links: number;
  n_notes: number;
  n_canvases: number;
  warnings: string[];
}

export type Readiness = { kind: "ready" } | { kind: "changed_since" } | { kind: "blocked"; message: string };

export interface OperationView {
  id: string;
  kind: string;
  actor: Actor;
  state: OpState;
  path: string;
  summary: Summary;
  reason: string | null;
  request_id: string | null;
  proposed_at: string;
  decided_at: string | null;
  decided_by: string | null;
  comment: string | null;
  amended: boolean;
  readiness: Readiness | null;
  files: ChangedFile[];
  can_undo: boolean;
}

export type LineKind = "context" | "removed" | "added";

export interface DiffSpan {
  text: string;
  changed: boolean;
}

export interface DiffLine {
  kind: LineKind;
  old_line: number | null;
  new_line: number | null;
  spans: DiffSpan[];
}

export interface Hunk {
  lines: DiffLine[];
}

export interface FileReview {
  path: string;
  link_repair: boolean;
  n_links: number;
  has_change: boolean;
  creates: boolean;
  deletes: boolean;
  hunks: Hunk[];
}

export interface Review {
  operation: OperationView;
  digest: string | null;
  files: FileReview[];
  warnings: string[];
}

export interface Version {
  id: string;
  at: string;
  actor: Actor;
  kind: string;
  summary: Summary;
  before_hash: string | null;
  after_hash: string | null;
  chars_added: number;
  chars_removed: number;
  is_link_repair: boolean;
  restorable: boolean;
  request_id: string | null;
  n_files: number;
  can_undo: boolean;
  is_current: boolean;
}

/** What was refused, why, and what to do next. */
export interface EngineFault {
  code: string;
  message: string;
  hint: string;
  retryable: boolean;
}

// ---- events

export interface NoteChange {
  path: string;
  before: string | null;
  after: string | null;
  origin: "outside" | "person" | "agent";
}

export interface Events {
  notes_changed: { changed: NoteChange[]; generation: number };
  operation_changed: { id: string; state: OpState };
  indexing: IndexProgress;
  health: { notices: HealthNotice[] };
  flush_wanted: { path: string };
  agents_changed: AgentsSummary;
  /** The program opened a vault by itself; with an empty path it could not, and `not_opened` says why. */
  vault_opened: { path: string };
  /** The person closes the window; it goes once `close_window` is called. */
  close_requested: null;
}
