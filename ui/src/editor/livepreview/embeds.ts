// What another note says, in the place of the link that embeds it: the engine renders it, as for the reading view.

import { EditorView, WidgetType } from "@codemirror/view";
import { engine } from "../../ipc/engine";
import type { NoteDocument } from "../documents";
import { dress, leads, pressed } from "../dress";
import { follow_link } from "../links";

/** Rendered embeds by the note they stand in and their source, so that one drawn again takes its place at once. */
const rendered = new Map<string, { html: string; height: number }>();
const MOST_KEPT = 200;

export class Embed extends WidgetType {
  constructor(
    private readonly doc: NoteDocument,
    private readonly source: string,
  ) {
    super();
  }

  get #key(): string {
    return `${this.doc.path}\n${this.source}`;
  }

  override eq(other: Embed): boolean {
    return other.source === this.source && other.doc === this.doc;
  }

  override get estimatedHeight(): number {
    return rendered.get(this.#key)?.height ?? -1;
  }

  override toDOM(view: EditorView): HTMLElement {
    const frame: HTMLElement & { stop?: () => void } = document.createElement("span");
    frame.className = "cm-embed prose";
    frame.contentEditable = "false";
    const known = rendered.get(this.#key);
    if (known) this.#fill(frame, known.html);
    else frame.textContent = this.source;
    const load = () => void this.#load(frame, view);
    load();
    frame.stop = engine.on("notes_changed", load);
    frame.onmousedown = (event) => {
      if (pressed(event.target as HTMLElement) || (event.target as HTMLElement).closest("summary, button, audio, video")) return event.stopPropagation();
      event.preventDefault();
      view.dispatch({ selection: { anchor: view.posAtDOM(frame) + this.source.length } });
      view.focus();
    };
    frame.onclick = (event) => {
      const found = pressed(event.target as HTMLElement);
      if (!found) return;
      event.preventDefault();
      if (leads(found)) follow_link(this.doc, found);
    };
    return frame;
  }

  override destroy(frame: HTMLElement & { stop?: () => void }): void {
    frame.stop?.();
  }

  override ignoreEvent(): boolean {
    return true;
  }

  async #load(frame: HTMLElement, view: EditorView): Promise<void> {
    try {
      const { html } = await engine.render(this.doc.path, this.source);
      const known = rendered.get(this.#key);
      if (known?.html !== html || frame.childElementCount === 0) this.#fill(frame, html);
      rendered.delete(this.#key);
      rendered.set(this.#key, { html, height: known?.height ?? -1 });
      if (rendered.size > MOST_KEPT) rendered.delete(rendered.keys().next().value!);
      view.requestMeasure({
        read: () => frame.getBoundingClientRect().height,
        write: (height) => {
          const kept = rendered.get(this.#key);
          if (kept && height > 0) kept.height = height;
        },
      });
    } catch {
      // The source stays in sight.
    }
  }

  #fill(frame: HTMLElement, html: string): void {
    const page = document.createElement("div");
    page.innerHTML = html;
    dress(page, [], false);
    // Tab goes through the page, not through what is embedded in a text that is being written.
    for (const one of page.querySelectorAll<HTMLElement>("a, button, input, summary, [tabindex]")) one.tabIndex = -1;
    frame.replaceChildren(...page.childNodes);
  }
}
