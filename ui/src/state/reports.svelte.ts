// What went wrong in the program or in this page. It is taken down on this computer, and the person is told of it quietly.

import { engine, EngineError } from "../ipc/engine";
import type { Report } from "../ipc/types";
import { toasts } from "./toasts.svelte";

/** Errors of the page that one run tells of: a fault in every frame is one fault. */
const MOST = 10;

/** What web views say of layouts that take two turns; nothing is lost by it. */
const HARMLESS = /^ResizeObserver loop/;

class Reports {
  /** What nobody has looked at, the newest first. */
  list = $state.raw<Report[]>([]);
  shown = $state(false);
  #told = new Set<string>();

  /** Listens for errors; returns what stops it. */
  start(): () => void {
    const failed = window.onerror;
    // The editor hands what it catches to this handler, and to no listener.
    window.onerror = (message, source, line, column, error) => {
      this.tell(error ?? message, source ? `${source}:${line ?? 0}:${column ?? 0}` : "");
    };
    const rejected = (event: PromiseRejectionEvent) => this.tell(event.reason);
    window.addEventListener("unhandledrejection", rejected);
    const stop = engine.on("reports_changed", () => void this.load());
    void this.load();
    return () => {
      window.onerror = failed;
      window.removeEventListener("unhandledrejection", rejected);
      stop();
    };
  }

  async load(): Promise<void> {
    this.list = await engine.reports().catch(() => []);
    if (this.list.length === 0) this.shown = false;
  }

  /** Takes an error down, once; what the program refused is no fault of the page. */
  tell(cause: unknown, where = ""): void {
    if (cause instanceof EngineError || (cause instanceof DOMException && cause.name === "AbortError")) return;
    const { message, stack } = cause instanceof Error ? { message: `${cause.name}: ${cause.message}`, stack: cause.stack ?? where } : { message: String(cause), stack: where };
    const key = `${message}\n${stack}`;
    if (HARMLESS.test(message) || this.#told.has(key) || this.#told.size >= MOST) return;
    this.#told.add(key);
    // An error in telling of errors would go round for ever.
    void engine.report_error({ message, stack }).catch(() => undefined);
  }

  async dismiss(): Promise<void> {
    this.shown = false;
    this.list = [];
    await engine.dismiss_reports().catch((cause: Error) => toasts.error(cause));
  }

  /** Forgets what was told, as a new run does. */
  reset(): void {
    this.list = [];
    this.shown = false;
    this.#told.clear();
  }
}

export const reports = new Reports();
