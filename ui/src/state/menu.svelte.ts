// The one context menu: what it offers, about what, and where it stands.

export interface MenuItem {
  title: string;
  /** The key that does the same, as `commands` writes keys. */
  key?: string;
  run: () => void;
}

class ContextMenu {
  items = $state.raw<MenuItem[]>([]);
  label = $state("");
  x = $state(0);
  y = $state(0);
  shown = $derived(this.items.length > 0);

  open(label: string, items: MenuItem[], at: { x: number; y: number }): void {
    this.label = label;
    this.x = at.x;
    this.y = at.y;
    this.items = items;
  }

  close(): void {
    this.items = [];
  }
}

export const menu = new ContextMenu();
