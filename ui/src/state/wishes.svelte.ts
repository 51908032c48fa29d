// A person's own changes beside typing: a note or a heading gets another name, a note another place, or goes away.
// What follows a change is shown first, and what is carried out is what was shown.

import { done_sentence, follows } from "../components/review/wording";
import { asEngineError, engine, EngineError } from "../ipc/engine";
import type { Granted, HeadingView, OperationView, OpState, Wish, WishPreview } from "../ipc/types";
import { notes } from "./notes.svelte";
import { heading_ids } from "./outline.svelte";
import { READING_TIME } from "./operations.svelte";
import { tabs } from "./tabs.svelte";
import { toasts } from "./toasts.svelte";
import { folder_of, tree } from "./tree.svelte";

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
  /** The note whose row in the tree is a text field now. */
  naming = $state<string | null>(null);
  /** The heading whose row in the outline is a text field now. */
  titling = $state.raw<{ path: string; id: string } | null>(null);
  /** Whether the keyboard came from the page, and goes back there. */
  from_page = false;
  /** What `undo_last` takes back. */
  last = $state.raw<OperationView | null>(null);
  #answer: (operation: OperationView | null) => void = () => {};
  #shown_at = 0;
  /** Deleted notes that were open; undo opens them again. */
  #closed = new Set<string>();
  /** The message that offers to undo an operation. */
  #told = new Map<string, number>();

  name_note(path: string, from_page = false): void {
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

  async delete_note(path: string): Promise<boolean> {
    try {
      return (await this.#wish({ kind: "delete_note", path })) !== null;
    } catch (cause) {
      toasts.error(asEngineError(cause));
      return false;
    }
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

  async #wish(wish: Wish): Promise<OperationView | null> {
    if (this.asked) return null;
    await this.#save();
    let preview = await engine.preview_wish(wish);
    let changed = false;
    if (wish.kind !== "delete_note" && !reaches_far(preview)) {
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
    if (wish.kind === "move_note") notes.expect_move(wish.path, wish.to);
    const granted = await engine.carry_wish(wish, digest);
    if (granted.kind === "decided") await this.#done(wish, granted.operation);
    return granted;
  }

  async #done(wish: Wish, operation: OperationView): Promise<void> {
    if (wish.kind === "move_note") await notes.follow(wish.path, wish.to);
    if (wish.kind === "rename_heading") await notes.look_again(wish.path);
    if (wish.kind === "delete_note" && tabs.list.some((tab) => tab.path === wish.path)) {
      this.#closed.add(wish.path);
      await tabs.close(wish.path);
    }
    this.last = operation;
    const reach = follows(operation.files);
    const told = toasts.say(done_sentence(operation), {
      hint: reach ? `${reach}.` : undefined,
      action: { title: "Undo", run: () => void this.undo(operation) },
    });
    this.#told.set(operation.id, told);
    await tree.refresh();
    if (wish.kind === "move_note") await tree.reveal(wish.to);
  }

  /** Takes one of these changes back. */
  async undo(operation: OperationView): Promise<void> {
    const { kind, path, summary } = operation;
    const moved = kind === "move_note" ? summary.new_path : null;
    try {
      await this.#save();
      if (moved) notes.expect_move(moved, path);
      await engine.undo(operation.id);
      this.heard(operation.id, "undone");
      if (moved) await notes.follow(moved, path);
      if (kind === "rename_section") await notes.look_again(path);
      if (kind === "delete_note" && this.#closed.delete(path)) tabs.open(path);
      toasts.say("Undone");
      await tree.refresh();
    } catch (cause) {
      toasts.error(asEngineError(cause));
    }
  }

  /** An operation moved on: what was taken back, by whichever way, is not offered again. */
  heard(id: string, state: OpState): void {
    if (state !== "undone") return;
    if (this.last?.id === id) this.last = null;
    const told = this.#told.get(id);
    if (told !== undefined) toasts.dismiss(told);
  }

  /** Resolves to the note that it was about. */
  async undo_last(): Promise<string | undefined> {
    const { last } = this;
    if (last) await this.undo(last);
    return last?.path;
  }

  /** Forgets what belongs to another vault. */
  reset(): void {
    this.#close(null);
    this.naming = this.titling = this.last = null;
    this.busy = false;
    this.#closed.clear();
    this.#told.clear();
  }
}

/** Whether there is more to see than the change itself. */
function reaches_far(preview: WishPreview): boolean {
  return preview.files.some((file) => file.n_links > 0) || (preview.summary.warnings ?? []).length > 0;
}

/** The text to copy for a link to a note, or to one of its sections. */
export async function link_to(path: string, heading?: string): Promise<string> {
  const bare = path.replace(/\.md$/i, "");
  const name = bare.slice(bare.lastIndexOf("/") + 1);
  const twins = await engine.quick(name, 50).catch(() => []);
  const is_twin = (other: string) => other !== path && other.slice(other.lastIndexOf("/") + 1).toLowerCase() === `${name}.md`.toLowerCase();
  const target = twins.some((hit) => is_twin(hit.path)) ? bare : name;
  // In a link these signs would mean something else.
  const section = heading?.replace(/[#^|[\]\\:]|%%/g, " ").replace(/\s+/g, " ").trim();
  return section ? `[[${target}#${section}]]` : `[[${target}]]`;
}

export async function copy_link(path: string, heading?: string): Promise<void> {
  const link = await link_to(path, heading);
  try {
    await navigator.clipboard.writeText(link);
    toasts.say(`Copied ${link}`);
  } catch {
    toasts.error({ message: "the link could not be copied", hint: `it is ${link}` });
  }
}

/** Where a note goes when only its folder changes. */
export function moved_to(path: string, folder: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return folder ? `${folder}/${name}` : name;
}

/** Where a note goes when only its name changes. */
export function renamed_to(path: string, name: string): string {
  return moved_to(`${name.trim().replace(/\.md$/i, "")}.md`, folder_of(path));
}

export const wishes = new Wishes();
