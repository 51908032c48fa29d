import "@fontsource-variable/inter/opsz.css";
import "@fontsource-variable/inter/opsz-italic.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./theme/tokens.css";
import "./theme/base.css";
import "./theme/lists.css";
import "./theme/prose.css";
import "./theme/shared.css";
import "./theme/editor.css";
import "./theme/preview.css";
import "./theme/vault_look.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { inside_tauri, use_engine } from "./ipc/engine";

async function start(): Promise<void> {
  if (inside_tauri()) use_engine(await (await import("./ipc/tauri")).tauri_engine());
  // The condition is known when the page is built, so that what ships has no engine but the real one.
  else if (import.meta.env.DEV || import.meta.env.MODE === "test") use_engine(new (await import("./ipc/fake")).FakeEngine());
  else throw new Error("this page works inside Vidimus only");
  mount(App, { target: document.getElementById("app")! });
}

void start();
