// Code in its language, on the reading page. The languages come with the program, each loaded when it is first needed.

import { LanguageDescription } from "@codemirror/language";
import { languages } from "@codemirror/language-data";
import { classHighlighter, highlightCode } from "@lezer/highlight";

/** More code than this stays plain. */
const MOST = 100_000;

/** Colours a `<code>` element whose class names its language; the text stays the same. */
export async function colour_code(code: HTMLElement): Promise<void> {
  const name = /(?:^|\s)language-([^\s]+)/.exec(code.className)?.[1];
  const text = code.textContent;
  const language = name && text.length <= MOST ? LanguageDescription.matchLanguageName(languages, name, true) : null;
  if (!language) return;
  try {
    const { parser } = (await language.load()).language;
    if (code.textContent !== text) return;
    const made = document.createDocumentFragment();
    highlightCode(
      text,
      parser.parse(text),
      classHighlighter,
      (part, classes) => {
        if (!classes) return made.append(part);
        const span = document.createElement("span");
        span.className = classes;
        span.textContent = part;
        made.append(span);
      },
      () => made.append("\n"),
    );
    code.replaceChildren(made);
  } catch {
    // Plain, then.
  }
}
