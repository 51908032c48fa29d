// What a person did not touch stays as it is, byte for byte: whatever a text holds, typing and undoing gives it back.

import { redo, undo } from "@codemirror/commands";
import { beforeAll, describe, expect, it } from "vitest";
import type { NoteDocument } from "./documents";
import { EDITOR_COMMANDS } from "./commands";
import { engine } from "../ipc/engine";
import { notes } from "../state/notes.svelte";
import { fresh, open_note, open_window, settle } from "../test/window";

const TEXTS: Record<string, string> = {
  "carriage returns and line feeds": "# A\r\n\r\none\r\n- [ ] two\r\n",
  "lone carriage returns": "# A\rone\rtwo\r",
  "line ends of every kind": "one\ntwo\r\nthree\rfour\n\rfive\r\r\n",
  "a byte order mark": "\ufeff---\na: 1\n---\n# A\n",
  "a byte order mark in the middle": "a\ufeffb\n",
  "no-break spaces": "a\u00a0b\u202fc\u2007d\n-\u00a0no item\n",
  "separators of lines and paragraphs": "a\u2028b\u2029c\u0085d\u000be\u000cf\n",
  "zero-width signs": "a\u200bb\u200cc\u200dd\u2060e\u00adf\n",
  tabs: "\t\tcode\n- a\n\t- b\n \t mixed\n",
  "no final line end": "# A\n\nlast",
  "blanks at the ends of lines": "a  \nb\t\n   \n\n\n",
  "signs beyond the first plane": "🏔️ 👩‍🔬 𝔐 é e\u0301 한글\n",
  "half of a pair": "a\ud83d b\udd14c\n",
  "control signs": "a\u0000b\u0007c\u001bd\u007fe\n",
  "right to left": "שלום \u202eab\u202c عالم\n",
  "markup of every kind": "---\nx: [a, \"b\"]\n---\n> [!tip]- T\n> $x$ %%c%%\n\n|a|b|\n|-|-|\n|1|2|\n\n$$\nx\n$$\n\n![[E]] ^id\n\n[^1]: f\n",
  "a table that is out of line": "|a|b|\n|-|:-:|\n| 1 |2  |\n||\n",
  "numbers that count oddly": "1. a\n1. b\n7. c\n  3) d\n",
  "fences that nothing closes": "```js\na\n\n$$\nb\n%%\n",
  nothing: "",
  "only line ends": "\n\r\n\r\n\n",
};

// One command copies.
beforeAll(() => void Object.defineProperty(navigator, "clipboard", { value: { writeText: async () => {} }, configurable: true }));

async function open(text: string): Promise<NoteDocument> {
  fresh({ notes: new Map([["A.md", text]]), operations: [] });
  return notes.documents.open(await engine.read_note("A.md"));
}

/** Some places in a text: its ends, the ends of its lines, and steps between. */
function places(text: string): number[] {
  return [...new Set([0, 1, 2, 5, Math.floor(text.length / 2), text.indexOf("\n"), text.indexOf("\r"), text.length - 1, text.length])].filter((at) => at >= 0 && at <= text.length);
}

describe.each(Object.entries(TEXTS))("a note with %s", (_, text) => {
  it("opens as it is", async () => expect((await open(text)).text()).toBe(text));

  it("is the same after a letter was typed and taken back, anywhere", async () => {
    const doc = await open(text);
    for (const at of places(text)) {
      doc.dispatch({ changes: { from: at, insert: "x" }, selection: { anchor: at + 1 }, userEvent: "input.type" });
      expect(doc.text()).toBe(`${text.slice(0, at)}x${text.slice(at)}`);
      expect(doc.dirty).toBe(true);
      doc.run(undo);
      expect(doc.text()).toBe(text);
      expect(doc.dirty).toBe(false);
      doc.run(redo);
      doc.run(undo);
      expect(doc.text()).toBe(text);
    }
    doc.saver.stop();
  });

  it("is the same after any command was taken back", async () => {
    const doc = await open(text);
    for (const command of EDITOR_COMMANDS)
      for (const at of places(text)) {
        doc.dispatch({ selection: { anchor: at } });
        const before = doc.text();
        if (!doc.run(command.run)) continue;
        if (doc.text() !== before) doc.run(undo);
        expect(doc.text(), command.id).toBe(text);
      }
    doc.saver.stop();
  });

  it("is saved with the letter that was typed, and nothing else", async () => {
    const fake = await open_window({ notes: new Map([["A.md", text]]), operations: [] });
    await open_note("A.md");
    const doc = notes.documents.get("A.md")!;
    // A table that is written in would be put in order when the caret leaves it.
    const at = text.includes("|") ? text.length : Math.floor(text.length / 2);
    doc.view!.focus();
    doc.view!.dispatch({ changes: { from: at, insert: "x" }, selection: { anchor: at + 1 }, userEvent: "input.type" });
    doc.view!.dispatch({ selection: { anchor: 0 } });
    await settle(2);
    await doc.saver.flush();
    expect(fake.notes.get("A.md")).toBe(`${text.slice(0, at)}x${text.slice(at)}`);
  });
});
