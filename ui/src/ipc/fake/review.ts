// Proposals, history and agents of the in-memory engine. Like the real one it plans on the text of now, approves only the plan
// that was shown, and can take back what it did.

import { EngineError } from "../engine";
import type { ClientConfig, Decided, NewClient, OperationCalls } from "../operations";
import type { Actor, ChangedFile, FileReview, OperationView, OpState, Review, Summary, Version } from "../types";
import { everything, fake_agents, fake_configs, fake_settings_files } from "./agents";
import { diff } from "./diff";
import { is_within, moved_path } from "../../state/paths";
import { search_notes } from "./search";
import { fake_hash, type FakeEngine } from "./index";
import { seeded_versions } from "./versions";
import { fake_wish_calls, linking, NO_SUMMARY } from "./wishes";

/** A version with its texts, which the real engine keeps as blobs. */
export interface KeptVersion {
  version: Version;
  before: string;
  after: string;
}

interface Planned {
  path: string;
  before: string;
  after: string;
  n_links: number;
  has_change: boolean;
}

/** Texts by path; nothing where a file is not to be. */
export type Texts = Map<string, string | undefined>;

const now = () => new Date().toISOString();
const bare = (path: string) => path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/, "");
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

function done_by_person(id: string, kind: string, path: string, summary: Summary, files: ChangedFile[]): OperationView {
  const at = now();
  const rest = { reason: null, request_id: null, comment: null, amended: false, readiness: null };
  return { id, kind, actor: { kind: "person" }, state: "done", path, summary, files, proposed_at: at, decided_at: at, decided_by: "person", can_undo: true, undone_by: null, ...rest };
}

