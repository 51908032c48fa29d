// A tab is taken with the pointer and put down among the tabs of a group, on a group's page, or at an edge of it, where a new
// group begins. The menu and the keys do the same.

import type { Side } from "../../state/splits";
import { type TabGroup, tabs } from "../../state/tabs.svelte";
import { hold } from "../tree/holding";

/** So much of a page, from each of its edges, means a new group there. */
const EDGE = 0.28;

/** Where a tab would go: among the tabs of a group at a place, or to a page and perhaps to an edge of it. */
export interface Landing {
  group: number;
  at: number | null;
  side: Side | null;
}

/** Returns the edge of a page that a point is near, or none if it is in the middle. */
export function edge_near(box: Pick<DOMRect, "left" | "top" | "width" | "height">, x: number, y: number): Side | null {
  const across = (x - box.left) / box.width;
  const down = (y - box.top) / box.height;
  const far: [Side, number][] = [
    ["left", across],
    ["right", 1 - across],
    ["above", down],
    ["below", 1 - down],
  ];
  const [side, distance] = far.reduce((nearest, one) => (one[1] < nearest[1] ? one : nearest));
  return distance < EDGE ? side : null;
}

/** Returns before which of the tabs a point is, from their middles. */
function place_among(bar: HTMLElement, x: number): number {
  const middles = [...bar.querySelectorAll<HTMLElement>("[data-tab-at]")].map((tab) => tab.getBoundingClientRect()).map(({ left, width }) => left + width / 2);
  return middles.filter((middle) => middle < x).length;
}

function landing_at({ clientX, clientY }: PointerEvent): Landing | null {
  const element = document.elementFromPoint(clientX, clientY);
  const host = element?.closest<HTMLElement>("[data-group]");
  if (!host) return null;
  const group = Number(host.dataset.group);
  const bar = element!.closest<HTMLElement>("[data-tab-bar]");
  if (bar) return { group, at: place_among(bar, clientX), side: null };
  const page = host.querySelector<HTMLElement>("[data-group-page]");
  return page && { group, at: null, side: edge_near(page.getBoundingClientRect(), clientX, clientY) };
}

class TabDrag {
  held = $state.raw<{ path: string; from: TabGroup } | null>(null);
  landing = $state.raw<Landing | null>(null);
  x = $state(0);
  y = $state(0);

  /** A tab is pressed: what the pointer does now is watched until it is let go. */
  press(path: string, from: TabGroup, event: PointerEvent): void {
    let last: Landing | null = null;
    hold(event, {
      over: (at) => {
        this.held = { path, from };
        this.x = at.clientX;
        this.y = at.clientY;
        const found = landing_at(at);
        this.landing = last = found && does_something(path, from, found) ? found : null;
      },
      end: () => {
        this.held = null;
        this.landing = null;
      },
      drop: () => last && put_down(path, from, last),
    });
  }
}

function does_something(path: string, from: TabGroup, { group, at, side }: Landing): boolean {
  if (side !== null) return group !== from.id || from.list.length > 1;
  if (group !== from.id) return true;
  const own = from.list.findIndex((tab) => tab.path === path);
  return at !== null && at !== own && at !== own + 1;
}

/** Puts a tab where it was carried to. */
export function put_down(path: string, from: TabGroup, { group: id, at, side }: Landing): void {
  const group = tabs.find(id);
  if (!group) return;
  if (side !== null) tabs.move_beside(path, from, side, group);
  else if (group !== from) tabs.move_into(path, from, group, at ?? undefined);
  else if (at !== null) {
    const own = from.list.findIndex((tab) => tab.path === path);
    tabs.move_to(path, at > own ? at - 1 : at, from);
  }
}

export const tab_drag = new TabDrag();
