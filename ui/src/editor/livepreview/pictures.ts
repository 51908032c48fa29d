// Pictures of the vault, in the place of the links that embed them. Pictures from outside are never loaded.

import { type EditorView, WidgetType } from "@codemirror/view";

export const PICTURE = /\.(?:avif|bmp|gif|jpe?g|png|svg|webp)$/i;

/** Asks where a link leads; the engine knows, the editor does not. */
export type Locate = (target: string) => Promise<string | null>;

export interface Size {
  alt: string | null;
  width: number | null;
  height: number | null;
}

/** Parts the size from a label: `300`, `640x480`, `label|300`. */
export function sized(label: string): Size {
  const match = /^(?:(.*)\|)?\s*(\d{1,5})(?:[xX](\d{1,5}))?\s*$/s.exec(label);
  if (!match) return { alt: label.trim() || null, width: null, height: null };
  return { alt: match[1]?.trim() || null, width: Number(match[2]), height: match[3] ? Number(match[3]) : null };
}

/** How large pictures turned out to be, so that one that is drawn again takes its place at once. */
const seen = new Map<string, { width: number; height: number }>();

export function picture(wanted: { target: string } & Size, locate: Locate, grown: () => void, below = false): HTMLElement {
  const frame = document.createElement("span");
  frame.className = below ? "cm-picture is-below" : "cm-picture";
  const name = wanted.alt ?? wanted.target;
  if (!below) frame.textContent = name;
  void locate(wanted.target).then((address) => {
    if (!address) {
      // While it is written its link is in sight.
      if (below) return;
      frame.classList.add("is-missing");
      frame.textContent = `${name} not found`;
      return grown();
    }
    const made = document.createElement("img");
    made.alt = name;
    made.draggable = false;
    if (wanted.width) made.width = wanted.width;
    if (wanted.height) made.height = wanted.height;
    const known = seen.get(address);
    if (known) {
      if (!wanted.width) made.width = known.width;
      if (!wanted.height) made.style.aspectRatio = `${known.width} / ${known.height}`;
      frame.replaceChildren(made);
    }
    made.onload = () => {
      if (made.naturalWidth > 0) seen.set(address, { width: made.naturalWidth, height: made.naturalHeight });
      frame.replaceChildren(made);
      grown();
    };
    made.onerror = () => {
      if (below) return;
      frame.classList.add("is-missing");
      frame.textContent = `${name} cannot be shown`;
      grown();
    };
    made.src = address;
  });
  return frame;
}

export class Picture extends WidgetType {
  constructor(
    private readonly wanted: { target: string } & Size,
    private readonly locate: Locate,
    /** Below its link, which stays in sight. */
    private readonly below = false,
  ) {
    super();
  }

  override eq(other: Picture): boolean {
    if (other.below !== this.below) return false;
    const { target, alt, width, height } = this.wanted;
    return other.wanted.target === target && other.wanted.alt === alt && other.wanted.width === width && other.wanted.height === height;
  }

  override toDOM(view: EditorView): HTMLElement {
    return picture(this.wanted, this.locate, () => view.requestMeasure(), this.below);
  }

  override ignoreEvent(): boolean {
    return false;
  }
}
