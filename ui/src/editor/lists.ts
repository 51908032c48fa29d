// What the keys do in lists: Enter goes on with the list, Tab moves an item and all that is in it further in or out, Alt and an
// arrow moves it among its like. Numbers that counted up before count up afterwards.

import { countColumn, type EditorState, type Line, type StateCommand, type Text, type TransactionSpec } from "@codemirror/state";
import { syntaxTree } from "@codemirror/language";

export interface Item {
  /** The signs of quotes before it. */
  quote: string;
  indent: string;
  /** `-`, `*`, `+`, or the number. */
  mark: string;
  /** What ends a number: `.` or `)`. */
  end: string;
  gap: string;
  /** The box of a task with the blank behind it, or nothing. */
  box: string;
  text: string;
}

const ITEM = /^((?:[ \t]*>[ \t]?)*)([ \t]*)([-*+]|\d{1,9}(?=[.)]))([.)]?)(?:([ \t]+)(\[(?:\S|[ \t])\](?:[ \t]+|$))?(.*))?$/u;

export function item_of(text: string): Item | null {
  const match = ITEM.exec(text);
  if (!match || match[5] === undefined || /^[-*+]$/.test(match[3]!) !== (match[4] === "")) return null;
  return { quote: match[1]!, indent: match[2]!, mark: match[3]!, end: match[4]!, gap: match[5], box: match[6] ?? "", text: match[7] ?? "" };
}

const column = (indent: string) => countColumn(indent, 4);
const is_number = (item: Item) => item.end !== "";

/** In code, properties and formulas a dash is a dash. */
function is_plain(state: EditorState, at: number): boolean {
  for (let node = syntaxTree(state).resolveInner(at, -1); ; node = node.parent!) {
    if (/^(?:FencedCode|CodeBlock|Frontmatter|MathBlock|HiddenCommentBlock|HTMLBlock)$/.test(node.name)) return true;
    if (!node.parent) return false;
  }
}

/** Returns the column at which a line begins behind its quotes; null for an empty one. */
function depth_of(text: string, quote: string): number | null {
  const rest = text.startsWith(quote) ? text.slice(quote.length) : text.replace(/^(?:[ \t]*>[ \t]?)*/, "");
  const blank = /^[ \t]*/.exec(rest)![0];
  return blank.length === rest.length ? null : column(blank);
}

/** Returns the number of the last line of an item with all that is in it. */
function last_line(doc: Text, first: number, item: Item): number {
  const own = column(item.indent);
  let last = first;
  for (let number = first + 1; number <= doc.lines; number++) {
    const text = doc.line(number).text;
    const depth = depth_of(text, item.quote);
    if (depth === null) continue;
    if (depth <= own) break;
    // Lines between that are empty belong to it only if something of it follows.
    last = number;
  }
  return last;
}

/** The lines of the list around a line: to the next line at the edge that is no item. */
function block_around(doc: Text, number: number): { first: number; last: number } {
  const belongs = (at: number) => {
    const { text } = doc.line(at);
    return item_of(text) !== null || /^[ \t]+\S/.test(text) || /^(?:[ \t]*>[ \t]?)+[ \t]/.test(text);
  };
  let first = number;
  while (first > 1 && belongs(first - 1)) first--;
  let last = number;
  while (last < doc.lines && belongs(last + 1)) last++;
  return { first, last };
}

interface Run {
  at: { line: number; item: Item }[];
}

/** Finds the numbered lists in some lines: items of one depth that nothing shallower parts. */
function runs(lines: string[]): Run[] {
  const found: Run[] = [];
  const open: { depth: number; key: string; run: Run | null }[] = [];
  lines.forEach((text, line) => {
    const item = item_of(text);
    if (!item) return;
    const depth = column(item.indent);
    while (open.length > 0 && open.at(-1)!.depth > depth) open.pop();
    const key = `${item.quote.trim()} ${item.end}`;
    const top = open.at(-1);
    if (top?.depth === depth && top.key === key) top.run?.at.push({ line, item });
    else {
      if (top?.depth === depth) open.pop();
      const run = is_number(item) ? { at: [{ line, item }] } : null;
      open.push({ depth, key, run });
      if (run) found.push(run);
    }
  });
  return found;
}

