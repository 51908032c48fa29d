// A glance at what a link leads to: with Ctrl held, the mouse over a link shows the note, without leaving this one.

import { closeHoverTooltips, EditorView, hoverTooltip, type Tooltip, ViewPlugin } from "@codemirror/view";
import type { Extension } from "@codemirror/state";
import { engine } from "../ipc/engine";
import type { NoteDocument } from "./documents";
import { dress, leads, pressed } from "./dress";
import { follow_link, link_at } from "./links";

/** How long the mouse rests before anything is shown. */
const REST = 350;

/** Whether the key is held that asks for it. Kept by the view that the mouse is over. */
const asked = new WeakSet<EditorView>();

/** Finds the internal link at a place, and where it begins and ends in its line. */
function link_around(view: EditorView, pos: number): { target: string; from: number; to: number } | null {
  const line = view.state.doc.lineAt(pos);
  if (line.length > 20_000) return null;
  const column = pos - line.from;
  const link = link_at(line.text, column) ?? link_at(line.text, column - 1);
  if (link?.kind !== "internal") return null;
  const same = (at: number) => {
    const other = link_at(line.text, at);
    return other?.kind === "internal" && other.target === link.target;
  };
  let [from, to] = [column, column];
  while (from > 0 && same(from - 1)) from--;
  while (to < line.length && same(to)) to++;
  return { target: link.target, from: line.from + from, to: line.from + to };
}

export async function glance_at(doc: NoteDocument, view: EditorView, pos: number): Promise<Tooltip | null> {
  const link = link_around(view, pos);
  if (!link) return null;
  try {
    if (!(await engine.resolve_link(doc.path, link.target))) return null;
    const { html } = await engine.render(doc.path, `![[${link.target.replace(/[[\]|]/g, "")}]]`);
    return {
      pos: link.from,
      end: link.to,
      above: false,
      create: () => {
        const dom = document.createElement("div");
        dom.className = "cm-glance prose";
        dom.setAttribute("role", "group");
        dom.setAttribute("aria-label", `What ${link.target} says`);
        dom.innerHTML = html;
        dress(dom, [], false);
        dom.onclick = (event) => {
          const found = pressed(event.target as HTMLElement);
          if (!found) return;
          event.preventDefault();
          if (leads(found)) follow_link(doc, found);
        };
        return { dom };
      },
    };
  } catch {
    return null;
  }
}

/** Notes whether the key is held, and takes the glance away with Escape. */
const keys = ViewPlugin.define(
  () => ({}),
  {
    eventObservers: {
      mousemove(event, view) {
        if (event.ctrlKey || event.metaKey) asked.add(view);
        else asked.delete(view);
      },
      keydown(event, view) {
        if (event.key === "Escape") view.dispatch({ effects: closeHoverTooltips });
      },
    },
  },
);

export function glances(doc: NoteDocument): Extension {
  return [keys, hoverTooltip((view, pos) => (asked.has(view) ? glance_at(doc, view, pos) : null), { hoverTime: REST })];
}
