// What leads to the open note, where it leads, and who names it without a link.

import { asEngineError, engine, EngineError } from "../ipc/engine";
import type { BacklinkView, Mentions, MentionView, OutgoingLink } from "../ipc/types";
import { note_name } from "../components/review/wording";
import { deeds } from "./deeds.svelte";
import { notes } from "./notes.svelte";
import { toasts } from "./toasts.svelte";

/** Notes change in bursts; the lists may follow a little later. */
const REFRESH_DELAY = 250;
/** Looking for names reads notes, so it waits for a pause. */
const LOOK_DELAY = 800;
/** Links asked for at once. */
const BACKLINKS = 300;
/** Names found at once; nobody links more by hand. */
export const MOST_MENTIONS = 200;

/** The links of a note to one file, or to one name that no file has. */
export interface Destination {
  key: string;
  first: OutgoingLink;
  n_links: number;
}

class Linked {
  path = $state<string | null>(null);
  backlinks = $state.raw<BacklinkView[] | null>(null);
  /** How many links lead here; of a hub not all are asked for at once. */
  n_backlinks = $state(0);
  outgoing = $state.raw<OutgoingLink[] | null>(null);
  mentions = $state.raw<Mentions | null>(null);
  error = $state.raw<EngineError | null>(null);
  mention_error = $state.raw<EngineError | null>(null);
  looking = $state(false);
  /** Names are looked for only while they are wanted. */
  wants_mentions = $state(false);
  /** What was made a link last, for who does not see it. */
  said = $state("");
  /** The name that is being made a link. */
  linking = $state.raw<MentionView | null>(null);

  from_notes = $derived(grouped(this.backlinks ?? []));
  mentions_by_note = $derived(grouped(this.mentions?.mentions ?? []));
  destinations = $derived(destinations_of(this.outgoing ?? []));

  n_left_off = $derived(this.n_backlinks - (this.backlinks?.length ?? 0));

  #most = BACKLINKS;
  #asked = 0;
  #clock: ReturnType<typeof setTimeout> | undefined;
  #look_clock: ReturnType<typeof setTimeout> | undefined;

  /** Shows a note's links from now on; returns what stops it. */
  follow(path: string): () => void {
    if (path !== this.path) {
      this.backlinks = this.outgoing = this.mentions = null;
      this.said = "";
      this.#most = BACKLINKS;
    }
    this.path = path;
    void this.load();
    if (this.wants_mentions) this.#look_soon(0);
    const stop = engine.on("notes_changed", () => {
      this.#clock ??= setTimeout(() => {
        this.#clock = undefined;
        void this.load();
      }, REFRESH_DELAY);
      if (this.wants_mentions) this.#look_soon(LOOK_DELAY);
    });
    return () => {
      clearTimeout(this.#clock);
      clearTimeout(this.#look_clock);
      this.#clock = undefined;
      stop();
    };
  }

  /** Forgets what belongs to another vault. */
  reset(): void {
    this.path = this.error = this.mention_error = this.backlinks = this.outgoing = this.mentions = null;
    this.want_mentions(false);
  }

  async load(): Promise<void> {
    const { path } = this;
    if (path === null) return;
    try {
      const [backlinks, outgoing] = await Promise.all([engine.backlinks(path, this.#most), engine.outgoing(path)]);
      if (path !== this.path) return;
      this.backlinks = backlinks.links;
      this.n_backlinks = backlinks.total;
      this.outgoing = outgoing;
      this.error = null;
    } catch (cause) {
      if (path === this.path) this.error = asEngineError(cause);
    }
  }

  /** Asks for more of the links that lead here. */
  async more(): Promise<void> {
    this.#most *= 4;
    await this.load();
  }

  /** Opens or closes the list of names. */
  want_mentions(wanted: boolean): void {
    this.wants_mentions = wanted;
    if (wanted) void this.look();
    else this.#asked++;
  }

  #look_soon(pause: number): void {
    clearTimeout(this.#look_clock);
    this.#look_clock = setTimeout(() => void this.look(), pause);
  }

  /** Looks for names anew; an answer that is no longer wanted is dropped. */
  async look(): Promise<void> {
    const { path } = this;
    if (path === null) return;
    const asked = ++this.#asked;
    this.looking = true;
    try {
      const found = await engine.mentions(path, MOST_MENTIONS);
      if (asked !== this.#asked || path !== this.path) return;
      this.mentions = found;
      this.mention_error = null;
    } catch (cause) {
      if (asked === this.#asked) this.mention_error = asEngineError(cause);
    } finally {
      if (asked === this.#asked) this.looking = false;
    }
  }

  /** Makes a link of a name, as an edit of its note that can be undone. True if that was done. */
  async link(mention: MentionView): Promise<boolean> {
    const { path } = this;
    if (path === null || this.linking) return false;
    this.linking = mention;
    try {
      await save_typing();
      let { id } = await engine.link_mention(path, mention);
      const turn = async () => {
        await save_typing();
        ({ id } = await engine.undo(id));
      };
      const said = `Linked “${mention.text}” in ${note_name(mention.path)}`;
      deeds.did({ said, before: path, after: path, operation: () => id, undo: turn, redo: turn });
      if (path === this.path && this.mentions) this.mentions = { ...this.mentions, mentions: this.mentions.mentions.filter((one) => one !== mention) };
      this.said = said;
      return true;
    } catch (cause) {
      toasts.error(asEngineError(cause));
      this.#look_soon(0);
      return false;
    } finally {
      this.linking = null;
    }
  }
}

async function save_typing(): Promise<void> {
  if (!(await notes.documents.flush_all())) throw new EngineError("unsaved", "some text could not be saved", "look at the notes marked with a dot first");
}

/** Gathers what stands in the same note, in the order in which the notes come. */
export function grouped<T extends { path: string }>(list: T[]): T[][] {
  const by_note = new Map<string, T[]>();
  for (const one of list) {
    const of_note = by_note.get(one.path);
    if (of_note) of_note.push(one);
    else by_note.set(one.path, [one]);
  }
  return [...by_note.values()];
}

/** Each destination once: first what is there, then what is not, both in the order of the text. */
export function destinations_of(links: OutgoingLink[]): Destination[] {
  const found = new Map<string, Destination>();
  for (const link of links) {
    const key = link.path ?? `?${link.target.toLowerCase()}`;
    const known = found.get(key);
    if (known) known.n_links++;
    else found.set(key, { key, first: link, n_links: 1 });
  }
  const all = [...found.values()];
  return [...all.filter((one) => one.first.path !== null), ...all.filter((one) => one.first.path === null)];
}

export const linked = new Linked();
