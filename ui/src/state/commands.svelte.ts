// Everything the window can do, as data. The palette, the hotkeys and the tooltips read this one list.

/** What a command is about; the list of all keys is in this order. */
export const COMMAND_GROUPS = ["Find and go", "Notes", "Text", "Tabs and groups", "Parts of the window", "Review and agents", "The window"] as const;
export type CommandGroup = (typeof COMMAND_GROUPS)[number];

export interface Command {
  id: string;
  title: string;
  group?: CommandGroup;
  /** `Mod` is Ctrl, or Cmd on a Mac. The first is shown; all of them work. */
  keys?: string[];
  /** A key that somebody else listens for; shown only. */
  shown_key?: string;
  /** Whether it can be done now; absent means always. */
  when?: () => boolean;
  run: () => void | Promise<void>;
  /** Left out of the palette: it makes sense only as a key. */
  hidden?: boolean;
}

export const is_mac = typeof navigator !== "undefined" && /Mac/.test(navigator.platform ?? "");

class Commands {
  list = $state.raw<Command[]>([]);
  /** Keys that the vault gives to commands in place of the usual ones, by id. */
  vault_keys = $state.raw<Map<string, string[]>>(new Map());

  /** Adds commands; one with a known id replaces it. */
  register(added: Command[]): void {
    const ids = new Set(added.map((command) => command.id));
    this.list = [...this.list.filter((command) => !ids.has(command.id)), ...added];
  }

  get(id: string): Command | undefined {
    return this.list.find((command) => command.id === id);
  }

  can(command: Command): boolean {
    return command.when?.() ?? true;
  }

  async run(id: string): Promise<void> {
    const command = this.get(id);
    if (command && this.can(command)) await command.run();
  }

  /** Returns how a command's first key is written on this machine, or nothing. */
  key_label(id: string): string {
    return label_of(this.key_of(id));
  }

  /** Returns a command's first key, as keys are written here, or nothing. */
  key_of(id: string): string {
    const command = this.get(id);
    const keys = this.vault_keys.get(id) ?? command?.keys;
    return keys ? (keys[0] ?? "") : (command?.shown_key ?? "");
  }

  /** Finds the command that a key press means. */
  for_event(event: KeyboardEvent): Command | undefined {
    return this.list.find((command) => !this.vault_keys.has(command.id) && command.keys?.some((key) => matches(key, event)) && this.can(command));
  }

  /** Finds the command that a key press means by the vault's own keys. */
  for_vault_key(event: KeyboardEvent): Command | undefined {
    for (const [id, keys] of this.vault_keys) {
      const command = keys.some((key) => matches(key, event)) ? this.get(id) : undefined;
      if (command && this.can(command)) return command;
    }
    return undefined;
  }
}

export function label_of(key: string, mac = is_mac): string {
  if (!key) return "";
  const names: Record<string, string> = mac
    ? { Mod: "⌘", Shift: "⇧", Alt: "⌥", Ctrl: "⌃", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" }
    : { Mod: "Ctrl", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", PageUp: "PgUp", PageDown: "PgDn" };
  const parts = key.split("-").filter(Boolean);
  if (key.endsWith("-")) parts.push("−");
  return parts.map((part) => names[part] ?? (part.length === 1 ? part.toUpperCase() : part)).join(mac ? "" : " ");
}

export function matches(key: string, event: KeyboardEvent, mac = is_mac): boolean {
  const parts = key.split("-");
  // The minus sign is a key too: `Mod--`.
  const wanted = parts.pop() || "-";
  const mod = parts.includes("Mod");
  const ctrl = parts.includes("Ctrl") || (mod && !mac);
  const meta = parts.includes("Meta") || (mod && mac);
  if (event.ctrlKey !== ctrl || event.metaKey !== meta) return false;
  if (event.shiftKey !== parts.includes("Shift") || event.altKey !== parts.includes("Alt")) return false;
  if (event.key.toLowerCase() === wanted.toLowerCase()) return true;
  // With Shift a digit's key writes a sign.
  if (event.shiftKey && /^[0-9]$/.test(wanted) && event.code === `Digit${wanted}`) return true;
  // On layouts without Latin letters the place of the key still counts.
  return wanted.length === 1 && /[a-z]/i.test(wanted) && !/[\u0000-\u007f]/.test(event.key) && event.code === `Key${wanted.toUpperCase()}`;
}

export const commands = new Commands();

/** Says what a few commands are about. */
export function about(group: CommandGroup, list: Command[]): Command[] {
  return list.map((command) => ({ group, ...command }));
}
