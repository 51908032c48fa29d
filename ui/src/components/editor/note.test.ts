import { screen } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import { PLAIN_ABOVE } from "../../editor/documents";
import { EngineError } from "../../ipc/engine";
import { layout } from "../../state/layout.svelte";
import { notes } from "../../state/notes.svelte";
import { operations } from "../../state/operations.svelte";
import { tabs } from "../../state/tabs.svelte";
import { expect_accessible, open_note, open_window, settle } from "../../test/window";

const SURVEY = "Expedition/Glacier survey.md";
const INBOX = "Inbox.md";

describe("a note on the page", () => {
  it("takes a text from outside into a clean note", async () => {
    const fake = await open_window();
    await open_note(INBOX);
    fake.write_outside(INBOX, "# Inbox\n\nnew from outside\n");
    await settle();
    expect(notes.documents.get(INBOX)!.text()).toContain("new from outside");
    expect(notes.get(INBOX)!.status.kind).toBe("saved");
    expect(notes.get(INBOX)!.n_overlaps).toBe(0);
  });

  it("merges a text from outside with what is typed, and saves both", async () => {
    const fake = await open_window();
    await open_note(INBOX);
    const doc = notes.documents.get(INBOX)!;
    doc.dispatch({ changes: { from: doc.state.doc.length, insert: "typed here\n" } });
    fake.write_outside(INBOX, fake.notes.get(INBOX)!.replace("# Inbox", "# In-tray"));
    await settle();
    await doc.saver.flush();
    expect(fake.notes.get(INBOX)).toMatch(/^# In-tray[\s\S]*typed here\n$/);
  });

  it("shows a quiet bar when both changed the same words", async () => {
    const fake = await open_window();
    await open_note(INBOX);
    const doc = notes.documents.get(INBOX)!;
    doc.dispatch({ changes: { from: 2, to: 7, insert: "Mine" } });
    fake.write_outside(INBOX, fake.notes.get(INBOX)!.replace("# Inbox", "# Theirs"));
    await settle();
    await doc.saver.flush();
    expect(fake.notes.get(INBOX)).toContain("# Mine");
    expect(fake.notes.get(INBOX)).toContain("# Theirs");
    expect(screen.getByText(/Another program changed/)).toBeTruthy();
    await expect_accessible();
    screen.getByRole("button", { name: "Compare" }).click();
    await settle();
    expect(layout.right_tab).toBe("history");
    screen.getByRole("button", { name: "Fine" }).click();
    await settle();
    expect(screen.queryByText(/Another program changed/)).toBeNull();
  });

  it("merges when a save comes too late", async () => {
    const fake = await open_window();
    await open_note(INBOX);
    const doc = notes.documents.get(INBOX)!;
    // Written outside without an event: the save itself finds out.
    fake.notes.set(INBOX, fake.notes.get(INBOX)!.replace("# Inbox", "# In-tray"));
    doc.dispatch({ changes: { from: doc.state.doc.length, insert: "typed\n" } });
    expect(await doc.saver.flush()).toBe(true);
    expect(fake.notes.get(INBOX)).toMatch(/^# In-tray[\s\S]*typed\n$/);
  });

  it("does not bring an older text back when a save overtakes the reading", async () => {
    const fake = await open_window();
    await open_note(INBOX);
    const doc = notes.documents.get(INBOX)!;
    const read = fake.read_note.bind(fake);
    // The reading that the event starts is answered only after a save has gone through.
    let answer!: () => void;
    let slow = true;
    fake.read_note = async (path) => {
      const view = await read(path);
      if (slow && path === INBOX) {
        slow = false;
        await new Promise<void>((resolve) => (answer = resolve));
      }
      return view;
    };
    fake.write_outside(INBOX, `${fake.notes.get(INBOX)}outside\n`);
    await settle(2);
    doc.dispatch({ changes: { from: 0, insert: "typed " } });
    expect(await doc.saver.flush()).toBe(true);
    answer();
    await settle();
    expect(doc.text().startsWith("typed ")).toBe(true);
    expect(doc.text()).toContain("outside");
    expect(fake.notes.get(INBOX)).toBe(doc.text());
  });

  it("follows a note that was moved outside", async () => {
    const fake = await open_window();
    await open_note(INBOX);
    const text = fake.notes.get(INBOX)!;
    const hash = notes.documents.get(INBOX)!.hash;
    fake.notes.delete(INBOX);
    fake.notes.set("Archive/Inbox.md", text);
    fake.listeners.tell("notes_changed", {
      changed: [
        { path: INBOX, before: hash, after: null, origin: "outside" },
        { path: "Archive/Inbox.md", before: null, after: hash, origin: "outside" },
      ],
      generation: 9,
    });
    await settle(12);
    expect(tabs.list.map((tab) => tab.path)).toEqual(["Archive/Inbox.md"]);
    expect(notes.documents.get("Archive/Inbox.md")!.text()).toBe(text);
  });

  it("keeps a text whose file was deleted, and can put it back", async () => {
    const fake = await open_window();
    await open_note(INBOX);
    const text = fake.notes.get(INBOX)!;
    fake.remove_outside(INBOX);
    await settle();
    expect(screen.getByRole("alert").textContent).toContain("deleted outside");
    screen.getByRole("button", { name: "Put it back" }).click();
    await settle();
    expect(fake.notes.get(INBOX)).toBe(text);
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("tells the engine that unsaved text exists, and when it does no more", async () => {
    const fake = await open_window();
    await open_note(INBOX);
    const doc = notes.documents.get(INBOX)!;
    doc.dispatch({ changes: { from: 0, insert: "x" } });
    expect(fake.editing_paths.get(INBOX)).toBe(true);
    await doc.saver.flush();
    expect(fake.editing_paths.get(INBOX)).toBe(false);
  });

  it("saves at once when an agent is about to read the note", async () => {
    const fake = await open_window();
    await open_note(INBOX);
    notes.documents.get(INBOX)!.dispatch({ changes: { from: 0, insert: "fresh " } });
    fake.listeners.tell("flush_wanted", { path: INBOX });
    await settle();
    expect(fake.notes.get(INBOX)!.startsWith("fresh ")).toBe(true);
  });

  it("cannot be typed in when it is read-only, and says why", async () => {
    await open_window({ read_only: new Set([INBOX]) });
    await open_note(INBOX);
    expect(notes.documents.get(INBOX)!.state.readOnly).toBe(true);
    expect(screen.getByText(/write-protected/)).toBeTruthy();
    expect(document.querySelector('[data-pane="status"]')!.textContent).toContain("Read-only");
  });

  it("is plain text when it is very large", async () => {
    const notes_in = new Map([["Large.md", "word ".repeat(PLAIN_ABOVE / 4)]]);
    await open_window({ notes: notes_in, operations: [] });
    await open_note("Large.md");
    expect(screen.getByText(/A very large note/)).toBeTruthy();
    tabs.set_mode("Large.md", "reading");
    await settle();
    expect(screen.queryByRole("region", { name: /Reading/ })).toBeNull();
  });

  it("says what is wrong when it cannot be read, and tries again", async () => {
    const fake = await open_window();
    fake.refuse.set("read_note", new EngineError("unreadable", "permission denied: `Inbox.md`", "check the file's permissions"));
    await open_note(INBOX);
    expect(screen.getByRole("alert").textContent).toContain("Permission denied: “Inbox.md”");
    fake.refuse.clear();
    screen.getByRole("button", { name: "Try again" }).click();
    await settle();
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("marks the heading that a proposal is about, while writing and while reading", async () => {
    await open_window();
    await open_note(SURVEY);
    tabs.set_mode(SURVEY, "reading");
    await settle();
    const proposal = screen.getByRole("button", { name: /Claude Code proposes “Instruments of 2025”/ });
    expect(proposal.closest("h2")!.textContent).toContain("Old instruments");
    proposal.click();
    await settle();
    expect(layout.place).toBe("review");
    expect(operations.selected).toBe(operations.list.find((op) => op.path === SURVEY)!.id);
  });

  it("finds the heading of a proposal again when lines were written above it", async () => {
    await open_window();
    await open_note(SURVEY);
    const doc = notes.documents.get(SURVEY)!;
    doc.dispatch({ changes: { from: 0, insert: "one\ntwo\nthree\n" } });
    await doc.saver.flush();
    await new Promise((resolve) => setTimeout(resolve, 140));
    tabs.set_mode(SURVEY, "reading");
    await settle(12);
    expect(screen.getByRole("button", { name: /proposes “Instruments of 2025”/ }).closest("h2")!.textContent).toContain("Old instruments");
  });

  it("does not read its own saves back", async () => {
    const fake = await open_window();
    await open_note(INBOX);
    let n_reads = 0;
    const read = fake.read_note.bind(fake);
    fake.read_note = (path) => {
      n_reads++;
      return read(path);
    };
    notes.documents.get(INBOX)!.dispatch({ changes: { from: 0, insert: "x" } });
    await notes.documents.get(INBOX)!.saver.flush();
    await settle();
    expect(n_reads).toBe(0);
  });

  it("follows a link in the reading view to the section it names", async () => {
    await open_window({ settings: { default_mode: "reading" } });
    await open_note(SURVEY);
    screen.getByRole("link", { name: "Route and camps > Camps" }).click();
    await settle();
    expect(tabs.active_path).toBe("Expedition/Route and camps.md");
    expect(tabs.jump?.line).toBe(5);
    tabs.back();
    expect(tabs.active_path).toBe(SURVEY);
  });

  it("keeps typed text when the note is shown for reading", async () => {
    const fake = await open_window();
    await open_note(INBOX);
    const doc = notes.documents.get(INBOX)!;
    doc.dispatch({ changes: { from: doc.state.doc.length, insert: "\nseen while reading\n" } });
    tabs.set_mode(INBOX, "reading");
    await settle(12);
    expect(fake.notes.get(INBOX)).toContain("seen while reading");
    expect(screen.getByRole("region", { name: "Reading Inbox" }).textContent).toContain("seen while reading");
  });

  it("can be used by everybody, whatever it holds", async () => {
    const text = "---\ntags: [a]\n---\n# A\n\n> [!tip]- Folded\n> body\n\n- [ ] task\n- [/] half\n  - inner\n\n|a|b|\n|-|-|\n|[[x]]|#t|\n\n```js\na\n```\n\n$$x$$ and $y$[^1]\n\n![[Inbox]]\n\n![[no.png]]\n\n[^1]: f\n";
    await open_window({ notes: new Map([["A.md", text], [INBOX, "in"]]), operations: [] });
    await open_note("A.md");
    await expect_accessible();
    tabs.set_mode("A.md", "reading");
    await settle(12);
    await expect_accessible();
  });

  it("counts the words of a large note too, once the person pauses", async () => {
    await open_window({ notes: new Map([["Large.md", "one two three\n".repeat(20_000)]]), operations: [] });
    await open_note("Large.md");
    notes.documents.get("Large.md")!.dispatch({ changes: { from: 0, insert: "and " } });
    await vi.waitFor(() => expect(notes.get("Large.md")!.n_words).toBe(60_001), { timeout: 5000 });
  });
});
