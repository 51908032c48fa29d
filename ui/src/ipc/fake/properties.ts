// A small stand-in for the program's reader and writer of properties: names with a value or a list, one on a line. The real one is
// in Rust.

import type { Commands } from "../engine";
import { EngineError } from "../engine";
import type { PropertiesShown, PropertyInput, PropertyKind, PropertyRow, PropertyRows } from "../types";
import type { FakeEngine } from "./index";

export type PropertyCalls = Pick<Commands, "property_rows" | "change_property">;

interface Read extends PropertyRow {
  /** Its lines, from 0; the second is behind the last. */
  lines: [number, number];
}

const PAIR = /^([^\s:#"'[{&*!|>%@`-][^:]*?):(?:\s+(.*))?$/;

const unquoted = (value: string) => value.trim().replace(/^"(.*)"$|^'(.*)'$/, (_, double?: string, single?: string) => double ?? single ?? "");
const quoted = (value: string) => (/^[\s"'[{&*!|>%@`#-]|: | #|^(?:true|false|null|~)$|^[\d.+-][\d.]*$/.test(value) ? JSON.stringify(value) : value);

function kind_of(key: string, value: string, is_list: boolean): PropertyKind {
  if (key === "tags" || key === "aliases") return key;
  if (is_list) return "list";
  if (/^(?:true|false)$/.test(value)) return "checkbox";
  if (/^-?\d+(?:\.\d+)?$/.test(value)) return "number";
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return "date";
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value) ? "date_time" : "text";
}

function read(text: string): { rows: Read[]; end: number; problem: string | null } {
  const lines = text.split("\n");
  const end = lines[0] === "---" ? lines.indexOf("---", 1) : -1;
  const rows: Read[] = [];
  for (let at = 1; at < end; at++) {
    const line = lines[at]!;
    const item = /^\s*- +(.*)$/.exec(line);
    const pair = PAIR.exec(line);
    const last = rows.at(-1);
    if (item && last) {
      last.values.push(unquoted(item[1]!));
      last.kind = kind_of(last.key, "", true);
      last.lines[1] = at + 1;
    } else if (pair) {
      const value = (pair[2] ?? "").trim();
      const list = /^\[(?!\[)(.*)\]$/.exec(value);
      if (/^[[{]/.test(value) && !list && !value.startsWith("[[")) return { rows, end, problem: `properties are not valid YAML: nothing closes \`${value.slice(0, 1)}\` (line ${at + 1})` };
      const values = list ? list[1]!.split(",").map(unquoted).filter(Boolean) : [unquoted(value)].filter(Boolean);
      rows.push({ key: pair[1]!, kind: kind_of(pair[1]!, value, list !== null), values, line: at + 1, lines: [at, at + 1] });
    } else if (line.trim() !== "") return { rows, end, problem: `properties are not valid YAML: no name before a value (line ${at + 1})` };
  }
  return { rows, end, problem: null };
}

export function fake_rows(text: string, shown: PropertiesShown): PropertyRows {
  const { rows, problem } = read(text);
  return { rows: rows.map(({ key, kind, values, line }) => ({ key, kind, values, line })), problem, shown };
}

function written(key: string, value: PropertyInput): string[] {
  if (value.kind === "empty") return [`${key}:`];
  if (value.kind === "list") return value.to.length === 0 ? [`${key}: []`] : [`${key}:`, ...value.to.map((one) => `  - ${quoted(one)}`)];
  return [`${key}: ${value.kind === "text" ? quoted(value.to) : String(value.to)}`];
}

export function fake_property_calls(fake: FakeEngine): PropertyCalls {
  return {
    async property_rows(text) {
      return fake_rows(text, fake.properties_shown);
    },
    async change_property(text, change) {
      const error = fake.refuse.get("change_property");
      if (error) throw error;
      const lines = text.split("\n");
      const { rows, end } = read(text);
      const there = rows.find(({ key }) => key.toLowerCase() === change.key.toLowerCase());
      const start = (line: number) => lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0);
      const edit = (from: number, to: number, insert: string) => {
        if (text.slice(from, to) === insert) return { changes: [], after: fake_rows(text, fake.properties_shown) };
        const after = text.slice(0, from) + insert + text.slice(to);
        return { changes: [{ from, to, insert }], after: fake_rows(after, fake.properties_shown) };
      };
      const block = (some: string[]) => some.map((line) => `${line}\n`).join("");
      if (change.kind === "add") {
        if (there) throw new EngineError("path_taken", `the note has a property of this name already: \`${there.key}\` (line ${there.line})`, "give it another name");
        return end < 0 ? edit(0, 0, `---\n${block(written(change.key, change.value))}---\n`) : edit(start(end), start(end), block(written(change.key, change.value)));
      }
      if (!there) throw new EngineError("no_longer_fits", `the note has no property of this name: \`${change.key}\``, "look at it again");
      const [from, to] = there.lines;
      if (change.kind === "remove") return edit(start(from), start(to), "");
      if (change.kind === "rename") return edit(start(from), start(from) + there.key.length, change.to.trim());
      return edit(start(from), start(to), block(written(there.key, change.value)));
    },
  };
}
