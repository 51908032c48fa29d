// One line of Markdown as elements: the cells of drawn tables and the values of properties. Nothing in it can become markup.

import type { SyntaxNode } from "@lezer/common";
import { of_destination } from "../links";
import { inline_parser } from "../syntax";
import { type Locate, picture, PICTURE, sized } from "./pictures";
import { draw_math } from "./math";

const ENTITIES: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&nbsp;": "\u00a0", "&#39;": "'" };
const PLAIN: Record<string, string> = { StrongEmphasis: "strong", Emphasis: "em", Strikethrough: "s", Highlight: "mark" };

export interface InlineWorld {
  locate: Locate;
  /** Something grew after it was drawn. */
  grown: () => void;
}

/** How a link without a shown text reads: `Note > Heading`. */
export function link_label(target: string): string {
  return target
    .split("#")
    .map((part) => part.trim())
    .filter(Boolean)
    .join(" > ");
}

/** Something that looks like a link, and says where it leads to whoever handles the press. */
export function link_element(text: string, target: { internal: string } | { external: string } | { tag: string }): HTMLElement {
  const made = document.createElement("span");
  made.className = "tag" in target ? "cm-tag" : "cm-drawn-link";
  made.setAttribute("role", "link");
  if ("internal" in target) made.dataset.target = target.internal;
  else if ("external" in target) made.dataset.url = target.external;
  else made.dataset.tag = target.tag;
  made.textContent = text;
  return made;
}

/** Writes a line of Markdown into an element. */
export function write_inline(into: HTMLElement, source: string, world: InlineWorld): void {
  // A stray mark at its start must not make a heading or a list of a cell.
  const lead = "\u2060 ";
  const text = lead + source;
  const paragraph = inline_parser.parse(text).topNode.firstChild;
  if (!paragraph || paragraph.name !== "Paragraph" || paragraph.nextSibling) return into.append(source);
  new Writer(text, world).children(paragraph, into, lead.length, text.length);
}

class Writer {
  constructor(
    private readonly text: string,
    private readonly world: InlineWorld,
  ) {}

  children(node: SyntaxNode, into: HTMLElement, from = node.from, to = node.to): void {
    let at = from;
    for (let child = node.firstChild; child; child = child.nextSibling) {
      if (child.from < at) continue;
      into.append(this.text.slice(at, child.from));
      this.one(child, into);
      at = child.to;
    }
    into.append(this.text.slice(at, to));
  }

  private inside(node: SyntaxNode, name: string): string {
    const part = node.getChild(name);
    return part ? this.text.slice(part.from, part.to) : "";
  }

  private one(node: SyntaxNode, into: HTMLElement): void {
    const source = this.text.slice(node.from, node.to);
    const kind = PLAIN[node.name];
    if (kind) {
      const made = document.createElement(kind);
      this.children(node, made);
      return into.append(made);
    }
    switch (node.name) {
      case "EmphasisMark":
      case "StrikethroughMark":
      case "HighlightMark":
      case "FootnoteMark":
      case "HiddenComment":
        return;
      case "Escape":
        return into.append(source.slice(1));
      case "Entity":
        return into.append(ENTITIES[source] ?? source);
      case "InlineCode": {
        const code = document.createElement("code");
        code.className = "cm-inline-code";
        code.textContent = source.replace(/^`+ ?| ?`+$/g, "").replaceAll("\\|", "|");
        return into.append(code);
      }
      case "Wikilink":
        return this.wikilink(node, source, into);
      case "Image":
        return this.image(node, source, into);
      case "Link":
        return this.link(node, source, into);
      case "Autolink":
      case "URL": {
        const url = source.replace(/^<|>$/g, "");
        return into.append(link_element(url, { external: url.includes("@") && !url.includes(":") ? `mailto:${url}` : url }));
      }
      case "Hashtag":
        return into.append(link_element(source, { tag: source.slice(1) }));
      case "InlineMath": {
        const n = source.startsWith("$$") ? 2 : 1;
        const made = document.createElement("span");
        made.className = "cm-math";
        draw_math(source.slice(n, -n).replaceAll("\\|", "|"), n === 2, made, this.world.grown);
        return into.append(made);
      }
      case "FootnoteRef":
      case "InlineFootnote": {
        const made = document.createElement("sup");
        made.className = "cm-footnote-ref";
        this.children(node, made);
        return into.append(made);
      }
      case "HTMLTag":
        if (/^<br\s*\/?>$/i.test(source)) return into.append(document.createElement("br"));
        return into.append(source);
      default:
        return into.append(source);
    }
  }

  private wikilink(node: SyntaxNode, source: string, into: HTMLElement): void {
    const target = this.inside(node, "WikilinkTarget").trim();
    const alias = this.inside(node, "WikilinkAlias").trim();
    if (source.startsWith("!") && PICTURE.test(target)) return into.append(picture({ target, ...sized(alias) }, this.world.locate, this.world.grown));
    into.append(link_element(alias || link_label(target), { internal: target }));
  }

  private image(node: SyntaxNode, source: string, into: HTMLElement): void {
    const link = of_destination(this.inside(node, "URL").replace(/^<|>$/g, ""));
    const label = /^!\[([^\]]*)\]/.exec(source)?.[1] ?? "";
    if (link?.kind !== "internal" || !PICTURE.test(link.target)) return into.append(source);
    into.append(picture({ target: link.target, ...sized(label) }, this.world.locate, this.world.grown));
  }

  private link(node: SyntaxNode, source: string, into: HTMLElement): void {
    const url = node.getChild("URL");
    const marks = node.getChildren("LinkMark");
    const link = url && of_destination(this.text.slice(url.from, url.to).replace(/^<|>$/g, ""));
    if (!link || marks.length < 3 || link.kind === "tag") return into.append(source);
    const made = link_element("", link.kind === "internal" ? { internal: link.target } : { external: link.url });
    for (let child = marks[0]!.nextSibling, at = marks[0]!.to; ; child = child.nextSibling) {
      const end = !child || child.from >= marks[1]!.from ? marks[1]!.from : child.from;
      made.append(this.text.slice(at, end));
      if (!child || child.from >= marks[1]!.from) break;
      this.one(child, made);
      at = child.to;
    }
    into.append(made);
  }
}
