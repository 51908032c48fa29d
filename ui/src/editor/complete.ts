// What may follow `[[`, `#`, `> [!` and a fence: notes by name and alias, their headings and blocks, tags, kinds of callouts,
// languages. The engine knows the vault and how it writes its links.

import { autocompletion, type Completion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import { languages } from "@codemirror/language-data";
import type { EditorState, Extension } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { engine } from "../ipc/engine";
import type { NoteDocument } from "./documents";
import { CALLOUT_NAMES } from "./livepreview/callouts";
import { tag_length } from "./syntax_inline";

const MOST = 30;

const name_of = (path: string) => path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/, "");
const folder_of = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** Puts a whole link in place of what was typed of it. */
function put_link(doc: NoteDocument, open: number, path: string, subpath: string | null, shown: string | null) {
  return (view: EditorView, _: Completion, _from: number, to: number) => {
    const typed = view.state.sliceDoc(open, to);
    const end = to + (view.state.sliceDoc(to, to + 2) === "]]" ? 2 : 0);
    const in_table = is_in(view.state, open, /^Table/);
    void engine
      .new_link(doc.path, path, subpath, shown)
      .catch(() => `[[${name_of(path)}${subpath ?? ""}${shown === null ? "" : `|${shown}`}]]`)
      .then((link) => {
        // While the engine was asked the person may have gone on.
        if (view.state.sliceDoc(open, to) !== typed) return;
        const insert = in_table ? link.replace(/(?<!\\)\|/, "\\|") : link;
        view.dispatch({ changes: { from: open, to: end, insert }, selection: { anchor: open + insert.length }, userEvent: "input.complete" });
      });
  };
}

/** Puts a word in place of what was typed of it. */
function put_word(word: string) {
  return (view: EditorView, _: Completion, from: number, to: number) =>
    view.dispatch({ changes: { from, to, insert: word }, selection: { anchor: from + word.length }, userEvent: "input.complete" });
}

async function notes_for(doc: NoteDocument, open: number, typed: string): Promise<Completion[]> {
  return (await engine.link_offers(typed, MOST)).map(({ path, title, alias }) => ({
    label: alias ?? title,
    detail: alias === null ? folder_of(path) : `${title}${folder_of(path) === "" ? "" : ` in ${folder_of(path)}`}`,
    apply: put_link(doc, open, path, null, alias),
  }));
}

/** The text of the note that a link names so far. */
async function linked(doc: NoteDocument, note: string): Promise<{ path: string; text: string } | null> {
  const target = note === "" ? { path: doc.path } : await engine.resolve_link(doc.path, note);
  if (!target) return null;
  return { path: target.path, text: target.path === doc.path ? doc.text() : (await engine.read_note(target.path)).text };
}

/** How a heading is written in a link: some signs would mean something else there. */
export function heading_in_link(text: string): string {
  return text.replace(/[#^|[\]\\:]|%%/g, " ").replace(/\s+/g, " ").trim();
}

async function headings_for(doc: NoteDocument, open: number, note: string, typed: string): Promise<Completion[]> {
  const target = await linked(doc, note);
  if (!target) return [];
  const wanted = typed.toLowerCase();
  return (await engine.outline(target.text))
    .filter((heading) => heading.text.toLowerCase().includes(wanted))
    .slice(0, MOST)
    .map((heading) => ({ label: heading.text, detail: "#".repeat(heading.level), apply: put_link(doc, open, target.path, `#${heading_in_link(heading.text)}`, null) }));
}

/** Finds the blocks of a text that have a name. */
export function named_blocks(text: string): { id: string; text: string }[] {
  const lines = text.split("\n");
  const found: { id: string; text: string }[] = [];
  let fence: string | null = null;
  lines.forEach((line, at) => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark) fence = fence === null ? mark[0]! : mark[0] === fence ? null : fence;
    const id = fence === null ? /(?:^|\s)\^([A-Za-z0-9-]+)\s*$/.exec(line) : null;
    if (!id) return;
    const own = line.slice(0, id.index).trim();
    found.push({ id: id[1]!, text: own || (lines.slice(0, at).findLast((one) => one.trim() !== "") ?? "").trim() });
  });
  return found;
}

async function blocks_for(doc: NoteDocument, open: number, note: string, typed: string): Promise<Completion[]> {
  const target = await linked(doc, note);
  if (!target) return [];
  const wanted = typed.toLowerCase();
  return named_blocks(target.text)
    .filter(({ id, text }) => id.toLowerCase().includes(wanted) || text.toLowerCase().includes(wanted))
    .slice(0, MOST)
    .map(({ id, text }) => ({ label: text.slice(0, 80), detail: `^${id}`, apply: put_link(doc, open, target.path, `#^${id}`, null) }));
}

