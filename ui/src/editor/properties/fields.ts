// The fields of one property: its name, its kind, and its value by kind. They say what a person wants; nothing is written here.

import { engine } from "../../ipc/engine";
import type { PropertyChange, PropertyKind, PropertyRow } from "../../ipc/types";
import { icon, type IconName } from "../livepreview/icons";
import { type InlineWorld, link_element, write_inline } from "../livepreview/inline";
import { converted, typed } from "./change";
import { choose_kind } from "./known";

/** What the fields need of the page around them. */
export interface FieldWorld extends InlineWorld {
  writable: boolean;
  /** Carries a change out; resolves to whether it was. */
  act: (change: PropertyChange) => Promise<boolean>;
  /** Draws the fields anew although the text is the same. */
  again: () => void;
}

const NAMES: Partial<Record<PropertyKind, string>> = { text: "Text", list: "List", number: "Number", checkbox: "Checkbox", date: "Date", date_time: "Date and time", tags: "Tags", aliases: "Aliases", nested: "Nested values" };
const CHOICES: PropertyKind[] = ["text", "list", "number", "checkbox", "date", "date_time"];
const ICONS: Record<PropertyKind, IconName> = { text: "text", list: "example", number: "number", checkbox: "todo", date: "date", date_time: "time", tags: "tag", aliases: "alias", nested: "nested", empty: "text" };

/** A field that knows what it showed, so that leaving it unchanged changes nothing. */
export interface Field extends HTMLElement {
  shown?: string;
  /** Takes what was typed; absent where every press is taken at once. */
  take?: () => void;
}

export type TextField = (HTMLInputElement | HTMLTextAreaElement) & Field;

export function draw_row(row: PropertyRow, world: FieldWorld): HTMLElement {
  const frame = document.createElement("div");
  frame.className = "cm-property";
  frame.dataset.key = row.key;
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", row.key);
  frame.append(kind_field(row, world), name_field(row, world), value_field(row, world));
  if (world.writable) frame.append(remove_button(row, world));
  return frame;
}

function kind_field(row: PropertyRow, world: FieldWorld): HTMLElement {
  const frame = document.createElement("span");
  frame.className = "cm-property-kind";
  frame.append(icon(ICONS[row.kind]));
  if (!world.writable || !CHOICES.includes(row.kind)) {
    frame.title = NAMES[row.kind] ?? "";
    return frame;
  }
  const choice = document.createElement("select");
  choice.dataset.part = "kind";
  choice.setAttribute("aria-label", `Kind of ${row.key}`);
  choice.title = NAMES[row.kind]!;
  for (const kind of CHOICES) choice.append(new Option(NAMES[kind], kind, kind === row.kind, kind === row.kind));
  choice.onchange = async () => {
    const kind = choice.value as PropertyKind;
    choose_kind(row.key, kind);
    if (!(await world.act({ kind: "set", key: row.key, value: converted(row.values, kind) }))) choice.value = row.kind;
    world.again();
  };
  frame.append(choice);
  return frame;
}

function name_field(row: PropertyRow, world: FieldWorld): HTMLElement {
  return text_field("name", row.key, `Name of ${row.key}`, world, async (to) => {
    if (to.trim() === "" || !(await world.act({ kind: "rename", key: row.key, to }))) return false;
    return true;
  });
}

/** A field of one line. `take` says whether what was typed was taken; otherwise the field shows what it did. */
export function text_field(part: string, text: string, label: string, world: FieldWorld, take: (text: string) => Promise<boolean>, long = false): TextField {
  const field = document.createElement(long ? "textarea" : "input") as TextField;
  field.value = field.shown = text;
  field.dataset.part = part;
  field.className = `cm-property-${part}`;
  field.readOnly = !world.writable;
  field.spellcheck = false;
  field.autocomplete = "off";
  field.setAttribute("aria-label", label);
  if (long) (field as HTMLTextAreaElement).rows = text.split("\n").length;
  field.take = () => {
    const now = field.value;
    if (now === field.shown) return;
    const before = field.shown!;
    field.shown = now;
    void take(now).then((taken) => {
      if (taken) return;
      field.shown = before;
      if (field.value === now) field.value = before;
    });
  };
  field.onblur = () => field.isConnected && field.take!();
  return field;
}

