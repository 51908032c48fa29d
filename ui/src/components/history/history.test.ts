import { render, screen, waitFor, within } from "@testing-library/svelte";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { EngineError, use_engine } from "../../ipc/engine";
import { FakeEngine } from "../../ipc/fake";
import { history } from "../../state/history.svelte";
import { layout } from "../../state/layout.svelte";
import { notes } from "../../state/notes.svelte";
import { operations } from "../../state/operations.svelte";
import { violations } from "../../test/axe";
import HistoryPane from "./HistoryPane.svelte";
import VersionView from "./VersionView.svelte";

const PATH = "Expedition/Glacier survey.md";
let fake: FakeEngine;

async function open(path: string | null = PATH): Promise<void> {
  render(HistoryPane, { path });
  if (path) await waitFor(() => expect(history.phase).toBe("ready"));
}

beforeEach(() => {
  // Noon, so that "yesterday" is yesterday at any hour of the day.
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(2026, 10, 30, 12, 0) });
  fake = new FakeEngine();
  use_engine(fake);
  history.open(null);
  history.against = "before";
  layout.show_diff("inline");
  return () => {
    history.open(null);
    vi.useRealTimers();
  };
});

const press = (key: string) => document.activeElement!.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const rows = () => [...document.querySelectorAll<HTMLElement>("[data-version]")];

describe("the list of versions", () => {
  it("groups by day, and says who, when, what and how much", async () => {
    await open();
    expect(screen.getAllByRole("heading").map((one) => one.textContent)).toEqual(["Today", "Yesterday"]);
    const renamed = rows()[1]!.textContent!.replace(/\s+/g, " ");
    for (const words of ["Claude Code", "11:23", "Renamed “Outlook” → “Next season”, 9 links in 3 notes", "+", "−", "characters"]) expect(renamed).toContain(words);
    expect(rows()[2]!.textContent).toContain("On disk");
  });

  it("shows one entry for an operation over many files, with one undo", async () => {
    await open();
    expect(screen.getByText("4 files")).toBeTruthy();
    screen.getByRole("button", { name: /^Undo operation/ }).click();
    await waitFor(() => expect(fake.notes.get(PATH)).toContain("## Outlook"));
    expect(screen.getByRole("status").textContent).toContain("Undone");
  });

  it("has an undo for a note that moved alone, and counts no file twice", async () => {
    fake.notes.set("Alone.md", "Nothing links here.\n");
    const wish = { kind: "move_note", path: "Alone.md", to: "Elsewhere.md" } as const;
    await fake.carry_wish(wish, null);
    await open("Elsewhere.md");
    expect(screen.queryByText(/\d files/)).toBeNull();
    screen.getByRole("button", { name: "Undo operation: Moved to “Elsewhere”" }).click();
    await waitFor(() => expect(fake.notes.has("Alone.md")).toBe(true));
  });

  it("is walked with the arrows", async () => {
    await open();
    rows()[0]!.focus();
    press("ArrowDown");
    await waitFor(() => expect(rows()[0]!.getAttribute("aria-current")).toBe("true"));
    press("ArrowDown");
    await waitFor(() => expect(document.activeElement).toBe(rows()[1]));
    press("ArrowUp");
    await waitFor(() => expect(document.activeElement).toBe(rows()[0]));
    press("Escape");
    expect(history.shown).toBeNull();
  });

  it("says that there is no past, no note, or no answer", async () => {
    fake.notes.set("Empty.md", "");
    await open("Empty.md");
    expect(screen.getByText("No past yet")).toBeTruthy();
  });

  it("says that no note is open", async () => {
    await open(null);
    expect(screen.getByText("No note is open")).toBeTruthy();
  });

  it("says what went wrong, and tries again", async () => {
    fake.refuse.set("history", new EngineError("io", "the journal cannot be read", "check the disk"));
    render(HistoryPane, { path: PATH });
    expect((await screen.findByRole("alert")).textContent).toContain("The journal cannot be read. Check the disk");
    fake.refuse.clear();
    screen.getByRole("button", { name: "Try again" }).click();
    await waitFor(() => expect(rows()).toHaveLength(5));
  });
});

