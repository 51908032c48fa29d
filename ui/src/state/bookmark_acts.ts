// What a bookmark leads to is opened.

import { asEngineError, engine } from "../ipc/engine";
import type { BookmarkView } from "../ipc/types";
import { layout } from "./layout.svelte";
import { open_file, show_search } from "./opening";
import { focus_note } from "./panes";
import { toasts } from "./toasts.svelte";
import { tree } from "./tree.svelte";

/** Opens a bookmark; `browse` asks before it opens a page of the web. */
export async function open_bookmark(bookmark: BookmarkView, browse: (url: string) => void): Promise<void> {
  const { kind, title, path, subpath, query, url, missing } = bookmark;
  if (missing) return void toasts.say(`“${path}” is not there`, { hint: "The bookmark is kept in the vault’s own settings, where another program may remove it." });
  if (kind === "search") show_search(query ?? title);
  else if (kind === "url" && url && /^https?:/i.test(url)) browse(url);
  else if (kind === "folder" && path) {
    layout.show_left("files");
    await tree.reveal(path);
    await tree.expand(path);
    tree.wanted = path;
  } else if ((kind === "file" || kind === "heading" || kind === "block") && path) {
    try {
      const place = subpath ? await engine.resolve_link(path, `#${subpath}`) : null;
      if (subpath && place?.line == null) toasts.say(`“${title}” is no longer in the note`, { hint: "The note itself is opened." });
      open_file(path, place?.line ?? null);
      if (/\.md$/i.test(path)) focus_note(path);
    } catch (cause) {
      toasts.error(asEngineError(cause));
    }
  } else toasts.say(`“${title}” cannot be opened here`);
}
