// Blocks that are drawn whole while the caret is elsewhere: the properties above a note, and tables.
// Pressing one puts the caret into its text.

import { syntaxTree } from "@codemirror/language";
import { type EditorState, type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, WidgetType } from "@codemirror/view";

/** Above this many characters blocks stay as they are written: drawing them would cost every key stroke. */
const MOST = 400_000;

type Drawn = { kind: "properties"; rows: [string, string[]][] } | { kind: "table"; head: string[]; rows: string[][]; align: string[] };

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

/** Splits a row of a table at the bars that are not escaped or inside code or a link. */
export function cells(line: string): string[] {
  const found: string[] = [];
  let now = "";
  let code = false;
  for (let at = 0; at < line.length; at++) {
    const sign = line[at]!;
    if (sign === "\\" && line[at + 1] === "|") {
      now += "|";
      at++;
    } else if (sign === "|" && !code) {
      found.push(now.trim());
      now = "";
    } else {
      if (sign === "`") code = !code;
      now += sign;
    }
  }
  found.push(now.trim());
  if (line.trim().startsWith("|")) found.shift();
  if (line.trim().endsWith("|")) found.pop();
  return found;
}

/** Writes a cell or a value as text with its plainest marks drawn; nothing in it can be markup. */
function write(into: HTMLElement, source: string, as_tag = false): void {
  const pattern = /\[\[([^\]|]+)(?:\|([^\]]*))?\]\]|\*\*([^*]+)\*\*|`([^`]+)`|(https?:\/\/\S+)/g;
  let from = 0;
  const add = (name: string, text: string, kind = "span") => {
    const part = document.createElement(kind);
    part.className = name;
    part.textContent = text;
    into.append(part);
  };
  if (as_tag) return add("cm-tag", `#${source.replace(/^#/, "")}`);
  for (const match of source.matchAll(pattern)) {
    into.append(source.slice(from, match.index));
    const [whole, target, alias, strong, code, url] = match;
    if (target !== undefined) add("cm-drawn-link", alias || target.replace(/^.*\//, "").replace("#", " › "));
    else if (strong !== undefined) add("", strong, "strong");
    else if (code !== undefined) add("cm-inline-code", code, "code");
    else add("cm-drawn-link", url!);
    from = match.index + whole.length;
  }
  into.append(source.slice(from));
}

class Block extends WidgetType {
  constructor(
    private readonly drawn: Drawn,
    private readonly source: string,
  ) {
    super();
  }

  override eq(other: Block): boolean {
    return other.source === this.source;
  }

  override toDOM(view: EditorView): HTMLElement {
    const frame = document.createElement("div");
    frame.className = `cm-drawn cm-drawn-${this.drawn.kind}`;
    frame.append(this.drawn.kind === "properties" ? properties(this.drawn.rows) : table(this.drawn));
    frame.onmousedown = (event) => {
      event.preventDefault();
      const at = view.posAtDOM(frame);
      const row = (event.target as HTMLElement).closest<HTMLElement>("[data-row]")?.dataset.row;
      const line = view.state.doc.lineAt(at).number + Number(row ?? 0);
      view.dispatch({ selection: { anchor: view.state.doc.line(Math.min(line, view.state.doc.lines)).to } });
      view.focus();
    };
    return frame;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

function properties(rows: [string, string[]][]): HTMLElement {
  const list = document.createElement("dl");
  for (const [name, values] of rows) {
    const term = document.createElement("dt");
    term.textContent = name;
    const value = document.createElement("dd");
    values.forEach((one, at) => {
      if (at > 0) value.append(name === "tags" ? " " : ", ");
      write(value, one, name === "tags");
    });
    list.append(term, value);
  }
  return list;
}

function table(drawn: Extract<Drawn, { kind: "table" }>): HTMLElement {
  const made = document.createElement("table");
  const row = (texts: string[], kind: "th" | "td", at: number) => {
    const line = document.createElement("tr");
    line.dataset.row = String(at);
    drawn.head.forEach((_, column) => {
      const cell = document.createElement(kind);
      cell.style.textAlign = drawn.align[column] ?? "left";
      write(cell, texts[column] ?? "");
      line.append(cell);
    });
    return line;
  };
  const head = document.createElement("thead");
  head.append(row(drawn.head, "th", 0));
  const body = document.createElement("tbody");
  body.append(...drawn.rows.map((texts, at) => row(texts, "td", at + 2)));
  made.append(head, body);
  return made;
}

function read_table(text: string): Drawn | null {
  const lines = text.split("\n");
  if (lines.length < 2 || lines.some((line) => /^\s*>/.test(line))) return null;
  const align = cells(lines[1]!).map((cell) => (/^:-+:$/.test(cell) ? "center" : cell.endsWith(":") ? "right" : "left"));
  return { kind: "table", head: cells(lines[0]!), rows: lines.slice(2).map(cells), align };
}

function draw(state: EditorState, focused: boolean): DecorationSet {
  if (state.doc.length > MOST) return Decoration.none;
  const found: Range<Decoration>[] = [];
  syntaxTree(state).iterate({
    enter(node) {
      if (node.name === "Document") return true;
      if (node.name !== "Frontmatter" && node.name !== "Table") return false;
      if (focused && state.selection.ranges.some((range) => range.from <= node.to && range.to >= node.from)) return false;
      const from = state.doc.lineAt(node.from).from;
      const to = state.doc.lineAt(node.to).to;
      const source = state.sliceDoc(from, to);
      const rows = node.name === "Frontmatter" ? read_properties(source) : null;
      const drawn: Drawn | null = rows ? { kind: "properties", rows } : node.name === "Table" ? read_table(source) : null;
      if (drawn) found.push(Decoration.replace({ widget: new Block(drawn, source), block: true }).range(from, to));
      return false;
    },
  });
  return Decoration.set(found, true);
}

const focus_moved = StateEffect.define<boolean>();

interface Blocks {
  focused: boolean;
  /** The person has moved or written since the note was opened. */
  awake: boolean;
  drawn: DecorationSet;
}

const blocks = StateField.define<Blocks>({
  create: (state) => ({ focused: false, awake: false, drawn: draw(state, false) }),
  update(now, tr) {
    let { focused } = now;
    for (const effect of tr.effects) if (effect.is(focus_moved)) focused = effect.value;
    const parsed = syntaxTree(tr.startState) !== syntaxTree(tr.state);
    if (!tr.docChanged && !tr.selection && !parsed && focused === now.focused) return now;
    const awake = now.awake || tr.docChanged || tr.selection !== undefined;
    return { focused, awake, drawn: draw(tr.state, focused && awake) };
  },
  provide: (field) => EditorView.decorations.from(field, (value) => value.drawn),
});

/** A view that is being updated cannot be told at once; a moment later it can. */
const follow_focus = ViewPlugin.define((view) => {
  const tell = () => queueMicrotask(() => view.dom.isConnected && view.dispatch({ effects: focus_moved.of(view.hasFocus) }));
  view.contentDOM.addEventListener("focus", tell);
  view.contentDOM.addEventListener("blur", tell);
  return {
    destroy() {
      view.contentDOM.removeEventListener("focus", tell);
      view.contentDOM.removeEventListener("blur", tell);
    },
  };
});

export const drawn_blocks = [blocks, follow_focus];
