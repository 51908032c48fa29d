// A person's own changes in the fake vault: planned on the text of now, carried out only as they were shown.

import { EngineError } from "../engine";
import type { OperationCalls } from "../operations";
import type { FileReview, OperationView, Summary, Wish, WishPreview } from "../types";
import { diff } from "./diff";
import { fake_hash, type FakeEngine } from "./index";
import { folder_plan } from "./folders";
import { headings_of } from "./markdown";
import type { Texts } from "./review";

export const NO_SUMMARY: Summary = {
  old_heading: null,
  new_heading: null,
  level: null,
  line: null,
  heading_occurrence: null,
  new_path: null,
  n_links: 0,
  n_linking_notes: 0,
  n_linking_canvases: 0,
  n_notes: 0,
  n_canvases: 0,
  n_moved: 0,
  n_bookmarks: 0,
  warnings: [],
};

type Commit = (wish: Wish, preview: WishPreview, texts: Texts) => OperationView;

export interface File {
  path: string;
  before: string | undefined;
  after: string | undefined;
  n_links: number;
  link_repair: boolean;
}

export interface Planned {
  summary: Summary;
  files: File[];
}

const bare = (path: string) => path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/, "");

/** Makes the calls of a person's own changes; `commit` writes. */
export function fake_wish_calls(engine: FakeEngine, commit: Commit): Pick<OperationCalls, "preview_wish" | "carry_wish"> {
  const guard = (command: string) => {
    const error = engine.refuse.get(command);
    if (error) throw error;
  };

  function text_of(path: string): string {
    const text = engine.notes.get(path);
    if (text === undefined) throw new EngineError("not_found", `note not found: \`${path}\``, "it may have been moved or deleted outside");
    return text;
  }

  /** Rewrites the links that mean a note, in every text but those that are given. */
  function following(lead: string, rewrite: (link: string, from: string) => string, skip: string[]): File[] {
    const files: File[] = [];
    for (const [path, before] of engine.notes) {
      if (skip.includes(path)) continue;
      const { after, n_links } = repointed(path, before, lead, rewrite);
      if (n_links > 0) files.push({ path, before, after, n_links, link_repair: true });
    }
    return files;
  }

  function plan(wish: Wish): Planned {
    if (wish.kind === "move_folder" || wish.kind === "delete_folder" || wish.kind === "repair_links") return folder_plan(engine, wish);
    const text = text_of(wish.path);
    if (wish.kind === "delete_note") {
      const links = following(wish.path, (link) => `${link} `, [wish.path]).reduce((sum, file) => sum + file.n_links, 0);
      const warnings = links > 0 ? [`${links} link${links === 1 ? "" : "s"} to it will lead nowhere`] : [];
      return { summary: { ...NO_SUMMARY, n_notes: 1, warnings }, files: [{ path: wish.path, before: text, after: undefined, n_links: 0, link_repair: false }] };
    }
    if (wish.kind === "move_note") {
      const { to } = wish;
      if (engine.notes.has(to)) throw new EngineError("path_taken", `a file of that name exists: \`${to}\``, "choose another name");
      const rewrite = (link: string) => {
        const [target = "", ...rest] = link.split("#");
        return [target.includes("/") ? to.replace(/\.md$/, "") : bare(to), ...rest].join("#");
      };
      const own = repointed(wish.path, text, wish.path, rewrite);
      const files = [
        { path: wish.path, before: text, after: undefined, n_links: 0, link_repair: false },
        { path: to, before: undefined, after: own.after, n_links: own.n_links, link_repair: false },
        ...following(wish.path, rewrite, [wish.path]),
      ];
      return { summary: counted({ ...NO_SUMMARY, new_path: to }, files), files };
    }
    const heading = headings_of(text)[wish.index];
    if (!heading) throw new EngineError("invalid_heading", "the note has no such heading", "compare it with the headings that the note has now");
    const title = wish.new_heading.trim();
    const hint = "compare it with the headings that the note has now";
    if (title === "") throw new EngineError("invalid_heading", "`` cannot be a heading: it is empty", hint);
    const twin = headings_of(text).find((one, at) => at !== wish.index && one.text.toLowerCase() === title.toLowerCase());
    if (twin) throw new EngineError("invalid_heading", `the new heading could not be told from \`${twin.text}\` (level ${twin.level}, line ${twin.line})`, hint);
    const rewrite = (link: string, from: string) => {
      const parts = link.split("#");
      const own = parts[0] === "" && from !== wish.path;
      if (own || parts.length < 2 || parts.at(-1) !== heading.text) return link;
      return [...parts.slice(0, -1), title].join("#");
    };
    const lines = text.split("\n");
    lines[heading.line - 1] = `${"#".repeat(heading.level)} ${title}`;
    const own = repointed(wish.path, lines.join("\n"), wish.path, rewrite);
    const files = [{ path: wish.path, before: text, after: own.after, n_links: own.n_links, link_repair: false }, ...following(wish.path, rewrite, [wish.path])];
    const { text: old_heading, level, line, nth: heading_occurrence } = heading;
    return { summary: counted({ ...NO_SUMMARY, old_heading, new_heading: title, level, line, heading_occurrence }, files), files };
  }

  function preview(wish: Wish): WishPreview {
    const { summary, files } = plan(wish);
    const shown = files.map(({ path, before, after, n_links, link_repair }): FileReview => ({
      path,
      n_links,
      link_repair,
      has_change: !link_repair,
      creates: before === undefined,
      deletes: after === undefined,
      hunks: diff(before ?? "", after ?? ""),
    }));
    return { summary, files: shown, digest: fake_hash(files.map((file) => `${file.path}\u0000${file.before}\u0000${file.after}`).join("\u0001")) };
  }

  return {
    async preview_wish(wish) {
      guard("preview_wish");
      return preview(wish);
    },

    async carry_wish(wish, digest) {
      guard("carry_wish");
      const now = preview(wish);
      if (digest !== null && digest !== now.digest) return { kind: "changed", preview: now };
      const texts: Texts = new Map(plan(wish).files.map((file) => [file.path, file.after]));
      if (wish.kind === "repair_links") engine.offer_moves(null);
      return { kind: "decided", operation: commit(wish, now, texts) };
    },
  };
}