describe("a version", () => {
  async function show(at: number): Promise<HTMLElement> {
    await open();
    render(VersionView, { panel: "note-panel" });
    rows()[at]!.click();
    const view = await screen.findByRole("region", { name: "A past text of Glacier survey" });
    await waitFor(() => expect(history.diff_phase).toBe("ready"));
    return view;
  }

  it("shows what it changed, word by word", async () => {
    const view = await show(1);
    await waitFor(() => expect(view.querySelector("del")?.textContent).toBe("Outlook"));
    expect(view.querySelector("ins")?.textContent).toBe("Next season");
    expect(view.textContent).toContain("1 line added, 1 line removed");
  });

  it("is laid beside the text of now", async () => {
    const view = await show(1);
    within(view).getByRole("button", { name: "Against now" }).click();
    await waitFor(() => expect(view.textContent).toContain("+ the text of now"));
  });

  describe("beside another one", () => {
    const select = (view: HTMLElement) => within(view).getByRole<HTMLSelectElement>("combobox", { name: "Compare with" });

    it("is compared from the older to the newer, whichever was chosen first", async () => {
      const view = await show(1);
      within(view).getByRole("button", { name: "Another version" }).click();
      await waitFor(() => expect(rows()[2]!.textContent).toContain("compared"));
      // The next older one is offered first; one whose text is not kept never.
      expect(select(view).value).toBe(history.versions[2]!.id);
      expect([...select(view).options].map((one) => one.value)).toEqual([0, 2, 3].map((at) => history.versions[at]!.id));
      await waitFor(() => expect(view.textContent).toContain("− Today, 08:29, + Today, 11:23"));
      select(view).value = history.versions[0]!.id;
      select(view).dispatchEvent(new Event("change", { bubbles: true }));
      await waitFor(() => expect(view.textContent).toContain("− Today, 11:23, + Today, 11:48"));
      await waitFor(() => expect(view.querySelector(".added")?.textContent).toContain("Twelve stations along two transects, read twice a day."));
      expect(await violations(document.body)).toEqual([]);
    });

    it("is chosen in the list with Shift, and stays while the versions are walked", async () => {
      const view = await show(0);
      rows()[3]!.dispatchEvent(new MouseEvent("click", { bubbles: true, shiftKey: true }));
      await waitFor(() => expect(select(view).value).toBe(history.versions[3]!.id));
      rows()[0]!.focus();
      press("ArrowDown");
      await waitFor(() => expect(history.pair?.map((one) => one.id)).toEqual([history.versions[3]!.id, history.versions[1]!.id]));
      await waitFor(() => expect(view.textContent).toContain("Read each one"));
    });

    it("gives parts of the older one back", async () => {
      notes.reset();
      await notes.open(PATH);
      const view = await show(2);
      rows()[0]!.dispatchEvent(new MouseEvent("click", { bubbles: true, shiftKey: true }));
      await waitFor(() => expect(within(view).getAllByRole("button", { name: /this part/ }).length).toBeGreaterThan(1));
      within(view).getAllByRole("button", { name: /this part/ })[0]!.click();
      await waitFor(() => expect(notes.documents.get(PATH)!.text()).toContain("Ten stations along two transects."));
    });
  });

  describe("in two columns", () => {
    const cells = (view: HTMLElement) => [...view.querySelectorAll("tbody tr")].map((row) => [...row.querySelectorAll("td.text")].map((cell) => cell.textContent!.replace(/^(Removed|Added), line \d+: /, "")));

    it("has what was beside what is, and is remembered", async () => {
      const view = await show(1);
      within(view).getByRole("button", { name: "Side by side" }).click();
      await waitFor(() => expect(cells(view)).toContainEqual(["## Outlook", "## Next season"]));
      expect([...view.querySelectorAll("thead th")].map((one) => one.textContent)).toEqual(["before", "this version"]);
      expect([view.querySelector("del")?.textContent, view.querySelector("ins")?.textContent]).toEqual(["Outlook", "Next season"]);
      expect(await violations(document.body)).toEqual([]);
      layout.diff_view = "inline";
      layout.recall();
      expect(layout.diff_view).toBe("beside");
      expect(within(view).getByRole("button", { name: "Side by side" }).getAttribute("aria-pressed")).toBe("true");
    });

    it("goes on in one column where there is no room", async () => {
      layout.show_diff("beside");
      const width = vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(420);
      const view = await show(1);
      await waitFor(() => expect(view.querySelector("del")).not.toBeNull());
      expect(view.querySelector("table")).toBeNull();
      const choice = within(view).getByRole("button", { name: "Side by side" });
      expect([choice.getAttribute("aria-pressed"), choice.getAttribute("aria-disabled")]).toEqual(["false", "true"]);
      width.mockRestore();
    });
  });

  it("is restored, and that is undone", async () => {
    const before = fake.notes.get(PATH)!;
    const view = await show(2);
    within(view).getByRole("button", { name: "Restore" }).click();
    const undo = await within(view).findByRole("button", { name: "Undo" });
    expect(fake.notes.get(PATH)).toContain("## Outlook");
    undo.click();
    await waitFor(() => expect(fake.notes.get(PATH)).toBe(before));
  });

  describe("and its parts", () => {
    async function show_beside_note(at: number): Promise<HTMLElement> {
      notes.reset();
      await notes.open(PATH);
      return show(at);
    }
    const text = () => notes.documents.get(PATH)!.text();
    const parts = (view: HTMLElement) => within(view).getAllByRole("button", { name: /this part/ });

    it("are restored one by one as edits that are saved and undone", async () => {
      const before = fake.notes.get(PATH)!;
      const view = await show_beside_note(0);
      await waitFor(() => expect(parts(view).map((one) => one.textContent?.trim())).toEqual(["Restore this part", "Take this part out"]));
      parts(view)[0]!.click();
      await waitFor(() => expect(text()).toContain("Ten stations along two transects."));
      expect(text()).toContain("Photograph the snout");
      parts(view)[1]!.click();
      await waitFor(() => expect(text()).not.toContain("Photograph the snout"));
      expect(view.textContent).toContain("2 parts of the note are as before.");
      expect(await violations(document.body)).toEqual([]);
      await notes.documents.flush_all();
      expect(fake.notes.get(PATH)).toBe(text());
      parts(view)[1]!.focus();
      document.activeElement!.dispatchEvent(new KeyboardEvent("keydown", { key: "z", ctrlKey: true, bubbles: true, cancelable: true }));
      await waitFor(() => expect(text()).toContain("Photograph the snout"));
      within(view).getByRole("button", { name: "Undo" }).click();
      await waitFor(() => expect(text()).toBe(before));
      expect(view.textContent).not.toContain("as before.");
    }, 30_000);

    it("are taken from the version when it is laid beside the text of now", async () => {
      const view = await show_beside_note(1);
      within(view).getByRole("button", { name: "Against now" }).click();
      await waitFor(() => expect(view.textContent).toContain("+ the text of now"));
      await waitFor(() => expect(parts(view)).toHaveLength(2));
      parts(view)[0]!.click();
      await waitFor(() => expect(text()).toContain("Ten stations along two transects."));
      expect(text()).toContain("## Next season");
    });

    it("are refused in words where the note has moved on", async () => {
      const view = await show_beside_note(1);
      fake.write_outside(PATH, fake.notes.get(PATH)!.replace("## Next season", "## Next summer"));
      const doc = notes.documents.get(PATH)!;
      doc.take_from_disk("later", fake.notes.get(PATH)!);
      const before = text();
      await waitFor(() => parts(view)[0]!.click());
      await waitFor(() => expect(within(view).getByRole("alert").textContent).toContain("The lines around this part are no longer in the note. Choose “Against now”"));
      expect(text()).toBe(before);
    });

    it("are not offered where there was nothing before", async () => {
      const view = await show_beside_note(4);
      expect(history.version?.kind).toBe("create_note");
      await waitFor(() => expect(view.querySelector("[data-hunk]")).not.toBeNull());
      expect(within(view).queryByRole("button", { name: /this part/ })).toBeNull();
    });
  });

  it("can be copied", async () => {
    const copied = vi.fn(async () => {});
    Object.defineProperty(navigator, "clipboard", { value: { writeText: copied }, configurable: true });
    const view = await show(2);
    within(view).getByRole("button", { name: "Copy Text of this version" }).click();
    await waitFor(() => expect(copied).toHaveBeenCalledWith(expect.stringContaining("## Outlook")));
  });

  it("cannot be restored when it is the text of now or no longer kept", async () => {
    const view = await show(0);
    expect(within(view).getByRole<HTMLButtonElement>("button", { name: "Restore" }).disabled).toBe(true);
  });

  it("names the other files of its operation", async () => {
    await operations.load();
    const view = await show(1);
    await waitFor(() => expect(view.textContent).toContain("Also in this operation"));
    expect(view.textContent).toContain("Expedition/Kit list.md");
  });

  it("gives way to the note with Escape, and the focus goes back to its row", async () => {
    const view = await show(1);
    within(view).getByRole("button", { name: "Back to the note" }).focus();
    press("Escape");
    await waitFor(() => expect(screen.queryByRole("region", { name: /past text/ })).toBeNull());
    expect(document.activeElement).toBe(rows()[1]);
  });

  it("has no accessibility violations, nor has the list", async () => {
    await show(1);
    expect(await violations(document.body)).toEqual([]);
  }, 30_000);
});
