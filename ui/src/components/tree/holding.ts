// A row is taken with the pointer, carried, and put down or let go. What that means is for others to say.

/** A press that moves less is a click. */
const SLACK = 6;
/** So near to its edge (in pixels) what can be scrolled scrolls. */
const EDGE = 28;

interface Held {
  /** The pointer carries it over something. */
  over: (at: PointerEvent) => void;
  /** It was put down. */
  drop: () => void;
  /** It is held no more, whether it was put down or not; comes before `drop`. */
  end: () => void;
}

/** Watches what the pointer does from a press on, until it is let go. */
export function hold(event: PointerEvent, { over, drop, end }: Held): void {
  if (event.button !== 0 || event.pointerType === "touch" || (event.target as Element).closest("input")) return;
  const { clientX, clientY } = event;
  const ended = new AbortController();
  const { signal } = ended;
  let carried = false;
  const let_go = () => {
    ended.abort();
    document.documentElement.classList.remove("dragging");
    end();
  };
  const move = (at: PointerEvent) => {
    if (!carried && Math.hypot(at.clientX - clientX, at.clientY - clientY) < SLACK) return;
    if (!carried) document.documentElement.classList.add("dragging");
    carried = true;
    over(at);
  };
  const up = () => {
    const was_carried = carried;
    let_go();
    if (!was_carried) return;
    // What follows the press at once is no click.
    const swallow = (click: MouseEvent) => click.stopPropagation();
    window.addEventListener("click", swallow, { capture: true });
    setTimeout(() => window.removeEventListener("click", swallow, { capture: true }));
    drop();
  };
  const key = (pressed: KeyboardEvent) => {
    if (pressed.key !== "Escape" || !carried) return;
    pressed.preventDefault();
    pressed.stopPropagation();
    let_go();
  };
  window.addEventListener("pointermove", move, { signal });
  window.addEventListener("pointerup", up, { signal });
  window.addEventListener("pointercancel", let_go, { signal });
  window.addEventListener("blur", let_go, { signal });
  window.addEventListener("keydown", key, { signal, capture: true });
}

/** Returns the row under the pointer and how far down in it the pointer is, from 0 to 1; nothing outside of the rows' list. */
export function row_at(at: PointerEvent, scroller: HTMLElement | null): { id: string | undefined; down: number } | null {
  const element = document.elementFromPoint(at.clientX, at.clientY);
  if (scroller === null || element === null || !scroller.contains(element)) return null;
  const row = element.closest<HTMLElement>("[data-row]");
  const box = row?.getBoundingClientRect();
  return { id: row?.dataset.row, down: box && box.height > 0 ? (at.clientY - box.top) / box.height : 0.5 };
}

/** Scrolls on while something is held at the edge. */
export function scroll_at_edge(scroller: HTMLElement, y: number): void {
  const box = scroller.getBoundingClientRect();
  if (y < box.top + EDGE) scroller.scrollTop -= EDGE / 2;
  else if (y > box.bottom - EDGE) scroller.scrollTop += EDGE / 2;
}
