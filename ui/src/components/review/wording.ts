// The sentences that the review and the history say about operations. Pure, so that every one of them is tested as text.

import type { Actor, OperationView, OpState, Summary, Version } from "../../ipc/types";

const numbers = new Intl.NumberFormat("en");

/** A summary with nothing left out. */
export type Facts = { [Name in keyof Summary]-?: Exclude<Summary[Name], undefined> };

/** Fills in what a summary leaves out because it is empty. */
export function facts(summary: Summary): Facts {
  return {
    old_heading: summary.old_heading ?? null,
    new_heading: summary.new_heading ?? null,
    level: summary.level ?? null,
    line: summary.line ?? null,
    heading_occurrence: summary.heading_occurrence ?? null,
    new_path: summary.new_path ?? null,
    n_links: summary.n_links ?? 0,
    n_linking_notes: summary.n_linking_notes ?? 0,
    n_linking_canvases: summary.n_linking_canvases ?? 0,
    n_notes: summary.n_notes ?? 0,
    n_canvases: summary.n_canvases ?? 0,
    n_moved: summary.n_moved ?? 0,
    n_bookmarks: summary.n_bookmarks ?? 0,
    warnings: summary.warnings ?? [],
  };
}

/** Formats a count with its noun: `1 link`, `1,204 links`. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${numbers.format(n)} ${n === 1 ? one : many}`;
}

/** Formats a plain number with separators. */
export function number(n: number): string {
  return numbers.format(n);
}

/** Returns a note's name as people say it: no folder, no `.md`. */
export function note_name(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/i, "");
}

/** Splits a path into its folder (with the slash) and its file name, to paint them differently. */
export function path_parts(path: string): { folder: string; name: string } {
  const at = path.lastIndexOf("/") + 1;
  return { folder: path.slice(0, at), name: path.slice(at) };
}

/** Says who did it. */
export function actor_name(actor: Actor): string {
  if (actor.kind === "agent") return actor.client;
  return actor.kind === "person" ? "You" : "On disk";
}

/** What of a summary says how far a change reaches. */
type Reach = Pick<Summary, "n_links" | "n_linking_notes" | "n_linking_canvases" | "n_bookmarks">;

/** Says how far a change reaches: `12 links in 5 notes, 1 canvas and 1 bookmark`. */
export function reach(summary: Reach): string {
  const { n_links = 0, n_bookmarks = 0 } = summary;
  const bookmarks = n_bookmarks > 0 ? count(n_bookmarks, "bookmark") : "";
  if (n_links === 0) return bookmarks || "no links to it";
  return bookmarks ? `${links(summary)} and ${bookmarks}` : links(summary);
}

function links(summary: Reach): string {
  const { n_links = 0, n_linking_notes = 0, n_linking_canvases = 0 } = summary;
  const places = [];
  if (n_linking_notes > 0) places.push(count(n_linking_notes, "note"));
  if (n_linking_canvases > 0) places.push(count(n_linking_canvases, "canvas", "canvases"));
  const said = count(n_links, "link");
  // Journals of older programs do not tell where.
  return places.length > 0 ? `${said} in ${places.join(", ")}` : said;
}

/** Counts the files of a change; one that moves, also into the trash, counts once. */
export function n_changed(files: { creates: boolean; deletes: boolean }[]): number {
  return Math.max(files.filter((file) => !file.creates).length, files.filter((file) => !file.deletes).length);
}

/** Says in a list how far an operation goes: links follow a rename; every other change stays in its note. */
export function extent(operation: Pick<OperationView, "kind" | "summary">): string {
  const { n_links, n_moved, warnings } = facts(operation.summary);
  if (operation.kind === "rename_section" || n_links > 0) return reach(operation.summary);
  if (operation.kind === "move_note") return "no links to it";
  if (operation.kind === "add_file") return "this file only";
  if (operation.kind === "move_folder" || operation.kind === "delete_folder") return goes_along(n_moved);
  return warnings.length > 0 ? `this note only, ${count(warnings.length, "warning")}` : "this note only";
}

/** Says what is in a folder that goes elsewhere or away. */
export function goes_along(n_moved: number): string {
  return n_moved === 0 ? "an empty folder" : count(n_moved, "file");
}

/** Heads the sentences about what a change does not carry along. */
export function warned(kind: string): string {
  return FOLLOWED.has(kind) ? "Left behind" : "Mind";
}

/** Changes that links follow. */
const FOLLOWED = new Set(["rename_section", "move_note", "move_folder", "repair_links"]);

