import { history, undo } from "@codemirror/commands";
import { EditorState, type TransactionSpec } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { merge } from "./external";
import { between, is_dirty, not_sent, sending, sent, unsaved } from "./unsaved";

function start(text: string): EditorState {
  return EditorState.create({ doc: text, extensions: [EditorState.lineSeparator.of("\n"), unsaved, history()] });
}

function replace(state: EditorState, old: string, now: string): EditorState {
  const from = state.sliceDoc().indexOf(old);
  expect(from).toBeGreaterThanOrEqual(0);
  return state.update({ changes: { from, to: from + old.length, insert: now } }).state;
}

function undone(state: EditorState): EditorState {
  let after = state;
  undo({ state, dispatch: (tr) => (after = tr.state) });
  return after;
}

/** What the document holds after `typed` met `disk`, and how many overlaps there were. */
function merged(base: string, typed: string, disk: string): { text: string; n_overlaps: number } {
  let state = start(base);
  state = state.update({ changes: between(state.doc, state.toText(typed)) }).state;
  const { spec, n_overlaps } = merge(state, disk);
  state = state.update(spec).state;
  expect(state.field(unsaved).base.toString()).toBe(disk);
  expect(state.field(unsaved).since_base.apply(state.field(unsaved).base).toString()).toBe(state.sliceDoc());
  return { text: state.sliceDoc(), n_overlaps };
}

describe("merge", () => {
  const cases: { name: string; base: string; typed: string; disk: string; text: string; n_overlaps: number }[] = [
    { name: "takes the disk's text into a clean note", base: "a\nb\n", typed: "a\nb\n", disk: "a\nB\n", text: "a\nB\n", n_overlaps: 0 },
    { name: "keeps both when they touch other lines", base: "a\nb\nc\n", typed: "A\nb\nc\n", disk: "a\nb\nC\n", text: "A\nb\nC\n", n_overlaps: 0 },
    {
      name: "keeps both when they touch other words of one line",
      base: "see [[Survey#Old]] for the long story\n",
      typed: "see [[Survey#Old]] for the very long story\n",
      disk: "see [[Survey#New]] for the long story\n",
      text: "see [[Survey#New]] for the very long story\n",
      n_overlaps: 0,
    },
    { name: "sees that both made the same change", base: "a\nb\n", typed: "a\nx\n", disk: "a\nx\n", text: "a\nx\n", n_overlaps: 0 },
    { name: "keeps both lines when both changed the same word", base: "a\nold\nz\n", typed: "a\nmine\nz\n", disk: "a\ntheirs\nz\n", text: "a\nmine\ntheirs\nz\n", n_overlaps: 1 },
    { name: "keeps what was typed in a line that was deleted outside", base: "a\nb\nc\n", typed: "a\nb more\nc\n", disk: "a\nc\n", text: "a\nb more\nc\n", n_overlaps: 1 },
    { name: "brings back a line that was deleted here and changed outside", base: "a\nb\nc\n", typed: "a\nc\n", disk: "a\nB\nc\n", text: "a\nB\nc\n", n_overlaps: 1 },
    { name: "keeps both ends when both append", base: "a", typed: "a\nmine", disk: "a\ntheirs", text: "a\nmine\na\ntheirs", n_overlaps: 1 },
  ];
  it.each(cases)("$name", ({ base, typed, disk, text, n_overlaps }) => expect(merged(base, typed, disk)).toEqual({ text, n_overlaps }));

  it("never loses a typed word, whatever the disk brings", () => {
    let seed = 3;
    const random = (n: number) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % n;
    for (let n = 0; n < 300; n++) {
      const base = Array.from({ length: 6 }, () => ["ice melts", "rock stays", "", "# Head"][random(4)]).join("\n");
      const at = random(base.length + 1);
      const typed = `${base.slice(0, at)}TYPED${base.slice(at)}`;
      const cut = random(base.length + 1);
      const disk = `${base.slice(0, cut)}${["DISK", "", "\nDISK\n"][random(3)]}${base.slice(Math.min(base.length, cut + random(8)))}`;
      expect(merged(base, typed, disk).text).toContain("TYPED");
    }
  });

  it("stays out of the undo history", () => {
    let state = replace(start("a\nb\n"), "a", "mine");
    state = state.update(merge(state, "a\nB\n").spec).state;
    expect(state.sliceDoc()).toBe("mine\nB\n");
    expect(undone(state).sliceDoc()).toBe("a\nB\n");
  });

  it("keeps the caret where it was", () => {
    let state = start("one\ntwo\nthree\n");
    state = state.update({ selection: { anchor: 9 } }).state;
    state = state.update(merge(state, "zero\none\ntwo\nthree\n").spec).state;
    expect(state.selection.main.head).toBe(14);
  });
});

describe("unsaved", () => {
  const dispatch = (state: EditorState, spec: TransactionSpec) => state.update(spec).state;

  it("is clean again when a change is taken back", () => {
    const typed = replace(start("abc"), "b", "x");
    expect(is_dirty(typed)).toBe(true);
    expect(is_dirty(undone(typed))).toBe(false);
  });

  it("keeps what was typed while a save was on its way", () => {
    let state = replace(start("abc"), "b", "B");
    state = dispatch(state, { effects: sending.of(null) });
    state = replace(state, "c", "C");
    state = dispatch(state, { effects: sent.of(null) });
    expect(is_dirty(state)).toBe(true);
    expect(state.field(unsaved).base.toString()).toBe("aBc");
  });

  it("forgets a save that did not arrive", () => {
    let state = replace(start("abc"), "b", "B");
    state = dispatch(state, { effects: sending.of(null) });
    state = dispatch(state, { effects: not_sent.of(null) });
    expect(state.field(unsaved).base.toString()).toBe("abc");
    expect(is_dirty(state)).toBe(true);
  });
});
