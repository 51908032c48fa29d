// What the program reads of the properties above a text, by their source: the page reads no YAML itself.

import { engine } from "../../ipc/engine";
import type { PropertyKind, PropertyRows } from "../../ipc/types";

const MOST_KEPT = 200;

const known = new Map<string, PropertyRows>();
const asked = new Map<string, Promise<void>>();
/** Kinds that a person chose for properties that have no value yet: nothing in the text says them. */
const chosen = new Map<string, PropertyKind>();

/** The properties of a text as they are written, between their lines of dashes; null if it has none. */
export function front_of(text: string): string | null {
  return /^---[ \t]*\n(?:[\s\S]*?\n)??(?:---|\.\.\.)[ \t]*(?=\n|$)/.exec(text)?.[0] ?? null;
}

/** Takes in what the program said of a source. */
export function learn_properties(text: string, rows: PropertyRows): void {
  const front = front_of(text);
  if (front === null) return;
  known.delete(front);
  known.set(front, rows);
  if (known.size > MOST_KEPT) known.delete(known.keys().next().value!);
}

/** What is known of a source; if nothing is, it is asked for, and `then` hears when it came. */
export function known_properties(front: string, then: () => void): PropertyRows | null {
  const rows = known.get(front);
  if (!rows) {
    if (!asked.has(front)) asked.set(front, ask(front));
    void asked.get(front)!.then(then);
    return null;
  }
  if (!rows.rows.some(is_chosen)) return rows;
  return { ...rows, rows: rows.rows.map((row) => (is_chosen(row) ? { ...row, kind: chosen.get(row.key.toLowerCase())! } : row)) };
}

const is_chosen = ({ key, values }: { key: string; values: string[] }) => values.length === 0 && chosen.has(key.toLowerCase());

async function ask(front: string): Promise<void> {
  const rows = await engine.property_rows(`${front}\n`).catch((): PropertyRows => ({ rows: [], problem: "the properties cannot be read now", shown: "visible" }));
  asked.delete(front);
  learn_properties(front, rows);
}

/** Remembers the kind of a property until it has a value. */
export function choose_kind(key: string, kind: PropertyKind): void {
  chosen.set(key.toLowerCase(), kind);
}

/** Forgets what belongs to another vault. */
export function forget_properties(): void {
  known.clear();
  asked.clear();
  chosen.clear();
}
