// What can be done to the text: one list, read by the editor's keys and by the palette.

import { moveLineDown, moveLineUp } from "@codemirror/commands";
import { syntaxTree } from "@codemirror/language";
import { EditorSelection, type StateCommand } from "@codemirror/state";
import { open_replace } from "./find";
import { fold_all, fold_here, unfold_all, unfold_here } from "./folding";
import { insert_block, insert_footnote, toggle_list, toggle_quote, with_caret_behind } from "./insert";
import { dedent_item, indent_item, move_item_down, move_item_up } from "./lists";
import { add_property } from "./properties/block";
import { toggle_source } from "./source_mode";
import { add_column, add_row, delete_column, delete_row, insert_table } from "./table_edit";

export interface EditorCommand {
  id: string;
  title: string;
  key?: string;
  /** Where the key works, if not only in the text. */
  scope?: string;
  run: StateCommand;
}

/** Wraps the selection in a sign, or takes the sign away; without a selection the word at the caret. */
function wrap(sign: string): StateCommand {
  return ({ state, dispatch }) => {
    if (state.readOnly) return false;
    const n = sign.length;
    const changes = state.changeByRange((range) => {
      const word = range.empty ? state.wordAt(range.head) : null;
      const { from, to } = word ?? range;
      const outside = state.sliceDoc(from - n, from) === sign && state.sliceDoc(to, to + n) === sign;
      const more = sign === "*" && (state.sliceDoc(from - 2, from) === "**" || state.sliceDoc(to, to + 2) === "**") && state.sliceDoc(from - 3, from) !== "***";
      if (outside && !more)
        return {
          changes: [
            { from: from - n, to: from },
            { from: to, to: to + n },
          ],
          range: EditorSelection.range(range.anchor - n, range.head - n),
        };
      return {
        changes: [
          { from, insert: sign },
          { from: to, insert: sign },
        ],
        range: EditorSelection.range(range.anchor + n, range.head + n),
      };
    });
    dispatch(state.update(changes, { userEvent: "input.format" }));
    return true;
  };
}

/** Makes the lines tasks, ticks them, or takes the tick back. */
export const toggle_task: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false;
  const seen = new Set<number>();
  const changes: { from: number; to?: number; insert: string }[] = [];
  for (const range of state.selection.ranges)
    for (let at = range.from; ; ) {
      const line = state.doc.lineAt(at);
      if (!seen.has(line.number)) {
        seen.add(line.number);
        const task = /^((?:\s|>)*(?:[-*+]|\d+[.)])\s+\[)(.)\]/u.exec(line.text);
        const item = /^(?:\s|>)*(?:[-*+]|\d+[.)])\s+/.exec(line.text);
        if (task) {
          const box = line.from + task[1]!.length;
          changes.push({ from: box, to: box + task[2]!.length, insert: task[2] === " " ? "x" : " " });
        } else if (item) changes.push({ from: line.from + item[0].length, insert: "[ ] " });
        else changes.push({ from: line.from + /^(?:\s|>)*/.exec(line.text)![0].length, insert: "- [ ] " });
      }
      if (line.to >= range.to) break;
      at = line.to + 1;
    }
  dispatch(state.update({ ...with_caret_behind(state, changes), userEvent: "input.task" }));
  return true;
};

/** Makes a link of the selection, with the caret where its target belongs. */
const insert_link: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false;
  const { from, to } = state.selection.main;
  const text = state.sliceDoc(from, to);
  const insert = text ? `[[|${text}]]` : "[[]]";
  dispatch(state.update({ changes: { from, to, insert }, selection: { anchor: from + 2 }, userEvent: "input.format" }));
  return true;
};

