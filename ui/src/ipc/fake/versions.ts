// The past of the fake vault's main note, told backwards from the text of now.

import type { Actor, OperationView, Version } from "../types";
import { diff } from "./diff";
import { fake_hash } from "./index";
import type { KeptVersion } from "./review";

/** The operation that renamed a section of the survey earlier today. */
const PAST_RENAME = "01JC0000000000000000000009";

/** What was decided in the fake vault before today's window opened. */
export function decided_operations(): OperationView[] {
  const file = (path: string, n_links: number) => ({ path, before: fake_hash(path), after: fake_hash(`${path}, later`), n_links, link_repair: path !== "Expedition/Glacier survey.md" });
  return [
    {
      id: PAST_RENAME,
      kind: "rename_section",
      actor: { kind: "agent", client: "Claude Code" },
      state: "done",
      path: "Expedition/Glacier survey.md",
      summary: { old_heading: "Outlook", new_heading: "Next season", level: 2, line: 66, heading_occurrence: 1, new_path: null, n_links: 9, n_linking_notes: 3, n_linking_canvases: 0, n_notes: 4, n_canvases: 0, n_moved: 0, n_bookmarks: 0, warnings: [] },
      reason: "It lists what to do next season, not a forecast.",
      request_id: null,
      proposed_at: new Date(Date.now() - 45 * 60_000).toISOString(),
      decided_at: new Date(Date.now() - 37 * 60_000).toISOString(),
      decided_by: "person",
      comment: null,
      amended: false,
      readiness: null,
      files: [file("Expedition/Glacier survey.md", 2), file("Expedition/Kit list.md", 4), file("Inbox.md", 2), file("Open questions.md", 1)],
      can_undo: true,
      undone_by: null,
    },
  ];
}

interface Past {
  id: string;
  minutes: number;
  actor: Actor;
  kind?: string;
  /** Turns the text after into the text before. */
  undo: (text: string) => string;
  more?: Partial<Version>;
}

const YESTERDAY = 24 * 60;

const SURVEY: Past[] = [
  {
    id: "01JC0000000000000000000010",
    minutes: 12,
    actor: { kind: "person" },
    undo: (text) =>
      text
        .replace("Twelve stations along two transects, read twice a day.", "Ten stations along two transects.")
        .replace("- [ ] Photograph the snout from point C\n", ""),
  },
  {
    id: PAST_RENAME,
    minutes: 37,
    actor: { kind: "agent", client: "Claude Code" },
    kind: "rename_section",
    undo: (text) => text.replace("## Next season", "## Outlook"),
    more: {
      n_files: 4,
      can_undo: true,
      summary: { old_heading: "Outlook", new_heading: "Next season", level: 2, line: 66, heading_occurrence: 1, new_path: null, n_links: 9, n_linking_notes: 3, n_linking_canvases: 0, n_notes: 4, n_canvases: 0, n_moved: 0, n_bookmarks: 0, warnings: [] },
    },
  },
  {
    id: "01JC0000000000000000000008",
    minutes: 211,
    actor: { kind: "disk" },
    undo: (text) => text.replace("| N3 | 176 | 52 |\n", "").replace("Read each one *three times* and keep the median.", "Read each one twice."),
  },
  {
    id: "01JC0000000000000000000007",
    minutes: YESTERDAY - 90,
    actor: { kind: "person" },
    undo: (text) => text.replace("The ridge has moved by two metres.[^1]", "The ridge has moved."),
  },
  {
    id: "01JC0000000000000000000006",
    minutes: YESTERDAY,
    actor: { kind: "person" },
    kind: "create_note",
    undo: () => "",
    more: { restorable: false, can_undo: false },
  },
];

const OTHERS: Past[] = [
  { id: "01JB0000000000000000000001", minutes: 3 * YESTERDAY, actor: { kind: "person" }, kind: "create_note", undo: () => "", more: { can_undo: false } },
];

/** Returns the versions of a note that was not touched yet, newest first. */
export function seeded_versions(path: string, text: string): KeptVersion[] {
  const past = path === "Expedition/Glacier survey.md" ? SURVEY : text === "" ? [] : OTHERS;
  let after = text;
  return past.map((one, at) => {
    const before = one.undo(after);
    const version: Version = {
      id: one.id,
      at: new Date(Date.now() - one.minutes * 60_000).toISOString(),
      actor: one.actor,
      kind: one.kind ?? "save_text",
      summary: { old_heading: null, new_heading: null, level: null, line: null, heading_occurrence: null, new_path: null, n_links: 0, n_linking_notes: 0, n_linking_canvases: 0, n_notes: 0, n_canvases: 0, n_moved: 0, n_bookmarks: 0, warnings: [] },
      before_hash: before === "" ? null : fake_hash(before),
      after_hash: fake_hash(after),
      chars_added: added(before, after),
      chars_removed: added(after, before),
      is_link_repair: false,
      restorable: true,
      request_id: null,
      n_files: 1,
      can_undo: at === 0,
      is_current: at === 0,
      ...one.more,
    };
    const kept = { version, before, after };
    after = before;
    return kept;
  });
}

// The characters that only the later text has.
function added(before: string, after: string): number {
  const lines = diff(before, after, 0).flatMap((hunk) => hunk.lines);
  const spans = lines.filter((line) => line.kind === "added").flatMap((line) => {
    // A line with no mate is new as a whole, though no word of it is marked.
    return line.spans.some((span) => span.changed) ? line.spans.filter((span) => span.changed) : line.spans;
  });
  return spans.reduce((sum, span) => sum + span.text.length, 0);
}
