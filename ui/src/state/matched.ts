// Which letters of a title answer what was typed, so that a person sees why it is in the list.

export interface Part {
  text: string;
  hit: boolean;
}

/** Parts a title into what was asked for and what stands between: the words if it has them, else the letters in their order. */
export function matched(title: string, typed: string): Part[] {
  const asked = letters(typed.trim());
  const own = letters(title);
  const hits = asked.length === 0 ? [] : (whole(own, asked) ?? words(own, typed) ?? in_order(own, asked, true) ?? in_order(own, asked, false) ?? []);
  const marked = new Set(hits);
  const parts: Part[] = [];
  for (const [at, letter] of [...title].entries()) {
    const hit = marked.has(at);
    const last = parts.at(-1);
    if (last?.hit === hit) last.text += letter;
    else parts.push({ text: letter, hit });
  }
  return parts;
}

/** A text's letters without regard to case and accents, one for each of its own. */
function letters(text: string): string[] {
  return [...text].map((letter) => letter.normalize("NFD").replace(/\p{M}+$/u, "").toLowerCase());
}

function whole(own: string[], asked: string[]): number[] | undefined {
  for (let at = 0; at + asked.length <= own.length; at++) {
    if (asked.every((letter, k) => own[at + k] === letter)) return asked.map((_, k) => at + k);
  }
  return undefined;
}

function words(own: string[], typed: string): number[] | undefined {
  const found = typed.split(/\s+/).filter(Boolean).map((word) => whole(own, letters(word)));
  return found.every((hits) => hits !== undefined) ? found.flat() : undefined;
}

function in_order(own: string[], asked: string[], only_beginnings: boolean): number[] | undefined {
  const hits: number[] = [];
  let at = 0;
  for (const letter of asked) {
    if (/\s/.test(letter)) continue;
    while (at < own.length && (own[at] !== letter || (only_beginnings && /[\p{L}\p{N}]/u.test(own[at - 1] ?? "")))) at++;
    if (at === own.length) return undefined;
    hits.push(at++);
  }
  return hits;
}
