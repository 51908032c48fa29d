// A person's own changes beside typing: a note, a folder or a heading gets another name or place, or goes away.
// What follows a change is shown first, and what is carried out is what was shown.

import { done_sentence, follows } from "../components/review/wording";
import { asEngineError, engine, EngineError } from "../ipc/engine";
import type { Granted, HeadingView, OperationView, OutsideMove, Wish, WishPreview } from "../ipc/types";
import { type Deed, deeds } from "./deeds.svelte";
import { following, move_of, reversed } from "./moves";
import { notes } from "./notes.svelte";
import { heading_ids } from "./outline.svelte";
import { READING_TIME } from "./operations.svelte";
import { folder_of, is_within } from "./paths";
import { tabs } from "./tabs.svelte";
import { toasts } from "./toasts.svelte";
import { DRAFT, tree } from "./tree.svelte";

/** A change that waits for the person's yes. */
export interface Asked {
  wish: Wish;
  preview: WishPreview;
  /** Notes changed after an earlier preview was confirmed; this one is new. */
  changed: boolean;
}

class Wishes {
  asked = $state.raw<Asked | null>(null);
  busy = $state(false);
  problem = $state.raw<EngineError | null>(null);
  /** The note or folder whose row in the tree is a text field now. */
  naming = $state<string | null>(null);
  /** The heading whose row in the outline is a text field now. */
  titling = $state.raw<{ path: string; id: string } | null>(null);
  /** Whether the keyboard came from the page, and goes back there. */
  from_page = false;
  #answer: (operation: OperationView | null) => void = () => {};
  #shown_at = 0;

  /** Makes the row of a note or a folder a text field. */
  name_entry(path: string, from_page = false): void {
    this.from_page = from_page;
    this.naming = path;
  }

  title_heading(path: string, id: string, from_page = false): void {
    this.from_page = from_page;
    this.titling = { path, id };
  }

