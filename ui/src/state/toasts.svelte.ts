// Short messages that say what happened, and the one next step.

export interface Toast {
  id: number;
  kind: "info" | "error";
  message: string;
  hint?: string;
  action?: { title: string; run: () => void };
}

class Toasts {
  list = $state<Toast[]>([]);
  #next = 1;

  say(message: string, more: Partial<Omit<Toast, "id" | "message">> = {}): number {
    const toast: Toast = { id: this.#next++, kind: "info", message, ...more };
    this.list = [...this.list.slice(-2), toast];
    // An error stays until it is read; a fact may go by itself.
    if (toast.kind === "info") setTimeout(() => this.dismiss(toast.id), toast.action ? 10_000 : 5_000);
    return toast.id;
  }

  error(cause: { message: string; hint?: string }, action?: Toast["action"]): number {
    return this.say(sentence(cause.message), { kind: "error", hint: cause.hint ? sentence(cause.hint) : undefined, action });
  }

  dismiss(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
  }
}

/** The engine's messages are lower case without a full stop; on screen they are sentences. */
export function sentence(message: string): string {
  const shown = message.replace(/`([^`]*)`/g, "“$1”");
  return shown.charAt(0).toUpperCase() + shown.slice(1);
}

export const toasts = new Toasts();
