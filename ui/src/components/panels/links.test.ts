import { screen, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../ipc/engine";
import { layout } from "../../state/layout.svelte";
import { destinations_of, linked } from "../../state/linked.svelte";
import { notes } from "../../state/notes.svelte";
import { tabs } from "../../state/tabs.svelte";
import { toasts } from "../../state/toasts.svelte";
import { expect_accessible, open_note, open_window, press, settle } from "../../test/window";

const SMALL = () =>
  new Map([
    ["Ice.md", "# Ice\n\n[[Kit]] [[Kit#Probes]] [[Nowhere]]\n"],
    ["Kit.md", "# Kit\n\n## Probes\n\nOn ice, and [[Ice]] again on ice.\n"],
    ["Day.md", "# Day\n\nIce everywhere.\n"],
  ]);

const part = (name: string) => within(screen.getByRole("region", { name }));
const button = (name: string | RegExp) => screen.getByRole("button", { name });

async function open_pane(path = "Ice.md", text = SMALL()) {
  layout.show_right("links");
  const fake = await open_window({ notes: text, operations: [] });
  await open_note(path);
  return fake;
}

async function open_mentions() {
  button(/^Unlinked mentions/).click();
  await settle(8);
}

describe("the links of a note", () => {
  it("are shown by note, with the lines that lead here", async () => {
    await open_pane();
    expect(part("Links to this note").getByRole("heading", { level: 3 }).textContent).toBe("Kit");
    part("Links to this note").getByRole("button", { name: /^Line 5 of Kit/ }).click();
    await settle(8);
    expect(tabs.active_path).toBe("Kit.md");
    expect(notes.active?.at_line).toBe(5);
  });

  it("lead to where they lead, each once, and those that lead nowhere last", async () => {
    await open_pane();
    const rows = part("Links from this note").getAllByRole("listitem");
    expect(rows.map((row) => row.textContent?.replace(/\s+/g, " ").trim())).toEqual(["Kit 2", "Nowhere leads nowhere yet Create"]);
    expect(button(/^Links from this note/).textContent).toContain("1 lead nowhere");
    await expect_accessible(document.querySelector('[data-pane="right"]')!);
    button("Create Nowhere.md").click();
    await settle(12);
    expect(tabs.active_path).toBe("Nowhere.md");
  });

  it("open the section that the only link names", async () => {
    await open_pane("Ice.md", new Map([...SMALL(), ["Ice.md", "[[Kit#Probes]]"]]));
    part("Links from this note").getByRole("button", { name: /Kit/ }).click();
    await settle(8);
    expect([tabs.active_path, notes.active?.at_line]).toEqual(["Kit.md", 3]);
  });

  it("follow what other notes say", async () => {
    const fake = await open_pane();
    fake.write_outside("Day.md", "[[Ice]]");
    await new Promise((resolve) => setTimeout(resolve, 300));
    await settle();
    expect(part("Links to this note").getAllByRole("heading", { level: 3 }).length).toBe(2);
  });

  it("say what failed, and try again", async () => {
    layout.show_right("links");
    const fake = await open_window({ notes: SMALL(), operations: [] });
    fake.refuse.set("outgoing", new EngineError("no_vault", "no vault is open", "open a folder of notes first"));
    await open_note("Ice.md");
    expect(screen.getByRole("alert").textContent).toContain("No vault is open");
    fake.refuse.clear();
    button("Try again").click();
    await settle(8);
    expect(screen.getByRole("region", { name: "Links to this note" })).toBeTruthy();
  });

  it("show a hub in pages", async () => {
    const many = Array.from({ length: 130 }, (_, n): [string, string] => [`n${n}.md`, "[[Hub]]"]);
    await open_pane("Hub.md", new Map([["Hub.md", ""], ...many]));
    expect(part("Links to this note").getAllByRole("heading", { level: 3 }).length).toBe(20);
    button("Show 60 more notes").click();
    await settle();
    button("Show 50 more notes").click();
    await settle();
    expect(part("Links to this note").getAllByRole("heading", { level: 3 }).length).toBe(130);
    expect(screen.queryByRole("button", { name: /more note/ })).toBeNull();
  });

  it("ask for the rest of a large hub only when it is wanted", async () => {
    const many = Array.from({ length: 400 }, (_, n): [string, string] => [`n${n}.md`, "[[Hub]]"]);
    await open_pane("Hub.md", new Map([["Hub.md", ""], ...many]));
    expect(button(/^Links to this note/).textContent).toContain("400");
    expect(linked.backlinks?.length).toBe(300);
    for (let n = 0; n < 10 && screen.queryByRole("button", { name: /^Show/ }); n++) {
      screen.getByRole("button", { name: /^Show/ }).click();
      await settle(4);
    }
    expect(part("Links to this note").getAllByRole("heading", { level: 3 }).length).toBe(400);
  });

  it("are walked with the arrow keys", async () => {
    await open_pane();
    button(/^Links to this note/).focus();
    const names = [];
    for (let n = 0; n < 5; n++) {
      press("ArrowDown");
      names.push(document.activeElement!.textContent!.replace(/\s+/g, " ").trim());
    }
    expect(names).toEqual(["On ice, and [[Ice]] again on ice.", "Links from this note 1 lead nowhere 3", "Kit 2", "Nowhere leads nowhere yet", "Unlinked mentions"]);
    press("Home");
    expect(document.activeElement!.textContent).toContain("Links to this note");
  });
});

describe("unlinked mentions", () => {
  it("are looked for only when they are wanted", async () => {
    const fake = await open_pane();
    expect(linked.mentions).toBeNull();
    await open_mentions();
    const found = part("Unlinked mentions").getAllByRole("button", { name: /^Line/ });
    expect(found.map((one) => one.textContent)).toEqual(["On ice, and [[Ice]] again on ice.", "On ice, and [[Ice]] again on ice.", "Ice everywhere."]);
    expect([...document.querySelectorAll("mark")].map((one) => one.textContent)).toEqual(["ice", "ice", "Ice"]);
    await expect_accessible(document.querySelector('[data-pane="right"]')!);
    // Another note asks anew by itself; a closed list does not.
    await open_note("Kit.md");
    expect(part("Unlinked mentions").getByText("No other note names this one without a link.")).toBeTruthy();
    linked.want_mentions(false);
    fake.write_outside("Day.md", "Kit");
    await new Promise((resolve) => setTimeout(resolve, 900));
    expect(linked.mentions?.mentions).toEqual([]);
  });

  it("become links by one press, keep the keyboard in the list, and are names again by an undo", async () => {
    const fake = await open_pane();
    await open_mentions();
    const links = () => part("Unlinked mentions").getAllByRole("button", { name: /^Link “/ });
    links()[2]!.focus();
    links()[2]!.click();
    await settle(12);
    expect(fake.notes.get("Day.md")).toBe("# Day\n\n[[Ice]] everywhere.\n");
    expect(document.activeElement).toBe(links()[1]);
    links()[1]!.click();
    await settle(12);
    expect(fake.notes.get("Kit.md")).toContain("On ice, and [[Ice]] again on [[Ice|ice]].");
    expect(screen.getAllByRole("status").some((one) => one.textContent === "Linked “ice” in Kit")).toBe(true);
    toasts.list.at(-1)!.action!.run();
    await settle(12);
    expect(fake.notes.get("Kit.md")).toContain("On ice, and [[Ice]] again on ice.");
    expect(fake.notes.get("Day.md")).toContain("[[Ice]]");
  });

  it("say why a name was not made a link", async () => {
    const fake = await open_pane();
    await open_mentions();
    fake.notes.set("Day.md", "Nothing.");
    part("Unlinked mentions").getByRole("button", { name: /^Link “Ice” on line 3 of Day/ }).click();
    await settle(12);
    expect(toasts.list.some((one) => one.kind === "error" && one.message.includes("does not stand on line 3"))).toBe(true);
  });

  it("say what failed, and try again", async () => {
    const fake = await open_pane();
    fake.refuse.set("mentions", new EngineError("internal", "the index is being rebuilt", "try again in a moment"));
    await open_mentions();
    expect(screen.getByRole("alert").textContent).toContain("The index is being rebuilt");
    fake.refuse.clear();
    button("Try again").click();
    await settle(8);
    expect(part("Unlinked mentions").getAllByRole("button", { name: /^Link “/ }).length).toBe(3);
  });

  it("drop an answer that is no longer wanted", async () => {
    const fake = await open_pane();
    const slow = fake.mentions;
    let answer = () => {};
    fake.mentions = async (path, limit) => {
      await new Promise<void>((resolve) => (answer = resolve));
      return slow(path, limit);
    };
    await open_mentions();
    expect(screen.getByRole("status", { name: "Looking for mentions" })).toBeTruthy();
    linked.want_mentions(false);
    answer();
    await settle(8);
    expect(linked.mentions).toBeNull();
  });
});

describe("destinations_of", () => {
  const link = (target: string, path: string | null) => ({ target, path, subpath: null, line: 1, kind: "wiki", title: target, creates: null });
  it("counts links to one file together, however they name it", () => {
    const found = destinations_of([link("a", null), link("N", "x/N.md"), link("A", null), link("x/N", "x/N.md")]);
    expect(found.map((one) => `${one.key} ${one.n_links}`)).toEqual(["x/N.md 2", "?a 2"]);
  });
});
