// What Obsidian adds inside of lines: links, tags, highlights, comments, math, footnotes, block ids.

import { tags } from "@lezer/highlight";
import type { InlineContext, MarkdownConfig } from "@lezer/markdown";
import { obsidian_tags } from "./syntax_tags";

const BRACKET = 91;
const EXCLAMATION = 33;
const HASH = 35;
const EQUALS = 61;
const PERCENT = 37;
const DOLLAR = 36;
const CARET = 94;

/** A single bracket does not end a target; in a table the bar before the shown text is escaped. */
const WIKILINK = /^\[\[((?:(?!\[\[|\]\]|\\\|)[^\n|])+)(?:(\\?\|)((?:(?!\]\])[^\n])*))?\]\]/;

export const wikilink: MarkdownConfig = {
  defineNodes: [
    { name: "Wikilink", style: { "Wikilink/...": obsidian_tags.wikilink } },
    { name: "WikilinkMark", style: tags.processingInstruction },
    { name: "WikilinkTarget", style: obsidian_tags.wikilink },
    { name: "WikilinkAlias", style: obsidian_tags.wikilink },
  ],
  parseInline: [
    {
      name: "Wikilink",
      before: "Link",
      parse(cx: InlineContext, next: number, pos: number) {
        const embed = next === EXCLAMATION && cx.char(pos + 1) === BRACKET && cx.char(pos + 2) === BRACKET;
        const start = embed ? pos + 1 : pos;
        if (!embed && !(next === BRACKET && cx.char(pos + 1) === BRACKET)) return -1;
        const match = WIKILINK.exec(cx.slice(start, Math.min(cx.end, start + 600)));
        if (!match) return -1;
        const end = start + match[0].length;
        const target_end = start + 2 + match[1]!.length;
        const parts = [cx.elt("WikilinkMark", pos, start + 2), cx.elt("WikilinkTarget", start + 2, target_end)];
        if (match[2]) {
          const bar_end = target_end + match[2].length;
          parts.push(cx.elt("WikilinkMark", target_end, bar_end), cx.elt("WikilinkAlias", bar_end, end - 2));
        }
        parts.push(cx.elt("WikilinkMark", end - 2, end));
        return cx.addElement(cx.elt("Wikilink", pos, end, parts));
      },
    },
  ],
};

/** The letters of a tag, as the engine reads them. */
const TAG = /^#((?:[A-Za-z0-9_/-]|(?![\u2000-\u206f\u2e00-\u2e7f\p{White_Space}\p{Cc}])[^\x00-\x7f])+)/u;

/** Returns how long the tag is that a text starts with; 0 if it starts with none. */
export function tag_length(text: string): number {
  const name = TAG.exec(text)?.[1]?.replace(/\/+$/, "") ?? "";
  return /[^0-9/]/.test(name) ? name.length + 1 : 0;
}

export const hashtag: MarkdownConfig = {
  defineNodes: [{ name: "Hashtag", style: obsidian_tags.tag }],
  parseInline: [
    {
      name: "Hashtag",
      parse(cx: InlineContext, next: number, pos: number) {
        if (next !== HASH) return -1;
        // One tag may follow another; nothing else may stand before it.
        let before = pos;
        while (before > cx.offset && !/\s/.test(String.fromCharCode(cx.char(before - 1)))) before--;
        let at = before;
        for (let n = 1; at < pos && n > 0; at += n) n = tag_length(cx.slice(at, pos));
        if (at !== pos) return -1;
        const length = tag_length(cx.slice(pos, Math.min(cx.end, pos + 400)));
        return length === 0 ? -1 : cx.addElement(cx.elt("Hashtag", pos, pos + length));
      },
    },
  ],
};

const HighlightDelimiter = { resolve: "Highlight", mark: "HighlightMark" };
export const highlight: MarkdownConfig = {
  defineNodes: [
    { name: "Highlight", style: { "Highlight/...": obsidian_tags.highlight } },
    { name: "HighlightMark", style: tags.processingInstruction },
  ],
  parseInline: [
    {
      name: "Highlight",
      after: "Emphasis",
      parse(cx: InlineContext, next: number, pos: number) {
        if (next !== EQUALS || cx.char(pos + 1) !== EQUALS || cx.char(pos + 2) === EQUALS) return -1;
        const before = cx.slice(pos - 1, pos);
        const after = cx.slice(pos + 2, pos + 3);
        return cx.addDelimiter(HighlightDelimiter, pos, pos + 2, !/^\s|^$/.test(after), !/\s$|^$/.test(before));
      },
    },
  ],
};

