import { describe, expect, it } from "vitest";
import type { OperationView, Summary, Version } from "../../ipc/types";
import {
  actor_name,
  ago,
  by_day,
  count,
  day_name,
  done_sentence,
  extent,
  file_part,
  follows,
  n_changed,
  is_editable,
  note_name,
  outcome,
  path_parts,
  reach,
  title,
  version_sentence,
  warned,
} from "./wording";

const NOW = new Date(2026, 10, 30, 15, 0).getTime();
const at = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();

function summary(more: Partial<Summary> = {}): Summary {
  return { old_heading: "Gear", new_heading: "Instruments", level: 2, line: 4, heading_occurrence: 1, new_path: null, n_links: 0, n_linking_notes: 0, n_linking_canvases: 0, n_notes: 1, n_canvases: 0, n_moved: 0, n_bookmarks: 0, warnings: [], ...more };
}

describe("how far a change reaches", () => {
  it.each([
    [{ n_links: 12, n_linking_notes: 5 }, "12 links in 5 notes"],
    [{ n_links: 1, n_linking_notes: 1 }, "1 link in 1 note"],
    [{ n_links: 12, n_linking_notes: 5, n_linking_canvases: 1 }, "12 links in 5 notes, 1 canvas"],
    [{ n_links: 3, n_linking_notes: 0, n_linking_canvases: 2 }, "3 links in 2 canvases"],
    [{ n_links: 1204, n_linking_notes: 1000 }, "1,204 links in 1,000 notes"],
    [{ n_links: 1, n_linking_notes: 1, n_notes: 2 }, "1 link in 1 note"],
    [{ n_links: 1, n_linking_canvases: 1, n_notes: 1, n_canvases: 1 }, "1 link in 1 canvas"],
    [{ n_links: 3, n_notes: 2 }, "3 links"],
    [{ n_links: 0, n_notes: 1 }, "no links to it"],
    [{ n_links: 0, n_notes: 1, n_bookmarks: 1 }, "1 bookmark"],
    [{ n_links: 2, n_linking_notes: 1, n_linking_canvases: 1, n_bookmarks: 2 }, "2 links in 1 note, 1 canvas and 2 bookmarks"],
  ])("%o", (more, said) => expect(reach(summary(more))).toBe(said));
});

describe("the files of a change", () => {
  const [edited, from, to] = [[false, false], [false, true], [true, false]].map(([creates, deletes]) => ({ creates: creates!, deletes: deletes! }));
  it.each([
    ["an edit", [edited!], 1],
    ["a new note", [to!], 1],
    ["a deleted note", [from!], 1],
    ["a move, or a deletion into the vault's trash", [from!, to!], 1],
    ["a move with two notes whose links follow", [from!, to!, edited!, edited!], 3],
    ["nothing", [], 0],
  ])("%s", (_, files, n) => expect(n_changed(files)).toBe(n));
});

describe("time", () => {
  it.each([
    [0, "just now"],
    [0.7, "just now"],
    [1, "1 min ago"],
    [2, "2 min ago"],
    [59, "59 min ago"],
    [60, "1 h ago"],
    [300, "5 h ago"],
    [1440, "1 day ago"],
    [5 * 1440, "5 days ago"],
    [40 * 1440, "21 Oct 2026"],
  ])("%d minutes", (minutes, said) => expect(ago(at(minutes), NOW)).toBe(said));

  it("is never in the future", () => expect(ago(at(-5), NOW)).toBe("just now"));

  it("names days as people do", () => {
    expect(day_name(at(10), NOW)).toBe("Today");
    expect(day_name(at(16 * 60), NOW)).toBe("Yesterday");
    expect(day_name(at(3 * 1440), NOW)).toBe("Friday 27 November");
    expect(day_name(new Date(2025, 0, 5, 12).toISOString(), NOW)).toBe("Sunday 5 January 2025");
  });

  it("groups by day and keeps the order", () => {
    const days = by_day([{ at: at(1) }, { at: at(2) }, { at: at(1000) }], NOW);
    expect(days.map((day) => [day.day, day.items.length])).toEqual([
      ["Today", 2],
      ["Yesterday", 1],
    ]);
  });
});