function set_heading(level: number): StateCommand {
  return ({ state, dispatch }) => {
    if (state.readOnly) return false;
    const line = state.doc.lineAt(state.selection.main.head);
    const now = /^(#{1,6})\s+/.exec(line.text);
    const insert = now?.[1]!.length === level || level === 0 ? "" : `${"#".repeat(level)} `;
    dispatch(state.update(with_caret_behind(state, { from: line.from, to: line.from + (now?.[0].length ?? 0), insert })));
    return true;
  };
}

/** An item of a list moves with all that is in it; any other line by itself. */
function moved(item: StateCommand, line: StateCommand): StateCommand {
  return (target) => item(target) || line(target);
}

/** Copies the code block that the caret is in. */
const copy_code: StateCommand = ({ state }) => {
  for (let node = syntaxTree(state).resolveInner(state.selection.main.head, -1); node.parent; node = node.parent)
    if (node.name === "FencedCode" || node.name === "CodeBlock") {
      const code = node.getChildren("CodeText");
      if (code.length > 0) void navigator.clipboard.writeText(state.sliceDoc(code[0]!.from, code.at(-1)!.to));
      return code.length > 0;
    }
  return false;
};

/** On a Mac Cmd+H hides the program. */
const REPLACE = typeof navigator !== "undefined" && /Mac/.test(navigator.platform ?? "") ? "Mod-Alt-f" : "Mod-h";

export const EDITOR_COMMANDS: EditorCommand[] = [
  { id: "bold", title: "Bold", key: "Mod-b", run: wrap("**") },
  { id: "italic", title: "Italic", key: "Mod-i", run: wrap("*") },
  { id: "strike", title: "Strike through", run: wrap("~~") },
  { id: "highlight", title: "Highlight", run: wrap("==") },
  { id: "code", title: "Code", run: wrap("`") },
  { id: "link", title: "Insert a link", key: "Mod-k", run: insert_link },
  { id: "task", title: "Make or tick a task", key: "Mod-Enter", run: toggle_task },
  ...[1, 2, 3, 4, 5, 6].map((level) => ({ id: `heading_${level}`, title: `Heading ${level}`, run: set_heading(level) })),
  { id: "property", title: "Add a property", key: "Mod-;", run: add_property },
  { id: "comment", title: "Comment", key: "Mod-/", run: wrap("%%") },
  { id: "bullets", title: "Bullet list", run: toggle_list(false) },
  { id: "numbers", title: "Numbered list", run: toggle_list(true) },
  { id: "quote", title: "Quote", run: toggle_quote },
  { id: "callout", title: "Insert a callout", run: insert_block("> [!note] \u0000\n", "> ", "") },
  { id: "code_block", title: "Insert a code block", run: insert_block("```\u0000\n", "", "\n```") },
  { id: "formula", title: "Insert a formula", run: insert_block("$$\n", "", "\n$$") },
  { id: "footnote", title: "Insert a footnote", run: insert_footnote },
  { id: "table", title: "Insert a table", run: insert_table },
  { id: "table_row", title: "Table: add a row below", run: add_row },
  { id: "table_column", title: "Table: add a column", run: add_column },
  { id: "table_less_row", title: "Table: delete the row", run: delete_row },
  { id: "table_less_column", title: "Table: delete the column", run: delete_column },
  { id: "indent", title: "Indent the list item", run: indent_item },
  { id: "dedent", title: "Outdent the list item", run: dedent_item },
  { id: "move_up", title: "Move this up", key: "Alt-ArrowUp", run: moved(move_item_up, moveLineUp) },
  { id: "move_down", title: "Move this down", key: "Alt-ArrowDown", run: moved(move_item_down, moveLineDown) },
  { id: "copy_code", title: "Copy the code block", run: copy_code },
  { id: "replace", title: "Replace in this note", key: REPLACE, scope: "editor search-panel", run: open_replace },
  { id: "source", title: "Show the text as it is written, or drawn", run: toggle_source },
  { id: "fold", title: "Fold what is here", key: "Mod-Shift-[", run: fold_here },
  { id: "unfold", title: "Unfold what is here", key: "Mod-Shift-]", run: unfold_here },
  { id: "fold_all", title: "Fold everything", run: fold_all },
  { id: "unfold_all", title: "Unfold everything", run: unfold_all },
];
