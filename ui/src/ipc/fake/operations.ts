// Proposals that wait in the fake vault.

import type { OperationView, PendingMark } from "../types";

function proposal(id: string, client: string, path: string, line: number, from: string, to: string, at_ms: number, n_links: number, n_notes: number, more: Partial<OperationView>): OperationView {
  return {
    id,
    kind: "rename_section",
    actor: { kind: "agent", client },
    state: "proposed",
    path,
    summary: { old_heading: from, new_heading: to, level: 2, line, heading_occurrence: 1, new_path: null, n_links, n_linking_notes: n_links > 0 ? n_notes : 0, n_linking_canvases: 0, n_notes, n_canvases: 0, n_moved: 0, n_bookmarks: 0, warnings: [] },
    reason: null,
    request_id: null,
    proposed_at: new Date(at_ms).toISOString(),
    decided_at: null,
    decided_by: null,
    comment: null,
    amended: false,
    readiness: { kind: "ready" },
    files: [],
    can_undo: false,
    undone_by: null,
    ...more,
  };
}

export function waiting_proposals(): OperationView[] {
  // One clock for all: those of the same minute keep their order.
  const now = Date.now();
  const before = (minutes: number) => now - minutes * 60_000;
  return [
    proposal("01JD0000000000000000000001", "Claude Code", "Expedition/Glacier survey.md", 42, "Old instruments", "Instruments of 2025", before(2), 12, 5, {
      reason: "“Old” says nothing to a reader next year; the tables below are all from the 2025 season.",
    }),
    proposal("01JD0000000000000000000002", "Claude Code", "Expedition/Route and camps.md", 5, "Camps", "Camps and caches", before(2), 3, 2, {}),
    proposal("01JD0000000000000000000003", "Cursor", "Expedition/Kit list.md", 14, "Todo", "Before departure", before(60), 0, 1, { readiness: { kind: "changed_since" } }),
  ];
}

export function pending_in(operations: OperationView[], path: string, line_of: (heading: string) => number | undefined): PendingMark[] {
  return operations
    .filter((op) => op.state === "proposed" && op.path === path)
    .map((op) => ({
      operation: op.id,
      kind: op.kind,
      heading: op.summary.old_heading,
      line: line_of(op.summary.old_heading ?? "") ?? op.summary.line,
      new_heading: op.summary.new_heading,
      client: op.actor.kind === "agent" ? op.actor.client : "",
    }));
}
