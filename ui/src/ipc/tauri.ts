// The engine behind the real window: the generated commands, with their results unwrapped.

import { convertFileSrc, invoke } from "@tauri-apps/api/core";
import { getCurrentWebview } from "@tauri-apps/api/webview";
import { getCurrentWindow } from "@tauri-apps/api/window";
import { openUrl } from "@tauri-apps/plugin-opener";
import { commands, events, MOST_ADDED_BYTES } from "./bindings";
import { asEngineError, type Commands, type Engine, EngineError, Listeners, too_large } from "./engine";
import type { AddedFile, Events, Fault } from "./types";

type Result = { status: "ok"; data: unknown } | { status: "error"; error: Fault };

function unwrapped(command: (...args: never[]) => Promise<Result>) {
  return async (...args: never[]): Promise<unknown> => {
    let result: Result;
    try {
      result = await command(...args);
    } catch (cause) {
      throw asEngineError(cause);
    }
    if (result.status === "error") throw asEngineError(result.error);
    return result.data;
  };
}

/** The one command that is sent bytes. A header holds nothing but ASCII. */
async function add_file(note: string, name: string, file: Blob): Promise<AddedFile> {
  if (file.size > MOST_ADDED_BYTES) throw too_large(name, file.size, MOST_ADDED_BYTES);
  try {
    const headers = { note: encodeURIComponent(note), name: encodeURIComponent(name) };
    return await invoke<AddedFile>("add_file", new Uint8Array(await file.arrayBuffer()), { headers });
  } catch (cause) {
    if (cause instanceof DOMException) throw new EngineError("unreadable", `the file cannot be read: \`${name}\``, "look at its rights, or copy it into the vault with the file manager");
    throw asEngineError(cause);
  }
}

export async function tauri_engine(): Promise<Engine> {
  const listeners = new Listeners();
  const names = Object.keys(events) as (keyof Events)[];
  // What happens in the vault of another window is not for this one.
  const own = getCurrentWindow();
  await Promise.all(names.map((name) => events[name](own).listen((event) => listeners.tell(name, event.payload as never))));
  const unwrapped_commands = Object.fromEntries(
    Object.entries(commands).map(([name, command]) => [name, unwrapped(command as (...args: never[]) => Promise<Result>)]),
  ) as unknown as Commands;
  return {
    ...unwrapped_commands,
    add_file,
    open_external: async (url) => {
      try {
        await openUrl(url);
      } catch (cause) {
        throw asEngineError(cause);
      }
    },
    set_title: (title) => getCurrentWindow().setTitle(title),
    set_zoom: (factor) => getCurrentWebview().setZoom(factor),
    asset_url: (path) => convertFileSrc(path, "vault-asset"),
    on: (event, heard) => listeners.on(event, heard),
  };
}
