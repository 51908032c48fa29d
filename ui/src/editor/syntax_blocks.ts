// What Obsidian adds between lines: properties, comments, formulas and footnotes that are blocks.

import type { Input } from "@lezer/common";
import { tags } from "@lezer/highlight";
import type { BlockContext, LeafBlock, LeafBlockParser, Line, MarkdownConfig } from "@lezer/markdown";
import { obsidian_tags } from "./syntax_tags";

/** Properties longer than this are not looked through for their end. */
const MOST_FRONTMATTER = 200_000;

export const frontmatter: MarkdownConfig = {
  defineNodes: [{ name: "Frontmatter", block: true, style: obsidian_tags.frontmatter }],
  parseBlock: [
    {
      name: "Frontmatter",
      before: "HorizontalRule",
      parse(cx: BlockContext, line: Line) {
        if (cx.lineStart !== 0 || !/^---[ \t]*$/.test(line.text)) return false;
        // A line of dashes that nothing closes is a line of dashes: the note below must not change its looks while it is typed.
        const { input } = cx as unknown as { input: Input };
        if (!/\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.test(input.read(0, Math.min(input.length, MOST_FRONTMATTER)))) return false;
        let end = line.text.length;
        while (cx.nextLine()) {
          end = cx.lineStart + line.text.length;
          if (/^(---|\.\.\.)[ \t]*$/.test(line.text)) {
            cx.nextLine();
            break;
          }
        }
        cx.addElement(cx.elt("Frontmatter", 0, end));
        return true;
      },
    },
  ],
};

/** Reads lines until one holds the sign, or their quote or list ends; returns where that is and whether it was found. */
function until(cx: BlockContext, line: Line, sign: string): { end: number; closed: boolean } {
  const depth = cx.depth;
  const own = line as Line & { depth?: number };
  let end = cx.lineStart + line.text.length;
  while (cx.nextLine() && (own.depth ?? depth) >= depth) {
    end = cx.lineStart + line.text.length;
    const at = line.text.indexOf(sign, line.basePos);
    if (at < 0) continue;
    cx.nextLine();
    return { end, closed: true };
  }
  return { end, closed: false };
}

/** Whether a line opens a block with the sign and leaves it open. */
function opens(line: Line, sign: string): boolean {
  if (line.indent >= line.baseIndent + 4) return false;
  const text = line.text.slice(line.pos);
  return text.startsWith(sign) && !text.startsWith(sign[0]!.repeat(3)) && text.indexOf(sign, 2) < 0;
}

export const comment_block: MarkdownConfig = {
  defineNodes: [{ name: "HiddenCommentBlock", block: true, style: tags.comment }],
  parseBlock: [
    {
      name: "HiddenCommentBlock",
      before: "HorizontalRule",
      parse(cx: BlockContext, line: Line) {
        if (!opens(line, "%%")) return false;
        const from = cx.lineStart + line.pos;
        cx.addElement(cx.elt("HiddenCommentBlock", from, until(cx, line, "%%").end));
        return true;
      },
      endLeaf: (_, line) => opens(line, "%%"),
    },
  ],
};

export const math_block: MarkdownConfig = {
  defineNodes: [{ name: "MathBlock", block: true, style: obsidian_tags.math }],
  parseBlock: [
    {
      name: "MathBlock",
      before: "HorizontalRule",
      parse(cx: BlockContext, line: Line) {
        if (!opens(line, "$$")) return false;
        const from = cx.lineStart + line.pos;
        cx.addElement(cx.elt("MathBlock", from, until(cx, line, "$$").end));
        return true;
      },
      endLeaf: (_, line) => opens(line, "$$"),
    },
  ],
};

const LABEL = /^\[\^[^\s[\]^]+\]:/;

/** Without this a footnote of one word would be taken for the target of a link. */
class FootnoteDefinition implements LeafBlockParser {
  constructor(private readonly length: number) {}

  nextLine(): boolean {
    return false;
  }

  finish(cx: BlockContext, leaf: LeafBlock): boolean {
    const { start, content } = leaf;
    const label = start + this.length;
    cx.addLeafElement(
      leaf,
      cx.elt("FootnoteDefinition", start, start + content.length, [
        cx.elt("FootnoteLabel", start, label),
        ...cx.parser.parseInline(content.slice(this.length), label),
      ]),
    );
    return true;
  }
}

export const footnote_definition: MarkdownConfig = {
  defineNodes: [
    { name: "FootnoteDefinition", block: true },
    { name: "FootnoteLabel", style: obsidian_tags.footnote },
  ],
  parseBlock: [
    {
      name: "FootnoteDefinition",
      before: "LinkReference",
      leaf(_: BlockContext, leaf: LeafBlock) {
        const match = LABEL.exec(leaf.content);
        return match ? new FootnoteDefinition(match[0].length) : null;
      },
      endLeaf: (_, line) => LABEL.test(line.text.slice(line.pos)),
    },
  ],
};