  /** Gives a note another path. Resolves to whether it happened; throws what the engine refuses. */
  async move_note(path: string, to: string): Promise<boolean> {
    return (await this.#wish({ kind: "move_note", path, to })) !== null;
  }

  /** Gives a folder another path, with all that is in it. */
  async move_folder(path: string, to: string): Promise<boolean> {
    return (await this.#wish({ kind: "move_folder", path, to })) !== null;
  }

  delete_note(path: string): Promise<boolean> {
    return this.#said({ kind: "delete_note", path });
  }

  delete_folder(path: string): Promise<boolean> {
    return this.#said({ kind: "delete_folder", path });
  }

  /** Lets links follow notes that another program moved. */
  repair_links(moves: OutsideMove[]): Promise<boolean> {
    return this.#said({ kind: "repair_links", moves });
  }

  /** Gives a heading another title. It is looked up anew: what was typed meanwhile may have moved it. */
  async rename_heading(path: string, heading: HeadingView, id: string, new_heading: string): Promise<boolean> {
    const doc = notes.documents.get(path);
    const headings = doc ? await engine.outline(doc.text()) : [];
    const same = headings.findIndex((one) => one.line === heading.line && one.level === heading.level && one.text === heading.text);
    const index = same >= 0 ? same : heading_ids(headings).indexOf(id);
    if (index < 0) throw new EngineError("not_found", `the heading is not there any more: \`${heading.text}\``, "choose it again in the outline");
    return (await this.#wish({ kind: "rename_heading", path, index, new_heading })) !== null;
  }

  /** Opens a row for a new folder, to be named. */
  async draft_folder(within: string): Promise<void> {
    if (within !== "") {
      await tree.reveal(within);
      await tree.expand(within);
    }
    tree.drafting = within;
    this.name_entry(DRAFT);
  }

  /** Makes a folder. No operation is needed for that, so it is taken back by removing it. */
  async create_folder(path: string): Promise<void> {
    const turn = async (act: () => Promise<unknown>) => {
      await act();
      await tree.refresh();
    };
    const redo = () => turn(() => engine.create_folder(path));
    await redo();
    deeds.did({
      said: `New folder ${path}`,
      before: folder_of(path),
      after: path,
      operation: () => null,
      undo: () =>
        turn(async () => {
          if (!(await engine.remove_empty_folder(path))) throw new EngineError("not_empty", `something is in the folder by now: \`${path}\``, "delete it with the Delete key");
        }),
      redo,
    });
    await tree.reveal(path);
  }

  /** Asks, and says what was refused above the window: no field stands open for it. */
  async #said(wish: Wish): Promise<boolean> {
    try {
      return (await this.#wish(wish)) !== null;
    } catch (cause) {
      toasts.error(asEngineError(cause));
      return false;
    }
  }

  async #wish(wish: Wish): Promise<OperationView | null> {
    if (this.asked) return null;
    await this.#save();
    let preview = await engine.preview_wish(wish);
    let changed = false;
    if (move_or_rename(wish) && !reaches_far(preview)) {
      const granted = await this.#carry(wish, preview.digest);
      if (granted.kind === "decided") return granted.operation;
      ({ preview } = granted);
      changed = true;
    }
    this.#show({ wish, preview, changed });
    return new Promise((resolve) => (this.#answer = resolve));
  }

  #show(asked: Asked): void {
    this.problem = null;
    this.asked = asked;
    this.#shown_at = Date.now();
  }

  async confirm(): Promise<void> {
    const { asked } = this;
    // What has just been replaced on screen cannot have been read yet.
    if (!asked || this.busy || (asked.changed && Date.now() - this.#shown_at < READING_TIME)) return;
    this.busy = true;
    this.problem = null;
    try {
      await this.#save();
      const granted = await this.#carry(asked.wish, asked.preview.digest);
      if (granted.kind === "changed") this.#show({ ...asked, preview: granted.preview, changed: true });
      else this.#close(granted.operation);
    } catch (cause) {
      this.problem = asEngineError(cause);
    } finally {
      this.busy = false;
    }
  }

  cancel(): void {
    if (!this.busy) this.#close(null);
  }

  #close(operation: OperationView | null): void {
    this.asked = null;
    this.problem = null;
    this.#answer(operation);
    this.#answer = () => {};
  }

  async #save(): Promise<void> {
    if (!(await notes.documents.flush_all()))
      throw new EngineError("unsaved", "some text could not be saved", "look at the notes marked with a dot first");
  }

  async #carry(wish: Wish, digest: string): Promise<Granted> {
    const granted = await following(move_of(wish), () => engine.carry_wish(wish, digest), (answer) => answer.kind === "decided");
    if (granted.kind === "decided") {
      deeds.did(this.#deed_of(wish, granted.operation, await settle(wish, true)));
      await tree.refresh();
      const move = move_of(wish);
      if (move) await tree.reveal(move.to);
    }
    return granted;
  }

  /** How a change that was carried out is turned back and forth. `closed` are the tabs that it took away. */
  #deed_of(wish: Wish, made: OperationView, closed: string[]): Deed {
    let { id } = made;
    const move = move_of(wish);
    const turn = async (forth: boolean) => {
      await this.#save();
      id = (await following(forth ? move : reversed(move), () => engine.undo(id))).id;
      const taken = await settle(wish, forth);
      if (forth) closed = taken;
      else for (const path of closed) tabs.open_anew(path);
      await tree.refresh();
    };
    const reach = follows(made.files);
    const lead = lead_of(wish);
    return {
      said: done_sentence(made),
      hint: reach && wish.kind !== "repair_links" ? `${reach}.` : undefined,
      before: lead,
      after: move?.to ?? lead,
      operation: () => id,
      undo: () => turn(false),
      redo: () => turn(true),
    };
  }

  /** Forgets what belongs to another vault. */
  reset(): void {
    this.#close(null);
    this.naming = this.titling = null;
    this.busy = false;
    deeds.reset();
  }
}

/** The note or folder that a wish is about. */
export function lead_of(wish: Wish): string {
  return "path" in wish ? wish.path : (wish.moves[0]?.to ?? "");
}

/** Brings the window's pages to where a change left the vault; returns the tabs that had to go. */
async function settle(wish: Wish, forth: boolean): Promise<string[]> {
  if (wish.kind === "rename_heading") await notes.look_again(wish.path);
  if (!forth || (wish.kind !== "delete_note" && wish.kind !== "delete_folder")) return [];
  const { active_path } = tabs;
  const gone = tabs.paths.filter((path) => is_within(path, wish.path));
  for (const path of gone) await tabs.close_everywhere(path);
  // The one on screen is opened last, so that it is on screen again.
  return gone.sort((a, b) => Number(a === active_path) - Number(b === active_path));
}

function move_or_rename(wish: Wish): boolean {
  return wish.kind === "move_note" || wish.kind === "move_folder" || wish.kind === "rename_heading";
}

/** Whether there is more to see than the change itself. */
function reaches_far(preview: WishPreview): boolean {
  return preview.files.some((file) => file.n_links > 0) || (preview.summary.warnings ?? []).length > 0;
}

export const wishes = new Wishes();
