// A small stand-in for the engine's parser and renderer, good enough to paint the fake vault. The real one is in Rust.

import type { HeadingView } from "../types";

export function headings_of(text: string): HeadingView[] {
  const found: HeadingView[] = [];
  const twins = new Map<string, HeadingView[]>();
  let fenced = false;
  text.split("\n").forEach((line, at) => {
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced;
    const match = fenced ? null : /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
    if (!match) return;
    const level = match[1]!.length;
    const parent = found.findLastIndex((one) => one.level < level);
    const heading: HeadingView = { level, text: match[2]!.replace(/[*_`]/g, ""), line: at + 1, parent: parent < 0 ? null : parent, nth: 1, of: 1 };
    const key = `${parent}/${heading.text.toLowerCase()}`;
    twins.set(key, [...(twins.get(key) ?? []), heading]);
    found.push(heading);
  });
  for (const same of twins.values()) same.forEach((heading, nth) => Object.assign(heading, { nth: nth + 1, of: same.length }));
  return found;
}

export function escape_html(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}

function inline(source: string): string {
  const kept: string[] = [];
  const keep = (html: string) => `\u0000${kept.push(html) - 1}\u0000`;
  let text = source.replace(/`([^`]+)`/g, (_, code: string) => keep(`<code>${escape_html(code)}</code>`));
  text = text.replace(/!\[\[([^\]|]+)\]\]/g, (_, target: string) => {
    const name = escape_html(target);
    if (/\.(?:png|jpe?g|gif|webp|svg|avif|bmp)$/i.test(target)) return keep(`<img data-vault-src="${name}" alt="${name}">`);
    return keep(`<div class="internal-embed markdown-embed" data-path="${name}.md"><div class="embed-title"><a class="internal-link" href="#" data-href="${name}">${name}</a></div><div class="embed-content"><p>What ${name} says.</p></div></div>`);
  });
  text = text.replace(/\[\[([^\]|]+)(?:\|([^\]]+))?\]\]/g, (_, target: string, alias?: string) =>
    keep(
      `<a class="internal-link" href="#" data-href="${escape_html(target)}">${escape_html(alias ?? target.replace(/^[^#]*\//, "").replace("#", " > "))}</a>`,
    ),
  );
  text = text.replace(/\[\^([^\]]+)\]/g, (_, name: string) => keep(`<sup class="footnote-ref">${escape_html(name)}</sup>`));
  text = text.replace(/\[([^\]]+)\]\(([a-z]+:\/\/[^)]+)\)/g, (_, label: string, url: string) =>
    keep(`<a class="external-link" href="${url.startsWith("http") ? escape_html(url) : "#"}" data-external="${escape_html(url)}">${escape_html(label)}</a>`),
  );
  text = text.replace(/(^|\s)#([\p{L}\p{N}_/-]*\p{L}[\p{L}\p{N}_/-]*)/gu, (_, before: string, tag: string) =>
    `${before}${keep(`<a class="tag" href="#" data-tag="${escape_html(tag)}">#${escape_html(tag)}</a>`)}`,
  );
  text = escape_html(text)
    .replace(/\*\*(.+?)\*\*/g, "<strong>$1</strong>")
    .replace(/\*(.+?)\*/g, "<em>$1</em>")
    .replace(/==(.+?)==/g, "<mark>$1</mark>")
    .replace(/~~(.+?)~~/g, "<del>$1</del>");
  return text.replace(/\u0000(\d+)\u0000/g, (_, n: string) => kept[Number(n)]!);
}

function properties(lines: string[]): string {
  const rows: [string, string[]][] = [];
  for (const line of lines) {
    const item = /^\s+- (.*)$/.exec(line);
    const key = /^([\w-]+):\s*(.*)$/.exec(line);
    if (item) rows.at(-1)?.[1].push(item[1]!);
    else if (key) rows.push([key[1]!, key[2] ? [key[2].replace(/^"|"$/g, "")] : []]);
  }
  const value = (name: string, v: string) =>
    name === "tags" ? `<a class="tag" href="#" data-tag="${escape_html(v)}">#${escape_html(v)}</a>` : inline(v);
  return `<dl class="properties" data-line="1">${rows
    .map(([name, values]) => `<dt>${escape_html(name)}</dt><dd>${values.map((v) => value(name, v)).join(" ")}</dd>`)
    .join("")}</dl>`;
}