describe("names", () => {
  it("counts", () => {
    expect(count(1, "canvas", "canvases")).toBe("1 canvas");
    expect(count(0, "file")).toBe("0 files");
  });
  it("drops folder and ending of a note", () => {
    expect(note_name("Expedition/Kit list.md")).toBe("Kit list");
    expect(note_name("Index.MD")).toBe("Index");
    expect(note_name("plan.canvas")).toBe("plan.canvas");
  });
  it("splits a path", () => expect(path_parts("a/b/c.md")).toEqual({ folder: "a/b/", name: "c.md" }));
  it("says who", () => {
    expect(actor_name({ kind: "agent", client: "Cursor" })).toBe("Cursor");
    expect(actor_name({ kind: "person" })).toBe("You");
    expect(actor_name({ kind: "disk" })).toBe("On disk");
  });
});

describe("a file's part", () => {
  const file = { has_change: false, n_links: 0, creates: false, deletes: false, link_repair: false };
  it.each([
    [{ has_change: true, n_links: 2 }, "heading, 2 links"],
    [{ n_links: 1, link_repair: true }, "1 link"],
    [{ creates: true, has_change: true }, "new file"],
    [{ deletes: true }, "deleted"],
    [{}, "text"],
  ])("%o", (more, said) => expect(file_part({ ...file, ...more })).toBe(said));

  it.each([
    ["rename_section", "heading"],
    ["patch_section", "text"],
    ["edit_note", "text"],
    ["set_properties", "properties"],
  ])("%s", (kind, said) => expect(file_part({ ...file, has_change: true }, kind)).toBe(said));

  it("says of a moved note where it was and where it goes", () => {
    expect(file_part({ ...file, deletes: true }, "move_note")).toBe("where it was");
    expect(file_part({ ...file, creates: true, n_links: 1 }, "move_note")).toBe("where it goes, 1 link");
    expect(file_part({ ...file, creates: true }, "delete_note")).toBe("where it is kept");
  });
});

describe("a person's own change", () => {
  const said = (kind: string, more: Partial<Summary>) => done_sentence({ kind, path: "Expedition/Kit list.md", summary: summary(more) });
  it("is told in one sentence", () => {
    expect(said("rename_section", {})).toBe("Renamed Gear → Instruments");
    expect(said("move_note", { new_path: "Expedition/Gear.md" })).toBe("Renamed Kit list → Gear");
    expect(said("move_note", { new_path: "Reading/Kit list.md" })).toBe("Moved Kit list → Reading/");
    expect(said("delete_note", {})).toBe("Deleted Kit list");
  });

  it.each([
    [[], ""],
    [[["a.md", 0]], ""],
    [[["a.md", 1]], "1 link in 1 note follows"],
    [[["a.md", 2], ["b.md", 5], ["c.md", 0]], "7 links in 2 notes follow"],
    [[["a.md", 1], ["b.canvas", 2]], "3 links in 1 note, 1 canvas follow"],
    [[["a.md", 2], [".obsidian/bookmarks.json", 1]], "2 links in 1 note and 1 bookmark follow"],
    [[[".obsidian/bookmarks.json", 1]], "1 bookmark follows"],
  ] as [[string, number][], string][])("%o: %s", (files, sentence) => expect(follows(files.map(([path, n_links]) => ({ path, n_links })))).toBe(sentence));
});

