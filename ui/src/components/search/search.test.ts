import { render, screen, waitFor } from "@testing-library/svelte";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { EngineError, use_engine } from "../../ipc/engine";
import { FakeEngine } from "../../ipc/fake";
import { search } from "../../state/search.svelte";
import { violations } from "../../test/axe";
import SearchPane from "./SearchPane.svelte";

let fake: FakeEngine;
const on_open = vi.fn();

beforeEach(() => {
  fake = new FakeEngine();
  use_engine(fake);
  search.type("");
  on_open.mockReset();
});

const field = () => screen.getByRole<HTMLInputElement>("textbox", { name: "Search in all notes" });
const press = (key: string) => document.activeElement!.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const active = () => document.activeElement as HTMLElement;

async function find(query: string): Promise<void> {
  render(SearchPane, { on_open });
  field().value = query;
  field().dispatchEvent(new Event("input", { bubbles: true }));
  await waitFor(() => expect(search.phase === "ready" || search.phase === "failed").toBe(true));
}

describe("results", () => {
  it("are gathered by note, with heading path and marked words, and counted", async () => {
    await find("theodolite");
    await screen.findByText("4 results in 4 notes", { selector: ".sum" });
    const note = screen.getByRole("button", { name: /Glacier survey Expedition 1 result/ });
    expect(note.getAttribute("aria-expanded")).toBe("true");
    const hit = document.querySelector(".hit")!;
    expect(hit.querySelector(".heading")!.textContent).toBe("Old instruments");
    expect(hit.querySelector("mark")!.textContent).toBe("theodolite");
    await waitFor(() => expect(screen.getByRole("status").textContent).toBe("4 results in 4 notes"));
  });

  it("open at their line", async () => {
    await find("theodolite");
    (await waitFor(() => document.querySelector<HTMLElement>(".hit")!)).click();
    expect(on_open).toHaveBeenCalledWith("Expedition/Glacier survey.md", 38);
  });

  it("say when there are none, and when one has not asked yet", async () => {
    render(SearchPane, { on_open });
    expect(screen.getByText(/the last one may be unfinished/)).toBeTruthy();
    search.type("zzzz");
    expect(await screen.findByText("Nothing found")).toBeTruthy();
  });

  it("say what went wrong, and try again", async () => {
    fake.refuse.set("search", new EngineError("indexing", "the index is being built", "try again in a moment"));
    await find("theodolite");
    expect((await screen.findByRole("alert")).textContent).toContain("The index is being built");
    fake.refuse.clear();
    screen.getByRole("button", { name: "Try again" }).click();
    await screen.findByText("4 results in 4 notes", { selector: ".sum" });
  });

  it("go on past the first hundred", async () => {
    await find("stakes");
    await screen.findByText(/the first 100 shown/, { selector: ".sum" });
    screen.getByRole("button", { name: "Show more" }).click();
    await waitFor(() => expect(search.hits.length).toBeGreaterThan(100));
  });

  it("say how the query was understood", async () => {
    const answer = fake.search;
    vi.spyOn(fake, "search").mockImplementation(async (...args) => ({ ...(await answer(...args)), query_note: "read as plain words" }));
    await find("theodolite");
    expect(await screen.findByText("Read as plain words")).toBeTruthy();
  });
});

describe("notes that change", () => {
  it("change the results in place: the focus and the list stay where they are", async () => {
    await find("theodolite");
    await waitFor(() => expect(document.querySelectorAll("[data-row]").length).toBe(8));
    press("ArrowDown");
    press("ArrowDown");
    const row = active().dataset.row!;
    const list = document.querySelector(".notes")!;
    list.scrollTop = 40;
    fake.notes = new Map([["First.md", "The theodolite.\n"], ...fake.notes]);
    fake.write_outside("First.md", "The theodolite again.\n");
    await screen.findByText("5 results in 5 notes", { selector: ".sum" });
    expect(document.querySelector("[data-row]")!.getAttribute("data-row")).toBe("First.md");
    await waitFor(() => expect(active().dataset.row).toBe(row));
    expect(document.querySelector("[data-row][tabindex='0']")).toBe(active());
    expect(document.querySelector(".notes")).toBe(list);
    expect(list.scrollTop).toBe(40);
  });

  it("leave the focus in the results when its row goes away", async () => {
    await find("theodolite");
    await waitFor(() => expect(document.querySelectorAll("[data-row]").length).toBe(8));
    press("ArrowDown");
    expect(active().dataset.row).toBe("Expedition/Glacier survey.md");
    fake.remove_outside("Expedition/Glacier survey.md");
    await screen.findByText("3 results in 3 notes", { selector: ".sum" });
    await waitFor(() => expect(active()).toBe(document.querySelector("[data-row]")));
  });
});

describe("the keyboard", () => {
  it("starts in the field, walks down into the results and back", async () => {
    await find("theodolite");
    expect(active()).toBe(field());
    await waitFor(() => expect(document.querySelectorAll("[data-row]").length).toBe(8));
    press("ArrowDown");
    expect(active().dataset.note).toBe("Expedition/Glacier survey.md");
    press("ArrowDown");
    expect(active().className).toContain("hit");
    press("ArrowLeft");
    expect(active().dataset.note).toBe("Expedition/Glacier survey.md");
    press("ArrowLeft");
    await waitFor(() => expect(document.querySelectorAll("[data-row]").length).toBe(7));
    press("ArrowRight");
    await waitFor(() => expect(document.querySelectorAll("[data-row]").length).toBe(8));
    press("End");
    expect(active()).toBe([...document.querySelectorAll("[data-row]")].at(-1));
    press("Home");
    press("ArrowUp");
    expect(active()).toBe(field());
  });

  it("empties the field with Escape, and comes back to it from the results", async () => {
    await find("theodolite");
    await waitFor(() => expect(document.querySelectorAll("[data-row]").length).toBe(8));
    press("ArrowDown");
    press("Escape");
    expect(active()).toBe(field());
    press("Escape");
    expect(search.query).toBe("");
  });

  it("is one stop for Tab beside the field", async () => {
    await find("theodolite");
    await waitFor(() => expect(document.querySelectorAll("[data-row]").length).toBe(8));
    expect(document.querySelectorAll("[data-row][tabindex='0']")).toHaveLength(1);
  });
});

describe("accessibility", () => {
  it("has no violations with results, without, and failed", async () => {
    await find("theodolite");
    await screen.findByText("4 results in 4 notes", { selector: ".sum" });
    const pane = document.querySelector(".search")!;
    expect(await violations(pane)).toEqual([]);
    search.type("zzzz");
    await screen.findByText("Nothing found");
    expect(await violations(pane)).toEqual([]);
  }, 30_000);
});
