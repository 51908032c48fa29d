// An engine in memory, for component tests and for `vite dev` in a plain browser. It keeps the real one's promises
// (compare-and-swap on a hash, facts as events) over a vault that lives as long as the page.

import { type Engine, EngineError, Listeners } from "../engine";
import { is_within, name_of } from "../../state/paths";
import type { Backlinks, BacklinkView, BarMenu, EntryKind, Events, Followed, Hotkey, KnownVault, Look, NoteView, OperationView, OutsideMoves, PageError, PropertiesShown, QuickHit, Report, Settings, TreeEntry, VaultInfo } from "../types";
import { diff } from "./diff";
import { headings_of, render_html } from "./markdown";
import type { OperationCalls } from "../operations";
import { pending_in, waiting_proposals } from "./operations";
import { fake_pane_calls, field_bookmarks, type PaneCalls } from "./panes";
import { fake_file_calls, type FileCalls } from "./files";
import { folder_plan } from "./folders";
import { fake_property_calls, fake_rows, type PropertyCalls } from "./properties";
import { fake_operation_calls } from "./review";
import { field_notes } from "./vault";
import { decided_operations } from "./versions";

export const DEFAULT_SETTINGS: Settings = {
  theme: "system",
  font_size: 16,
  line_width: "readable",
  default_mode: "editing",
  show_line_numbers: false,
  spellcheck: true,
  notify: true,
  vault_look: true,
  tray_icon: true,
  close_to_tray: false,
};

export interface FakeOptions {
  notes?: Map<string, string>;
  operations?: OperationView[];
  /** Whether a vault is open from the start. */
  open?: boolean;
  known_vaults?: KnownVault[];
  read_only?: Set<string>;
  settings?: Partial<Settings>;
}

/** A stand-in for blake3: stable, and different for different texts. */
export function fake_hash(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x1000193;
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193) >>> 0;
    b = (Math.imul(b, 31) + text.charCodeAt(i)) >>> 0;
  }
  return (a.toString(16).padStart(8, "0") + b.toString(16).padStart(8, "0")).repeat(4);
}

const title_of = (path: string) => name_of(path).replace(/\.md$/, "");

// The calls of the review, the history and the agents panel live in `review.ts`, those of the panes in `panes.ts`; the constructor
// adds them.
export interface FakeEngine extends OperationCalls, PaneCalls, FileCalls, PropertyCalls {}

export class FakeEngine implements Engine {
  notes: Map<string, string>;
  operation_list: OperationView[];
  listeners = new Listeners();
  settings: Settings;
  vault: VaultInfo | null;
  read_only: Set<string>;
  /** Folders that are there with nothing in them. */
  folders = new Set<string>();
  /** Files that are no text, by path; `notes` lists them too. */
  files = new Map<string, Blob>();
  #addresses: Record<string, string> = {};
  properties_shown: PropertiesShown = "visible";
  /** Where files go that are put into a note; empty for the top of the vault. */
  attachment_folder = "";
  /** Copies that sync tools made, and the notes that they are of. */
  conflicts = new Map<string, string>();
  #outside_moves: OutsideMoves | null = null;
  known_vaults: KnownVault[];
  bookmark_list = field_bookmarks();
  /** What the next calls refuse with, by command; a test's way to break things. */
  refuse = new Map<string, EngineError>();
  opened_urls: string[] = [];
  /** The vault that the program is opening by itself. */
  opening: string | null = null;
  vault_look: Look = { theme: null, accent: null, font_size: null, interface_font: "", text_font: "", monospace_font: "", snippets: [], community_theme: null };
  vault_hotkeys: Hotkey[] = [];
  followed_urls: string[] = [];
  /** Where the last link led. */
  followed: Followed | null = null;
  /** Whether the desktop hands its links to this program. */
  links_are_here: boolean | null = false;
  /** Whether the desktop has a tray. */
  tray = true;
  new_windows = 0;
  /** What stands in the menu bar, where the page was told that there is one. */
  menu_bar: BarMenu[] | null = null;
  /** What went wrong and was not looked at. */
  report_list: Report[] = [];
  closed = false;
  title = "";
  kept_open = 0;
  editing_paths = new Map<string, boolean>();
  #generation = 0;