const counts_up = (run: Run) => run.at.every(({ item }, n) => n === 0 || Number(item.mark) === Number(run.at[n - 1]!.item.mark) + 1);

/** Makes numbers count up again after lines moved; numbers that did not count up before are left as they are. */
function renumbered(before: string[], after: string[], moved: Set<number>): string[] {
  if (!runs(before).every(counts_up)) return after;
  const lines = [...after];
  for (const run of runs(after)) {
    const first = run.at.every(({ line }) => moved.has(line)) ? 1 : Math.min(...run.at.map(({ item }) => Number(item.mark)));
    run.at.forEach(({ line, item }, n) => {
      const mark = String(first + n);
      if (mark === item.mark) return;
      const at = item.quote.length + item.indent.length;
      lines[line] = lines[line]!.slice(0, at) + mark + lines[line]!.slice(at + item.mark.length);
    });
  }
  return lines;
}

/** Returns the smallest changes that make some lines of the text others, one for each line that differs. */
function line_changes(doc: Text, first: number, lines: string[]): { from: number; to: number; insert: string }[] {
  return lines.flatMap((text, n) => {
    const line = doc.line(first + n);
    if (line.text === text) return [];
    let start = 0;
    while (start < text.length && start < line.length && text[start] === line.text[start]) start++;
    let end = 0;
    while (end < text.length - start && end < line.length - start && text.at(-1 - end) === line.text.at(-1 - end)) end++;
    return [{ from: line.from + start, to: line.to - end, insert: text.slice(start, text.length - end) }];
  });
}

/** How lists around here are indented: by tabs as Obsidian does, or by as many spaces as their items are. */
function unit_around(doc: Text, number: number): string {
  const { first, last } = block_around(doc, number);
  let spaces = 0;
  for (let at = first; at <= last; at++) {
    const indent = item_of(doc.line(at).text)?.indent ?? "";
    if (indent.startsWith("\t")) return "\t";
    if (indent.length > 0 && (spaces === 0 || indent.length < spaces)) spaces = indent.length;
  }
  return spaces === 0 ? "\t" : " ".repeat(Math.min(spaces, 8));
}

/** The items that the selection touches, each with the number of its last line; those inside of another are left out. */
function touched_items(state: EditorState): { first: number; last: number; item: Item }[] | null {
  const found: { first: number; last: number; item: Item }[] = [];
  for (const range of state.selection.ranges) {
    const end = state.doc.lineAt(range.to).number;
    for (let number = state.doc.lineAt(range.from).number; number <= end; number++) {
      const known = found.at(-1);
      if (known && number <= known.last) continue;
      const { text } = state.doc.line(number);
      const item = item_of(text);
      if (!item) {
        if (text.trim() === "") continue;
        return null;
      }
      found.push({ first: number, last: last_line(state.doc, number, item), item });
    }
  }
  return found.length > 0 && !is_plain(state, state.doc.line(found[0]!.first).to) ? found : null;
}

