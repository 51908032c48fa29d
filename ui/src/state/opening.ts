// What a link leads to is opened; what leads nowhere yet is made, where the vault's own settings say.

import { tick } from "svelte";
import { asEngineError, engine } from "../ipc/engine";
import { commands } from "./commands.svelte";
import { layout } from "./layout.svelte";
import { focus_note } from "./panes";
import { search } from "./search.svelte";
import { tabs } from "./tabs.svelte";
import { wants_own_tab } from "./tab_wish";
import { toasts } from "./toasts.svelte";
import { name_of } from "./paths";
import { vault } from "./vault.svelte";

/** Opens what a link in a note leads to; one that leads nowhere offers to make a note. */
export async function open_link(from: string, target: string): Promise<void> {
  const anew = wants_own_tab();
  try {
    const found = await engine.resolve_link(from, target);
    if (found) return open_file(found.path, found.line, anew);
    const path = await engine.new_note_path(from, target);
    const said = `“${target.split("#")[0]}” does not exist yet`;
    if (path === null) toasts.say(said, { hint: "No note can have this name." });
    else toasts.say(said, { action: { title: "Create it", run: () => void create_note(path) } });
  } catch (cause) {
    toasts.error(asEngineError(cause));
  }
}

/** Opens a file at a line, in a tab of its own if that is asked for; only notes have a page here. */
export function open_file(path: string, line: number | null = null, anew = wants_own_tab()): void {
  if (!/\.md$/i.test(path)) {
    toasts.say(`“${path}” is not a note`, { hint: "Vidimus opens Markdown notes; other files stay as they are." });
    return;
  }
  layout.go("notes");
  if (anew) tabs.open_anew(path, line);
  else tabs.open(path, line);
  layout.put_away();
}

/** Shows where a link led that somebody pressed, here or in another program. */
export async function show_followed(): Promise<void> {
  const followed = await engine.followed_link().catch(() => null);
  if (!followed) return;
  if (followed.kind === "refused") {
    toasts.error(followed.fault);
    return;
  }
  // The link may have brought its vault along; the tabs of that one come first.
  await vault.refresh();
  await tick();
  open_file(followed.path, followed.line);
  if (followed.missing) toasts.say(`“${name_of(followed.path).replace(/\.md$/i, "")}” has no heading “${followed.missing}”`, { hint: "It may have been renamed since the link was made." });
}

/** Makes an empty note and opens it. */
export async function create_note(path: string): Promise<void> {
  try {
    const made = await engine.create_note(path);
    layout.go("notes");
    tabs.open(made.path);
    focus_note(made.path);
  } catch (cause) {
    toasts.error(asEngineError(cause));
  }
}

/** Shows what a search finds. */
export function show_search(query: string): void {
  search.type(query);
  void commands.run("search");
}