describe("titles and outcomes", () => {
  const operation = (kind: string, more: Partial<Summary> = {}) => ({ kind, path: "Expedition/Kit list.md", summary: summary(more) });
  it.each([
    ["rename_section", {}, "Gear → Instruments"],
    ["create_note", {}, "New note Kit list"],
    ["restore", {}, "Earlier text of Kit list"],
    ["undo", { old_heading: "Instruments", new_heading: "Gear" }, "Undo of Gear → Instruments"],
    ["undo", { old_heading: null }, "Undo in Kit list"],
    ["save_text", {}, "Text of Kit list"],
    ["patch_section", {}, "Rewrite “Gear”"],
    ["append_to_section", {}, "Add to “Gear”"],
    ["move_section", {}, "Move “Gear”"],
    ["delete_section", {}, "Delete “Gear”"],
    ["delete_section", { old_heading: null }, "Delete a section"],
    ["move_note", { new_path: "Expedition/Gear list.md" }, "Rename Kit list → Gear list"],
    ["move_note", { new_path: "Reading/Kit list.md" }, "Move Kit list → Reading/"],
    ["move_note", { new_path: "Gear.md" }, "Move Kit list → the top of the vault, as Gear"],
    ["move_note", { new_path: null }, "Move Kit list"],
    ["delete_note", {}, "Delete Kit list"],
    ["move_folder", { new_path: "Expedition/Old kit" }, "Rename Kit list → Old kit"],
    ["move_folder", { new_path: "Kit list" }, "Move Kit list → the top of the vault"],
    ["delete_folder", {}, "Delete folder Kit list"],
    ["repair_links", { n_links: 5 }, "Repair 5 links to moved notes"],
    ["edit_note", {}, "Edit Kit list"],
    ["set_properties", {}, "Set properties of Kit list"],
  ])("%s", (kind, more, said) => expect(title(operation(kind, more))).toBe(said));

  it.each([
    ["rename_section", { n_links: 2, n_linking_notes: 1 }, "2 links in 1 note", "Left behind", true],
    ["rename_section", {}, "no links to it", "Left behind", true],
    ["move_note", { n_links: 2, n_linking_notes: 2 }, "2 links in 2 notes", "Left behind", false],
    ["move_note", {}, "no links to it", "Left behind", false],
    ["move_folder", { n_links: 2, n_linking_notes: 2 }, "2 links in 2 notes", "Left behind", false],
    ["move_folder", { n_moved: 3 }, "3 files", "Left behind", false],
    ["delete_folder", {}, "an empty folder", "Mind", false],
    ["repair_links", { n_links: 2, n_linking_notes: 1 }, "2 links in 1 note", "Left behind", false],
    ["delete_note", { warnings: ["2 links to it will lead nowhere"] }, "this note only, 1 warning", "Mind", false],
    ["patch_section", { new_heading: null }, "this note only", "Mind", false],
    ["delete_section", { new_heading: null, warnings: ["a", "b"] }, "this note only, 2 warnings", "Mind", false],
  ])("%s reaches %o", (kind, more, reaches, heads, editable) => {
    expect(extent(operation(kind, more))).toBe(reaches);
    expect(warned(kind)).toBe(heads);
    expect(is_editable(operation(kind, more))).toBe(editable);
  });

  it.each([
    ["done", "agent", "Approved"],
    ["done", "person", "Done"],
    ["declined", "agent", "Declined"],
    ["withdrawn", "agent", "Withdrawn"],
    ["undone", "agent", "Undone"],
  ] as const)("%s by %s", (state, kind, said) => {
    const actor = kind === "agent" ? { kind, client: "Cursor" } : { kind };
    expect(outcome({ state, actor, decided_by: null } as Pick<OperationView, "state" | "actor" | "decided_by">)).toBe(said);
  });
});

describe("a version's sentence", () => {
  const version = (more: Partial<Version>) =>
    version_sentence({ kind: "save_text", actor: { kind: "person" }, summary: summary({ n_links: 9, n_linking_notes: 4 }), is_link_repair: false, n_files: 1, ...more });
  it.each([
    [{ kind: "rename_section" }, "Renamed “Gear” → “Instruments”, 9 links in 4 notes"],
    [{ kind: "rename_section", summary: summary() }, "Renamed “Gear” → “Instruments”"],
    [{ kind: "rename_section", is_link_repair: true }, "Links follow “Gear” → “Instruments”"],
    [{ kind: "undo", summary: summary({ old_heading: "Instruments", new_heading: "Gear" }) }, "Took back “Gear” → “Instruments”"],
    [{ kind: "move_folder", summary: summary({ new_path: "Archive/Ice" }) }, "Moved with its folder to “Archive/Ice”"],
    [{ kind: "move_folder", summary: summary({ new_path: "Archive/Ice" }), is_link_repair: true }, "Links follow the folder that is now “Archive/Ice”"],
    [{ kind: "delete_folder" }, "Deleted with its folder"],
    [{ kind: "repair_links", is_link_repair: true }, "Links follow notes that another program moved"],
    [{ kind: "move_note", summary: summary({ new_path: "Reading/Kit list.md" }) }, "Moved to “Reading/Kit list”"],
    [{ kind: "move_note", summary: summary({ old_heading: null, new_path: "Reading/Kit list.md" }), is_link_repair: true }, "Links follow the note that is now “Reading/Kit list”"],
    [{ kind: "delete_note" }, "Deleted"],
    [{ kind: "create_note" }, "Note created"],
    [{ kind: "restore" }, "Brought back an earlier text"],
    [{ kind: "patch_section" }, "Rewrote “Gear”"],
    [{ kind: "append_to_section" }, "Added to “Gear”"],
    [{ kind: "move_section" }, "Moved “Gear”"],
    [{ kind: "delete_section" }, "Deleted “Gear”"],
    [{ kind: "set_properties" }, "Set properties"],
    [{ kind: "edit_note" }, "Edited"],
    [{ actor: { kind: "disk" } }, "Changed by another program"],
    [{}, "Edited"],
  ] as [Partial<Version>, string][])("%o", (more, said) => expect(version(more)).toBe(said));
});