/** Tells whether a person can change what is proposed before approving it. */
export function is_editable(operation: Pick<OperationView, "kind" | "summary">): boolean {
  return operation.kind === "rename_section" && Boolean(operation.summary.new_heading);
}

/** Says what a file's part in a change is: `heading, 2 links`. */
export function file_part(
  file: { has_change: boolean; n_links: number; creates: boolean; deletes: boolean; link_repair: boolean },
  kind = "rename_section",
): string {
  const parts = [];
  const moves = kind === "move_note" || kind === "move_folder";
  const deletes = kind === "delete_note" || kind === "delete_folder";
  if (file.creates) parts.push(moves ? "where it goes" : deletes ? "where it is kept" : "new file");
  else if (file.deletes) parts.push(moves ? "where it was" : "deleted");
  else if (file.has_change) parts.push(CHANGED[kind] ?? "text");
  if (file.n_links > 0) parts.push(count(file.n_links, "link"));
  return parts.join(", ") || "text";
}

const CHANGED: Record<string, string> = { rename_section: "heading", set_properties: "properties" };

/** Says what an operation would do, or did, as a title. */
export function title(operation: Pick<OperationView, "kind" | "summary" | "path">): string {
  const { old_heading, new_heading } = facts(operation.summary);
  const section = old_heading === null ? "a section" : `“${old_heading}”`;
  switch (operation.kind) {
    case "rename_section":
      return `${old_heading ?? "A section"} → ${new_heading ?? "another heading"}`;
    case "patch_section":
      return `Rewrite ${section}`;
    case "append_to_section":
      return `Add to ${section}`;
    case "move_section":
      return `Move ${section}`;
    case "delete_section":
      return `Delete ${section}`;
    case "edit_note":
      return `Edit ${note_name(operation.path)}`;
    case "set_properties":
      return `Set properties of ${note_name(operation.path)}`;
    case "move_note":
      return moved(operation.path, facts(operation.summary).new_path, "Rename", "Move");
    case "delete_note":
      return `Delete ${note_name(operation.path)}`;
    case "move_folder":
      return moved(operation.path, facts(operation.summary).new_path, "Rename", "Move");
    case "delete_folder":
      return `Delete folder ${note_name(operation.path)}`;
    case "repair_links":
      return `Repair ${count(facts(operation.summary).n_links, "link")} to moved notes`;
    case "add_file":
      return `New file ${path_parts(operation.path).name}`;
    case "create_note":
      return `New note ${note_name(operation.path)}`;
    case "restore":
      return `Earlier text of ${note_name(operation.path)}`;
    case "undo":
      // What it did is the way back: from the newer heading to the older one.
      return old_heading && new_heading ? `Undo of ${new_heading} → ${old_heading}` : `Undo in ${note_name(operation.path)}`;
    default:
      return `Text of ${note_name(operation.path)}`;
  }
}

// A note that stays in its folder is renamed; any other is moved.
function moved(path: string, to: string | null, rename: string, move: string): string {
  if (to === null) return `${move} ${note_name(path)}`;
  const { folder } = path_parts(to);
  if (folder === path_parts(path).folder) return `${rename} ${note_name(path)} → ${note_name(to)}`;
  const renamed = note_name(to) === note_name(path) ? "" : `, as ${note_name(to)}`;
  return `${move} ${note_name(path)} → ${folder || "the top of the vault"}${renamed}`;
}

/** Says what a person's own change did. */
export function done_sentence(operation: Pick<OperationView, "kind" | "summary" | "path">): string {
  const { old_heading, new_heading, new_path, n_links } = facts(operation.summary);
  if (operation.kind === "delete_note") return `Deleted ${note_name(operation.path)}`;
  if (operation.kind === "delete_folder") return `Deleted folder ${note_name(operation.path)}`;
  if (operation.kind === "move_note" || operation.kind === "move_folder") return moved(operation.path, new_path, "Renamed", "Moved");
  if (operation.kind === "repair_links") return `Repaired ${count(n_links, "link")}`;
  return `Renamed ${old_heading ?? "a heading"} → ${new_heading ?? "another one"}`;
}

/** Says which links follow a change: `7 links in 5 notes follow`. Empty if none does. */
export function follows(files: { path: string; n_links: number }[]): string {
  const is_bookmarks = (file: { path: string }) => file.path === ".obsidian/bookmarks.json";
  const linking = files.filter((file) => file.n_links > 0 && !is_bookmarks(file));
  const n_links = linking.reduce((sum, file) => sum + file.n_links, 0);
  const n_bookmarks = files.find(is_bookmarks)?.n_links ?? 0;
  if (n_links + n_bookmarks === 0) return "";
  const n_linking_canvases = linking.filter((file) => /\.canvas$/i.test(file.path)).length;
  const said = reach({ n_links, n_bookmarks, n_linking_canvases, n_linking_notes: linking.length - n_linking_canvases });
  return `${said} ${n_links + n_bookmarks === 1 ? "follows" : "follow"}`;
}

