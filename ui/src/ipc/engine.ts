// The one way from the window to the engine. Everything above this folder talks to `engine` and never to Tauri.

import type { commands } from "./bindings";
import type { AddedFile, Events, Told } from "./types";

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

/** A command as the window calls it: its answer, or an `EngineError`. */
type Unwrapped<C> = C extends (...args: infer A) => Promise<infer R> ? (...args: A) => Promise<Extract<R, { status: "ok" }> extends { data: infer D } ? Told<D> : never> : never;

/** Every command of the program, with the names and types that Rust gives them. */
export type Commands = { [C in keyof typeof commands]: Unwrapped<(typeof commands)[C]> };

export interface Engine extends Commands {
  /** Keeps a file among the attachments of a note; its bytes cross as they are. */
  add_file(note: string, name: string, file: Blob): Promise<AddedFile>;
  /** Opens an address in the system's browser. The person has been asked. */
  open_external(url: string): Promise<void>;
  /** The address under which the page can show a picture or play a sound of the vault. */
  asset_url(path: string): string;
  /** Names the window for the system's own lists of windows. */
  set_title(title: string): Promise<void>;
  /** Makes everything in the window larger or smaller; 1 is the normal size. */
  set_zoom(factor: number): Promise<void>;
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

/** What is refused before a byte of it is read. The program says the same of what is sent to it. */
export function too_large(name: string, size: number, most: number): EngineError {
  const megabytes = (n: number) => Math.ceil(n / 1024 / 1024);
  return new EngineError(
    "too_large",
    `\`${name}\` is larger than what can be put into a note here: ${megabytes(size)} MB, at most ${megabytes(most)} MB`,
    "copy it into the vault with the file manager, then link to it",
  );
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
