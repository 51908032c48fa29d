// Which panes are shown, how wide they are, and what they show. Remembered on this machine.

/** What the middle of the window shows. */
export type Place = "notes" | "review";
export type LeftTab = "files" | "search" | "bookmarks" | "tags" | "properties";
export type RightTab = "outline" | "history" | "links";
export type SideTab = "agents" | "activity";
/** How two texts are compared: in one column, or in two. */
export type DiffView = "inline" | "beside";

/** How large the window's content may be made; 2 is what accessibility asks for at least. */
export const ZOOMS = [0.75, 0.85, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3];

interface Remembered {
  zoom: number;
  left_width: number;
  right_width: number;
  left_shown: boolean;
  right_shown: boolean;
  right_tab: RightTab;
  left_tab: LeftTab;
  diff_view: DiffView;
}

const LEFT_TABS: LeftTab[] = ["files", "bookmarks", "tags", "properties"];
const KEY = "vidimus.layout";
export const LEFT_LIMITS = { min: 180, max: 480, normal: 248 };
export const RIGHT_LIMITS = { min: 200, max: 560, normal: 300 };

function clamp(value: number, limits: { min: number; max: number }): number {
  return Math.round(Math.min(limits.max, Math.max(limits.min, value)));
}

/** Below these widths a pane lies over the page instead of beside it, and only when it is asked for. */
const RIGHT_NEEDS = "(max-width: 1000px)";
const LEFT_NEEDS = "(max-width: 700px)";

class Layout {
  left_width = $state(LEFT_LIMITS.normal);
  right_width = $state(RIGHT_LIMITS.normal);
  left_shown = $state(true);
  right_shown = $state(true);
  left_tab = $state<LeftTab>("files");
  right_tab = $state<RightTab>("outline");
  side_tab = $state<SideTab>("agents");
  place = $state<Place>("notes");
  zoom = $state(1);
  diff_view = $state<DiffView>("inline");
  /** The right pane speaks of agents although a note is open. */
  agents_beside = $state(false);
  /** What the right pane is about. */
  about = $derived<"note" | "agents">(this.place === "review" || this.agents_beside ? "agents" : "note");

  /** There is no room for the pane beside the page. */
  left_floats = $state(false);
  right_floats = $state(false);
  #left_over = $state(false);
  #right_over = $state(false);
  left_seen = $derived(this.left_floats ? this.#left_over : this.left_shown);
  right_seen = $derived(this.right_floats ? this.#right_over : this.right_shown);

  constructor() {
    const [left, right] = [matchMedia(LEFT_NEEDS), matchMedia(RIGHT_NEEDS)];
    const measure = () => {
      this.left_floats = left.matches;
      this.right_floats = right.matches;
      this.#left_over = this.#right_over = false;
    };
    measure();
    left.addEventListener("change", measure);
    right.addEventListener("change", measure);
    this.recall();
  }

  recall(): void {
    try {
      const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Remembered>;
      this.left_width = clamp(kept.left_width ?? LEFT_LIMITS.normal, LEFT_LIMITS);
      this.right_width = clamp(kept.right_width ?? RIGHT_LIMITS.normal, RIGHT_LIMITS);
      this.left_shown = kept.left_shown ?? true;
      this.right_shown = kept.right_shown ?? true;
      this.right_tab = kept.right_tab ?? "outline";
      // A start shows no search: there is none yet, and its field would take the keyboard.
      this.left_tab = LEFT_TABS.find((tab) => tab === kept.left_tab) ?? "files";
      this.diff_view = kept.diff_view === "beside" ? "beside" : "inline";
      this.zoom = ZOOMS.includes(kept.zoom ?? 1) ? (kept.zoom ?? 1) : 1;
    } catch {
      // A broken record is no reason to fail: the normal layout is right.
    }
  }

  #keep(): void {
    const { left_width, right_width, left_shown, right_shown, right_tab, left_tab, zoom, diff_view } = this;
    try {
      localStorage.setItem(KEY, JSON.stringify({ left_width, right_width, left_shown, right_shown, right_tab, left_tab, zoom, diff_view } satisfies Remembered));
    } catch {
      // Not remembered, then.
    }
  }

  /** Goes a step larger or smaller, or back to the normal size. */
  step_zoom(by: -1 | 0 | 1): void {
    const at = ZOOMS.indexOf(this.zoom);
    this.zoom = by === 0 ? 1 : (ZOOMS[at + by] ?? this.zoom);
    this.#keep();
  }

  show_diff(view: DiffView): void {
    this.diff_view = view;
    this.#keep();
  }

  resize_left(width: number): void {
    this.left_width = clamp(width, LEFT_LIMITS);
    this.#keep();
  }

  resize_right(width: number): void {
    this.right_width = clamp(width, RIGHT_LIMITS);
    this.#keep();
  }

  toggle_left(): void {
    if (this.left_floats) this.#left_over = !this.#left_over;
    else this.left_shown = !this.left_shown;
    this.#keep();
  }

  toggle_right(): void {
    if (this.right_floats) this.#right_over = !this.#right_over;
    else this.right_shown = !this.right_shown;
    this.#keep();
  }

  show_left(tab: LeftTab): void {
    this.left_tab = tab;
    if (this.left_floats) this.#left_over = true;
    else this.left_shown = true;
    this.#keep();
  }

  show_right(tab: RightTab): void {
    this.right_tab = tab;
    this.#open_right();
    this.place = "notes";
    this.agents_beside = false;
    this.#keep();
  }

  show_agents(tab: SideTab = "agents"): void {
    this.side_tab = tab;
    this.agents_beside = true;
    this.#open_right();
    this.#keep();
  }

  #open_right(): void {
    if (this.right_floats) this.#right_over = true;
    else this.right_shown = true;
  }

  /** A floating pane has done its work once something was chosen in it. */
  put_away(): void {
    this.#left_over = this.#right_over = false;
  }

  hide_agents(): void {
    this.agents_beside = false;
  }

  go(place: Place): void {
    this.place = place;
  }
}

export const layout = new Layout();
