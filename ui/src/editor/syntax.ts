// Markdown as Obsidian writes it, for colours only: what a link or a heading means is the engine's to say.

import { commonmarkLanguage, markdown } from "@codemirror/lang-markdown";
import { foldNodeProp } from "@codemirror/language";
import { languages } from "@codemirror/language-data";
import type { Extension } from "@codemirror/state";
import { styleTags, tags } from "@lezer/highlight";
import { GFM, type MarkdownConfig, type MarkdownExtension, type MarkdownParser, parser } from "@lezer/markdown";
import { comment_block, footnote_definition, frontmatter, math_block } from "./syntax_blocks";
import { block_id, comment, footnote, hashtag, highlight, math, wikilink } from "./syntax_inline";
import { obsidian_tags } from "./syntax_tags";

/** What can be folded is said in `folding.ts`, and nowhere else. */
const no_folds: MarkdownConfig = { props: [foldNodeProp.add(() => () => null)] };

/** HTML is shown as it is written, so all of it looks the same. */
const plain_html: MarkdownConfig = {
  props: [
    styleTags({
      "HTMLBlock HTMLTag ProcessingInstruction ProcessingInstructionBlock CommentBlock Comment": obsidian_tags.html,
      TaskMarker: tags.processingInstruction,
    }),
  ],
};

const OBSIDIAN: MarkdownExtension[] = [
  GFM,
  wikilink,
  footnote,
  hashtag,
  highlight,
  comment,
  math,
  block_id,
  frontmatter,
  comment_block,
  math_block,
  footnote_definition,
  plain_html,
];

/** Reads a cell of a table or a value of a property, in the words of the same grammar. */
export const inline_parser: MarkdownParser = parser.configure(OBSIDIAN);

export function markdown_support(): Extension {
  return markdown({ base: commonmarkLanguage, extensions: [...OBSIDIAN, no_folds], codeLanguages: languages, completeHTMLTags: false, addKeymap: false });
}