/** Says in one word what became of an operation; one that was undone and done again `stands`. */
export function outcome(operation: Pick<OperationView, "state" | "actor" | "decided_by">, stands = false): string {
  const words: Record<OpState, string> = {
    proposed: "Waiting",
    declined: "Declined",
    withdrawn: "Withdrawn",
    begun: "Being written",
    done: operation.actor.kind === "agent" ? "Approved" : "Done",
    interrupted: "Interrupted",
    undone: "Undone",
  };
  return words[stands ? "done" : operation.state];
}

/** Says what a version changed, as one sentence of the history. */
export function version_sentence(version: Pick<Version, "kind" | "actor" | "summary" | "is_link_repair" | "n_files">): string {
  const summary = facts(version.summary);
  const { old_heading, new_heading } = summary;
  const renamed = old_heading !== null && new_heading !== null ? `“${old_heading}” → “${new_heading}”` : null;
  const place = summary.new_path === null ? null : `“${summary.new_path.replace(/\.md$/i, "")}”`;
  if (version.kind === "undo") return renamed ? `Took back “${new_heading}” → “${old_heading}”` : "Took back a change";
  if (version.kind === "repair_links") return "Links follow notes that another program moved";
  if (version.is_link_repair) {
    if (version.kind === "move_folder" && place) return `Links follow the folder that is now ${place}`;
    if (version.kind === "move_note" && place) return `Links follow the note that is now ${place}`;
    return renamed ? `Links follow ${renamed}` : "Links follow a change elsewhere";
  }
  if (version.kind === "move_folder") return place ? `Moved with its folder to ${place}` : "Moved with its folder";
  if (version.kind === "move_note") return place ? `Moved to ${place}` : "Moved";
  if (version.kind === "rename_section" && renamed) {
    return summary.n_links > 0 ? `Renamed ${renamed}, ${reach(summary)}` : `Renamed ${renamed}`;
  }
  const section = summary.old_heading === null ? "a section" : `“${summary.old_heading}”`;
  const sentences: Record<string, string> = {
    patch_section: `Rewrote ${section}`,
    append_to_section: `Added to ${section}`,
    move_section: `Moved ${section}`,
    delete_section: `Deleted ${section}`,
    delete_note: "Deleted",
    delete_folder: "Deleted with its folder",
    set_properties: "Set properties",
  };
  const said = sentences[version.kind];
  if (said) return said;
  if (version.kind === "create_note") return "Note created";
  if (version.kind === "restore") return "Brought back an earlier text";
  if (version.kind === "as_found") return "As it was before the first change";
  if (version.actor.kind === "disk") return "Changed by another program";
  return "Edited";
}

/** Says how long ago something was, in the shortest honest form. */
export function ago(at: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(at)) / 1000);
  if (seconds < 45) return "just now";
  const minutes = Math.max(1, Math.round(seconds / 60));
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.round(minutes / 60);
  if (hours < 24) return `${hours} h ago`;
  const days = Math.round(hours / 24);
  return days < 14 ? count(days, "day") + " ago" : short_date(new Date(at));
}

/** Formats the time of day. */
export function clock(at: string): string {
  const date = new Date(at);
  return `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
}

/** Formats day and time, for a tooltip. */
export function full_time(at: string): string {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "short" }).format(new Date(at));
}

/** Names the day of a version: `Today`, `Yesterday`, `Friday 27 November`. */
export function day_name(at: string, now: number): string {
  const date = new Date(at);
  const days = Math.round((midnight(new Date(now)) - midnight(date)) / 86_400_000);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  const same_year = date.getFullYear() === new Date(now).getFullYear();
  return new Intl.DateTimeFormat("en-GB", {
    weekday: "long",
    day: "numeric",
    month: "long",
    ...(same_year ? {} : { year: "numeric" }),
  })
    .format(date)
    .replace(",", "");
}

/** Groups what happened by day, in the order given. */
export function by_day<T extends { at: string }>(items: T[], now: number): { day: string; items: T[] }[] {
  const days: { day: string; items: T[] }[] = [];
  for (const item of items) {
    const day = day_name(item.at, now);
    const last = days.at(-1);
    if (last && last.day === day) last.items.push(item);
    else days.push({ day, items: [item] });
  }
  return days;
}

function short_date(date: Date): string {
  return new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" }).format(date);
}

function midnight(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
