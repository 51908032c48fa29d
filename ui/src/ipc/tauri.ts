// The engine behind the real window: the generated commands, with their results unwrapped.

import { convertFileSrc } from "@tauri-apps/api/core";
import { getCurrentWebview } from "@tauri-apps/api/webview";
import { getCurrentWindow } from "@tauri-apps/api/window";
import { openUrl } from "@tauri-apps/plugin-opener";
import { commands, events } from "./bindings";
import { asEngineError, type Commands, type Engine, Listeners } from "./engine";
import type { Events, Fault } from "./types";

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

export async function tauri_engine(): Promise<Engine> {
  const listeners = new Listeners();
  const names = Object.keys(events) as (keyof Events)[];
  await Promise.all(names.map((name) => events[name].listen((event) => listeners.tell(name, event.payload as never))));
  const unwrapped_commands = Object.fromEntries(
    Object.entries(commands).map(([name, command]) => [name, unwrapped(command as (...args: never[]) => Promise<Result>)]),
  ) as unknown as Commands;
  return {
    ...unwrapped_commands,
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
