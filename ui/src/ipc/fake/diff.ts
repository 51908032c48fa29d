// A line diff with the changed words marked, in the engine's shape. Plain dynamic programming: the fake vault is small.

import type { DiffLine, DiffSpan, Hunk } from "../types";

type Step = "same" | "removed" | "added";

function steps<T>(before: T[], after: T[]): Step[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < before.length - head && tail < after.length - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const n = before.length - head - tail;
  const m = after.length - head - tail;
  const width = m + 1;
  const longest = new Uint32Array((n + 1) * width);
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) {
      longest[i * width + j] =
        before[head + i] === after[head + j]
          ? longest[(i + 1) * width + j + 1]! + 1
          : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!);
    }
  }
  const found: Step[] = Array<Step>(head).fill("same");
  let i = 0;
  let j = 0;
  while (i < n || j < m) {
    if (i < n && j < m && before[head + i] === after[head + j]) {
      found.push("same");
      i++;
      j++;
    } else if (i < n && (j === m || longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!)) {
      found.push("removed");
      i++;
    } else {
      found.push("added");
      j++;
    }
  }
  return [...found, ...Array<Step>(tail).fill("same")];
}

function words(line: string): string[] {
  return line.match(/\p{L}+|\p{N}+|\s+|./gu) ?? [];
}

function joined(spans: DiffSpan[]): DiffSpan[] {
  const out: DiffSpan[] = [];
  for (const span of spans) {
    const last = out.at(-1);
    if (last && last.changed === span.changed) last.text += span.text;
    else if (span.text !== "") out.push({ ...span });
  }
  return out;
}

function changed_words(before: string, after: string): [DiffSpan[], DiffSpan[]] {
  const old_words = words(before);
  const new_words = words(after);
  const old_spans: DiffSpan[] = [];
  const new_spans: DiffSpan[] = [];
  let i = 0;
  let j = 0;
  for (const step of steps(old_words, new_words)) {
    if (step !== "added") old_spans.push({ text: old_words[i++]!, changed: step === "removed" });
    if (step !== "removed") new_spans.push({ text: new_words[j++]!, changed: step === "added" });
  }
  return [joined(old_spans), joined(new_spans)];
}

const plain = (text: string): DiffSpan[] => (text === "" ? [] : [{ text, changed: false }]);

/** Compares two texts and keeps `context` unchanged lines around what changed. */
export function diff(before: string, after: string, context = 1): Hunk[] {
  const old_lines = before.split("\n");
  const new_lines = after.split("\n");
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  let run: { removed: number[]; added: number[] } = { removed: [], added: [] };
  const end_run = () => {
    const pairs = run.removed.map((at, k) => {
      const mate = run.added[k];
      return mate === undefined ? undefined : changed_words(old_lines[at]!, new_lines[mate]!);
    });
    run.removed.forEach((at, k) => lines.push({ kind: "removed", old_line: at + 1, new_line: null, spans: pairs[k]?.[0] ?? plain(old_lines[at]!) }));
    run.added.forEach((at, k) => lines.push({ kind: "added", old_line: null, new_line: at + 1, spans: pairs[k]?.[1] ?? plain(new_lines[at]!) }));
    run = { removed: [], added: [] };
  };
  for (const step of steps(old_lines, new_lines)) {
    if (step === "removed") run.removed.push(i++);
    else if (step === "added") run.added.push(j++);
    else {
      end_run();
      lines.push({ kind: "context", old_line: i + 1, new_line: j + 1, spans: plain(old_lines[i]!) });
      i++;
      j++;
    }
  }
  end_run();
  return hunks(lines, context);
}

function hunks(lines: DiffLine[], context: number): Hunk[] {
  const kept = lines.map(() => false);
  lines.forEach((line, at) => {
    if (line.kind === "context") return;
    for (let k = Math.max(0, at - context); k <= Math.min(lines.length - 1, at + context); k++) kept[k] = true;
  });
  const found: Hunk[] = [];
  lines.forEach((line, at) => {
    if (!kept[at]) return;
    if (at === 0 || !kept[at - 1]) found.push({ lines: [] });
    found.at(-1)!.lines.push(line);
  });
  return found;
}
