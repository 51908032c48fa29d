// Proposals shown where the eye is: the heading that an agent wants to rename is tinted, and one press leads to the review.

import { StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";
import type { HeadingView, PendingMark } from "../ipc/types";

export const set_pending = StateEffect.define<PendingMark[]>();

type Review = (operation: string) => void;
let review: Review = () => {};

/** Sets what pressing a proposal means; the window does it once. */
export function on_review(act: Review): void {
  review = act;
}

export function open_review(operation: string): void {
  review(operation);
}

/** Finds where the headings stand now: the engine tells the line of the time when it was proposed. */
export function placed(pending: PendingMark[], headings: HeadingView[]): PendingMark[] {
  return pending.map((mark) => {
    const then = mark.line ?? 1;
    const found = headings.filter((heading) => heading.text === mark.heading).sort((a, b) => Math.abs(a.line - then) - Math.abs(b.line - then))[0];
    return found ? { ...mark, line: found.line } : mark;
  });
}

class ProposalWidget extends WidgetType {
  constructor(private readonly pending: PendingMark) {
    super();
  }

  override eq(other: ProposalWidget): boolean {
    return other.pending.operation === this.pending.operation && other.pending.new_heading === this.pending.new_heading;
  }

  override toDOM(): HTMLElement {
    const button = document.createElement("button");
    button.className = "cm-proposal";
    button.type = "button";
    button.textContent = proposal_text(this.pending);
    button.onmousedown = (event) => event.preventDefault();
    button.onclick = () => review(this.pending.operation);
    return button;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

const WISHES: Record<string, string> = {
  patch_section: "new text here",
  append_to_section: "more text here",
  move_section: "another place for this",
  delete_section: "to delete this",
};

/** Says at its heading what an agent proposes. */
export function proposal_text(pending: Pick<PendingMark, "client" | "kind" | "new_heading">): string {
  const wish = pending.new_heading ? `“${pending.new_heading}”` : (WISHES[pending.kind] ?? "a change");
  return `${pending.client} proposes ${wish} · Review`;
}

const plain = (text: string) => text.replace(/[*_`~=[\]\\]/g, "").toLowerCase();

function decorate(doc: Text, pending: PendingMark[]): DecorationSet {
  const marks = [...pending]
    .flatMap((one) => {
      if (one.line === null || one.heading === null || one.line < 1 || one.line > doc.lines) return [];
      const line = doc.line(one.line);
      // A heading that is not there any more cannot be marked.
      if (!plain(line.text).includes(plain(one.heading))) return [];
      return [
        Decoration.line({ class: "cm-pending-heading" }).range(line.from),
        Decoration.widget({ widget: new ProposalWidget(one), side: 1 }).range(line.to),
      ];
    });
  return Decoration.set(marks, true);
}

export const pending_headings = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(now, tr) {
    let next = tr.docChanged ? now.map(tr.changes) : now;
    for (const effect of tr.effects) if (effect.is(set_pending)) next = decorate(tr.newDoc, effect.value);
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});
