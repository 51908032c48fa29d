// The engine's HTML is safe but bare: this gives it what the window adds. Nothing here changes what the text says.

import { engine } from "../ipc/engine";
import type { PendingMark } from "../ipc/types";
import { colour_code } from "./code";
import { diagram } from "./diagrams";
import { direction_of, runs_both_ways } from "./direction";
import { of_destination } from "./links";
import { callout_kind } from "./livepreview/callouts";
import { icon } from "./livepreview/icons";
import { draw_math } from "./livepreview/math";
import { copy_button } from "./livepreview/widgets";
import { open_review, proposal_text } from "./pending";

/** What is read from the side on which its own text begins. */
const BLOCKS = "p, li, h1, h2, h3, h4, h5, h6, td, th, dd, .callout-title";

export type Press =
  | { kind: "internal"; target: string; from: string | null }
  | { kind: "external"; url: string }
  | { kind: "vault_link"; url: string }
  | { kind: "tag"; tag: string }
  | { kind: "place"; id: string }
  | { kind: "task"; line: number }
  | { kind: "nothing" };

/** Tells whether a press leads out of the place that it was made in. */
export function leads(found: Press): found is Extract<Press, { kind: "internal" | "external" | "vault_link" | "tag" }> {
  return found.kind === "internal" || found.kind === "external" || found.kind === "vault_link" || found.kind === "tag";
}

/** `heights` are those of the diagrams that stood there before, in their order: nothing below them moves while they are drawn. */
export function dress(root: HTMLElement, pending: PendingMark[], writable: boolean, heights: number[] = []): void {
  const properties = root.querySelector<HTMLElement>(":scope > .properties");
  // The title first, then what is said about the note.
  if (properties?.nextElementSibling?.tagName === "H1") properties.nextElementSibling.after(properties);
  if (runs_both_ways(root.textContent)) {
    for (const block of root.querySelectorAll<HTMLElement>(BLOCKS)) block.dir = "auto";
    // "auto" does not look into what has a direction of its own, as all that stands in these has.
    for (const frame of root.querySelectorAll<HTMLElement>("ul, ol, blockquote")) frame.dir = direction_of(frame.textContent);
  }
  for (const table of root.querySelectorAll("table")) {
    const frame = document.createElement("div");
    frame.className = "table-frame";
    table.replaceWith(frame);
    frame.append(table);
  }
  for (const picture of root.querySelectorAll<HTMLImageElement>("img[data-vault-src]")) {
    picture.src = engine.asset_url(picture.dataset.vaultSrc!);
    picture.loading = "lazy";
    picture.onerror = () => picture.replaceWith(missing(`${picture.alt || picture.dataset.vaultSrc} cannot be shown`));
  }
  for (const embed of root.querySelectorAll<HTMLElement>(".attachment-embed[data-vault-src]")) {
    const kind = embed.dataset.kind;
    if (kind !== "audio" && kind !== "video") continue;
    const player = document.createElement(kind);
    player.controls = true;
    player.preload = "metadata";
    player.src = engine.asset_url(embed.dataset.vaultSrc!);
    embed.replaceChildren(player);
  }
  // Nothing is loaded from outside: such a picture is a link that asks.
  for (const remote of root.querySelectorAll<HTMLElement>(".remote-image, .remote-frame, .remote-media")) {
    remote.setAttribute("role", "link");
    const host = URL.parse?.(remote.dataset.src ?? "")?.host ?? "another place";
    remote.textContent = `${remote.classList.contains("remote-image") ? remote.dataset.alt || "Picture" : remote.classList.contains("remote-media") ? "Recording" : "Page"} at ${host}`;
  }
  for (const box of root.querySelectorAll<HTMLInputElement>('input[type="checkbox"]')) {
    box.setAttribute("aria-label", box.closest("li")?.textContent?.trim().slice(0, 80) || box.closest("dd")?.previousElementSibling?.textContent || "Task");
    if (!writable || box.dataset.line === undefined) box.disabled = true;
    // The sign in the box is drawn by it.
    const sign = box.closest<HTMLElement>("li")?.dataset.task;
    if (sign !== undefined) box.dataset.task = sign;
  }
  for (const title of root.querySelectorAll<HTMLElement>(".callout-title")) {
    title.prepend(icon(callout_kind(title.closest<HTMLElement>(".callout")?.dataset.callout ?? "")));
    if (title.tagName !== "SUMMARY") continue;
    const fold = icon("fold");
    fold.classList.add("fold");
    title.append(fold);
  }
  for (const formula of root.querySelectorAll<HTMLElement>(".math")) draw_math(formula.textContent, formula.classList.contains("block"), formula);
  for (const [nth, code] of [...root.querySelectorAll<HTMLElement>("pre.mermaid > code")].entries()) {
    const frame = diagram(code.textContent.replace(/\n$/, ""), undefined, heights[nth]);
    const { line } = code.parentElement!.dataset;
    if (line !== undefined) frame.dataset.line = line;
    code.parentElement!.replaceWith(frame);
  }
  for (const code of root.querySelectorAll<HTMLElement>("pre > code")) {
    if (code.closest(".diagram")) continue;
    const text = code.textContent;
    code.parentElement!.append(copy_button(() => text.replace(/\n$/, "")));
    void colour_code(code);
  }
  for (const mark of pending) {
    const heading = mark.line === null ? null : root.querySelector<HTMLElement>(`:is(h1,h2,h3,h4,h5,h6)[data-line="${mark.line}"]`);
    if (!heading) continue;
    heading.classList.add("pending");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "proposal";
    button.textContent = proposal_text(mark);
    button.onclick = () => open_review(mark.operation);
    heading.append(button);
  }
}

function missing(text: string): HTMLElement {
  const box = document.createElement("span");
  box.className = "internal-embed is-missing";
  box.textContent = text;
  return box;
}

/** Reads what pressing a place on the page means. */
export function pressed(target: HTMLElement): Press | null {
  const box = target.closest<HTMLInputElement>('input[type="checkbox"][data-line]');
  if (box) return { kind: "task", line: Number(box.dataset.line) };
  const remote = target.closest<HTMLElement>(".remote-image, .remote-frame, .remote-media");
  if (remote) return { kind: "external", url: remote.dataset.src ?? "" };
  const anchor = target.closest<HTMLElement>("a");
  if (!anchor) return null;
  if (anchor.dataset.tag !== undefined) return { kind: "tag", tag: anchor.dataset.tag };
  if (anchor.dataset.href !== undefined)
    return { kind: "internal", target: anchor.dataset.href, from: anchor.parentElement?.closest<HTMLElement>(".embed-content")?.parentElement?.dataset.path ?? null };
  const href = anchor.dataset.external ?? anchor.getAttribute("href") ?? "";
  if (href.startsWith("#") && href.length > 1) return { kind: "place", id: href.slice(1) };
  const link = of_destination(href);
  return link?.kind === "external" || link?.kind === "vault_link" ? { kind: link.kind, url: link.url } : { kind: "nothing" };
}

/** Returns the change that ticks the task of a line, or takes the tick back. */
export function toggled_task(line: string): { at: number; length: number; insert: string } | null {
  const match = /^(?:\s|>)*(?:[-*+]|\d+[.)])\s+\[(.)\]/u.exec(line);
  if (!match) return null;
  return { at: match[0].length - 1 - match[1]!.length, length: match[1]!.length, insert: match[1] === " " ? "x" : " " };
}