  constructor(options: FakeOptions = {}) {
    this.notes = options.notes ?? field_notes();
    this.operation_list = options.operations ?? [...waiting_proposals(), ...decided_operations()];
    this.read_only = options.read_only ?? new Set();
    this.settings = { ...DEFAULT_SETTINGS, ...options.settings };
    this.known_vaults = options.known_vaults ?? [
      { path: "/home/you/Field notes", name: "Field notes", source: "recent", exists: true },
      { path: "/home/you/Documents/Work", name: "Work", source: "obsidian", exists: true },
      { path: "/media/usb/Archive", name: "Archive", source: "obsidian", exists: false },
    ];
    this.vault = options.open === false ? null : this.#vault_info("/home/you/Field notes");
    Object.assign(this, fake_operation_calls(this));
    Object.assign(this, fake_pane_calls(this));
    Object.assign(this, fake_file_calls(this));
    Object.assign(this, fake_property_calls(this));
  }

  // ---- a test's handles

  /** Another program writes a note. */
  write_outside(path: string, text: string): void {
    const before = this.notes.get(path);
    this.notes.set(path, text);
    this.#changed(path, before, text, "outside");
  }

  /** A person's own change in this window writes a note. */
  edit_here(path: string, text: string): void {
    const before = this.notes.get(path);
    this.notes.set(path, text);
    this.#changed(path, before, text, "person");
  }

  remove_outside(path: string): void {
    const before = this.notes.get(path);
    this.notes.delete(path);
    this.#changed(path, before, undefined, "outside");
  }

  /** Another program moves a note; links do not follow. */
  move_outside(from: string, to: string): void {
    const text = this.#text(from);
    this.notes.delete(from);
    this.notes.set(to, text);
    const hash = fake_hash(text);
    const origin = "outside" as const;
    this.listeners.tell("notes_changed", { changed: [{ path: from, before: hash, after: null, origin }, { path: to, before: null, after: hash, origin }], generation: ++this.#generation });
    const moves = [...(this.#outside_moves?.moves ?? []), { from, to }];
    const n_links = folder_plan(this, { kind: "repair_links", moves }).summary.n_links;
    this.offer_moves(n_links > 0 ? { moves, n_links } : null);
  }

  offer_moves(moves: OutsideMoves | null): void {
    this.#outside_moves = moves;
    this.listeners.tell("health", { notices: [] });
  }

  has_folder(path: string): boolean {
    return [...this.folders, ...this.notes.keys()].some((one) => is_within(one, path) && (one !== path || this.folders.has(path)));
  }

  #changed(path: string, before: string | undefined, after: string | undefined, origin: "outside" | "person" | "agent"): void {
    this.listeners.tell("notes_changed", {
      changed: [{ path, before: before === undefined ? null : fake_hash(before), after: after === undefined ? null : fake_hash(after), origin }],
      generation: ++this.#generation,
    });
  }

  #refused(command: string): void {
    const error = this.refuse.get(command);
    if (error) throw error;
  }

  #text(path: string): string {
    const text = this.notes.get(path);
    if (text === undefined) throw new EngineError("not_found", `note not found: \`${path}\``, "it may have been moved or deleted outside");
    return text;
  }

  #n_notes(): number {
    return [...this.notes.keys()].filter((path) => path.endsWith(".md")).length;
  }