/** Rewrites the links of one text that mean the note. */
export function repointed(path: string, text: string, lead: string, rewrite: (link: string, from: string) => string): { after: string; n_links: number } {
  let n_links = 0;
  const after = text.replace(/\[\[([^\]|]+)/g, (whole, link: string) => {
    const target = link.split("#")[0]!;
    if (target === "" ? path !== lead : bare(target) !== bare(lead)) return whole;
    // A link within the note names no note: moving it changes nothing.
    const next = target === "" && !rewrite(link, path).startsWith("#") ? link : rewrite(link, path);
    if (next !== link) n_links++;
    return `[[${next}`;
  });
  return { after, n_links };
}

export function counted(summary: Summary, files: File[]): Summary {
  const n_canvases = files.filter((file) => file.link_repair && file.path.endsWith(".canvas")).length;
  const n_repaired = files.filter((file) => file.link_repair).length;
  return { ...summary, ...linking(files), n_canvases, n_notes: n_repaired - n_canvases + 1 };
}

/** Counts links, and the files that they are in. */
export function linking(files: { path: string; n_links: number }[]): Pick<Summary, "n_links" | "n_linking_notes" | "n_linking_canvases"> {
  const with_links = files.filter((file) => file.n_links > 0);
  const n_linking_canvases = with_links.filter((file) => file.path.endsWith(".canvas")).length;
  return {
    n_links: with_links.reduce((sum, file) => sum + file.n_links, 0),
    n_linking_notes: with_links.length - n_linking_canvases,
    n_linking_canvases,
  };
}
