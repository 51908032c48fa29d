// Proposals shown where the eye is: the heading that an agent wants to rename is tinted, and one press leads to the review.

import { StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";
import type { PendingHeading } from "../ipc/types";

export const set_pending = StateEffect.define<PendingHeading[]>();

type Review = (operation: string) => void;
let review: Review = () => {};

/** Sets what pressing a proposal means; the window does it once. */
export function on_review(act: Review): void {
  review = act;
}

export function open_review(operation: string): void {
  review(operation);
}

class ProposalWidget extends WidgetType {
  constructor(private readonly pending: PendingHeading) {
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

export function proposal_text(pending: PendingHeading): string {
  return `${pending.client} proposes “${pending.new_heading}” · Review`;
}

function decorate(doc: Text, pending: PendingHeading[]): DecorationSet {
  const marks = [...pending]
    .filter((one) => one.line >= 1 && one.line <= doc.lines)
    .sort((a, b) => a.line - b.line)
    .flatMap((one) => {
      const line = doc.line(one.line);
      // The text may have moved on since the engine looked: only a line that still holds the heading is marked.
      if (!line.text.includes(one.heading)) return [];
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
