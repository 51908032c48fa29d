// The engine's types for the window, written by hand until `bindings.ts` is generated. Names are the engine's own.

// ---- the program and the vault

export interface VaultInfo {
  path: string;
  name: string;
  n_notes: number;
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
  indexing: IndexingProgress | null;
  n_proposed: number;
  agents: AgentsSummary;
  notices: HealthNotice[];
  version: string;
}

export interface IndexingProgress {
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

export type EntryKind = "folder" | "note" | "canvas" | "file";

export interface TreeEntry {
  path: string;
  name: string;
  kind: EntryKind;
  /** Notes in a folder and below it. */
  n_notes: number;
  /** Proposals that wait in this note, or below this folder. */
  n_pending: number;
}

export interface Heading {
  title: string;
  level: number;
  /** 1-based line in the note's text. */
  line: number;
  /** Which of the headings with the same path this is, and how many there are. */
  occurrence: number;
  n_occurrences: number;
}

/** A proposal shown where the eye is: beside the heading that it would rename. */
export interface PendingHeading {
  operation: string;
  heading: string;
  line: number;
  new_heading: string;
  client: string;
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
  headings: Heading[];
  n_backlinks: number;
  pending: PendingHeading[];
  n_chars: number;
}

export interface Rendered {
  html: string;
}

export type Saved = { kind: "saved"; hash: string } | { kind: "stale"; hash: string; text: string };

export interface LinkTarget {
  path: string;
  line: number | null;
}

export interface Backlink {
  path: string;
  title: string;
  line: number;
  context: string;
}

// ---- finding

export type FoundKind = "note" | "heading";

export interface Found {
  kind: FoundKind;
  path: string;
  title: string;
  line: number | null;
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
  indexing: IndexingProgress;
  health: { notices: HealthNotice[] };
  flush_wanted: { path: string };
  agents_changed: AgentsSummary;
  open_requested: { path: string; line: number | null };
  /** The person closes the window; it goes once `close_window` is called. */
  close_requested: null;
}
