// The properties above a note, drawn as a list of names and values.

import { type InlineWorld, link_element, write_inline } from "./inline";

/** Reads properties of the plain kind: names with a value or a list. Anything richer stays as it is written. */
export function read_properties(text: string): [string, string[]][] | null {
  const rows: [string, string[]][] = [];
  for (const line of text.split("\n").slice(1, -1)) {
    const item = /^\s*- +(.*)$/.exec(line);
    const pair = /^([^\s:#"'[{&*!|>%@`-][^:]*?):(?:\s+(.*))?$/.exec(line);
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

export function draw_properties(rows: [string, string[]][], world: InlineWorld): HTMLElement {
  const list = document.createElement("dl");
  for (const [name, values] of rows) {
    const term = document.createElement("dt");
    term.textContent = name;
    const value = document.createElement("dd");
    values.forEach((one, at) => {
      if (at > 0) value.append(name === "tags" ? " " : ", ");
      const tag = one.replace(/^#/, "");
      if (name === "tags") value.append(link_element(`#${tag}`, { tag }));
      else write_inline(value, one, world);
    });
    list.append(term, value);
  }
  return list;
}
