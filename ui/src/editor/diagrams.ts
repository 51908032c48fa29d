// Diagrams, on the page and in the text. What draws them is loaded with the first one.

import { copy_button } from "./livepreview/widgets";

/** What became of a diagram. */
export type Outcome = { kind: "drawn"; src: string; width: number; height: number; title: string } | { kind: "wrong"; reason: string };

/** Diagrams that are kept drawn, so that one that comes into sight again is there at once. */
const MOST = 100;
/** More text than this is shown as it is written. */
const LONGEST = 50_000;

const kept = new Map<string, Outcome>();
/** What the diagrams on the page say, and what to do when one has got another size. */
const shown = new WeakMap<HTMLElement, { source: string; key: string; done: () => void }>();
let turn: Promise<unknown> = Promise.resolve();
let watching: MutationObserver | null = null;

const theme = () => (document.documentElement.dataset.theme === "dark" ? "dark" : "light");
const key_of = (source: string) => `${theme()}\n${source}`;

/** Returns how high a diagram will be, if that is known. */
export function known_height(source: string): number {
  const outcome = kept.get(key_of(source));
  return outcome?.kind === "drawn" ? outcome.height : -1;
}

/** Makes a frame with a diagram in it; `done` is called when it has got another size. `height` is what was in its place before. */
export function diagram(source: string, done: () => void = () => {}, height = 0): HTMLElement {
  const frame = document.createElement("figure");
  frame.className = "diagram";
  redraw_diagram(frame, source, done, height);
  return frame;
}

/** Puts another diagram into a frame. What was there stays until the new one is drawn, and so does its height. */
export function redraw_diagram(frame: HTMLElement, source: string, done: () => void = () => {}, height = frame.offsetHeight): void {
  watching ??= watch();
  const key = key_of(source);
  shown.set(frame, { source, key, done });
  const known = kept.get(key);
  if (known) return show(frame, source, known);
  if (height > 0) frame.style.minHeight = `${height}px`;
  if (frame.childElementCount === 0) frame.append(as_written(source));
  void outcome_of(source, key).then((outcome) => {
    if (shown.get(frame)?.key !== key) return;
    show(frame, source, outcome);
    done();
  });
}

/** The diagrams on the page follow the theme. */
function watch(): MutationObserver {
  const observer = new MutationObserver(() => {
    for (const frame of document.querySelectorAll<HTMLElement>("figure.diagram")) {
      const now = shown.get(frame);
      if (now && now.key !== key_of(now.source)) redraw_diagram(frame, now.source, now.done);
    }
  });
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return observer;
}

function show(frame: HTMLElement, source: string, outcome: Outcome): void {
  frame.style.minHeight = "";
  frame.classList.toggle("is-wrong", outcome.kind === "wrong");
  if (outcome.kind === "wrong") {
    const message = document.createElement("p");
    message.className = "diagram-message";
    message.textContent = `This diagram cannot be drawn: ${outcome.reason}`;
    frame.replaceChildren(message, as_written(source), copy_button(() => source));
    return;
  }
  const picture = document.createElement("img");
  picture.alt = outcome.title ? `Diagram: ${outcome.title}` : "Diagram";
  // With its size it takes its room before it is painted.
  picture.width = outcome.width;
  picture.height = outcome.height;
  picture.draggable = false;
  picture.src = outcome.src;
  frame.replaceChildren(picture, copy_button(() => source));
}

function as_written(source: string): HTMLElement {
  const pre = document.createElement("pre");
  const code = document.createElement("code");
  code.textContent = source;
  pre.append(code);
  return pre;
}

/** Draws one after the other: Mermaid has one state for all. */
function outcome_of(source: string, key: string): Promise<Outcome> {
  const wanted = turn.then(async () => {
    const known = kept.get(key);
    if (known) return known;
    const outcome = await drawn(source);
    if (outcome !== UNLOADED) kept.set(key, outcome);
    const [oldest] = kept.keys();
    if (kept.size > MOST && oldest !== undefined) kept.delete(oldest);
    return outcome;
  });
  turn = wanted.catch(() => undefined);
  return wanted;
}

/** Not kept: the next one may be luckier. */
const UNLOADED: Outcome = { kind: "wrong", reason: "what draws diagrams could not be loaded" };

async function drawn(source: string): Promise<Outcome> {
  if (source.length > LONGEST) return { kind: "wrong", reason: "it is too long" };
  try {
    return await (await import("./draw_diagram")).draw(source, theme() === "dark");
  } catch {
    return UNLOADED;
  }
}
