// Folders of the fake vault, and links that follow notes which another program moved.

import { is_within, moved_path, name_of } from "../../state/paths";
import { EngineError } from "../engine";
import type { Wish } from "../types";
import type { FakeEngine } from "./index";
import { counted, type File, NO_SUMMARY, type Planned, repointed } from "./wishes";

type FolderWish = Extract<Wish, { kind: "move_folder" | "delete_folder" | "repair_links" }>;

const bare = (path: string) => path.replace(/\.md$/, "");

/** Plans what a folder's move or end, or a repair of links, would do. */
export function folder_plan(engine: FakeEngine, wish: FolderWish): Planned {
  if (wish.kind === "repair_links") return repair(engine, wish.moves);
  const below = [...engine.notes.keys()].filter((path) => is_within(path, wish.path));
  if (below.length === 0 && !engine.folders.has(wish.path)) throw new EngineError("not_found", `the folder is not there: \`${wish.path}\``, "it may have been moved or deleted");
  return wish.kind === "move_folder" ? move(engine, wish.path, wish.to, below) : remove(engine, wish.path, below);
}

function move(engine: FakeEngine, from: string, to: string, below: string[]): Planned {
  if (is_within(to, from)) throw new EngineError("path_taken", `a folder cannot be moved into itself: \`${from}\``, "choose another folder");
  if (engine.has_folder(to) || engine.notes.has(to)) throw new EngineError("path_taken", `a file of that name exists: \`${to}\``, "choose another name");
  const files = new Map<string, File>();
  for (const path of engine.notes.keys()) {
    const place = moved_path(path, from, to) ?? path;
    files.set(path, { path: place, before: engine.notes.get(path), after: engine.notes.get(path), n_links: 0, link_repair: place === path });
  }
  for (const lead of below) {
    const target = bare(moved_path(lead, from, to)!);
    // A link that names the note alone still finds it.
    const follow = (link: string) => (link.split("#")[0]!.includes("/") ? [target, ...link.split("#").slice(1)].join("#") : link);
    for (const [path, file] of files) {
      const { after, n_links } = repointed(path, file.after ?? "", lead, follow);
      Object.assign(file, { after, n_links: file.n_links + n_links });
    }
  }
  const changed = [...files].filter(([path, file]) => file.path !== path || file.n_links > 0).map(([, file]) => file);
  const gone = below.map((path): File => ({ path, before: engine.notes.get(path), after: undefined, n_links: 0, link_repair: false }));
  const arrived = changed.map((file) => (file.link_repair ? file : { ...file, before: undefined }));
  return { summary: { ...counted({ ...NO_SUMMARY, new_path: to }, arrived), n_moved: below.length }, files: [...gone, ...arrived] };
}

function remove(engine: FakeEngine, folder: string, below: string[]): Planned {
  let n_links = 0;
  for (const [path, text] of engine.notes) if (!is_within(path, folder)) for (const lead of below) n_links += repointed(path, text, lead, (link) => `${link} `).n_links;
  const warnings = n_links > 0 ? [`${n_links} link${n_links === 1 ? "" : "s"} to it will lead nowhere`] : [];
  const files = below.map((path): File => ({ path, before: engine.notes.get(path), after: undefined, n_links: 0, link_repair: false }));
  return { summary: { ...NO_SUMMARY, n_moved: below.length, warnings }, files };
}

function repair(engine: FakeEngine, moves: { from: string; to: string }[]): Planned {
  const files: File[] = [];
  for (const [path, before] of engine.notes) {
    const file: File = { path, before, after: before, n_links: 0, link_repair: true };
    for (const { from, to } of moves) {
      const follow = (link: string) => [link.includes("/") ? bare(to) : name_of(bare(to)), ...link.split("#").slice(1)].join("#");
      const { after, n_links } = repointed(path, file.after ?? "", from, follow);
      Object.assign(file, { after, n_links: file.n_links + n_links });
    }
    if (file.n_links > 0) files.push(file);
  }
  const summary = counted(NO_SUMMARY, files);
  return { summary: { ...summary, n_notes: files.length - summary.n_canvases }, files };
}
