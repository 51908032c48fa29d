import { screen, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { COMMAND_GROUPS, commands } from "../../state/commands.svelte";
import { palette } from "../../state/palette.svelte";
import { violations } from "../../test/axe";
import { open_note, open_window, press, settle } from "../../test/window";

const sheet = () => screen.queryByRole("dialog", { name: "All keys" });
const rows = () => [...sheet()!.querySelectorAll("dl > div")].map((row) => row.textContent!.replace(/\s+/g, " ").trim());

async function filter(text: string): Promise<void> {
  const field = within(sheet()!).getByRole<HTMLInputElement>("searchbox", { name: "Filter the commands" });
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await settle(2);
}

async function open_sheet(): Promise<void> {
  await open_window();
  await commands.run("keys");
  await settle(2);
}

describe("the sheet of keys", () => {
  it("names every command with its key, each in one group", async () => {
    await open_sheet();
    for (const command of commands.list) expect(COMMAND_GROUPS, command.id).toContain(command.group);
    const found = rows();
    for (const { id, title } of commands.list) expect(found).toContain(`${title} ${commands.key_label(id) || "no key"}`);
    expect(found).toContain("Approve A");
    expect(await violations(document.body)).toEqual([]);
  });

  it("is filtered by name, by key and by group, and says how many there are or that there is none", async () => {
    await open_sheet();
    await filter("split");
    expect(rows()).toEqual(["Split right Ctrl Alt Enter", "Split down Ctrl Alt Shift Enter"]);
    expect(within(sheet()!).getByText("2 commands")).toBeTruthy();
    await filter("ctrl shift h");
    expect(rows()).toEqual(["History of this note Ctrl Shift H"]);
    await filter("review decline");
    expect(rows()).toEqual(["Decline X"]);
    await filter("no such thing");
    expect(rows()).toEqual([]);
    expect(sheet()!.textContent).toContain("No command and no key has “no such thing” in it.");
    expect(await violations(document.body)).toEqual([]);
  });

  it("opens with F1, and with ? beside the text, gives way to Esc and returns the keyboard", async () => {
    await open_window();
    const button = screen.getByRole("button", { name: "Sidebar" });
    for (const more of [{ key: "?", shiftKey: true }, { key: "?" }, { key: "F1" }]) {
      button.focus();
      press(more.key, more);
      await settle(2);
      expect(sheet()).not.toBeNull();
      expect((document.activeElement as HTMLInputElement).type).toBe("search");
      press("Escape");
      await settle(2);
      expect(sheet()).toBeNull();
      expect(document.activeElement).toBe(button);
    }
  });

  it("leaves ? to who writes, who has F1", async () => {
    await open_window();
    await open_note("Inbox.md");
    const text = document.querySelector<HTMLElement>(".cm-content")!;
    text.focus();
    press("?", { shiftKey: true });
    await settle(2);
    expect(sheet()).toBeNull();
    press("F1");
    await settle(2);
    expect(sheet()).not.toBeNull();
    press("Escape");
    await settle(2);
    palette.open("notes");
    await settle(2);
    press("?", { shiftKey: true });
    await settle(2);
    expect(sheet()).toBeNull();
  });

  it("is found in the palette", async () => {
    await open_window();
    palette.open("commands");
    expect(palette.choices.map((choice) => choice.id)).toContain("keys");
    expect(palette.choices.map((choice) => choice.id)).not.toContain("keys_beside_text");
  });
});