  #vault_info(path: string): VaultInfo {
    return {
      name: name_of(path),
      root: path,
      n_notes: this.#n_notes(),
      n_pending: this.operation_list.filter((op) => op.state === "proposed").length,
      read_only: null,
      health: [],
      indexing: null,
      strict_line_breaks: false,
      readable_line_length: true,
      outside_moves: this.#outside_moves,
      uses_system_trash: false,
    };
  }

  // ---- the program and the vault

  async app_state() {
    return {
      vault: this.vault && { ...this.vault, outside_moves: this.#outside_moves },
      known_vaults: this.known_vaults,
      indexing: null,
      n_proposed: this.operation_list.filter((op) => op.state === "proposed").length,
      agents: { on: true, n_connected: 2, writes_allowed: false },
      notices: [],
      version: "0.1.0",
      opening: this.opening,
      not_opened: null,
    };
  }

  async choose_folder() {
    return "/home/you/Field notes";
  }

  async open_vault(path: string) {
    this.#refused("open_vault");
    if (this.known_vaults.some((vault) => vault.path === path && !vault.exists))
      throw new EngineError("not_found", `folder not found: \`${path}\``, "plug in the drive it is on, or choose another folder");
    this.vault = this.#vault_info(path);
    return this.vault;
  }

  async close_vault() {
    this.vault = null;
    return null;
  }

  async settings_get() {
    return { ...this.settings };
  }

  async settings_set(settings: Settings) {
    this.#refused("settings_set");
    this.settings = { ...settings };
    return { ...settings };
  }

  async open_external(url: string) {
    this.opened_urls.push(url);
  }

  async reports() {
    return this.report_list;
  }

  async report_error({ message, stack }: PageError) {
    this.report_list = [{ path: `/home/you/.local/share/vidimus/reports/${this.report_list.length}.unseen.txt`, text: `Vidimus 0.1.0\n\n${message}\n${stack}\n` }, ...this.report_list];
    this.listeners.tell("reports_changed", null);
    return null;
  }

  async dismiss_reports() {
    this.#refused("dismiss_reports");
    this.report_list = [];
    return null;
  }

  async show_menu_bar(menus: BarMenu[]) {
    this.menu_bar = menus;
    return null;
  }

  async look() {
    return this.vault_look;
  }

  async hotkeys() {
    return this.vault_hotkeys;
  }

  async follow_link(url: string) {
    this.followed_urls.push(url);
    return null;
  }

  async followed_link() {
    const { followed } = this;
    this.followed = null;
    return followed;
  }

  async links_come_here() {
    return this.links_are_here;
  }

  async take_links() {
    this.#refused("take_links");
    this.links_are_here = true;
    return true;
  }

  // ---- notes

  async set_title(title: string) {
    this.title = title;
  }

  async set_zoom(factor: number) {
    document.documentElement.style.zoom = String(factor);
  }

  asset_url(path: string) {
    const file = this.files.get(path);
    if (file && "createObjectURL" in URL) return (this.#addresses[path] ??= URL.createObjectURL(file));
    return `vault-asset://localhost/${encodeURIComponent(path)}`;
  }

  async keep_window() {
    this.kept_open++;
    return null;
  }

  async new_window() {
    this.new_windows++;
    return null;
  }

  async quit() {
    this.listeners.tell("close_requested", null);
    return null;
  }

  async has_tray() {
    return this.tray;
  }

  async close_window() {
    this.closed = true;
    return null;
  }

  async tree(folder: string): Promise<TreeEntry[]> {
    this.#refused("tree");
    const prefix = folder ? `${folder}/` : "";
    const entries = new Map<string, TreeEntry>();
    const waiting = new Set(this.operation_list.filter((op) => op.state === "proposed").map((op) => op.path));
    if (folder && !this.has_folder(folder)) throw new EngineError("not_found", `the folder is not there: \`${folder}\``, "it may have been moved or deleted");
    for (const path of [...this.folders].map((one) => `${one}/`).concat([...this.notes.keys()])) {
      if (!path.startsWith(prefix) || path === prefix) continue;
      const rest = path.slice(prefix.length);
      const slash = rest.indexOf("/");
      const own = slash < 0 ? path : prefix + rest.slice(0, slash);
      const kind: EntryKind = slash >= 0 ? "folder" : path.endsWith(".md") ? "note" : path.endsWith(".canvas") ? "canvas" : "other";
      const entry = entries.get(own) ?? { path: own, name: name_of(own).replace(/\.(md|canvas)$/, ""), kind, n_notes: 0, pending: 0, conflict_of: this.conflicts.get(own) ?? null };
      if (kind === "folder" && path.endsWith(".md")) entry.n_notes++;
      if (waiting.has(path)) entry.pending++;
      entries.set(own, entry);
    }
    const order = (entry: TreeEntry) => (entry.kind === "folder" ? 0 : 1);
    return [...entries.values()].sort((a, b) => order(a) - order(b) || a.name.localeCompare(b.name, "en", { numeric: true }));
  }

  async read_note(path: string): Promise<NoteView> {
    this.#refused("read_note");
    const text = this.#text(path);
    const headings = headings_of(text);
    const line_of = (title: string) => headings.find((heading) => heading.text === title)?.line;
    const writable = !this.read_only.has(path);
    return {
      path,
      id: fake_hash(path).slice(0, 26).toUpperCase(),
      title: title_of(path),
      text,
      hash: fake_hash(text),
      writable,
      read_only_reason: writable ? null : "the file is write-protected",
      headings,
      properties: fake_rows(text, this.properties_shown),
      n_backlinks: (await this.backlinks(path, 0)).total,
      pending: pending_in(this.operation_list, path, line_of),
      conflict_of: this.conflicts.get(path) ?? null,
      n_chars: text.length,
      created: "2026-10-02T08:00:00Z",
      updated: "2026-11-30T14:21:00Z",
    };
  }

  async render(path: string, text: string | null) {
    this.#refused("render");
    return { html: render_html(text ?? this.#text(path)) };
  }

  async outline(text: string) {
    return headings_of(text);
  }

  async save(path: string, base: string, text: string) {
    this.#refused("save");
    const before = this.#text(path);
    if (fake_hash(before) !== base) return { kind: "stale" as const, hash: fake_hash(before), text: before };
    this.notes.set(path, text);
    this.#changed(path, before, text, "person");
    return { kind: "saved" as const, hash: fake_hash(text), changed: before !== text };
  }

  async editing(path: string, dirty: boolean) {
    this.editing_paths.set(path, dirty);
    return null;
  }

  async resolve_link(from: string, target: string) {
    const [note = "", ...anchors] = target.split("#");
    const path = note === "" ? from : this.#find_path(note);
    if (!path) return null;
    const anchor = anchors.at(-1);
    const heading = anchor ? headings_of(this.#text(path)).find((h) => h.text.toLowerCase() === anchor.toLowerCase()) : undefined;
    return { path, heading: heading?.text ?? null, line: heading?.line ?? null };
  }

  #find_path(target: string): string | undefined {
    const wanted = target.replace(/\.md$/, "").toLowerCase();
    const all = [...this.notes.keys()];
    const bare = (path: string) => path.replace(/\.md$/, "").toLowerCase();
    return all.find((path) => bare(path) === wanted) ?? all.find((path) => bare(path).endsWith(`/${wanted}`));
  }

  async backlinks(path: string, limit: number): Promise<Backlinks> {
    const name = title_of(path).toLowerCase();
    const found: BacklinkView[] = [];
    for (const [from, text] of this.notes) {
      if (from === path) continue;
      text.split("\n").forEach((line, at) => {
        const links = [...line.matchAll(/\[\[([^\]|#]+)/g)];
        if (links.some((link) => title_of(link[1]!).toLowerCase() === name)) found.push({ path: from, id: fake_hash(from).slice(0, 26).toUpperCase(), title: title_of(from), line: at + 1, snippet: line.trim(), kind: "wiki", subpath: null });
      });
    }
    return { links: found.slice(0, limit), total: found.length };
  }

  async create_note(path: string) {
    this.#refused("create_note");
    if (this.notes.has(path)) throw new EngineError("exists", `there is a note already: \`${path}\``, "choose another name");
    this.notes.set(path, "");
    this.#changed(path, undefined, "", "person");
    return this.read_note(path);
  }

  async create_folder(path: string) {
    this.#refused("create_folder");
    if (this.has_folder(path) || this.notes.has(path)) throw new EngineError("path_taken", `a file of that name exists: \`${path}\``, "choose another name");
    this.folders.add(path);
    this.#told(path);
    return null;
  }

  async remove_empty_folder(path: string) {
    this.#refused("remove_empty_folder");
    if (!this.has_folder(path)) throw new EngineError("not_found", `the folder is not there: \`${path}\``, "it may have been moved or deleted");
    if ([...this.notes.keys()].some((one) => is_within(one, path))) return false;
    for (const one of this.folders) if (is_within(one, path)) this.folders.delete(one);
    this.#told(path);
    return true;
  }

  #told(folder: string): void {
    this.listeners.tell("notes_changed", { changed: [{ path: folder, before: null, after: null, origin: "person" }], generation: ++this.#generation });
  }

  async dismiss_outside_moves() {
    this.offer_moves(null);
    return null;
  }

  async compare(path: string, other: string) {
    this.#refused("compare");
    return diff(this.#text(path), this.#text(other));
  }

  // ---- finding and operations

  async quick(query: string, limit: number): Promise<QuickHit[]> {
    const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (title: string) => wanted.every((word) => title.toLowerCase().includes(word));
    const found: QuickHit[] = [];
    for (const [path, text] of this.notes) {
      if (!path.endsWith(".md")) continue;
      if (fits(title_of(path))) found.push({ path, title: title_of(path), matched: null });
      if (wanted.length === 0) continue;
      for (const heading of headings_of(text)) if (heading.level > 1 && fits(heading.text)) found.push({ path, title: title_of(path), matched: heading.text });
    }
    const rank = (hit: QuickHit) => (hit.matched === null ? 0 : 1000) + (hit.matched ?? hit.title).length;
    return found.sort((a, b) => rank(a) - rank(b)).slice(0, limit);
  }

  on<K extends keyof Events>(event: K, heard: (payload: Events[K]) => void) {
    return this.listeners.on(event, heard);
  }
}