export function render_html(text: string): string {
  const lines = text.split("\n");
  const out: string[] = [];
  let at = 0;
  if (lines[0] === "---") {
    const end = lines.indexOf("---", 1);
    if (end > 0) {
      out.push(properties(lines.slice(1, end)));
      at = end + 1;
    }
  }
  out.push(blocks(lines, at, lines.length, 0));
  return out.join("\n");
}

function blocks(lines: string[], from: number, to: number, shift: number): string {
  const out: string[] = [];
  const mark = (at: number) => `data-line="${at + 1 + shift}"`;
  let at = from;
  while (at < to) {
    const line = lines[at]!;
    const start = at;
    const heading = /^(#{1,6})\s+(.*)$/.exec(line);
    if (!line.trim()) at++;
    else if (heading) {
      const level = heading[1]!.length;
      out.push(`<h${level} ${mark(at)}>${inline(heading[2]!)}</h${level}>`);
      at++;
    } else if (line.startsWith("```")) {
      while (++at < to && !lines[at]!.startsWith("```"));
      out.push(`<pre ${line.slice(3) === "mermaid" ? 'class="mermaid" ' : ""}${mark(start)}><code class="language-${line.slice(3)}">${escape_html(lines.slice(start + 1, at).join("\n"))}</code></pre>`);
      at++;
    } else if (line.startsWith(">")) {
      const inner: string[] = [];
      while (at < to && lines[at]!.startsWith(">")) inner.push(lines[at++]!.replace(/^> ?/, ""));
      const callout = /^\[!(\w+)\][+-]?\s*(.*)$/.exec(inner[0]!);
      if (callout)
        out.push(
          `<div class="callout" data-callout="${callout[1]!.toLowerCase()}" ${mark(start)}><div class="callout-title"><div class="callout-title-inner">${inline(callout[2] || callout[1]!)}</div></div><div class="callout-content">${blocks(inner, 1, inner.length, start)}</div></div>`,
        );
      else out.push(`<blockquote ${mark(start)}>${blocks(inner, 0, inner.length, start)}</blockquote>`);
    } else if (/^\s*([-*]|\d+\.)\s/.test(line)) {
      const ordered = /^\s*\d/.test(line);
      const items: string[] = [];
      while (at < to && /^\s*([-*]|\d+\.)\s/.test(lines[at]!)) {
        const body = lines[at]!.replace(/^\s*([-*]|\d+\.)\s/, "");
        const task = /^\[(.)\]\s(.*)$/.exec(body);
        items.push(
          task
            ? `<li class="task-list-item${task[1] === " " ? "" : " is-checked"}" data-task="${escape_html(task[1]!)}" ${mark(at)}><input class="task-list-item-checkbox" type="checkbox" ${mark(at)}${task[1] === " " ? "" : " checked"}> ${inline(task[2]!)}</li>`
            : `<li ${mark(at)}>${inline(body)}</li>`,
        );
        at++;
      }
      out.push(`<${ordered ? "ol" : "ul"} ${mark(start)}>${items.join("")}</${ordered ? "ol" : "ul"}>`);
    } else if (line.startsWith("|")) {
      const rows: string[][] = [];
      while (at < to && lines[at]!.startsWith("|")) rows.push(lines[at++]!.slice(1, -1).split("|").map((cell) => cell.trim()));
      const align = (rows[1] ?? []).map((cell) => (cell.endsWith(":") ? ' align="right"' : ""));
      const row = (cells: string[], tag: string) => `<tr>${cells.map((cell, n) => `<${tag}${align[n] ?? ""}>${inline(cell)}</${tag}>`).join("")}</tr>`;
      out.push(
        `<table ${mark(start)}><thead>${row(rows[0]!, "th")}</thead><tbody>${rows
          .slice(2)
          .map((cells) => row(cells, "td"))
          .join("")}</tbody></table>`,
      );
    } else if (/^\[\^[^\]]+\]:/.test(line)) {
      out.push(`<div class="footnote" ${mark(at)}>${inline(line.replace(/^\[\^([^\]]+)\]:\s*/, "$1. "))}</div>`);
      at++;
    } else {
      while (at < to && lines[at]!.trim() && !/^(#{1,6}\s|```|>|\||\s*([-*]|\d+\.)\s)/.test(lines[at]!)) at++;
      if (at === start) at++;
      out.push(`<p ${mark(start)}>${lines.slice(start, at).map(inline).join("<br>")}</p>`);
    }
  }
  return out.join("\n");
}
