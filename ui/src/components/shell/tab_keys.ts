// The arrow keys in a row of tabs.

/** Chooses the tab beside the chosen one, or the first or last, and takes the keyboard there. */
export function tab_keys(event: KeyboardEvent & { currentTarget: HTMLElement }, ids: string[], chosen: string, choose: (id: string) => void): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const at = ids.indexOf(chosen);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: ids.length - 1 }[event.key];
  if (to === undefined) return;
  const id = ids[(to + ids.length) % ids.length]!;
  choose(id);
  event.currentTarget.querySelector<HTMLElement>(`[data-tab="${id}"]`)?.focus();
  event.preventDefault();
}
