// What can be done with groups of tabs, for the palette, the keys and the menu of a tab.

import type { Command } from "./commands.svelte";
import type { MenuItem } from "./menu.svelte";
import { focus_pane } from "./panes";
import type { Side } from "./splits";
import { type TabGroup, tabs } from "./tabs.svelte";
import { rename_note } from "./wish_acts";

const SPLIT_RIGHT = "Mod-Alt-Enter";
const SPLIT_DOWN = "Mod-Alt-Shift-Enter";

/** Lists them; `has_note` says whether there is a note on the page. */
export function group_commands(has_note: () => boolean): Command[] {
  const is_split = () => has_note() && tabs.groups.length > 1;
  const beside = (side: Side, title: string): Command => ({ id: `group_${side}`, title, when: is_split, run: () => to_page(() => tabs.focus_beside(side)) });
  return [
    { id: "split_right", title: "Split right", keys: [SPLIT_RIGHT], when: has_note, run: () => to_page(() => tabs.split("right")) },
    { id: "split_down", title: "Split down", keys: [SPLIT_DOWN], when: has_note, run: () => to_page(() => tabs.split("below")) },
    { id: "next_group", title: "Next group of tabs", keys: ["Mod-F6"], when: is_split, run: () => to_page(() => tabs.focus_next(1)) },
    { id: "previous_group", title: "Previous group of tabs", keys: ["Mod-Shift-F6"], when: is_split, run: () => to_page(() => tabs.focus_next(-1)) },
    beside("left", "To the group on the left"),
    beside("right", "To the group on the right"),
    beside("above", "To the group above"),
    beside("below", "To the group below"),
    { id: "tab_to_next_group", title: "Move this tab to the next group", keys: ["Mod-Alt-PageDown"], when: is_split, run: () => to_page(() => tabs.move_into_next(tabs.active_path!, 1)) },
    { id: "tab_to_previous_group", title: "Move this tab to the previous group", keys: ["Mod-Alt-PageUp"], when: is_split, run: () => to_page(() => tabs.move_into_next(tabs.active_path!, -1)) },
    { id: "close_group", title: "Close this group of tabs", when: is_split, run: () => tabs.close_group().then(() => focus_pane("centre")) },
    { id: "close_tab", title: "Close this tab", keys: ["Mod-w"], when: has_note, run: () => close_tab(tabs.active_path!) },
    { id: "close_others", title: "Close the other tabs", when: () => has_note() && tabs.list.length > 1, run: () => tabs.close_others(tabs.active_path!) },
  ];
}

/** What the menu of a tab offers. */
export function tab_menu(path: string, group: TabGroup): MenuItem[] {
  const here = (act: () => void) => () => {
    tabs.open(path, null, group);
    to_page(act);
  };
  return [
    { title: "Close", key: "Mod-w", run: () => void close_tab(path, group) },
    ...(group.list.length > 1 ? [{ title: "Close the others", run: () => void tabs.close_others(path, group) }] : []),
    { title: "Split right", key: SPLIT_RIGHT, run: here(() => tabs.split("right")) },
    { title: "Split down", key: SPLIT_DOWN, run: here(() => tabs.split("below")) },
    ...(tabs.groups.length > 1 ? [{ title: "Move to the next group", key: "Mod-Alt-PageDown", run: here(() => tabs.move_into_next(path, 1)) }] : []),
    { title: "Rename", key: "F2", run: here(() => void rename_note(path, true)) },
  ];
}

/** Closes a tab; with the last one its group goes, and the keyboard to the group beside it. */
export async function close_tab(path: string, group = tabs.group): Promise<void> {
  const n = tabs.groups.length;
  await tabs.close(path, group);
  if (tabs.groups.length < n) focus_pane("centre");
}

function to_page(act: () => unknown): void {
  act();
  focus_pane("centre");
}
