// The properties above a note, drawn as a list of names and values.

import { type InlineWorld, link_element, write_inline } from "./inline";

const PAIR = /^([^\s:#"'[{&*!|>%@`-][^:]*?):(?:\s+(.*))?$/;

/** Reads properties of the plain kind: names with a value or a list. Anything richer stays as it is written. */
export function read_properties(text: string): [string, string[]][] | null {
  const rows: [string, string[]][] = [];
  for (const line of text.split("\n").slice(1, -1)) {
    const item = /^\s*- +(.*)$/.exec(line);
    const pair = PAIR.exec(line);
    if (item && rows.length > 0) rows.at(-1)![1].push(unquoted(item[1]!));
    else if (pair) {
      const value = (pair[2] ?? "").trim();
      if (/^[{|>&*!]/.test(value)) return null;
      const list = /^\[(.*)\]$/.exec(value);
      const values = list && !value.startsWith("[[") ? list[1]!.split(",").map((one) => unquoted(one.trim())) : [unquoted(value)];
      rows.push([pair[1]!, values.filter(Boolean)]);
    } else if (line.trim() !== "") return null;
  }
  return rows.length > 0 ? rows : null;
}

function unquoted(value: string): string {
  return value.trim().replace(/^"(.*)"$|^'(.*)'$/, (_, double?: string, single?: string) => double ?? single ?? "");
}

/** Draws properties. What is pressed knows its line in the text, and a check box changes it. */
export function draw_properties(source: string, rows: [string, string[]][], world: InlineWorld): HTMLElement {
  const list = document.createElement("dl");
  const lines = source.split("\n");
  let at = 0;
  for (const [name, values] of rows) {
    at = lines.findIndex((line, n) => n > at && PAIR.exec(line)?.[1] === name);
    const written = /^(\s*)(true|false)(\s*)$/.exec(lines[at]!.slice(lines[at]!.indexOf(":") + 1));
    const term = document.createElement("dt");
    term.textContent = name;
    const value = document.createElement("dd");
    for (const part of [term, value]) {
      part.dataset.row = String(at);
      part.dataset.column = String(lines[at]!.length);
    }
    if (written) value.append(check_box(name, at, lines[at]!.indexOf(":") + 1 + written[1]!.length, written[2]!, world));
    else
      values.forEach((one, n) => {
        if (n > 0) value.append(name === "tags" ? " " : ", ");
        const tag = one.replace(/^#/, "");
        if (name === "tags") value.append(link_element(`#${tag}`, { tag }));
        else write_inline(value, one, world);
      });
    list.append(term, value);
  }
  return list;
}

function check_box(name: string, line: number, from: number, now: string, world: InlineWorld): HTMLElement {
  const box = document.createElement("input");
  box.type = "checkbox";
  box.className = "cm-task-box";
  box.dataset.task = now === "true" ? "x" : " ";
  box.checked = now === "true";
  box.disabled = world.change === undefined;
  // As with the boxes of tasks: the keyboard changes the text itself.
  box.tabIndex = -1;
  box.setAttribute("aria-label", name);
  box.onmousedown = (event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  box.onclick = (event) => {
    event.preventDefault();
    world.change?.(line, from, from + now.length, now === "true" ? "false" : "true");
  };
  return box;
}
