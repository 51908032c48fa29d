// Markdown as Obsidian writes it, for colours only: what a link or a heading means is the engine's to say.

import { markdown, markdownLanguage } from "@codemirror/lang-markdown";
import type { Extension } from "@codemirror/state";
import { tags } from "@lezer/highlight";
import type { BlockContext, InlineContext, Line, MarkdownConfig } from "@lezer/markdown";
import { obsidian_tags } from "./syntax_tags";

const BRACKET = 91;
const EXCLAMATION = 33;
const HASH = 35;
const EQUALS = 61;
const PERCENT = 37;

const wikilink: MarkdownConfig = {
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
        const match = /^\[\[([^\]\n|]+)(?:(\|)([^\]\n]*))?\]\]/.exec(cx.slice(start, Math.min(cx.end, start + 600)));
        if (!match) return -1;
        const end = start + match[0].length;
        const target_end = start + 2 + match[1]!.length;
        const parts = [cx.elt("WikilinkMark", pos, start + 2), cx.elt("WikilinkTarget", start + 2, target_end)];
        if (match[2]) parts.push(cx.elt("WikilinkMark", target_end, target_end + 1), cx.elt("WikilinkAlias", target_end + 1, end - 2));
        parts.push(cx.elt("WikilinkMark", end - 2, end));
        return cx.addElement(cx.elt("Wikilink", pos, end, parts));
      },
    },
  ],
};

const hashtag: MarkdownConfig = {
  defineNodes: [{ name: "Hashtag", style: obsidian_tags.tag }],
  parseInline: [
    {
      name: "Hashtag",
      parse(cx: InlineContext, next: number, pos: number) {
        if (next !== HASH) return -1;
        if (pos > cx.offset && !/\s/.test(String.fromCharCode(cx.char(pos - 1)))) return -1;
        const match = /^#[\p{L}\p{N}\p{Emoji_Presentation}_/-]+/u.exec(cx.slice(pos, Math.min(cx.end, pos + 200)));
        // A number alone is not a tag.
        if (!match || /^#[\p{N}]+$/u.test(match[0])) return -1;
        return cx.addElement(cx.elt("Hashtag", pos, pos + match[0].length));
      },
    },
  ],
};

const HighlightDelimiter = { resolve: "Highlight", mark: "HighlightMark" };
const highlight: MarkdownConfig = {
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

const comment: MarkdownConfig = {
  defineNodes: [{ name: "HiddenComment", style: tags.comment }],
  parseInline: [
    {
      name: "HiddenComment",
      parse(cx: InlineContext, next: number, pos: number) {
        if (next !== PERCENT || cx.char(pos + 1) !== PERCENT) return -1;
        const close = cx.slice(pos + 2, cx.end).indexOf("%%");
        return close <= 0 ? -1 : cx.addElement(cx.elt("HiddenComment", pos, pos + 4 + close));
      },
    },
  ],
};

const frontmatter: MarkdownConfig = {
  defineNodes: [{ name: "Frontmatter", block: true, style: obsidian_tags.frontmatter }],
  parseBlock: [
    {
      name: "Frontmatter",
      before: "HorizontalRule",
      parse(cx: BlockContext, line: Line) {
        if (cx.lineStart !== 0 || !/^---\s*$/.test(line.text)) return false;
        let end = line.text.length;
        while (cx.nextLine()) {
          end = cx.lineStart + line.text.length;
          if (/^(---|\.\.\.)\s*$/.test(line.text)) {
            cx.nextLine();
            cx.addElement(cx.elt("Frontmatter", 0, end));
            return true;
          }
        }
        cx.addElement(cx.elt("Frontmatter", 0, end));
        return true;
      },
    },
  ],
};

export function markdown_support(): Extension {
  return markdown({ base: markdownLanguage, extensions: [wikilink, hashtag, highlight, comment, frontmatter], completeHTMLTags: false });
}