export const comment: MarkdownConfig = {
  defineNodes: [{ name: "HiddenComment", style: tags.comment }],
  parseInline: [
    {
      name: "HiddenComment",
      before: "Emphasis",
      parse(cx: InlineContext, next: number, pos: number) {
        if (next !== PERCENT || cx.char(pos + 1) !== PERCENT) return -1;
        const close = cx.slice(pos + 2, cx.end).indexOf("%%");
        return close <= 0 ? -1 : cx.addElement(cx.elt("HiddenComment", pos, pos + 4 + close));
      },
    },
  ],
};

/** `$` has no blank inside of it, and a price is no formula; `$$` may stand in a line too. */
const INLINE_MATH = /^\$(?![\s$])((?:\\[^\n]|[^$\\\n])*?(?:\\[^\n]|[^$\\\s]))\$(?!\d)/;
const DISPLAY_MATH = /^\$\$((?:\\[\s\S]|[^$\\])+?)\$\$/;

/** The engine takes nothing for a formula whose braces do not match. */
function has_even_braces(tex: string): boolean {
  let open = 0;
  for (const [sign] of tex.matchAll(/\\[\s\S]|[{}]/g)) {
    if (sign === "{") open++;
    else if (sign === "}" && --open < 0) return false;
  }
  return open === 0;
}

export const math: MarkdownConfig = {
  defineNodes: [
    { name: "InlineMath", style: { "InlineMath/...": obsidian_tags.math } },
    { name: "MathMark", style: tags.processingInstruction },
  ],
  parseInline: [
    {
      name: "InlineMath",
      before: "Escape",
      parse(cx: InlineContext, next: number, pos: number) {
        if (next !== DOLLAR) return -1;
        const text = cx.slice(pos, Math.min(cx.end, pos + 4000));
        const match = DISPLAY_MATH.exec(text) ?? INLINE_MATH.exec(text);
        if (!match || !has_even_braces(match[1]!)) return -1;
        const n = match[0].startsWith("$$") ? 2 : 1;
        const end = pos + match[0].length;
        return cx.addElement(cx.elt("InlineMath", pos, end, [cx.elt("MathMark", pos, pos + n), cx.elt("MathMark", end - n, end)]));
      },
    },
  ],
};

export const footnote: MarkdownConfig = {
  defineNodes: [
    { name: "FootnoteRef", style: { "FootnoteRef/...": obsidian_tags.footnote } },
    { name: "InlineFootnote" },
    { name: "FootnoteMark", style: tags.processingInstruction },
  ],
  parseInline: [
    {
      name: "FootnoteRef",
      before: "Link",
      parse(cx: InlineContext, next: number, pos: number) {
        if (next === CARET && cx.char(pos + 1) === BRACKET) {
          const inner = /^\^\[((?:[^[\]\n]|\[\[[^\]\n]*\]\]|\[[^[\]\n]*\])+)\]/.exec(cx.slice(pos, Math.min(cx.end, pos + 2000)));
          if (!inner) return -1;
          const end = pos + inner[0].length;
          const parts = cx.parser.parseInline(inner[1]!, pos + 2);
          return cx.addElement(cx.elt("InlineFootnote", pos, end, [cx.elt("FootnoteMark", pos, pos + 2), ...parts, cx.elt("FootnoteMark", end - 1, end)]));
        }
        if (next !== BRACKET || cx.char(pos + 1) !== CARET) return -1;
        const match = /^\[\^[^\s[\]^]+\]/.exec(cx.slice(pos, Math.min(cx.end, pos + 200)));
        if (!match) return -1;
        const end = pos + match[0].length;
        return cx.addElement(cx.elt("FootnoteRef", pos, end, [cx.elt("FootnoteMark", pos, pos + 2), cx.elt("FootnoteMark", end - 1, end)]));
      },
    },
  ],
};

/** The name of a block stands at its end. */
export const block_id: MarkdownConfig = {
  defineNodes: [{ name: "BlockId", style: obsidian_tags.block_id }],
  parseInline: [
    {
      name: "BlockId",
      parse(cx: InlineContext, next: number, pos: number) {
        if (next !== CARET || (pos > cx.offset && !/\s/.test(String.fromCharCode(cx.char(pos - 1))))) return -1;
        const match = /^\^[A-Za-z0-9-]+(?=\s*$)/.exec(cx.slice(pos, cx.end));
        return match ? cx.addElement(cx.elt("BlockId", pos, pos + match[0].length)) : -1;
      },
    },
  ],
};
