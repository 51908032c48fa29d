// Files that are put into a note of the in-memory vault. Pictures can be seen where the page can make addresses for them.

import { type Engine, EngineError, too_large } from "../engine";
import type { OperationView } from "../types";
import { name_of } from "../../state/paths";
import type { FakeEngine } from "./index";
import { NO_SUMMARY } from "./wishes";

export type FileCalls = Pick<Engine, "add_file" | "undo">;

const MOST = 100 * 1024 * 1024;

export function fake_file_calls(fake: FakeEngine): FileCalls {
  const undo_others = fake.undo.bind(fake);
  /** By operation: the file, and its bytes if undoing brings it back. */
  const operations = new Map<string, { path: string; back: Blob | null }>();

  function free_path(name: string): string {
    const at = name.lastIndexOf(".") > 0 ? name.lastIndexOf(".") : name.length;
    for (let nth = 0; ; nth++) {
      const own = nth === 0 ? name : `${name.slice(0, at)} ${nth}${name.slice(at)}`;
      const path = fake.attachment_folder === "" ? own : `${fake.attachment_folder}/${own}`;
      if (!fake.notes.has(path)) return path;
    }
  }

  function done(kind: string, path: string, back: Blob | null): OperationView {
    const id = `01JG${String(operations.size + 1).padStart(22, "0")}`;
    operations.set(id, { path, back });
    const at = new Date().toISOString();
    const rest = { reason: null, request_id: null, comment: null, amended: false, readiness: null, undone_by: null, files: [] };
    return { id, kind, actor: { kind: "person" }, state: "done", path, summary: NO_SUMMARY, proposed_at: at, decided_at: at, decided_by: "person", can_undo: true, ...rest };
  }

  function put(path: string, file: Blob): void {
    fake.files.set(path, file);
    fake.edit_here(path, "");
  }

  return {
    async add_file(_note, name, file) {
      const error = fake.refuse.get("add_file");
      if (error) throw error;
      if (file.size > MOST) throw too_large(name, file.size, MOST);
      if (name.startsWith(".")) throw new EngineError("path_not_allowed", `folders and files whose name begins with a dot are not part of the vault: \`${name}\``, "name a note inside the vault");
      const path = free_path(name);
      put(path, file);
      const link = path.endsWith(".md") ? `[[${name_of(path).replace(/\.md$/, "")}]]` : `![[${name_of(path)}]]`;
      return { path, link, operation: done("add_file", path, null) };
    },
    async undo(id) {
      const own = operations.get(id);
      if (!own) return undo_others(id);
      const { path, back } = own;
      if (back) {
        put(path, back);
        return done("undo", path, null);
      }
      const file = fake.files.get(path) ?? new Blob();
      fake.files.delete(path);
      fake.remove_outside(path);
      return done("undo", path, file);
    },
  };
}