function value_field(row: PropertyRow, world: FieldWorld): HTMLElement {
  const { key, kind, values } = row;
  const label = `Value of ${key}`;
  if (kind === "list" || kind === "tags" || kind === "aliases") return list_field(row, world);
  if (kind === "checkbox") {
    const box = document.createElement("input") as HTMLInputElement & Field;
    box.type = "checkbox";
    box.className = "cm-task-box";
    box.dataset.part = "value";
    box.dataset.task = values[0] === "true" ? "x" : " ";
    box.checked = values[0] === "true";
    box.indeterminate = values.length === 0;
    box.disabled = !world.writable;
    box.setAttribute("aria-label", label);
    box.onchange = () => void world.act({ kind: "set", key, value: { kind: "checkbox", to: box.checked } }).then((taken) => !taken && (box.checked = !box.checked));
    const frame = document.createElement("span");
    frame.className = "cm-property-box";
    frame.append(box);
    return frame;
  }
  if (kind === "nested") {
    const code = document.createElement("code");
    code.className = "cm-property-nested";
    code.textContent = values[0] ?? "";
    code.title = "Nested values are changed in the source of the note";
    return code;
  }
  const text = values[0] ?? "";
  const field = text_field("value", text, label, world, (to) => world.act({ kind: "set", key, value: typed(to, kind) }), kind === "text" && text.includes("\n"));
  field.placeholder = "Empty";
  if (kind === "number") field.inputMode = "decimal";
  // What the system's own field for dates would not show stays a text.
  if (kind === "date" && (text === "" || /^\d{4}-\d{2}-\d{2}$/.test(text))) (field as HTMLInputElement).type = "date";
  if (kind === "date_time" && (text === "" || /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?$/.test(text))) {
    (field as HTMLInputElement).type = "datetime-local";
    (field as HTMLInputElement).step = text.length > 16 || text === "" ? "1" : "60";
  }
  // A field may write a value in its own way; that alone is no change.
  field.shown = field.value;
  if (kind !== "text" || !/\[\[|https?:\/\//.test(text) || text.includes("\n")) return field;
  // Links are links until their text is changed.
  const frame = document.createElement("span");
  frame.className = "cm-property-linked";
  const drawn = document.createElement("span");
  drawn.className = "cm-property-drawn";
  write_inline(drawn, text, world);
  frame.append(field, drawn);
  return frame;
}

function list_field({ key, kind, values }: PropertyRow, world: FieldWorld): HTMLElement {
  const frame = document.createElement("span");
  frame.className = "cm-property-list";
  const clean = (text: string) => (kind === "tags" ? text.trim().replace(/^#/, "").replace(/\s+/g, "-") : text.trim());
  const set = (items: string[]) => world.act({ kind: "set", key, value: { kind: "list", to: items } });
  values.forEach((value, n) => {
    const item = document.createElement("span");
    item.className = "cm-property-item";
    if (kind === "tags") item.append(link_element(value.replace(/^#/, ""), { tag: value.replace(/^#/, "") }));
    else write_inline(item, value, world);
    if (world.writable) {
      const drop = document.createElement("button");
      drop.type = "button";
      drop.dataset.part = `drop-${n}`;
      // Backspace and the arrows reach it from the field behind.
      drop.tabIndex = -1;
      drop.setAttribute("aria-label", `Remove ${value} from ${key}`);
      drop.append(icon("failure"));
      drop.onclick = () => void set(values.filter((_, at) => at !== n));
      item.append(drop);
    }
    frame.append(item);
  });
  const add = async (text: string) => {
    const item = clean(text);
    return item !== "" && (kind !== "tags" || !values.includes(item)) && (await set([...values, item]));
  };
  const field = text_field("value", "", `Add to ${key}`, world, add);
  field.placeholder = values.length === 0 ? "Empty" : "";
  if (kind === "tags") field.onfocus = () => offer_tags(field, frame);
  field.onkeydown = (event) => {
    const event_key = (event as KeyboardEvent).key;
    const drops = [...frame.querySelectorAll<HTMLElement>("button")];
    const at_start = field.selectionStart === 0 && field.selectionEnd === 0;
    if (event_key === "," && kind === "tags") field.take!();
    else if (event_key === "Backspace" && at_start && values.length > 0 && world.writable) void set(values.slice(0, -1));
    else if (event_key === "ArrowLeft" && at_start && drops.length > 0) drops.at(-1)!.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  frame.onkeydown = (event) => {
    const drops = [...frame.querySelectorAll<HTMLElement>("button")];
    const at = drops.indexOf(document.activeElement as HTMLElement);
    if (at < 0) return;
    if (event.key === "ArrowLeft") drops[Math.max(0, at - 1)]!.focus();
    else if (event.key === "ArrowRight") (drops[at + 1] ?? field).focus();
    else if (event.key === "Backspace" || event.key === "Delete") drops[at]!.click();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  if (world.writable) frame.append(field);
  return frame;
}

/** Offers the tags of the vault behind a field. */
function offer_tags(field: TextField, frame: HTMLElement): void {
  if (field.hasAttribute("list")) return;
  const tags = document.createElement("datalist");
  tags.id = "cm-known-tags";
  field.setAttribute("list", tags.id);
  frame.append(tags);
  void engine.tags().then(
    (all) => tags.append(...all.map(({ tag }) => new Option(undefined, tag))),
    () => {},
  );
}

function remove_button({ key }: PropertyRow, world: FieldWorld): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "cm-property-remove";
  button.dataset.part = "remove";
  button.setAttribute("aria-label", `Remove the property ${key}`);
  button.title = "Remove";
  button.append(icon("failure"));
  button.onclick = () => void world.act({ kind: "remove", key });
  return button;
}