function shift(by: 1 | -1): StateCommand {
  return ({ state, dispatch }) => {
    if (state.readOnly) return false;
    const items = touched_items(state);
    if (!items) return false;
    const { doc } = state;
    const { first } = block_around(doc, items[0]!.first);
    const { last } = block_around(doc, items.at(-1)!.last);
    const before: string[] = [];
    for (let number = first; number <= last; number++) before.push(doc.line(number).text);
    const after = [...before];
    const moved = new Set<number>();
    for (const { first: from, last: to, item } of items) {
      const unit = unit_around(doc, from);
      if (by > 0 && !has_sibling_above(doc, from, item)) continue;
      if (by < 0 && item.indent === "") continue;
      for (let number = from; number <= to; number++) {
        const at = number - first;
        const text = after[at];
        if (text === undefined || text.trim() === "") continue;
        const quote = text.startsWith(item.quote) ? item.quote : "";
        const rest = text.slice(quote.length);
        after[at] = quote + (by > 0 ? unit + rest : rest.replace(new RegExp(`^(?:\\t| {1,${unit === "\t" ? 4 : unit.length}})`), ""));
      }
      moved.add(from - first);
    }
    const changes = line_changes(doc, first, renumbered(before, after, moved));
    if (changes.length > 0) dispatch(state.update({ changes, userEvent: by > 0 ? "input.indent" : "delete.dedent" }));
    // At the edge there is nowhere to go, and the key must not leave the text either.
    return true;
  };
}

/** Whether there is an item above that this one can become part of. */
function has_sibling_above(doc: Text, number: number, item: Item): boolean {
  for (let at = number - 1; at >= 1; at--) {
    const { text } = doc.line(at);
    const depth = depth_of(text, item.quote);
    if (depth === null) continue;
    if (depth < column(item.indent)) return false;
    if (item_of(text)) return true;
    if (depth === column(item.indent)) return false;
  }
  return false;
}

export const indent_item = shift(1);
export const dedent_item = shift(-1);

/** Goes on with a list or a quote on the next line; on an empty item it steps out instead. */
export const continue_list: StateCommand = ({ state, dispatch }) => {
  const { main, ranges } = state.selection;
  if (state.readOnly || ranges.length > 1 || !main.empty || is_plain(state, main.head)) return false;
  const line = state.doc.lineAt(main.head);
  const item = item_of(line.text);
  const spec = item ? next_item(state, line, item, main.head) : next_quote(line, main.head);
  if (spec) dispatch(state.update({ scrollIntoView: true, userEvent: "input", ...spec }));
  return spec !== null;
};

function next_item(state: EditorState, line: Line, item: Item, head: number): TransactionSpec | null {
  const { doc } = state;
  const start = line.from + item.quote.length + item.indent.length + item.mark.length + item.end.length + item.gap.length + item.box.length;
  if (head < start) return null;
  if (item.text.trim() === "") {
    if (item.indent !== "") {
      let done: TransactionSpec | null = null;
      dedent_item({ state, dispatch: (tr) => (done = { changes: tr.changes, selection: tr.newSelection }) });
      return done;
    }
    return { changes: { from: line.from + item.quote.length, to: line.to }, selection: { anchor: line.from + item.quote.length } };
  }
  const following = following_numbers(doc, line, item);
  const is_lazy = is_number(item) && following[0]?.item.mark === item.mark;
  const mark = is_number(item) && !is_lazy ? String(Number(item.mark) + 1) : item.mark;
  const box = item.box === "" ? "" : "[ ] ";
  // Blanks around the caret would hang at the end of one line or before the words of the next.
  const trailing = /^[ \t]*/.exec(doc.sliceString(head, line.to))![0].length;
  const insert = `\n${item.quote}${item.indent}${mark}${item.end}${item.gap}${box}`;
  const changes = [{ from: head, to: head + trailing, insert }];
  if (is_number(item) && !is_lazy)
    following.forEach(({ from, item: next }, n) => changes.push({ from, to: from + next.mark.length, insert: String(Number(mark) + n + 1) }));
  return { changes, selection: { anchor: head + insert.length } };
}

/** The items that count on from here. */
function following_numbers(doc: Text, line: Line, item: Item): { from: number; item: Item }[] {
  const found: { from: number; item: Item }[] = [];
  if (!is_number(item)) return found;
  let expected = Number(item.mark) + 1;
  for (let number = last_line(doc, line.number, item) + 1; number <= doc.lines; ) {
    const next = doc.line(number);
    const other = item_of(next.text);
    if (!other && next.text.trim() === "") {
      number++;
      continue;
    }
    if (!other || other.end !== item.end || column(other.indent) !== column(item.indent)) break;
    if (Number(other.mark) !== expected && !(found.length === 0 && other.mark === item.mark)) break;
    found.push({ from: next.from + other.quote.length + other.indent.length, item: other });
    expected++;
    number = last_line(doc, number, other) + 1;
  }
  return found;
}

