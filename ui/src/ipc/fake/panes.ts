// What the panes beside a note ask of the in-memory engine, and the notes that a vault's settings name.

import type { Commands } from "../engine";
import { EngineError } from "../engine";
import type { BookmarkView, HeadingLinks, LinkOffer, MentionView, OperationView, OutgoingLink, PropertyView, TagView } from "../types";
import { folder_of, name_of } from "../../state/paths";
import type { FakeEngine } from "./index";
import { headings_of } from "./markdown";
import { move_section } from "./sections";
import { NO_SUMMARY } from "./wishes";

export type PaneCalls = Pick<
  Commands,
  | "move_section"
  | "heading_links"
  | "outgoing"
  | "mentions"
  | "link_mention"
  | "new_note_path"
  | "link_offers"
  | "new_link"
  | "tags"
  | "properties"
  | "bookmarks"
  | "daily_note"
  | "unique_note"
  | "templates"
  | "insert_template"
  | "random_note"
  | "undo"
>;

const WIKI = /\[\[([^\]|#]*)(?:#([^\]|]+))?(?:\|[^\]]+)?\]\]/g;
const bare = (path: string) => name_of(path).replace(/\.md$/, "");

const bookmark = (of: Partial<BookmarkView> & Pick<BookmarkView, "kind" | "title">): BookmarkView => ({ level: 1, path: null, subpath: null, query: null, url: null, missing: false, ...of });

/** The bookmarks that the in-memory vault has from the start. */
export function field_bookmarks(): BookmarkView[] {
  return [
    bookmark({ kind: "file", title: "Glacier survey", path: "Expedition/Glacier survey.md" }),
    bookmark({ kind: "group", title: "On the ice" }),
    bookmark({ kind: "heading", title: "Stations", level: 2, path: "Expedition/Glacier survey.md", subpath: "Stations" }),
    bookmark({ kind: "heading", title: "Probes", level: 2, path: "Expedition/Kit list.md", subpath: "Probes" }),
    bookmark({ kind: "file", title: "Old plan", level: 2, path: "Expedition/Old plan.md", missing: true }),
    bookmark({ kind: "folder", title: "Papers", path: "Reading/Papers" }),
    bookmark({ kind: "search", title: "Everything of the survey", query: "tag:#survey" }),
    bookmark({ kind: "url", title: "The hut’s weather", url: "https://example.org/weather" }),
  ];
}

/** The day of an RFC 3339 time; all that the in-memory vault's patterns need. */
const day_of = (now: string) => now.slice(0, 10);

function properties_of(text: string): [string, string[]][] {
  const lines = text.split("\n");
  const end = lines[0] === "---" ? lines.indexOf("---", 1) : -1;
  const found: [string, string[]][] = [];
  for (const line of lines.slice(1, Math.max(1, end))) {
    const key = /^([\w-]+):\s*(.*)$/.exec(line);
    const item = /^\s+- (.*)$/.exec(line);
    if (key) found.push([key[1]!, key[2] ? [key[2]] : []]);
    else if (item) found.at(-1)?.[1].push(item[1]!);
  }
  return found;
}

function tags_of(text: string): string[] {
  const listed = (properties_of(text).find(([key]) => key === "tags")?.[1] ?? []).map((tag) => tag.replace(/^\[|\]$/g, ""));
  return [...new Set([...listed, ...[...text.matchAll(/(?:^|\s)#([\w/-]*[a-z][\w/-]*)/gi)].map((match) => match[1]!)])];
}

export function fake_pane_calls(fake: FakeEngine): PaneCalls {
  const notes = () => [...fake.notes].filter(([path]) => path.endsWith(".md"));
  const refused = (command: string) => {
    const error = fake.refuse.get(command);
    if (error) throw error;
  };
  const resolve = (target: string) => {
    const wanted = target.replace(/\.md$/, "").toLowerCase();
    const fits = (path: string) => path.replace(/\.md$/, "").toLowerCase();
    return [...fake.notes.keys()].find((path) => fits(path) === wanted || fits(path).endsWith(`/${wanted}`)) ?? null;
  };

  // What an undo of ours puts back; those of others go to whoever made them.
  const texts = new Map<string, { path: string; before: string }>();
  const undo_others = fake.undo.bind(fake);

  function edit(path: string, text: string, kind = "edit_note"): OperationView {
    const id = `01JE${String(texts.size + 1).padStart(22, "0")}`;
    texts.set(id, { path, before: fake.notes.get(path) ?? "" });
    fake.edit_here(path, text);
    const at = new Date().toISOString();
    const rest = { reason: null, request_id: null, comment: null, amended: false, readiness: null, undone_by: null, files: [] };
    return { id, kind, actor: { kind: "person" }, state: "done", path, summary: NO_SUMMARY, proposed_at: at, decided_at: at, decided_by: "person", can_undo: true, ...rest };
  }

  function mentions_in(path: string, text: string, name: string): MentionView[] {
    const found: MentionView[] = [];
    text.split("\n").forEach((line, at) => {
      if (line.startsWith("#")) return;
      const hidden = line.replace(/\[\[[^\]]*\]\]|`[^`]*`/g, (all) => "\u0000".repeat(all.length));
      let nth = 0;
      for (const match of hidden.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\p{L}\\p{N}])`, "giu")))
        found.push({ path, title: bare(path), line: at + 1, nth: nth++, text: line.slice(match.index, match.index + name.length), snippet: line, from: match.index, to: match.index + name.length });
    });
    return found;
  }

  return {
    async move_section(text, index, to) {
      refused("move_section");
      return move_section(text, index, to);
    },
    async heading_links(path) {
      refused("heading_links");
      const headings = headings_of(fake.notes.get(path) ?? "");
      const counts = new Map<number, number>();
      for (const [from, text] of fake.notes)
        if (from !== path)
          for (const [, target, subpath] of text.matchAll(WIKI)) {
            const at = subpath && resolve(target!) === path ? headings.findIndex((one) => one.text.toLowerCase() === subpath.split("#").at(-1)!.toLowerCase()) : -1;
            if (at >= 0) counts.set(at, (counts.get(at) ?? 0) + 1);
          }
      return [...counts].map(([at, n_links]): HeadingLinks => ({ level: headings[at]!.level, text: headings[at]!.text, nth: headings[at]!.nth, n_links }));
    },
    async outgoing(path) {
      refused("outgoing");
      const found: OutgoingLink[] = [];
      (fake.notes.get(path) ?? "").split("\n").forEach((line, at) => {
        for (const [, target, subpath] of line.matchAll(WIKI)) {
          const to = target ? resolve(target) : path;
          if (to === path) continue;
          found.push({ target: target!, subpath: subpath ?? null, line: at + 1, kind: "wiki", path: to, title: to ? bare(to) : target!, creates: to ? null : `${target}.md` });
        }
      });
      return found;
    },
    async mentions(path, limit) {
      refused("mentions");
      const all = notes().flatMap(([from, text]) => (from === path ? [] : mentions_in(from, text, bare(path))));
      return { mentions: all.slice(0, limit), more: all.length > limit };
    },
    async link_mention(path, mention) {
      refused("link_mention");
      const text = fake.notes.get(mention.path) ?? "";
      const there = mentions_in(mention.path, text, bare(path)).find((one) => one.line === mention.line && one.nth === mention.nth);
      if (there?.text !== mention.text) throw new EngineError("changed", `\`${mention.text}\` does not stand on line ${mention.line} of \`${mention.path}\` any more`, "look at the list again", true);
      const lines = text.split("\n");
      const link = mention.text === bare(path) ? `[[${mention.text}]]` : `[[${bare(path)}|${mention.text}]]`;
      lines[there.line - 1] = there.snippet.slice(0, there.from) + link + there.snippet.slice(there.to);
      return edit(mention.path, lines.join("\n"));
    },
    async new_note_path(from, target) {
      refused("new_note_path");
      const name = target.split("#")[0]!.replace(/\.md$/, "");
      return name.startsWith("./") ? `${folder_of(from)}/${name.slice(2)}.md` : `${name}.md`;
    },
    async link_offers(query, limit) {
      refused("link_offers");
      const wanted = query.toLowerCase();
      const offers = notes().flatMap(([path, text]): LinkOffer[] => {
        const title = bare(path);
        if (title.toLowerCase().includes(wanted)) return [{ path, title, alias: null }];
        const aliases = properties_of(text).find(([name]) => name === "aliases")?.[1] ?? [];
        return aliases.filter((alias) => alias.toLowerCase().includes(wanted)).map((alias) => ({ path, title, alias }));
      });
      return offers.slice(0, limit);
    },
    async new_link(from, to, subpath, shown) {
      refused("new_link");
      const twins = notes().filter(([path]) => bare(path) === bare(to)).length;
      const target = from === to && subpath ? "" : twins > 1 ? to.replace(/\.md$/, "") : bare(to);
      const words = shown ?? (subpath === null && target.includes("/") ? bare(to) : null);
      return words === null || words === target ? `[[${target}${subpath ?? ""}]]` : `[[${target}${subpath ?? ""}|${words}]]`;
    },
    async tags() {
      refused("tags");
      const counts = new Map<string, TagView>();
      for (const [, text] of notes()) {
        const own = new Map(tags_of(text).flatMap((tag) => tag.split("/").map((_, n, parts) => parts.slice(0, n + 1).join("/"))).map((tag) => [tag.toLowerCase(), tag]));
        for (const [key, tag] of own) counts.set(key, { tag: counts.get(key)?.tag ?? tag, n_notes: (counts.get(key)?.n_notes ?? 0) + 1 });
      }
      const key = (tag: TagView) => tag.tag.toLowerCase().replace(/\//g, "\u0000");
      return [...counts.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1));
    },
    async properties() {
      refused("properties");
      const counts = new Map<string, PropertyView>();
      for (const [, text] of notes())
        for (const [name, values] of properties_of(text)) {
          const kind = name === "tags" ? "tags" : values.length > 1 ? "list" : /^\d+$/.test(values[0] ?? "") ? "number" : "text";
          counts.set(name, { name, kind, n_notes: (counts.get(name)?.n_notes ?? 0) + 1 });
        }
      return [...counts.values()].sort((a, b) => a.name.localeCompare(b.name));
    },
    async bookmarks() {
      refused("bookmarks");
      return fake.bookmark_list;
    },
    async daily_note(now) {
      refused("daily_note");
      const path = `Daily/${day_of(now)}.md`;
      const is_new = !fake.notes.has(path);
      if (is_new) await fake.create_note(path);
      return { path, is_new, missing_template: null };
    },
    async unique_note(now) {
      refused("unique_note");
      const path = `${now.slice(0, 16).replace(/[-:T]/g, "")}.md`;
      await fake.create_note(path);
      return { path, is_new: true, missing_template: null };
    },
    async templates() {
      refused("templates");
      const found = notes().filter(([path]) => path.startsWith("Templates/"));
      return { folder: "Templates", notes: found.map(([path]) => ({ path, title: path.slice("Templates/".length).replace(/\.md$/, "") })) };
    },
    async insert_template(path, _text, caret, template, now) {
      refused("insert_template");
      const insert = (fake.notes.get(template) ?? "").replace(/\{\{title\}\}/g, bare(path)).replace(/\{\{date\}\}/g, day_of(now));
      return { changes: [{ from: caret, to: caret, insert }], caret: caret + insert.length };
    },
    async undo(id) {
      const own = texts.get(id);
      return own ? edit(own.path, own.before, "undo") : undo_others(id);
    },
    async random_note(except, thrown) {
      refused("random_note");
      const paths = notes().flatMap(([path]) => (path === except ? [] : [path])).sort();
      return paths[thrown % paths.length] ?? null;
    },
  };
}
