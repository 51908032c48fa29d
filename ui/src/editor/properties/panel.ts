// The rows of properties above a text, and how the keyboard goes through them. What is typed survives that they are drawn anew.

import { redo, undo } from "@codemirror/commands";
import type { EditorView } from "@codemirror/view";
import { engine } from "../../ipc/engine";
import type { PropertyRow } from "../../ipc/types";
import { icon } from "../livepreview/icons";
import { of_element } from "../links";
import { draw_row, type Field, type FieldWorld, text_field, type TextField } from "./fields";
import type { PropertyWorld } from "./block";

/** A field, by the name of its property. */
export interface Place {
  key: string;
  part: string;
}

/** Where the keyboard belongs once the rows are there. */
const wanted = new WeakMap<EditorView, Place>();

/** The name that a property is getting: the keyboard stays with it. */
const renaming = new WeakMap<EditorView, { from: string; to: string }>();

/** Says which field gets the keyboard when it is drawn next. */
export function want_focus(view: EditorView, place: Place, above_others = true): void {
  if (above_others || !wanted.has(view)) wanted.set(view, place);
}

const part_of = (element: Element | null) => {
  const part = element instanceof HTMLElement ? element.dataset.part : undefined;
  return part === undefined ? null : { part, key: element!.closest<HTMLElement>(".cm-property")?.dataset.key ?? "" };
};

const find = (panel: HTMLElement, { key, part }: Place) =>
  [...panel.querySelectorAll<HTMLElement>("[data-part]")].find((one) => one.dataset.part === part && (one.closest<HTMLElement>(".cm-property")?.dataset.key ?? "") === key);

/** Draws rows into a frame that may hold others already. */
export function fill_panel(panel: HTMLElement, rows: PropertyRow[], adding: boolean, view: EditorView, world: PropertyWorld): void {
  const active = document.activeElement;
  const place = panel.contains(active) ? part_of(active) : null;
  const renamed = renaming.get(view);
  if (place && renamed && rows.some(({ key }) => key === renamed.to) && !rows.some(({ key }) => key === renamed.from)) {
    if (place.key === renamed.from) place.key = renamed.to;
    renaming.delete(view);
  }
  const field = active as TextField | null;
  const unsaid = place && field?.shown !== undefined && field.value !== field.shown ? { text: field.value, from: field.selectionStart, to: field.selectionEnd } : null;
  const writable = !view.state.readOnly;
  const act: FieldWorld["act"] = (change) => {
    if (change.kind === "rename") renaming.set(view, { from: change.key, to: change.to.trim() });
    return world.change(change);
  };
  const fields: FieldWorld = { locate: world.locate, grown: () => view.requestMeasure(), writable, act, again: () => world.again(view) };
  panel.replaceChildren(...rows.map((row) => draw_row(row, fields)));
  if (writable) panel.append(adding ? add_row(view, world, fields) : add_button(view, world));
  const next = wanted.get(view);
  const target = next && find(panel, next);
  if (target) {
    wanted.delete(view);
    // What is not on the page yet takes no focus.
    if (panel.isConnected) target.focus();
    else queueMicrotask(() => target.focus());
    return;
  }
  const same = place && (find(panel, place) as TextField | undefined);
  if (!same) return;
  same.focus();
  if (!unsaid || same.shown === undefined) return;
  same.value = unsaid.text;
  if (unsaid.from !== null) same.setSelectionRange(unsaid.from, unsaid.to);
}

function add_button(view: EditorView, world: PropertyWorld): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "cm-property-add";
  button.dataset.part = "add";
  button.append(icon("add"), "Add property");
  button.onclick = () => world.add(view, true);
  return button;
}

