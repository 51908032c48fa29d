// The one way from the window to the engine. Everything above this folder talks to `engine` and never to Tauri.

import type { OperationCalls } from "./operations";
import type {
  AppState,
  BacklinkView,
  Events,
  HeadingView,
  LinkTarget,
  NoteView,
  Rendered,
  QuickHit,
  Saved,
  Settings,
  TreeEntry,
  VaultInfo,
} from "./types";

/** What the engine refused, with the next step. Codes exist only where a caller branches on them. */
export class EngineError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly hint: string = "",
    readonly retry: boolean = false,
  ) {
    super(message);
    this.name = "EngineError";
  }
}

/** Makes an `EngineError` of anything that was thrown. */
export function asEngineError(cause: unknown): EngineError {
  if (cause instanceof EngineError) return cause;
  if (cause && typeof cause === "object" && "message" in cause && "code" in cause) {
    const known = cause as { code: string; message: string; hint?: string | null; retryable?: boolean; retry?: boolean };
    return new EngineError(known.code, known.message, known.hint ?? "", known.retryable ?? known.retry ?? false);
  }
  return new EngineError("internal", cause instanceof Error ? cause.message : String(cause));
}

export interface Engine extends OperationCalls {
  app_state(): Promise<AppState>;
  choose_folder(): Promise<string | null>;
  open_vault(path: string): Promise<VaultInfo>;
  close_vault(): Promise<void>;
  settings_get(): Promise<Settings>;
  settings_set(settings: Settings): Promise<Settings>;
  open_external(url: string): Promise<void>;
  /** The address under which the page can show a picture or play a sound of the vault. */
  asset_url(path: string): string;
  /** Everything is saved: the window may go. */
  close_window(): Promise<void>;

  tree(folder: string): Promise<TreeEntry[]>;
  read_note(path: string): Promise<NoteView>;
  /** The reading view of a note, or of the text that stands in the editor. */
  render(path: string, text: string | null): Promise<Rendered>;
  outline(text: string): Promise<HeadingView[]>;
  save(path: string, base: string, text: string): Promise<Saved>;
  editing(path: string, dirty: boolean): Promise<void>;
  resolve_link(from: string, target: string): Promise<LinkTarget | null>;
  backlinks(path: string): Promise<BacklinkView[]>;
  create_note(path: string): Promise<NoteView>;

  quick(query: string, limit: number): Promise<QuickHit[]>;

  on<K extends keyof Events>(event: K, heard: (payload: Events[K]) => void): () => void;
}

/** Set once at start, before anything is mounted; tests set a fresh fake. */
export let engine: Engine;

export function use_engine(chosen: Engine): void {
  engine = chosen;
}

/** Tells whether the page runs inside the program, or in a plain browser with the fake. */
export function inside_tauri(): boolean {
  return typeof window !== "undefined" && "__TAURI_INTERNALS__" in window;
}

/** Listeners by event name, shared by both engines. */
export class Listeners {
  #heard = new Map<keyof Events, Set<(payload: never) => void>>();

  on<K extends keyof Events>(event: K, heard: (payload: Events[K]) => void): () => void {
    const all = this.#heard.get(event) ?? new Set();
    this.#heard.set(event, all);
    all.add(heard as (payload: never) => void);
    return () => all.delete(heard as (payload: never) => void);
  }

  tell<K extends keyof Events>(event: K, payload: Events[K]): void {
    for (const heard of [...(this.#heard.get(event) ?? [])]) (heard as (payload: Events[K]) => void)(payload);
  }
}
