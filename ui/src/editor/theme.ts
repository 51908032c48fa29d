// The editor in the app's look. Colours come from the tokens, so light and dark are one theme.

import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { obsidian_tags } from "./syntax_tags";

const look = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "transparent", fontSize: "var(--prose-size)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--prose-font)", lineHeight: "var(--prose-leading)", overflow: "auto", padding: "28px 0 40vh" },
  ".cm-content": {
    width: "100%",
    maxWidth: "calc(var(--measure) + 64px)",
    margin: "0 auto",
    padding: "0 32px",
    caretColor: "var(--text)",
    flexShrink: "1",
  },
  ".cm-line": { padding: "0" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--text)", borderLeftWidth: "1.5px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "var(--selection)" },
  ".cm-gutters": { background: "transparent", border: "0", color: "var(--muted)", fontFamily: "var(--mono)", fontSize: "11px", paddingLeft: "8px" },
  ".cm-selectionMatch": { backgroundColor: "color-mix(in srgb, var(--match-bg) 60%, transparent)" },
  ".cm-searchMatch": { backgroundColor: "var(--match-bg)", borderRadius: "2px" },
  ".cm-searchMatch-selected": { outline: "2px solid var(--warn)" },
  ".cm-specialChar": { color: "var(--rem)" },
});

const colours = HighlightStyle.define([
  { tag: tags.strong, fontWeight: "650" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through", color: "var(--muted)" },
  { tag: [tags.link, tags.url], color: "var(--link)" },
  { tag: tags.monospace, fontFamily: "var(--mono)", fontSize: "0.875em" },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.labelName], color: "var(--muted)" },
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
  { tag: tags.list, color: "inherit" },
  { tag: obsidian_tags.wikilink, color: "var(--link)" },
  { tag: obsidian_tags.tag, class: "cm-tag" },
  { tag: obsidian_tags.highlight, backgroundColor: "var(--match-bg)", borderRadius: "2px" },
  { tag: obsidian_tags.frontmatter, fontFamily: "var(--mono)", fontSize: "0.8125em", color: "var(--muted)" },
  { tag: [obsidian_tags.math, obsidian_tags.html], fontFamily: "var(--mono)", fontSize: "0.875em", color: "var(--muted)" },
  { tag: obsidian_tags.block_id, color: "var(--muted)", fontSize: "0.8125em" },
  { tag: obsidian_tags.footnote, color: "var(--link)" },
]);

/** Code in its language. The same names are used for code on the reading page. */
const code = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.self, tags.definitionKeyword], color: "var(--code-word)" },
  { tag: [tags.string, tags.regexp, tags.attributeValue, tags.inserted], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.unit, tags.color], color: "var(--code-number)" },
  { tag: [tags.typeName, tags.className, tags.namespace, tags.tagName, tags.propertyName, tags.attributeName], color: "var(--code-name)" },
  { tag: [tags.definition(tags.variableName), tags.function(tags.variableName), tags.macroName], color: "var(--code-name)" },
  { tag: [tags.meta, tags.documentMeta, tags.deleted], color: "var(--muted)" },
]);

export const note_theme = [look, syntaxHighlighting(colours), syntaxHighlighting(code)];
