// Search of the in-memory engine: sections that have all the words, as the real one answers.

import type { SearchHit, SearchPage } from "../types";
import { headings_of } from "./markdown";

const SNIPPET = 160;

/** Finds the sections of all notes that have every word of the query. */
export function search_notes(notes: Map<string, string>, query: string, limit: number, offset: number): SearchPage {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const hits: SearchHit[] = [];
  if (words.length > 0) for (const [path, text] of notes) if (path.endsWith(".md")) hits.push(...in_note(path, text, words));
  return { hits: hits.slice(offset, offset + limit), total: hits.length, query_note: null };
}

function in_note(path: string, text: string, words: string[]): SearchHit[] {
  const lines = text.split("\n");
  const headings = headings_of(text);
  const starts = [{ line: 1, level: 0, title: "" }, ...headings];
  const hits: SearchHit[] = [];
  starts.forEach((start, at) => {
    const end = (starts[at + 1]?.line ?? lines.length + 1) - 1;
    const section = lines.slice(start.line - 1, end);
    const all = section.join("\n").toLowerCase();
    if (!words.every((word) => all.includes(word))) return;
    const line = section.find((one) => words.some((word) => one.toLowerCase().includes(word))) ?? "";
    const heading_path: string[] = [];
    let level = Infinity;
    for (const heading of headings.slice(0, at).reverse()) {
      if (heading.level >= level) continue;
      level = heading.level;
      if (level > 1) heading_path.unshift(heading.text);
    }
    const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/, "");
    hits.push({ path, id: path, title: name, heading_path, line_start: start.line, line_end: end, ...snippet_of(line, words), score: 1 });
  });
  return hits;
}

function snippet_of(line: string, words: string[]): Pick<SearchHit, "snippet" | "highlights"> {
  const first = Math.min(...words.map((word) => line.toLowerCase().indexOf(word)).filter((at) => at >= 0));
  const from = Math.max(0, first - 40);
  const snippet = (from > 0 ? "…" : "") + line.slice(from, from + SNIPPET);
  const highlights: [number, number][] = [];
  for (const word of words) {
    for (let at = snippet.toLowerCase().indexOf(word); at >= 0; at = snippet.toLowerCase().indexOf(word, at + word.length)) {
      highlights.push([at, at + word.length]);
    }
  }
  return { snippet, highlights: highlights.sort((a, b) => a[0] - b[0]) };
}
