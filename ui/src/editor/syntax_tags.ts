// Highlighting tags for what Obsidian adds to Markdown.

import { Tag } from "@lezer/highlight";

export const obsidian_tags = {
  wikilink: Tag.define(),
  tag: Tag.define(),
  highlight: Tag.define(),
  frontmatter: Tag.define(),
  math: Tag.define(),
  html: Tag.define(),
  block_id: Tag.define(),
  footnote: Tag.define(),
};
