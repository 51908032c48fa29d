// Text copied from a page becomes Markdown: its links, headings, lists and tables stay. Only the words of it are taken; nothing of
// it is ever put into the page.

const names = (list: string) => new Set(list.split(" "));
const BLOCKS = names("P DIV SECTION ARTICLE HEADER FOOTER MAIN ASIDE FIGURE FIGCAPTION ADDRESS DL DT DD FORM FIELDSET DETAILS SUMMARY BODY CENTER NAV");
const DROPPED = names("SCRIPT STYLE TEMPLATE HEAD META LINK TITLE NOSCRIPT IFRAME OBJECT SVG MATH CANVAS BUTTON SELECT TEXTAREA INPUT");
const BLOCK_INSIDE = ":scope > :is(p, div, ul, ol, table, pre, h1, h2, h3, h4, h5, h6, blockquote)";
/** What makes a copy more than its words. A colour is not: code copied from an editor stays as it is. */
const SHAPES = "a[href], h1, h2, h3, h4, h5, h6, ul, ol, table, blockquote, pre, strong, b, em, i, code, del, s, mark, img[src], hr";
/** More than this is taken as plain text. */
const LONGEST = 2_000_000;

/** Returns the Markdown of some copied HTML; null if it is no more than plain text. */
export function markdown_of(html: string): string | null {
  if (html.length > LONGEST) return null;
  const { body } = new DOMParser().parseFromString(html, "text/html");
  const shaped = [...body.querySelectorAll<HTMLElement>(SHAPES)].filter((one) => !is_plain(one));
  // What a spreadsheet or an editor copies as one styled block is text.
  if (shaped.length === 0) return null;
  const text = new Writer().blocks(body).trim();
  return text === "" ? null : text;
}

/** Some pages wrap all they copy in a bold that is not bold. */
function is_plain(element: HTMLElement): boolean {
  return /^(?:B|STRONG|I|EM)$/.test(element.tagName) && (/^(?:normal|400)$/.test(element.style.fontWeight) || element.id.startsWith("docs-internal"));
}

class Writer {
  blocks(parent: Node): string {
    const out: string[] = [];
    let line = "";
    const flush = () => {
      const text = tidy(line);
      if (text) out.push(text);
      line = "";
    };
    for (const node of parent.childNodes) {
      const block = node instanceof HTMLElement ? this.block(node) : null;
      if (block === null) line += this.inline(node);
      else {
        flush();
        if (block.trim()) out.push(block);
      }
    }
    flush();
    return out.join("\n\n");
  }

  /** The Markdown of a block; null if the element is part of a line. */
  private block(element: HTMLElement): string | null {
    const name = element.tagName;
    if (DROPPED.has(name)) return "";
    if (/^H[1-6]$/.test(name)) {
      const text = tidy(this.children(element)).replace(/\n+/g, " ");
      return text && `${"#".repeat(Number(name[1]))} ${text}`;
    }
    if (name === "UL" || name === "OL") return this.list(element, name === "OL");
    if (name === "PRE") return this.code(element);
    if (name === "BLOCKQUOTE") return this.blocks(element).split("\n").map((line) => (line ? `> ${line}` : ">")).join("\n");
    if (name === "TABLE") return this.table(element as HTMLTableElement);
    if (name === "HR") return "---";
    if (BLOCKS.has(name) || element.querySelector(BLOCK_INSIDE)) return this.blocks(element);
    return null;
  }

  private list(list: HTMLElement, numbered: boolean): string {
    let number = Number(list.getAttribute("start") ?? 1) || 1;
    const items: string[] = [];
    for (const child of list.children) {
      // Some programs put an inner list beside its item.
      if (child.tagName === "UL" || child.tagName === "OL") items.push(indented(this.list(child as HTMLElement, child.tagName === "OL")));
      if (child.tagName !== "LI") continue;
      const box = child.querySelector<HTMLInputElement>(":scope > input[type=checkbox], :scope > p > input[type=checkbox], :scope > label > input[type=checkbox]");
      const mark = `${numbered ? `${number++}.` : "-"} ${box ? (box.checked || box.hasAttribute("checked") ? "[x] " : "[ ] ") : ""}`;
      const [first = "", ...rest] = this.blocks(child).replace(/\n\n(?=(?:[-*]|\d+\.) )/g, "\n").split("\n");
      items.push([mark + first, ...rest.map((line) => (line ? `\t${line}` : ""))].join("\n"));
    }
    return items.join("\n");
  }

