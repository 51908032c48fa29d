// What typing and pasting do to words that are selected: a sign goes around them, an address makes a link of them.

import { syntaxTree } from "@codemirror/language";
import { EditorSelection, type EditorState, type Extension, Prec, type TransactionSpec } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { markdown_of } from "./paste_html";

/** Signs that go around what is selected; brackets and quotes are the business of `closeBrackets`. */
const AROUND = new Set(["*", "_", "`", "=", "~", "$", "%"]);

/** Returns what typing a sign over a selection does; null if it is typed like any other. */
export function wrap_selection(state: EditorState, typed: string): TransactionSpec | null {
  if (!AROUND.has(typed) || state.readOnly || state.selection.ranges.some((range) => range.empty)) return null;
  return {
    ...state.changeByRange((range) => ({
      changes: [
        { from: range.from, insert: typed },
        { from: range.to, insert: typed },
      ],
      range: EditorSelection.range(range.anchor + typed.length, range.head + typed.length),
    })),
    scrollIntoView: true,
    userEvent: "input.type",
  };
}

/** Returns what pasting an address over words does; null if it is pasted like any other text. */
export function paste_link(state: EditorState, pasted: string): TransactionSpec | null {
  const url = pasted.trim();
  const { main, ranges } = state.selection;
  if (state.readOnly || ranges.length > 1 || main.empty || !/^(?:https?:\/\/|mailto:)[^\s<>]+$/i.test(url)) return null;
  const text = state.sliceDoc(main.from, main.to);
  // An address over an address replaces it; inside of a link or of code it is only text.
  if (/\n/.test(text) || /^(?:https?:\/\/|mailto:)\S+$/i.test(text) || /[[\]]/.test(text)) return null;
  const around = state.sliceDoc(Math.max(0, main.from - 2), main.from);
  if (/\]\($/.test(around) || /[(<`]$/.test(around)) return null;
  const insert = `[${text}](${/[()]/.test(url) ? `<${url}>` : url})`;
  return { changes: { from: main.from, to: main.to, insert }, selection: { anchor: main.from + insert.length }, scrollIntoView: true, userEvent: "input.paste" };
}

/** Returns what pasting a piece of a page does; null where it is pasted as its plain text. */
export function paste_page(state: EditorState, html: string, plain: string): TransactionSpec | null {
  if (html === "" || state.readOnly || is_verbatim(state, state.selection.main.head)) return null;
  // What was Markdown when it was copied is Markdown still.
  if (/^(?:#{1,6} |> |```|- \[.\] |\|.*\|$)/m.test(plain)) return null;
  const text = markdown_of(html);
  return text === null ? null : { ...state.replaceSelection(text), scrollIntoView: true, userEvent: "input.paste" };
}

/** In code, formulas and properties everything is pasted as it is. */
function is_verbatim(state: EditorState, at: number): boolean {
  for (let node = syntaxTree(state).resolveInner(at, -1); node.parent; node = node.parent)
    if (/^(?:FencedCode|CodeBlock|InlineCode|Frontmatter|MathBlock|InlineMath|Table|HTMLBlock)$/.test(node.name)) return true;
  return false;
}

export const typing: Extension = [
  Prec.high(
    EditorView.inputHandler.of((view, _from, _to, text) => {
      const spec = view.composing ? null : wrap_selection(view.state, text);
      if (spec) view.dispatch(spec);
      return spec !== null;
    }),
  ),
  EditorView.domEventHandlers({
    paste(event, view) {
      const plain = event.clipboardData?.getData("text/plain") ?? "";
      const spec = paste_link(view.state, plain) ?? paste_page(view.state, event.clipboardData?.getData("text/html") ?? "", plain);
      if (!spec) return false;
      event.preventDefault();
      view.dispatch(spec);
      return true;
    },
  }),
];
