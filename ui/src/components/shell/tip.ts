// A visible name for icon buttons: on hover after a moment, on keyboard focus at once; Esc puts it away.

import { commands } from "../../state/commands.svelte";

let shown: HTMLElement | null = null;
let owner: HTMLElement | null = null;

function hide(): void {
  shown?.remove();
  shown = null;
  owner = null;
}

function show(node: HTMLElement, text: string, key: string): void {
  hide();
  if (!node.isConnected) return;
  owner = node;
  shown = document.createElement("div");
  shown.className = "tooltip";
  shown.setAttribute("aria-hidden", "true");
  shown.append(text);
  if (key) {
    const label = document.createElement("kbd");
    label.textContent = key;
    shown.append(label);
  }
  document.body.append(shown);
  const at = node.getBoundingClientRect();
  const own = shown.getBoundingClientRect();
  const left = Math.min(Math.max(6, at.left + at.width / 2 - own.width / 2), innerWidth - own.width - 6);
  const below = at.bottom + 6 + own.height < innerHeight;
  shown.style.left = `${left}px`;
  shown.style.top = `${below ? at.bottom + 6 : at.top - own.height - 6}px`;
}

/** Names a control for eye and ear; with a command's id the key is shown too. */
export function tip(text: string, command = "") {
  return (node: HTMLElement) => {
    let clock: ReturnType<typeof setTimeout> | undefined;
    const later = () => {
      clearTimeout(clock);
      clock = setTimeout(() => show(node, text, commands.key_label(command)), 450);
    };
    const now = () => {
      if (node.matches(":focus-visible")) show(node, text, commands.key_label(command));
    };
    const away = () => {
      clearTimeout(clock);
      if (owner === node) hide();
    };
    const key = (event: KeyboardEvent) => {
      if (event.key === "Escape") away();
    };
    node.addEventListener("pointerenter", later);
    node.addEventListener("pointerleave", away);
    node.addEventListener("pointerdown", away);
    node.addEventListener("focus", now);
    node.addEventListener("blur", away);
    node.addEventListener("keydown", key);
    return () => {
      away();
      node.removeEventListener("pointerenter", later);
      node.removeEventListener("pointerleave", away);
      node.removeEventListener("pointerdown", away);
      node.removeEventListener("focus", now);
      node.removeEventListener("blur", away);
      node.removeEventListener("keydown", key);
    };
  };
}
