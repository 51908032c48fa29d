// The past texts of the note on screen, and the one that is being compared.

import { isolateHistory, undo } from "@codemirror/commands";
import { put_back } from "../editor/put_back";
import { asEngineError, engine, EngineError } from "../ipc/engine";
import type { Hunk, Version } from "../ipc/types";
import { following, move_of, reversed } from "./moves";
import { notes } from "./notes.svelte";
import { operations, type Phase } from "./operations.svelte";
import { origin_of } from "./standing";
import { type TabGroup, tabs } from "./tabs.svelte";

/** What a version is laid beside: what was before it, the text of now, or any other version. */
export type Against = "before" | "now" | "version";

const REFRESH_DELAY = 150;

export class History {
  path = $state<string | null>(null);
  versions = $state.raw<Version[]>([]);
  phase = $state<Phase>("loading");
  failure = $state.raw<EngineError | null>(null);

  /** The version shown on the page; the note itself when absent. */
  shown = $state<string | null>(null);
  /** The group of tabs on whose page it is shown. */
  #group = $state(0);
  against = $state<Against>("before");
  /** The other version, where two are compared. */
  other_id = $state<string | null>(null);
  hunks = $state.raw<Hunk[]>([]);
  diff_phase = $state<Phase>("loading");
  diff_failure = $state.raw<EngineError | null>(null);

  busy = $state<"restore" | "undo" | "put_back" | null>(null);
  problem = $state.raw<EngineError | null>(null);
  said = $state("");
  /** What the latest restore made, for as long as it can be turned back and forth here. */
  restored = $state.raw<{ id: string; stands: boolean } | null>(null);
  /** How many parts were put back while this page was open, and the line of the latest. */
  n_put_back = $state(0);
  #put_back_at = 1;

  version = $derived(this.versions.find((version) => version.id === this.shown) ?? null);
  other = $derived(this.against === "version" ? (this.versions.find((version) => version.id === this.other_id) ?? null) : null);
  /** The versions that the shown one can be compared with: those whose text is kept. */
  comparable = $derived(this.versions.filter((version) => version.restorable && version.id !== this.shown));
  /** Two versions that are compared, the older one first: the list has the newest first. */
  pair = $derived.by(() => {
    const { version, other } = this;
    if (!version || !other || version === other) return null;
    return this.versions.indexOf(version) > this.versions.indexOf(other) ? ([version, other] as const) : ([other, version] as const);
  });

