// The arrow keys walk through rows that are buttons, as a shortcut for tabbing through them.

/** Moves the keyboard to the row above or below; a row carries `data-walk`. */
export function walk_rows(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-walk]")];
  const own = (event.target as HTMLElement).closest<HTMLElement>("[data-walk], [data-walk-with]");
  const at = rows.findIndex((row) => row === own || (own !== null && row.parentElement === own.parentElement));
  if (at < 0) return;
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
  const row = next === undefined ? undefined : rows[next];
  if (!row) return;
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
  event.preventDefault();
}
