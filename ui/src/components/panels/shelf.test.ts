import { screen, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../ipc/engine";
import { commands } from "../../state/commands.svelte";
import { layout } from "../../state/layout.svelte";
import { notes } from "../../state/notes.svelte";
import { search } from "../../state/search.svelte";
import { property_rows, shelf, tag_rows } from "../../state/shelf.svelte";
import { tabs } from "../../state/tabs.svelte";
import { toasts } from "../../state/toasts.svelte";
import { dialogs } from "../../state/window.svelte";
import { expect_accessible, open_window, press, settle } from "../../test/window";

const left = () => document.querySelector<HTMLElement>('[data-pane="left"]')!;
const tab = (name: string) => within(left()).getByRole("tab", { name });
const rows = () => within(left()).getAllByRole("treeitem");
const texts = () => rows().map((row) => [...row.querySelectorAll(":scope > span:not(.twist, .visually-hidden)")].map((part) => part.textContent).join(" ").trim());
const row = (name: string) => rows().find((one) => one.textContent?.includes(name))!;

const TAGGED = new Map([
  ["a.md", "---\ntags: [field/ice]\nseason: 2026\n---\n#survey"],
  ["b.md", "#field/snow #Field/ice"],
  ["c.md", "---\nseason: autumn\nauthor: x\n---\n#survey"],
  ["d.md", "#survey"],
]);

async function show(name: string, options: Parameters<typeof open_window>[0] = {}) {
  const fake = await open_window(options);
  tab(name).click();
  await settle(8);
  return fake;
}

describe("the switcher of the sidebar", () => {
  it("is a row of tabs with one Tab stop", async () => {
    await open_window();
    const all = within(left()).getAllByRole("tab");
    expect(all.map((one) => [one.getAttribute("aria-label"), one.getAttribute("aria-selected"), one.tabIndex])).toEqual([
      ["Notes", "true", 0],
      ["Search", "false", -1],
      ["Bookmarks", "false", -1],
      ["Tags", "false", -1],
      ["Properties", "false", -1],
    ]);
    tab("Notes").focus();
    for (const name of ["Search", "Bookmarks", "Tags", "Properties", "Notes"]) {
      press("ArrowRight");
      await settle(4);
      expect(document.activeElement).toBe(tab(name));
      expect(left().getAttribute("aria-label")).toBe(name);
      await expect_accessible(left());
    }
    press("End");
    await settle(2);
    expect(layout.left_tab).toBe("properties");
  });

  it.each(["bookmarks", "tags", "properties", "files"] as const)("is in the finder too: %s", async (id) => {
    await open_window();
    await commands.run(id);
    await settle(8);
    await new Promise(requestAnimationFrame);
    expect(layout.left_tab).toBe(id);
    expect(left().contains(document.activeElement)).toBe(true);
  });

  it("goes to the search field when Search is pressed", async () => {
    await show("Search");
    expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Search in all notes" }));
  });
});

describe("tags", () => {
  it("are a tree with counts, and a press searches", async () => {
    await show("Tags", { notes: TAGGED, operations: [] });
    expect(texts()).toEqual(["field 2", "survey 3"]);
    row("field").focus();
    press("ArrowRight");
    await settle();
    expect(texts()).toEqual(["field 2", "ice 2", "snow 1", "survey 3"]);
    await expect_accessible(left());
    row("ice").click();
    await settle(4);
    expect([layout.left_tab, search.query]).toEqual(["search", "tag:#field/ice"]);
  });

  it("are filtered and sorted", async () => {
    await show("Tags", { notes: TAGGED, operations: [] });
    within(left()).getByRole("button", { name: "Sort by number of notes" }).click();
    await settle();
    expect(texts()).toEqual(["survey 3", "field 2"]);
    const field = within(left()).getByLabelText<HTMLInputElement>("Filter tags");
    field.value = "#SN";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await settle();
    expect(texts()).toEqual(["field 2", "snow 1"]);
    field.focus();
    press("ArrowDown");
    await settle();
    expect(document.activeElement).toBe(row("field"));
    field.focus();
    press("Escape");
    await settle();
    expect(field.value).toBe("");
    shelf.tag_order = "name";
  });

  it("follow the notes", async () => {
    const fake = await show("Tags", { notes: new Map(TAGGED), operations: [] });
    fake.write_outside("e.md", "#brand-new");
    await new Promise((resolve) => setTimeout(resolve, 560));
    await settle();
    expect(texts()).toContain("brand-new 1");
  });

  it("have words for nothing and for failure", async () => {
    const fake = await show("Tags", { notes: new Map([["a.md", ""]]), operations: [] });
    expect(within(left()).getByText("No tags yet")).toBeTruthy();
    fake.refuse.set("tags", new EngineError("internal", "the index is being rebuilt", "try again in a moment"));
    await shelf.tags.load();
    await settle();
    expect(within(left()).getByRole("alert").textContent).toContain("The index is being rebuilt");
    fake.refuse.clear();
    within(left()).getByRole("button", { name: "Try again" }).click();
    await settle(4);
    expect(within(left()).getByText("No tags yet")).toBeTruthy();
  });
});

describe("properties", () => {
  it("are listed with what they hold, and a press searches", async () => {
    await show("Properties", { notes: TAGGED, operations: [] });
    expect(texts()).toEqual(["author 1", "season 2", "tags 1"]);
    expect(row("season").textContent).toMatch(/(Text|Number), 2 notes/);
    row("season").focus();
    press("Enter");
    await settle(4);
    expect([layout.left_tab, search.query]).toEqual(["search", "[season]"]);
  });
});

describe("bookmarks", () => {
  it("lie in their groups, with what each is", async () => {
    await show("Bookmarks");
    expect(texts()).toEqual([
      "Glacier survey Expedition",
      "On the ice",
      "Stations Glacier survey",
      "Probes Kit list",
      "Old plan not there",
      "Papers Reading",
      "Everything of the survey tag:#survey",
      "The hut’s weather",
    ]);
    await expect_accessible(left());
    row("On the ice").click();
    await settle();
    expect(rows().length).toBe(5);
    expect(row("On the ice").getAttribute("aria-expanded")).toBe("false");
  });

  it("lead to notes and places in them", async () => {
    await show("Bookmarks");
    row("Stations").click();
    await settle(12);
    expect(tabs.active_path).toBe("Expedition/Glacier survey.md");
    expect(notes.active?.at_heading?.text).toBe("Stations");
  });

  it("lead to a folder's row, and to searches", async () => {
    await show("Bookmarks");
    row("Papers").click();
    await settle(12);
    expect(layout.left_tab).toBe("files");
    expect(document.activeElement?.getAttribute("data-row")).toBe("Reading/Papers");
    tab("Bookmarks").click();
    await settle();
    row("Everything").click();
    await settle();
    expect(search.query).toBe("tag:#survey");
  });

  it("ask before they open a page, and say what is not there", async () => {
    await show("Bookmarks");
    row("weather").click();
    await settle();
    expect(dialogs.external).toBe("https://example.org/weather");
    dialogs.external = null;
    row("Old plan").click();
    await settle();
    expect(toasts.list.at(-1)?.message).toBe("“Expedition/Old plan.md” is not there");
    expect(tabs.active_path).toBeNull();
  });

  it("have a word for a vault without any", async () => {
    const fake = await open_window();
    fake.bookmark_list = [];
    tab("Bookmarks").click();
    await settle(4);
    expect(within(left()).getByText("No bookmarks")).toBeTruthy();
  });
});

describe("rows", () => {
  const tags = ["a 1", "a/b 1", "a/b/c 1", "z 9"].map((one) => ({ tag: one.split(" ")[0]!, n_notes: Number(one.split(" ")[1]) }));
  const shown = (open: string[], filter = "", order: "name" | "count" = "name") =>
    tag_rows(tags, new Set(open), filter, order).map((one) => `${one.level} ${one.name} ${one.position}/${one.set_size}${one.expandable ? (one.expanded ? "-" : "+") : ""}`);

  it("of tags", () => {
    expect(shown([])).toEqual(["1 a 1/2+", "1 z 2/2"]);
    expect(shown(["a", "a/b"])).toEqual(["1 a 1/2-", "2 b 1/1-", "3 c 1/1", "1 z 2/2"]);
    expect(shown(["a/b"])).toEqual(["1 a 1/2+", "1 z 2/2"]);
    expect(shown([], "c")).toEqual(["1 a 1/1-", "2 b 1/1-", "3 c 1/1"]);
    expect(shown(["a"], "", "count")).toEqual(["1 z 1/2", "1 a 2/2-", "2 b 1/1+"]);
  });

  it("of properties", () => {
    const list = ["b 1", "a 3", "ab 3"].map((one) => ({ name: one.split(" ")[0]!, n_notes: Number(one.split(" ")[1]), kind: "text" as const }));
    expect(property_rows(list, "", "count").map((one) => one.id)).toEqual(["a", "ab", "b"]);
    expect(property_rows(list, "B").map((one) => `${one.id} ${one.position}/${one.set_size}`)).toEqual(["b 1/2", "ab 2/2"]);
  });
});
