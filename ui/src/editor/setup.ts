// One editor state for one note: what it highlights, what its keys do, what its links lead to.

import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, historyKeymap, indentLess, insertTab } from "@codemirror/commands";
import { deleteMarkupBackward } from "@codemirror/lang-markdown";
import { indentUnit } from "@codemirror/language";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { drawSelection, dropCursor, EditorView, highlightSpecialChars, type KeyBinding, keymap, lineNumbers, rectangularSelection, tooltips, ViewPlugin } from "@codemirror/view";
import { engine } from "../ipc/engine";
import type { NoteDocument } from "./documents";
import { EDITOR_COMMANDS, toggle_task } from "./commands";
import { completion } from "./complete";
import { EDGE_KEYS, pressed_edges } from "./edges";
import { finding } from "./find";
import { folding, with_first_folds } from "./folding";
import { keep_folds, with_kept_folds } from "./kept_folds";
import { glances } from "./glance";
import { KnownLinks } from "./known_links";
import { follow_link, link_clicks } from "./links";
import { BLOCK_KEYS } from "./livepreview/block_keys";
import { drawn_blocks } from "./livepreview/blocks";
import { Embed } from "./livepreview/embeds";
import { live_preview, redraw } from "./livepreview/preview";
import { break_in_item, continue_list, dedent_item, indent_item } from "./lists";
import { one_undo } from "./one_undo";
import { markdown_support } from "./syntax";
import { as_chosen, drawn_or_source } from "./source_mode";
import { cell_below, next_cell, previous_cell, table_editing } from "./table_edit";
import { note_theme } from "./theme";
import { typing } from "./typing";
import { pending_headings } from "./pending";
import { property_rows } from "./properties/block";
import { putting_files } from "./put_files";
import { unsaved } from "./unsaved";
import { undo_history } from "./views";

export const line_numbers_setting = new Compartment();
export const spellcheck_setting = new Compartment();
export const writable_setting = new Compartment();

/** Keys that mean something to the window, so the editor leaves them alone. */
const THE_WINDOWS = new Set(["Alt-ArrowLeft", "Alt-ArrowRight", "Mod-Shift-l", "Shift-Mod-\\", "Mod-Alt-\\"]);

/** What the keys do in lists and tables; elsewhere they do what they always do. */
const MARKDOWN_KEYS: KeyBinding[] = [
  { key: "Enter", run: cell_below },
  { key: "Enter", run: continue_list, shift: break_in_item },
  { key: "Backspace", run: deleteMarkupBackward },
  // The key that Obsidian has for it.
  { key: "Mod-l", run: toggle_task, preventDefault: true },
  { key: "Tab", run: next_cell, shift: previous_cell },
  { key: "Tab", run: indent_item, shift: dedent_item },
];

/** Where the text begins: below the properties, where a person would write. */
export function text_start(text: string): number {
  const front = /^---[ \t]*\n(?:[\s\S]*?\n)??(?:---|\.\.\.)[ \t]*(?:\n|$)/.exec(text);
  return front ? front[0].length : 0;
}

export function writable_extension(writable: boolean): Extension {
  return writable ? [] : [EditorState.readOnly.of(true)];
}

export function spellcheck_extension(on: boolean): Extension {
  return EditorView.contentAttributes.of({ spellcheck: String(on), autocorrect: "off", autocapitalize: "off" });
}

async function picture_of(doc: NoteDocument, target: string): Promise<string | null> {
  const found = await engine.resolve_link(doc.path, target).catch(() => null);
  return found && engine.asset_url(found.path);
}

/** While a note is on screen its links are looked at again when notes come or go. */
function follow_notes(doc: NoteDocument, known: KnownLinks): Extension {
  return ViewPlugin.define(() => {
    const stop = engine.on("notes_changed", ({ changed }) => {
      if (changed.some(({ before, after }) => before === null || after === null)) known.ask_again();
    });
    return {
      destroy() {
        stop();
        if (doc.view === null) known.stop();
      },
    };
  });
}

/** What draws a note while it is written. */
function drawing(doc: NoteDocument): Extension {
  const locate = (target: string) => picture_of(doc, target);
  const known = new KnownLinks(doc, () => doc.tell_views(redraw.of(null)));
  return [
    live_preview({ locate, embed: (source) => new Embed(doc, source), is_missing: (target) => known.is_missing(target) }),
    follow_notes(doc, known),
    drawn_blocks({ locate, follow: (link) => follow_link(doc, link) }),
    property_rows({ text: doc, locate, follow: (link) => follow_link(doc, link), redraw: () => doc.tell_views(redraw.of(null)) }),
  ];
}

function for_markdown(doc: NoteDocument): Extension {
  return [
    markdown_support(),
    drawn_or_source(() => drawing(doc)),
    [folding, keep_folds(doc)],
    [table_editing, typing, pressed_edges],
    [link_clicks(doc), glances(doc), completion(doc)],
    closeBrackets(),
    highlightSelectionMatches({ minSelectionLength: 3 }),
  ];
}

export function editor_state(doc: NoteDocument, text: string): EditorState {
  const name = () => doc.path.slice(doc.path.lastIndexOf("/") + 1).replace(/\.md$/, "");
  const state = EditorState.create({
    doc: text,
    selection: { anchor: text_start(text) },
    extensions: [
      // A lone carriage return is a character like any other: only line feeds end lines, so no byte is lost.
      EditorState.lineSeparator.of("\n"),
      EditorView.clipboardInputFilter.of((pasted) => pasted.replace(/\r\n?/g, "\n")),
      unsaved,
      [undo_history, one_undo()],
      highlightSpecialChars(),
      drawSelection(),
      dropCursor(),
      EditorState.allowMultipleSelections.of(true),
      // Alt and a press add a caret, Alt Shift and dragging select a rectangle, as in Obsidian.
      EditorView.clickAddsSelectionRange.of((event) => event.altKey && !event.shiftKey),
      rectangularSelection({ eventFilter: (event) => event.altKey && event.shiftKey && event.button === 0 }),
      EditorView.lineWrapping,
      // Lists of completions stay on the page, and the caret keeps some text below it.
      tooltips({ tooltipSpace: (view) => view.scrollDOM.getBoundingClientRect() }),
      EditorView.scrollMargins.of(() => ({ top: 24, bottom: 72 })),
      indentUnit.of("\t"),
      EditorState.tabSize.of(4),
      finding,
      note_theme,
      pending_headings,
      putting_files(doc),
      line_numbers_setting.of([]),
      spellcheck_setting.of(spellcheck_extension(true)),
      writable_setting.of(writable_extension(doc.writable)),
      EditorView.contentAttributes.of(() => ({ "aria-label": `Text of ${name()}`, "aria-multiline": "true" })),
      doc.plain ? [] : for_markdown(doc),
      // Esc, then Tab, leaves the editor: the default keymap's Escape hands the next Tab to the page.
      keymap.of([
        ...(doc.plain ? [] : [...MARKDOWN_KEYS, ...EDGE_KEYS, ...BLOCK_KEYS]),
        ...EDITOR_COMMANDS.flatMap(({ key, run, scope }) => (key ? [{ key, run, scope, preventDefault: true }] : [])),
        ...closeBracketsKeymap,
        ...[...searchKeymap, ...historyKeymap, ...defaultKeymap].filter((binding) => !THE_WINDOWS.has(binding.key ?? "")),
        { key: "Tab", run: insertTab, shift: indentLess },
      ]),
    ],
  });
  return doc.plain ? state : with_kept_folds(doc.path, with_first_folds(state));
}

export { as_chosen, lineNumbers };