/** The row of a property that is to be: its name first. */
function add_row(view: EditorView, world: PropertyWorld, fields: FieldWorld): HTMLElement {
  const row = document.createElement("div");
  row.className = "cm-property";
  row.dataset.key = "";
  const names = document.createElement("datalist");
  names.id = "cm-known-properties";
  void engine.properties().then(
    (all) => names.append(...all.map(({ name }) => new Option(undefined, name))),
    () => {},
  );
  const kind = document.createElement("span");
  kind.className = "cm-property-kind";
  kind.append(icon("add"));
  const field = text_field("new", "", "Name of the new property", fields, async (name) => {
    if (name.trim() === "") return false;
    want_focus(view, { key: name.trim(), part: "value" });
    const added = await world.change({ kind: "add", key: name.trim(), value: { kind: "empty" } });
    if (added) world.add(view, false);
    else wanted.delete(view);
    return added;
  });
  field.setAttribute("list", names.id);
  field.placeholder = "Name";
  field.onblur = () => {
    if (!field.isConnected) return;
    if (field.value.trim() === "") world.add(view, false);
    else field.take!();
  };
  row.append(kind, field, names);
  return row;
}

/** Puts the keyboard into the last row, as an arrow does that comes from the text below. */
export function enter_panel(panel: HTMLElement): void {
  const rows = [...panel.querySelectorAll<HTMLElement>(".cm-property")];
  const last = rows.at(-1);
  (last?.querySelector<HTMLElement>('[data-part="value"]') ?? last?.querySelector<HTMLElement>("[data-part]") ?? panel.querySelector<HTMLElement>("[data-part]"))?.focus();
}

/** What the keys do in a panel: up and down go from row to row and out into the text, Enter takes what was typed, Escape leaves. */
export function panel_keys(panel: HTMLElement, view: EditorView, world: PropertyWorld): void {
  panel.onkeydown = (event) => {
    const active = document.activeElement as (TextField & Field) | null;
    const place = part_of(active);
    if (!place || event.isComposing) return;
    // With Alt the arrows do what the system's fields do with them.
    const is_native = active instanceof HTMLSelectElement || active instanceof HTMLTextAreaElement;
    const leave = () => {
      view.focus();
      world.leave(view);
    };
    const go = (down: boolean) => {
      const stops = [...panel.querySelectorAll<HTMLElement>(".cm-property"), panel.querySelector<HTMLElement>(".cm-property-add")].filter((one) => one !== null);
      const at = stops.findIndex((one) => one.contains(active));
      const next = stops[at + (down ? 1 : -1)];
      if (!next) return down ? leave() : undefined;
      const part = place.part === "name" ? "name" : "value";
      (next.dataset.part ? next : (next.querySelector<HTMLElement>(`[data-part="${part}"]`) ?? next.querySelector<HTMLElement>("[data-part]")))?.focus();
    };
    const is_clean = active!.shown === undefined || active!.value === active!.shown;
    if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !is_native && !event.altKey && !event.shiftKey) go(event.key === "ArrowDown");
    else if (event.key === "Enter" && active!.take && !(active instanceof HTMLTextAreaElement && event.shiftKey)) {
      const is_list = active!.closest(".cm-property-list") !== null;
      const was_clean = is_clean;
      active!.take();
      // A list takes one item after the other; a name is followed by its value.
      if (place.part === "name") panel.querySelector<HTMLElement>(`[data-key="${CSS.escape(place.key)}"] [data-part="value"]`)?.focus();
      else if (place.part !== "new" && (!is_list || was_clean)) go(true);
    } else if (event.key === "Escape") {
      if (active!.shown !== undefined) active!.value = active!.shown;
      if (place.part === "new") world.add(view, false);
      leave();
    } else if ((event.ctrlKey || event.metaKey) && !event.altKey && is_clean && /^[zy]$/i.test(event.key)) {
      (event.key.toLowerCase() === "y" || event.shiftKey ? redo : undo)(view);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  panel.onmousedown = (event) => {
    // The editor hears nothing of what is pressed in here.
    event.stopPropagation();
    const link = event.button === 0 ? of_element(event.target as HTMLElement) : null;
    if (!link) return;
    event.preventDefault();
    world.follow(link);
  };
}
