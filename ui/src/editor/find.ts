// Finding and replacing in the open note: one quiet bar above the text, in the words and shapes of the rest of the window.

import { closeSearchPanel, findNext, findPrevious, getSearchQuery, openSearchPanel, replaceAll, replaceNext, search, SearchQuery, setSearchQuery } from "@codemirror/search";
import { type EditorState, type Extension, type StateCommand, StateEffect, StateField } from "@codemirror/state";
import { EditorView, type Panel, runScopeHandlers, type ViewUpdate } from "@codemirror/view";

/** More than this many are not counted. */
const MOST = 999;

/** Shows the fields for replacing, or hides them. */
const show_replace = StateEffect.define<boolean>();
const replacing = StateField.define<boolean>({
  create: () => false,
  update: (now, tr) => tr.effects.reduce((shown, effect) => (effect.is(show_replace) ? effect.value : shown), now),
});

export interface Count {
  /** Which of them is selected, from 1; 0 if none is. */
  nth: number;
  n: number;
  more: boolean;
}

export function count_matches(state: EditorState, query: SearchQuery): Count {
  const count: Count = { nth: 0, n: 0, more: false };
  if (!query.valid) return count;
  const { from, to } = state.selection.main;
  for (const cursor = query.getCursor(state); ; ) {
    const next = cursor.next();
    if (next.done) return count;
    if (count.n === MOST) return { ...count, more: true };
    count.n++;
    if (next.value.from === from && next.value.to === to) count.nth = count.n;
  }
}

export function say_count(query: SearchQuery, count: Count): string {
  if (query.search === "") return "";
  if (!query.valid) return "Not a valid expression";
  if (count.n === 0) return "Nothing found";
  const n = count.more ? `more than ${MOST}` : String(count.n);
  return count.nth > 0 ? `${count.nth} of ${n}` : count.n === 1 ? "1 found" : `${n} found`;
}

function button(name: string, text: string, act: () => void, hint = name): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "cm-find-button";
  made.textContent = text;
  made.title = hint;
  made.setAttribute("aria-label", name);
  made.onclick = act;
  return made;
}

