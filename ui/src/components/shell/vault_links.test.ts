import { screen } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import { EngineError } from "../../ipc/engine";
import type { Followed } from "../../ipc/types";
import { commands } from "../../state/commands.svelte";
import { address_of } from "../../state/links";
import { tabs } from "../../state/tabs.svelte";
import { toasts } from "../../state/toasts.svelte";
import { dialogs } from "../../state/window.svelte";
import { expect_accessible, open_note, open_window, settle } from "../../test/window";

const SURVEY = "Expedition/Glacier survey.md";

async function followed(where: Followed) {
  const fake = await open_window();
  fake.followed = where;
  fake.listeners.tell("link_followed", null);
  await settle();
  return fake;
}

describe("a link that the desktop handed over", () => {
  it("shows its place", async () => {
    await followed({ kind: "place", path: SURVEY, line: 7, missing: null });
    expect(tabs.active_path).toBe(SURVEY);
    expect(tabs.jump?.line).toBe(7);
    expect(toasts.list).toEqual([]);
  });

  it("says which heading is not there any more", async () => {
    await followed({ kind: "place", path: SURVEY, line: null, missing: "Old plans" });
    expect(tabs.active_path).toBe(SURVEY);
    expect(toasts.list.map((toast) => toast.message)).toEqual(["“Glacier survey” has no heading “Old plans”"]);
  });

  it("says why it leads nowhere, and stays so until it is read", async () => {
    await followed({ kind: "refused", fault: { code: "bad_link", message: "no vault called `x` has been opened here", hint: "open the folder once", retryable: false } });
    expect(toasts.list).toMatchObject([{ kind: "error", message: "No vault called “x” has been opened here", hint: "Open the folder once" }]);
    expect(tabs.active_path).toBeNull();
    await expect_accessible();
  });

  it("was pressed before the window was there", async () => {
    const fake = await open_window();
    fake.followed = { kind: "place", path: SURVEY, line: null, missing: null };
    document.body.replaceChildren();
    const { default: App } = await import("../../App.svelte");
    const { render } = await import("@testing-library/svelte");
    render(App);
    await settle(12);
    expect(tabs.active_path).toBe(SURVEY);
  });
});

describe("a link to a vault in a note", () => {
  it("goes to the program, and to no browser", async () => {
    const fake = await open_window({ settings: { default_mode: "reading" }, notes: new Map([["a.md", "[June](obsidian://open?vault=v&file=June)\n"]]) });
    await open_note("a.md");
    screen.getByText("June").click();
    await settle();
    expect(fake.followed_urls).toEqual(["obsidian://open?vault=v&file=June"]);
    expect(dialogs.external).toBeNull();
    expect(fake.opened_urls).toEqual([]);
  });
});

describe("the address of a note", () => {
  it.each([
    ["Notes", "a.md", undefined, "vidimus://open?vault=Notes&file=a.md"],
    ["My notes", "Trips/June & July.md", undefined, "vidimus://open?vault=My%20notes&file=Trips%2FJune%20%26%20July.md"],
    ["n", "a (1).md", "Who’s #1: [[us]]?", "vidimus://open?vault=n&file=a%20%281%29.md&heading=Who%E2%80%99s%201%20us%20%3F"],
  ])("of %s, %s, %s", (vault, path, heading, address) => expect(address_of(vault, path, heading)).toBe(address));

  it("is copied by a command", async () => {
    const copied: string[] = [];
    vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText: async (text: string) => void copied.push(text) } });
    await open_window();
    await open_note(SURVEY);
    await commands.run("copy_link");
    await commands.run("copy_heading_link");
    vi.unstubAllGlobals();
    expect(copied[0]).toBe("vidimus://open?vault=Field%20notes&file=Expedition%2FGlacier%20survey.md");
    expect(copied.length).toBe(commands.can(commands.get("copy_heading_link")!) ? 2 : 1);
  });
});

describe("links of the desktop", () => {
  it("come here once the person says so", async () => {
    const fake = await open_window();
    dialogs.settings = true;
    await settle();
    await expect_accessible();
    fake.refuse.set("take_links", new EngineError("not_registered", "the desktop did not take it", "install xdg-utils"));
    screen.getByRole("button", { name: "Open them here" }).click();
    await settle();
    expect(toasts.list.at(-1)?.message).toBe("The desktop did not take it");
    fake.refuse.clear();
    screen.getByRole("button", { name: "Open them here" }).click();
    await settle();
    expect(screen.getByText("Those of other programs open here")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Open them here" })).toBeNull();
    await expect_accessible();
  });
});