/** Makes the calls of the review, the history and the agents panel over a fake vault. */
export function fake_operation_calls(engine: FakeEngine): OperationCalls {
  const kept = new Map<string, KeptVersion[]>();
  const undo_texts = new Map<string, Texts>();
  const known = new Map(engine.notes);
  let agents = fake_agents();
  const told = () => ({ on: agents.on, n_connected: agents.n_connected, writes_allowed: agents.on && agents.clients.some((client) => client.policy.kind === "allow") });
  const settings_files = fake_settings_files(() => fake_configs(agents.url ?? "http://127.0.0.1:7377/mcp", null));
  let n_made = 0;
  const new_id = () => `01JF${String(++n_made).padStart(22, "0")}`;

  const guard = (command: string) => {
    const error = engine.refuse.get(command);
    if (error) throw error;
  };
  const find = (id: string): OperationView => {
    const found = engine.operation_list.find((operation) => operation.id === id);
    if (!found) throw new EngineError("not_found", `operation not found: \`${id}\``, "it may belong to another vault");
    return found;
  };
  const replace = (id: string, more: Partial<OperationView>): OperationView => {
    const changed = { ...find(id), ...more };
    engine.operation_list = engine.operation_list.map((operation) => (operation.id === id ? changed : operation));
    return changed;
  };
  const tell = (id: string, state: OpState) => engine.listeners.tell("operation_changed", { id, state });

  function plan(operation: OperationView): Planned[] {
    const { old_heading, new_heading } = operation.summary;
    if (operation.readiness?.kind === "blocked" || !old_heading || !new_heading) return [];
    const heading = new RegExp(`^(#{1,6} +)${escaped(old_heading)}$`, "m");
    const link = new RegExp(`(\\[\\[(?:[^\\]|#]*?)(?:#[^\\]|#]+)*#)${escaped(old_heading)}(?=[\\]|])`, "g");
    const files: Planned[] = [];
    for (const [path, before] of engine.notes) {
      let n_links = 0;
      let after = before.replace(link, (whole, start: string) => {
        const target = start.slice(2, start.indexOf("#"));
        if (target === "" ? path !== operation.path : bare(target) !== bare(operation.path)) return whole;
        n_links++;
        return start + new_heading;
      });
      const has_change = path === operation.path && heading.test(after);
      if (has_change) after = after.replace(heading, `$1${new_heading}`);
      if (after !== before) files.push({ path, before, after, n_links, has_change });
    }
    return files.sort((a, b) => Number(b.has_change) - Number(a.has_change));
  }

  function seen_from_now(operation: OperationView): OperationView {
    if (operation.state !== "proposed") return operation;
    const files = plan(operation);
    if (files.length === 0) return operation;
    const n_canvases = files.filter((file) => file.path.endsWith(".canvas")).length;
    const lines = (engine.notes.get(operation.path) ?? "").split("\n");
    const at = lines.findIndex((line) => line.replace(/^#{1,6} +/, "") === operation.summary.old_heading && line.startsWith("#"));
    const line = at === -1 ? operation.summary.line : at + 1;
    return { ...operation, summary: { ...operation.summary, line, ...linking(files), n_canvases, n_notes: files.length - n_canvases } };
  }

  function past_review(operation: OperationView): Review {
    const files = operation.files.map((file): FileReview => {
      const { path, n_links, link_repair } = file;
      const kept_here = versions_of(path).find((one) => one.version.id === operation.id);
      const hunks = kept_here ? diff(kept_here.before, kept_here.after) : [];
      return { path, n_links, link_repair, has_change: !link_repair, creates: file.before === null, deletes: file.after === null, hunks };
    });
    return { operation, digest: null, files, warnings: operation.summary.warnings ?? [] };
  }

  function review_of(id: string): Review {
    const operation = seen_from_now(find(id));
    if (operation.state !== "proposed") return past_review(operation);
    const planned = plan(operation);
    const files: FileReview[] = planned.map((file) => ({
      path: file.path,
      link_repair: !file.has_change,
      n_links: file.n_links,
      has_change: file.has_change,
      creates: false,
      deletes: false,
      hunks: diff(file.before, file.after),
    }));
    const digest = operation.readiness?.kind === "blocked" ? null : fake_hash(planned.map((file) => file.after).join("\u0000"));
    return { operation, digest, files, warnings: operation.summary.warnings ?? [] };
  }

  function versions_of(path: string): KeptVersion[] {
    const found = kept.get(path) ?? seeded_versions(path, engine.notes.get(path) ?? "");
    kept.set(path, found);
    return found;
  }

  function keep(path: string, before: string, after: string, more: Partial<Version> & { actor: Actor; kind: string }): void {
    const versions = versions_of(path);
    for (const one of versions) one.version = { ...one.version, is_current: false };
    versions.unshift({
      before,
      after,
      version: {
        id: new_id(),
        at: now(),
        summary: NO_SUMMARY,
        before_hash: fake_hash(before),
        after_hash: fake_hash(after),
        chars_added: Math.max(0, after.length - before.length),
        chars_removed: Math.max(0, before.length - after.length),
        is_link_repair: false,
        restorable: true,
        request_id: null,
        n_files: 1,
        can_undo: true,
        is_current: true,
        ...more,
      },
    });
  }

  /** Writes texts as one operation and tells about it. */
  function write(texts: Texts, origin: "agent" | "person", as: Partial<Version> & { actor: Actor; kind: string }, lead: string): Texts {
    const before: Texts = new Map();
    const n_files = Math.max([...texts.keys()].filter((path) => engine.notes.has(path)).length, [...texts.values()].filter((text) => text !== undefined).length);
    for (const [path, text] of texts) {
      const old = engine.notes.get(path);
      versions_of(path);
      before.set(path, old);
      keep(path, old ?? "", text ?? "", { ...as, n_files, is_link_repair: path !== lead && old !== undefined });
      if (text === undefined) engine.notes.delete(path);
      else engine.notes.set(path, text);
      if (text === undefined) known.delete(path);
      else known.set(path, text);
    }
    const hash = (text: string | undefined) => (text === undefined ? null : fake_hash(text));
    engine.listeners.tell("notes_changed", {
      changed: [...texts.keys()].map((path) => ({ path, before: hash(before.get(path)), after: hash(texts.get(path)), origin })),
      generation: 1,
    });
    return before;
  }

  /** What a change does to folders that nothing is in, there or back. */
  function turn_folders({ kind, path, summary }: Pick<OperationView, "kind" | "path" | "summary">, forth: boolean): void {
    const within = (folder: string) => [...engine.folders].filter((one) => is_within(one, folder));
    const { new_path } = summary;
    if (kind === "move_folder" && new_path) {
      const [from, to] = forth ? [path, new_path] : [new_path, path];
      for (const folder of within(from)) {
        engine.folders.delete(folder);
        engine.folders.add(moved_path(folder, from, to)!);
      }
    }
    if (kind !== "delete_folder") return;
    if (!forth) engine.folders.add(path);
    else for (const folder of within(path)) engine.folders.delete(folder);
  }

  const wishes = fake_wish_calls(engine, (wish, preview, texts) => {
    const kind = wish.kind === "rename_heading" ? "rename_section" : wish.kind;
    const actor: Actor = { kind: "person" };
    const id = new_id();
    const path = "path" in wish ? wish.path : (preview.files[0]?.path ?? "");
    undo_texts.set(id, write(texts, "person", { id, actor, kind, summary: preview.summary }, path));
    turn_folders({ kind, path, summary: preview.summary }, true);
    const files = preview.files.map(({ path, n_links, link_repair, creates, deletes }) => ({
      path,
      n_links,
      link_repair,
      before: creates ? null : fake_hash(path),
      after: deletes ? null : fake_hash(`${path}, later`),
    }));
    const operation = done_by_person(id, kind, path, preview.summary, files);
    engine.operation_list = [operation, ...engine.operation_list];
    tell(id, "done");
    return operation;
  });

  // What people and other programs write becomes a version too.
  engine.listeners.on("notes_changed", ({ changed }) => {
    for (const change of changed) {
      const after = engine.notes.get(change.path);
      const before = known.get(change.path) ?? "";
      if (after === undefined || after === before) continue;
      if (!kept.has(change.path)) kept.set(change.path, seeded_versions(change.path, before));
      keep(change.path, before, after, { actor: { kind: change.origin === "outside" ? "disk" : "person" }, kind: "save_text" });
      known.set(change.path, after);
    }
  });

  return {
    ...wishes,

    async operations() {
      guard("operations");
      return engine.operation_list.map(seen_from_now);
    },

    async review(id) {
      guard("review");
      return review_of(id);
    },

    async approve(id, seen): Promise<Decided> {
      guard("approve");
      const review = review_of(id);
      if (review.digest === null) throw new EngineError("blocked", "this proposal cannot be done any more", "decline it, so that the agent can propose again");
      if (review.digest !== seen) return { kind: "changed", review };
      const planned = plan(review.operation);
      const { actor, kind, summary, path } = review.operation;
      const texts = new Map(planned.map((file) => [file.path, file.after]));
      undo_texts.set(id, write(texts, "agent", { id, actor, kind, summary }, path));
      const operation = replace(id, {
        state: "done",
        summary,
        decided_at: now(),
        decided_by: "person",
        readiness: null,
        can_undo: true,
        files: planned.map((file) => ({
          path: file.path,
          before: fake_hash(file.before),
          after: fake_hash(file.after),
          n_links: file.n_links,
          link_repair: !file.has_change,
        })),
      });
      tell(id, "done");
      return { kind: "decided", operation };
    },

    async decline(id, comment) {
      guard("decline");
      const operation = replace(id, { state: "declined", comment, decided_at: now(), decided_by: "person", readiness: null });
      tell(id, "declined");
      return operation;
    },

    async amend(id, new_heading) {
      guard("amend");
      const operation = find(id);
      if (new_heading.trim() === "") throw new EngineError("invalid_heading", "a heading cannot be empty", "type the heading you want");
      if (/[\n#]/.test(new_heading)) throw new EngineError("invalid_heading", `not a heading: \`${new_heading}\``, "leave out line breaks and `#`");
      replace(id, { amended: true, readiness: { kind: "ready" }, summary: { ...operation.summary, new_heading } });
      return review_of(id);
    },

    async undo(id) {
      guard("undo");
      const operation = find(id);
      const texts = undo_texts.get(id) ?? seeded_undo(id);
      if (!operation.can_undo || !texts) throw new EngineError("not_done", "there is nothing to undo in this operation", "");
      const by = new_id();
      const { old_heading: new_heading, new_heading: old_heading } = operation.summary;
      const summary = { ...operation.summary, old_heading, new_heading };
      const { origin, forth } = origin_of(id);
      undo_texts.set(by, write(texts, "person", { id: by, actor: { kind: "person" }, kind: "undo", summary }, operation.path));
      turn_folders(origin, !forth);
      replace(id, { state: "undone", can_undo: false, undone_by: by });
      const files = operation.files.map((file) => ({ ...file, before: file.after, after: file.before }));
      const made = done_by_person(by, "undo", operation.path, summary, files);
      engine.operation_list = [made, ...engine.operation_list];
      tell(id, "undone");
      tell(by, "done");
      return made;
    },

    async finish(id) {
      guard("finish");
      const operation = replace(id, { state: "done", decided_at: now(), decided_by: "person", can_undo: true });
      tell(id, "done");
      return operation;
    },

    async take_back(id) {
      guard("take_back");
      const operation = replace(id, { state: "undone", decided_at: now(), decided_by: "person" });
      tell(id, "undone");
      return operation;
    },

    async search(query, _folder, limit, offset) {
      guard("search");
      return search_notes(engine.notes, query, limit, offset);
    },

    async history(path) {
      guard("history");
      const can_undo = (version: Version) => engine.operation_list.find((operation) => operation.id === version.id)?.can_undo ?? version.can_undo;
      return versions_of(path).map((one) => ({ ...one.version, can_undo: can_undo(one.version) }));
    },

    async version_text(path, version) {
      guard("version_text");
      return versions_of(path).find((one) => one.version.id === version)?.after ?? "";
    },

    async diff(path, from, to) {
      guard("diff");
      const versions = versions_of(path);
      const of = (id: string) => {
        const found = versions.find((one) => one.version.id === id);
        if (!found) throw new EngineError("not_found", `version not found: \`${id}\``, "open the history again");
        return found;
      };
      const after = to === null ? (engine.notes.get(path) ?? "") : of(to).after;
      const before = from === null ? (to === null ? "" : of(to).before) : of(from).after;
      return diff(before, after, 2);
    },

    async restore(path, version) {
      guard("restore");
      const found = versions_of(path).find((one) => one.version.id === version);
      if (!found?.version.restorable) throw new EngineError("not_found", "the text of this version is no longer kept", "choose a newer one");
      const id = new_id();
      const before = write(new Map([[path, found.after]]), "person", { id, actor: { kind: "person" }, kind: "restore" }, path);
      undo_texts.set(id, before);
      const operation = done_by_person(id, "restore", path, { ...NO_SUMMARY, n_notes: 1 }, []);
      engine.operation_list = [operation, ...engine.operation_list];
      return operation;
    },

    async agents() {
      guard("agents");
      return agents;
    },

    async agents_set(on) {
      guard("agents_set");
      agents = { ...agents, on, n_connected: on ? agents.clients.filter((client) => client.connected).length : 0 };
      engine.listeners.tell("agents_changed", told());
      return agents;
    },

    async agents_create(name): Promise<NewClient> {
      guard("agents_create");
      if (agents.clients.some((client) => client.name === name))
        throw new EngineError("exists", `there is a client of this name already: \`${name}\``, "choose another name, or shut that one out first");
      const client = { id: new_id(), name, created_at: now(), last_seen_at: null, connected: false, policy: { kind: "ask" as const }, scope: everything };
      agents = { ...agents, clients: [...agents.clients, client] };
      return { client, token: `vdm_${fake_hash(name + client.id).slice(0, 40)}` };
    },

    async agents_revoke(id) {
      guard("agents_revoke");
      const clients = agents.clients.filter((client) => client.id !== id);
      agents = { ...agents, clients, n_connected: clients.filter((client) => client.connected).length };
      return agents;
    },

    async agents_policy(id, policy) {
      guard("agents_policy");
      if (policy.kind === "allow" && policy.folders.some((folder) => folder === "Nowhere"))
        throw new EngineError("not_found", "the folder is not there: `Nowhere`", "it may have been moved or deleted");
      agents = { ...agents, clients: agents.clients.map((client) => (client.id === id ? { ...client, policy } : client)) };
      engine.listeners.tell("agents_changed", told());
      return agents;
    },

    async agents_scope(id, scope) {
      guard("agents_scope");
      if (scope.folders?.includes("Nowhere")) throw new EngineError("not_found", "the folder is not there: `Nowhere`", "it may have been moved or deleted");
      if (scope.tools?.length === 0) throw new EngineError("invalid_arguments", "no tool is left that it may use", "leave it one, or keep it out of this vault");
      agents = { ...agents, clients: agents.clients.map((client) => (client.id === id ? { ...client, scope } : client)) };
      engine.listeners.tell("agents_changed", told());
      return agents;
    },

    async agents_open_link(program) {
      guard("agents_open_link");
      const link = fake_configs("", null).find((config) => config.id === program)?.link;
      if (!link) throw new EngineError("no_link", "it knows no links that add a server", "set it up by its settings file");
      engine.opened_urls.push(link);
      return null;
    },

    async agents_bundle() {
      guard("agents_bundle");
      return "/home/you/vidimus.mcpb";
    },

    async agents_export() {
      guard("agents_export");
      return "/home/you/agents.csv";
    },

    async agents_config(_client, token): Promise<ClientConfig[]> {
      guard("agents_config");
      return fake_configs(agents.url ?? "http://127.0.0.1:7377/mcp", token);
    },

    async agents_connecting(newcomer) {
      guard("agents_connecting");
      return settings_files.look(newcomer);
    },

    async agents_connect(newcomer, seen) {
      guard("agents_connect");
      return settings_files.write(newcomer, seen);
    },

    async agents_disconnect(newcomer) {
      guard("agents_disconnect");
      return settings_files.take_out(newcomer);
    },
  };

  /** The change that a chain of undoing began with, and whether `id` stands for the change or for its undoing. */
  function origin_of(id: string): { origin: OperationView; forth: boolean } {
    const undone = engine.operation_list.find((operation) => operation.undone_by === id);
    if (!undone) return { origin: find(id), forth: true };
    const { origin, forth } = origin_of(undone.id);
    return { origin, forth: !forth };
  }

  function seeded_undo(id: string): Texts | undefined {
    for (const [path, versions] of kept) {
      const found = versions.find((one) => one.version.id === id);
      if (found) return new Map([[path, (engine.notes.get(path) ?? "").replace(found.version.summary.new_heading ?? "\u0000", found.version.summary.old_heading ?? "")]]);
    }
    const path = find(id).path;
    if (kept.has(path)) return undefined;
    versions_of(path);
    return seeded_undo(id);
  }
}