/** Offers what fits the link that is being typed. */
export async function complete_link(doc: NoteDocument, context: CompletionContext): Promise<CompletionResult | null> {
  const match = context.matchBefore(/\[\[(?:(?!\[\[|\]\])[^\n|])*/);
  if (!match || is_in(context.state, context.pos, CODE)) return null;
  const open = match.from;
  const typed = match.text.slice(2);
  const sub = /^([^#^]*)(#\^|\^|#)(?:.*#)?([^#]*)$/.exec(typed);
  try {
    // The engine chose and ordered them; they are asked for again with every letter.
    if (!sub) return { from: open + 2, options: await notes_for(doc, open, typed), filter: false };
    const find = sub[2] === "#" ? headings_for : blocks_for;
    return { from: context.pos - sub[3]!.length, options: await find(doc, open, sub[1]!, sub[3]!), filter: false };
  } catch {
    return null;
  }
}

const CODE = /^(?:FencedCode|CodeBlock|InlineCode|CodeText|MathBlock|InlineMath|HTMLBlock)$/;

function is_in(state: EditorState, at: number, names: RegExp): boolean {
  for (let node = syntaxTree(state).resolveInner(at, -1); ; node = node.parent!) {
    if (names.test(node.name)) return true;
    if (!node.parent) return false;
  }
}

/** Where a tag is being typed: behind its sign in the text, or as one of the tags in the properties. */
function tag_before(context: CompletionContext): { from: number; typed: string } | null {
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  if (is_in(context.state, context.pos, /^Frontmatter$/)) {
    const item = /^\s*-\s+(["']?)([^\s"']*)$/.exec(before);
    if (!item) return null;
    let number = line.number - 1;
    while (number > 1 && /^\s*-\s/.test(context.state.doc.line(number).text)) number--;
    return /^tags:\s*$/.test(context.state.doc.line(number).text) ? { from: context.pos - item[2]!.length, typed: item[2]! } : null;
  }
  const sign = /(?:^|\s)#([^\s#]*)$/.exec(before);
  if (!sign || is_in(context.state, context.pos, CODE)) return null;
  const typed = sign[1]!;
  // At the start of a line a sign alone is more likely a heading.
  if (typed === "" && before.trim() === "#" && !context.explicit) return null;
  return typed === "" || /^[\d/]+$/.test(typed) || tag_length(`#${typed}`) === typed.length + 1 || typed.endsWith("/") ? { from: context.pos - typed.length, typed } : null;
}

export async function complete_tag(context: CompletionContext): Promise<CompletionResult | null> {
  const place = tag_before(context);
  if (!place) return null;
  try {
    const wanted = place.typed.toLowerCase();
    const rank = (tag: string) => (tag.toLowerCase().startsWith(wanted) ? 0 : 1);
    const options = (await engine.tags())
      .filter(({ tag }) => tag.toLowerCase().includes(wanted) && tag !== place.typed)
      .sort((a, b) => rank(a.tag) - rank(b.tag) || b.n_notes - a.n_notes)
      .slice(0, MOST)
      .map(({ tag, n_notes }) => ({ label: tag, detail: String(n_notes), apply: put_word(tag) }));
    return options.length > 0 ? { from: place.from, options, filter: false } : null;
  } catch {
    return null;
  }
}

/** Kinds of callouts behind `> [!`, and languages behind a fence. */
export function complete_kind(context: CompletionContext): CompletionResult | null {
  const callout = context.matchBefore(/^(?:[ \t]*>[ \t]?)+\[![\w-]*/);
  if (callout) {
    const from = callout.from + callout.text.lastIndexOf("!") + 1;
    const apply = (name: string) => (view: EditorView, _: Completion, start: number, to: number) => {
      const closed = view.state.sliceDoc(to, to + 1) === "]";
      view.dispatch({ changes: { from: start, to: closed ? to + 1 : to, insert: `${name}] ` }, selection: { anchor: start + name.length + 2 }, userEvent: "input.complete" });
    };
    return { from, options: CALLOUT_NAMES.map((label) => ({ label, apply: apply(label) })), validFor: /^[\w-]*$/ };
  }
  const fence = context.matchBefore(/^[ \t>]*(?:`{3,}|~{3,})[\w+#-]+/);
  if (!fence) return null;
  const from = fence.from + /^[ \t>]*(?:`+|~+)/.exec(fence.text)![0].length;
  // Behind the fence that closes a block nothing is named.
  for (let node = syntaxTree(context.state).resolveInner(context.pos, -1); node.parent; node = node.parent)
    if (node.name === "FencedCode" && context.state.doc.lineAt(node.from).from !== context.state.doc.lineAt(context.pos).from) return null;
  const names = [...new Set(languages.flatMap((language) => [language.name.toLowerCase(), ...language.alias]))].filter((name) => /^[\w+#-]+$/.test(name));
  return { from, options: [...names, "mermaid"].sort().map((label) => ({ label })), validFor: /^[\w+#-]*$/ };
}

export function completion(doc: NoteDocument): Extension {
  return autocompletion({
    override: [(context) => complete_link(doc, context), complete_tag, complete_kind],
    icons: false,
    closeOnBlur: true,
    maxRenderedOptions: MOST,
  });
}
