// The engine behind the real window.

import { convertFileSrc, invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import { openUrl } from "@tauri-apps/plugin-opener";
import { asEngineError, type Engine, Listeners } from "./engine";
import { operation_calls } from "./operations";
import type { Events } from "./types";

async function call<T>(command: string, args: Record<string, unknown> = {}): Promise<T> {
  try {
    return await invoke<T>(command, args);
  } catch (cause) {
    throw asEngineError(cause);
  }
}

const EVENTS: (keyof Events)[] = [
  "notes_changed",
  "operation_changed",
  "indexing",
  "health",
  "flush_wanted",
  "agents_changed",
  "vault_opened",
  "close_requested",
];

export async function tauri_engine(): Promise<Engine> {
  const listeners = new Listeners();
  await Promise.all(EVENTS.map((name) => listen(name, (event) => listeners.tell(name, event.payload as never))));
  return {
    app_state: () => call("app_state"),
    choose_folder: () => call("choose_folder"),
    open_vault: (path) => call("open_vault", { path }),
    close_vault: () => call("close_vault"),
    settings_get: () => call("settings_get"),
    settings_set: (settings) => call("settings_set", { settings }),
    open_external: (url) => openUrl(url),
    asset_url: (path) => convertFileSrc(path, "vault-asset"),
    close_window: () => call("close_window"),
    tree: (folder) => call("tree", { folder }),
    read_note: (path) => call("read_note", { path }),
    render: (path, text) => call("render", { path, text }),
    outline: (text) => call("outline", { text }),
    save: (path, base, text) => call("save", { path, base, text }),
    editing: (path, dirty) => call("editing", { path, dirty }),
    resolve_link: (from, target) => call("resolve_link", { from, target }),
    backlinks: (path) => call("backlinks", { path }),
    create_note: (path) => call("create_note", { path }),
    quick: (query, limit) => call("quick", { query, limit }),
    ...operation_calls(call),
    on: (event, heard) => listeners.on(event, heard),
  };
}