  private code(element: HTMLElement): string {
    const text = (element.textContent ?? "").replace(/\n$/, "");
    const classes = [element, element.firstElementChild, element.parentElement].map((one) => one?.className ?? "").join(" ");
    const language = /(?:^|\s)(?:language|lang|highlight-source)-([\w+#-]+)/.exec(classes)?.[1] ?? "";
    const longest = Math.max(2, ...[...text.matchAll(/^`+/gm)].map(([run]) => run.length));
    const fence = "`".repeat(longest + 1);
    return `${fence}${language}\n${text}\n${fence}`;
  }

  private table(table: HTMLTableElement): string {
    const rows = [...table.rows].map((row) => [...row.cells].map((cell) => tidy(this.children(cell)).replace(/\n+/g, " ").replace(/\|/g, "\\|")));
    const n = Math.max(0, ...rows.map((row) => row.length));
    // A table of one cell or one column of blocks is only there for the looks.
    if (n < 2 || rows.length < 2) return this.blocks_of_cells(table);
    const write = (row: string[]) => `| ${Array.from({ length: n }, (_, at) => row[at] ?? "").join(" | ")} |`;
    return [write(rows[0]!), write(Array.from({ length: n }, () => "---")), ...rows.slice(1).map(write)].join("\n");
  }

  private blocks_of_cells(table: HTMLTableElement): string {
    return [...table.rows].flatMap((row) => [...row.cells].map((cell) => this.blocks(cell))).filter(Boolean).join("\n\n");
  }

  private children(parent: Node): string {
    return [...parent.childNodes].map((child) => this.inline(child)).join("");
  }

  private inline(node: Node): string {
    if (node instanceof Text) return escaped(node.data.replace(/[ \t\r\n\f]+/g, " "));
    if (!(node instanceof HTMLElement) || DROPPED.has(node.tagName)) return "";
    const text = () => this.children(node);
    switch (node.tagName) {
      case "BR":
        return "\n";
      case "A":
        return link(text(), node.getAttribute("href") ?? "");
      case "IMG": {
        const from = node.getAttribute("src") ?? "";
        return /^https?:/i.test(from) ? `![${escaped(node.getAttribute("alt") ?? "").replace(/[[\]]/g, "")}](${destination(from)})` : "";
      }
      case "B":
      case "STRONG":
        return is_plain(node) ? text() : around(text(), "**");
      case "I":
      case "EM":
        return is_plain(node) ? text() : around(text(), "*");
      case "DEL":
      case "S":
      case "STRIKE":
        return around(text(), "~~");
      case "MARK":
        return around(text(), "==");
      case "CODE":
      case "KBD":
      case "SAMP":
      case "TT": {
        const code = (node.textContent ?? "").replace(/\s+/g, " ");
        const longest = Math.max(0, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
        const sign = "`".repeat(longest + 1);
        return code.trim() === "" ? code : longest > 0 ? `${sign} ${code} ${sign}` : `${sign}${code}${sign}`;
      }
      default:
        return BLOCKS.has(node.tagName) || node.tagName === "LI" ? `\n${text()}\n` : text();
    }
  }
}

const indented = (text: string) => text.replace(/^(?=.)/gm, "\t");

/** Takes superfluous blanks away; line breaks stay. */
function tidy(text: string): string {
  return text.replace(/ {2,}/g, " ").replace(/[ \t]*\n[ \t]*/g, "\n").replace(/\n{2,}/g, "\n").replace(/^\n+|\n+$/g, "").trim();
}

/** A sign goes around the words, not around the blanks beside them. */
function around(text: string, sign: string): string {
  const [, before, inner, after] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text)!;
  return inner === "" ? text : `${before}${sign}${inner}${sign}${after}`;
}

function destination(url: string): string {
  return /[\s()<>]/.test(url) ? `<${url.replace(/[<>\s]/g, (sign) => encodeURIComponent(sign))}>` : url;
}

function link(text: string, href: string): string {
  const words = text.trim();
  // Only what a person could follow anywhere: a place in the page that was copied is none.
  if (!/^(?:https?|mailto):/i.test(href) || words === "") return text;
  if (words === escaped(href) || words === href.replace(/^mailto:/i, "")) return text.replace(words, words === href ? href : words.includes("@") ? words : href);
  return text.replace(words, () => `[${words.replace(/\n/g, " ")}](${destination(href)})`);
}

/** What would mean something in Markdown is written so that it does not. */
function escaped(text: string): string {
  return text.replace(/[\\`*[\]<]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|~~|==|\$(?=\S)/gu, (sign) => [...sign].map((one) => `\\${one}`).join(""));
}