class FindBar implements Panel {
  readonly dom = document.createElement("div");
  readonly top = true;
  #find = field("Find in this note", "Find");
  #replace = field("Replace with", "Replace with");
  #said = document.createElement("span");
  #second = document.createElement("div");
  #toggles: { button: HTMLButtonElement; key: "caseSensitive" | "regexp" | "wholeWord" }[] = [];
  #more: HTMLButtonElement;
  #clock: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly view: EditorView) {
    this.dom.className = "cm-find";
    this.dom.setAttribute("role", "search");
    this.dom.setAttribute("aria-label", "Find in this note");
    this.dom.onkeydown = (event) => this.#key(event);
    this.#find.setAttribute("main-field", "true");
    this.#said.className = "cm-find-said";
    this.#said.setAttribute("role", "status");
    for (const one of [this.#find, this.#replace]) one.oninput = () => this.#ask();

    const first = document.createElement("div");
    first.className = "cm-find-row";
    this.#more = button("Replace", "", () => view.dispatch({ effects: show_replace.of(!view.state.field(replacing)) }), "Replace (Ctrl H)");
    this.#more.classList.add("cm-find-more");
    const toggle = (key: "caseSensitive" | "regexp" | "wholeWord", name: string, text: string) => {
      const made = button(name, text, () => {
        made.setAttribute("aria-pressed", String(made.getAttribute("aria-pressed") !== "true"));
        this.#ask();
      });
      made.classList.add("cm-find-toggle");
      this.#toggles.push({ button: made, key });
      return made;
    };
    const close = button("Close", "×", () => closeSearchPanel(view), "Close (Esc)");
    close.classList.add("cm-find-close");
    const boxed = document.createElement("div");
    boxed.className = "cm-find-box";
    boxed.append(this.#find, toggle("caseSensitive", "Match case", "Aa"), toggle("wholeWord", "Whole words", "ab"), toggle("regexp", "Regular expression", ".*"));
    first.append(
      this.#more,
      boxed,
      button("Previous", "↑", () => findPrevious(view), "Previous (Shift Enter)"),
      button("Next", "↓", () => findNext(view), "Next (Enter)"),
      this.#said,
      close,
    );
    this.#second.className = "cm-find-row";
    const act = (name: string, run: (view: EditorView) => boolean) => {
      const made = button(name, name, () => run(view));
      made.classList.add("cm-find-act");
      return made;
    };
    this.#second.append(this.#replace, act("Replace", replaceNext), act("Replace all", replaceAll));
    this.dom.append(first, this.#second);
    this.#take(getSearchQuery(view.state));
    this.#show_replace();
  }

  mount(): void {
    this.#find.select();
    this.#find.focus();
    this.#count();
  }

  destroy(): void {
    clearTimeout(this.#clock);
  }

  update(update: ViewUpdate): void {
    for (const tr of update.transactions)
      for (const effect of tr.effects) {
        if (effect.is(setSearchQuery) && !effect.value.eq(this.#query())) this.#take(effect.value);
        if (effect.is(show_replace)) this.#show_replace();
      }
    if (update.docChanged || update.selectionSet || update.transactions.some((tr) => tr.effects.some((effect) => effect.is(setSearchQuery)))) this.#later();
  }

  #show_replace(): void {
    const shown = this.view.state.field(replacing) && !this.view.state.readOnly;
    this.#second.hidden = !shown;
    this.#more.hidden = this.view.state.readOnly;
    this.#more.setAttribute("aria-expanded", String(shown));
  }

  focus_replace(): void {
    if (this.#find.value === "") return this.#find.focus();
    this.#replace.focus();
    this.#replace.select();
  }

  #query(): SearchQuery {
    const pressed = Object.fromEntries(this.#toggles.map(({ button, key }) => [key, button.getAttribute("aria-pressed") === "true"]));
    return new SearchQuery({ search: this.#find.value, replace: this.#replace.value, literal: !pressed.regexp, ...pressed });
  }

  #take(query: SearchQuery): void {
    this.#find.value = query.search;
    this.#replace.value = query.replace;
    for (const { button, key } of this.#toggles) button.setAttribute("aria-pressed", String(query[key]));
  }

  #ask(): void {
    const query = this.#query();
    if (!query.eq(getSearchQuery(this.view.state))) this.view.dispatch({ effects: setSearchQuery.of(query) });
  }

  #later(): void {
    clearTimeout(this.#clock);
    this.#clock = setTimeout(() => this.#count(), 60);
  }

  #count(): void {
    const query = getSearchQuery(this.view.state);
    const said = say_count(query, count_matches(this.view.state, query));
    if (this.#said.textContent !== said) this.#said.textContent = said;
    this.#find.setAttribute("aria-invalid", String(query.search !== "" && !query.valid));
  }

  #key(event: KeyboardEvent): void {
    if (runScopeHandlers(this.view, event, "search-panel")) return event.preventDefault();
    if (event.key !== "Enter") return;
    const { target } = event;
    if (target === this.#find) {
      event.preventDefault();
      if (event.shiftKey) findPrevious(this.view);
      else findNext(this.view);
    } else if (target === this.#replace) {
      event.preventDefault();
      if (event.ctrlKey || event.metaKey) replaceAll(this.view);
      else replaceNext(this.view);
    }
  }
}

function field(name: string, placeholder: string): HTMLInputElement {
  const made = document.createElement("input");
  made.type = "text";
  made.className = "cm-find-field";
  made.placeholder = placeholder;
  made.setAttribute("aria-label", name);
  made.autocomplete = "off";
  made.spellcheck = false;
  return made;
}

const bars = new WeakMap<EditorView, FindBar>();

export const finding: Extension = [
  replacing,
  search({
    top: true,
    createPanel(view) {
      const bar = new FindBar(view);
      bars.set(view, bar);
      return bar;
    },
  }),
];

/** Opens the bar with the fields for replacing. */
export const open_replace: StateCommand = (target) => {
  if (!(target instanceof EditorView) || target.state.readOnly) return false;
  openSearchPanel(target);
  target.dispatch({ effects: show_replace.of(true) });
  bars.get(target)?.focus_replace();
  return true;
};