  #asked_list = 0;
  #asked_diff = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Follows the engine; returns what stops it. */
  start(): () => void {
    const stop = engine.on("notes_changed", ({ changed }) => {
      if (changed.some((change) => change.path === this.path)) this.#soon();
    });
    return () => {
      clearTimeout(this.#timer);
      this.open(null);
      stop();
    };
  }

  /** Turns to another note. */
  open(path: string | null): void {
    if (path === this.path) return;
    this.close();
    this.path = path;
    if (this.against === "version") this.against = "before";
    this.other_id = null;
    this.versions = [];
    this.restored = null;
    this.problem = null;
    this.phase = "loading";
    if (path !== null) void this.refresh();
  }

  async refresh(): Promise<void> {
    const path = this.path;
    if (path === null) return;
    const asked = ++this.#asked_list;
    try {
      const versions = await engine.history(path);
      if (asked !== this.#asked_list || path !== this.path) return;
      this.versions = versions;
      this.phase = "ready";
      this.failure = null;
      if (this.shown !== null) {
        if (!this.version) this.close();
        else {
          if (this.against === "version" && !this.other) this.against = "before";
          void this.#compare();
        }
      }
    } catch (cause) {
      if (asked !== this.#asked_list) return;
      this.failure = asEngineError(cause);
      this.phase = "failed";
    }
  }

  /** Tells whether a group of tabs shows a version now, in place of its note. */
  is_shown_in(group: TabGroup): boolean {
    return this.shown !== null && this.#group === group.id && this.path === group.active_path;
  }

  /** Shows what a version changed, in the group of tabs that has the keyboard. */
  show(id: string): void {
    if (this.shown === id && this.#group === tabs.group.id) return;
    this.shown = id;
    this.#group = tabs.group.id;
    this.problem = null;
    this.n_put_back = 0;
    this.hunks = [];
    this.diff_phase = "loading";
    void this.#compare();
  }

  /** Walks to the next older (+1) or newer (-1) version. */
  step(by: 1 | -1): void {
    const at = this.versions.findIndex((version) => version.id === this.shown);
    const next = this.versions[at === -1 ? 0 : Math.min(this.versions.length - 1, Math.max(0, at + by))];
    if (next) this.show(next.id);
  }

  compare_with(against: Exclude<Against, "version">): void {
    if (this.against === against) return;
    this.against = against;
    this.#compare_anew();
  }

  /** Lays the shown version beside another one; without a choice beside the next older, which a person may change. */
  compare_with_version(id?: string): void {
    const at = this.versions.findIndex((version) => version.id === this.shown);
    const older = this.comparable.find((version) => this.versions.indexOf(version) > at) ?? this.comparable.at(-1);
    const other = this.comparable.find((version) => version.id === (id ?? this.other_id)) ?? older;
    if (!other) return;
    this.against = "version";
    this.other_id = other.id;
    this.#compare_anew();
  }

  #compare_anew(): void {
    this.problem = null;
    if (this.shown !== null) void this.#compare();
  }

  /** Goes back to the note. */
  close(): void {
    this.#asked_diff += 1;
    this.shown = null;
    this.n_put_back = 0;
    this.hunks = [];
  }

  /** Returns the shown version's whole text. */
  async text(): Promise<string> {
    return this.path !== null && this.shown !== null ? engine.version_text(this.path, this.shown) : "";
  }

  /** Gives the note the shown version's text; that is a version of its own, so it can be taken back. */
  async restore(): Promise<void> {
    const { path, version } = this;
    if (path === null || !version?.restorable || this.busy) return;
    let restored: History["restored"] = null;
    const done = await this.#act("restore", async () => {
      await operations.save_typing();
      const operation = await engine.restore(path, version.id);
      restored = operation.can_undo ? { id: operation.id, stands: true } : null;
    });
    if (!done || path !== this.path) return;
    this.restored = restored;
    this.said = "Restored. The text from before is kept as a version.";
  }

  /** Gives the note the old lines of one part back, as an edit like any that is typed. */
  async put_back(hunk: Hunk): Promise<void> {
    const { path, version, against } = this;
    if (path === null || !version || this.busy) return;
    this.busy = "put_back";
    this.problem = null;
    try {
      const newer = this.pair?.[1] ?? version;
      const compared = against === "now" ? (await engine.read_note(path)).text : await engine.version_text(path, newer.id);
      const doc = notes.documents.get(path);
      if (path !== this.path) return;
      if (!doc?.writable) throw new EngineError("read_only", "this note cannot be written here", "make the file writable, then try again");
      const changes = put_back(doc.text(), compared, hunk);
      if (!changes) {
        const hint = against === "now" ? "the note was changed just now; look at the difference again" : "choose “Against now” to see what can be restored";
        throw new EngineError("moved_on", "the lines around this part are no longer in the note", hint);
      }
      doc.dispatch({ changes, annotations: isolateHistory.of("full"), userEvent: "input.restore" });
      this.#put_back_at = doc.state.doc.lineAt(changes[0]!.from).number;
      this.n_put_back++;
      this.said = "This part of the note is as before. It can be undone.";
    } catch (cause) {
      this.problem = asEngineError(cause);
    } finally {
      this.busy = null;
    }
  }

  /** Undoes the latest part that was put back. */
  take_out(): void {
    const doc = this.path === null ? undefined : notes.documents.get(this.path);
    if (this.n_put_back === 0 || !doc?.run(undo)) return;
    this.n_put_back--;
    this.problem = null;
    this.said = "Undone.";
  }

  /** Goes to the note, where the latest part was put back. */
  show_put_back(): void {
    const { path } = this;
    this.close();
    if (path !== null) tabs.open(path, this.#put_back_at);
  }

  /** Takes a whole operation back, in every file that it touched; of one that took another back, that does the other again. */
  async undo(id: string): Promise<void> {
    if (this.busy) return;
    const { origin, back } = origin_of(id, operations.list);
    const move = origin && move_of(origin);
    await this.#act("undo", async () => {
      await operations.save_typing();
      const undone = await following(back ? reversed(move) : move, () => engine.undo(id));
      if (this.restored?.id === id) this.restored = undone.can_undo ? { id: undone.id, stands: !this.restored.stands } : null;
      this.said = `${back ? "Undone" : "Done again"} in every file it had touched.`;
    });
  }

  /** Tells whether undoing a version's operation would do again what it took back. */
  redoes(id: string): boolean {
    return !origin_of(id, operations.list).back;
  }

  async #act(doing: "restore" | "undo", act: () => Promise<void>): Promise<boolean> {
    this.busy = doing;
    this.problem = null;
    try {
      await act();
      await this.refresh();
      return true;
    } catch (cause) {
      this.problem = asEngineError(cause);
      return false;
    } finally {
      this.busy = null;
    }
  }

  async #compare(): Promise<void> {
    const { path, shown } = this;
    if (path === null || shown === null) return;
    const asked = ++this.#asked_diff;
    const { against, pair } = this;
    try {
      const hunks = await (against === "before"
        ? engine.diff(path, null, shown)
        : against === "now"
          ? engine.diff(path, shown, null)
          : pair
            ? engine.diff(path, pair[0].id, pair[1].id)
            : []);
      if (asked !== this.#asked_diff) return;
      this.hunks = hunks;
      this.diff_phase = "ready";
      this.diff_failure = null;
    } catch (cause) {
      if (asked !== this.#asked_diff) return;
      this.diff_failure = asEngineError(cause);
      this.diff_phase = "failed";
    }
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.refresh(), REFRESH_DELAY);
  }
}

export const history = new History();