function next_quote(line: Line, head: number): TransactionSpec | null {
  const quote = /^(?:[ \t]*>[ \t]?)+/.exec(line.text)?.[0];
  if (!quote || head < line.from + quote.length) return null;
  if (line.length === quote.length || line.text.slice(quote.length).trim() === "") {
    const less = quote.replace(/>[ \t]?$/, "");
    return { changes: { from: line.from, to: line.to, insert: less }, selection: { anchor: line.from + less.length } };
  }
  const insert = `\n${quote.endsWith(" ") ? quote : `${quote} `}`;
  return { changes: { from: head, insert }, selection: { anchor: head + insert.length } };
}

/** Breaks the line inside of an item, without a new item. */
export const break_in_item: StateCommand = ({ state, dispatch }) => {
  const { main } = state.selection;
  if (state.readOnly || is_plain(state, main.head)) return false;
  const line = state.doc.lineAt(main.head);
  const item = item_of(line.text);
  if (!item) return false;
  const insert = `\n${item.quote}${item.indent}${" ".repeat(item.mark.length + item.end.length + item.gap.length)}`;
  dispatch(state.update(state.replaceSelection(insert), { scrollIntoView: true, userEvent: "input" }));
  return true;
};

/** Moves an item, with all that is in it, before the one above or behind the one below. */
function move_item(by: -1 | 1): StateCommand {
  return ({ state, dispatch }) => {
    if (state.readOnly || state.selection.ranges.length > 1) return false;
    const { doc } = state;
    const { main } = state.selection;
    const items = touched_items(state);
    if (!items) return false;
    const [first, last] = [items[0]!.first, items.at(-1)!.last];
    const { item } = items[0]!;
    const own = column(item.indent);
    let edge: { first: number; last: number } | null = null;
    if (by < 0) {
      for (let at = first - 1; at >= 1; at--) {
        const { text } = doc.line(at);
        const depth = depth_of(text, item.quote);
        if (depth === null || depth > own) continue;
        if (depth === own && item_of(text)) edge = { first: at, last: first - 1 };
        break;
      }
    } else if (last < doc.lines) {
      let at = last + 1;
      while (at < doc.lines && doc.line(at).text.trim() === "") at++;
      const other = item_of(doc.line(at).text);
      if (other && column(other.indent) === own) edge = { first: last + 1, last: last_line(doc, at, other) };
    }
    if (!edge) return true;
    const [from, to] = by < 0 ? [edge.first, last] : [first, edge.last];
    const before: string[] = [];
    for (let number = from; number <= to; number++) before.push(doc.line(number).text);
    const n = by < 0 ? first - from : last - from + 1;
    const after = [...before.slice(n), ...before.slice(0, n)];
    const { first: top } = block_around(doc, from);
    const head: string[] = [];
    for (let number = top; number < from; number++) head.push(doc.line(number).text);
    const done = renumbered([...head, ...before], [...head, ...after], new Set()).slice(head.length);
    // The caret goes along: to the same place in its line.
    const place = (at: number) => {
      const line = doc.lineAt(at);
      const index = line.number - from;
      const now = by < 0 ? index - n : index + (before.length - n);
      const start = done.slice(0, now).reduce((sum, text) => sum + text.length + 1, doc.line(from).from);
      return start + Math.min(at - line.from, done[now]!.length);
    };
    const selection = { anchor: place(main.anchor), head: place(main.head) };
    dispatch(state.update({ changes: { from: doc.line(from).from, to: doc.line(to).to, insert: done.join("\n") }, selection, scrollIntoView: true, userEvent: "move.line" }));
    return true;
  };
}

export const move_item_up = move_item(-1);
export const move_item_down = move_item(1);
