import { render, screen, waitFor, within } from "@testing-library/svelte";
import { tick } from "svelte";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { EngineError, use_engine } from "../../ipc/engine";
import { FakeEngine } from "../../ipc/fake";
import { agents } from "../../state/agents.svelte";
import { operations } from "../../state/operations.svelte";
import { violations } from "../../test/axe";
import ActivityPanel from "./ActivityPanel.svelte";
import AgentsPanel from "./AgentsPanel.svelte";

let fake: FakeEngine;

beforeEach(async () => {
  fake = new FakeEngine();
  use_engine(fake);
  agents.created = null;
  agents.problem = null;
  agents.view = null;
  agents.phase = "loading";
});

async function open(): Promise<HTMLElement> {
  render(AgentsPanel);
  await screen.findByRole("switch");
  return screen.getByRole("region", { name: "Agents" });
}

async function type(label: RegExp, text: string): Promise<void> {
  const field = screen.getByLabelText(label) as HTMLInputElement;
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

async function change(select: HTMLSelectElement, value: string): Promise<void> {
  select.value = value;
  select.dispatchEvent(new Event("change", { bubbles: true }));
  await tick();
}

function submit(field: HTMLElement): void {
  field.closest("form")!.dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true }));
}

describe("the switch", () => {
  it("says where it stands, and where agents connect", async () => {
    const panel = await open();
    expect(screen.getByRole("switch", { name: "Let agents in" }).getAttribute("aria-checked")).toBe("true");
    expect(panel.textContent).toContain("On · 2 agents connected");
    expect(panel.textContent).toContain("http://127.0.0.1:7377/mcp");
  });

  it("turns off and says so", async () => {
    const panel = await open();
    screen.getByRole("switch").click();
    await waitFor(() => expect(screen.getByRole("switch").getAttribute("aria-checked")).toBe("false"));
    expect(panel.textContent).toContain("Nothing listens");
    expect(panel.textContent).not.toContain("http://127.0.0.1:7377/mcp Copy");
  });

  it("says why it could not", async () => {
    await open();
    fake.refuse.set("agents_set", new EngineError("port", "the port 7377 is taken", "close the other program"));
    screen.getByRole("switch").click();
    expect((await screen.findByRole("alert")).textContent).toContain("The port 7377 is taken. Close the other program");
  });
});

describe("programs let in", () => {
  it("are listed with when they were seen", async () => {
    await open();
    const rows = within(screen.getByRole("list", { name: "Programs let in" })).getAllByRole("listitem");
    expect(rows.map((row) => row.querySelector(".client")!.textContent!.replace(/\s+/g, " ").trim())).toEqual([
      "Claude Code connected · seen 2 min ago",
      "Cursor connected · seen 1 h ago",
      "Codex CLI never seen yet",
    ]);
  });

  it("get a token that is shown once, copied, and filled in below", async () => {
    const panel = await open();
    const copied = vi.fn(async () => {});
    Object.defineProperty(navigator, "clipboard", { value: { writeText: copied }, configurable: true });
    await type(/Let in another/, "Gemini CLI");
    await waitFor(() => expect(screen.getByRole<HTMLButtonElement>("button", { name: "Make token" }).disabled).toBe(false));
    screen.getByRole("button", { name: "Make token" }).click();
    const card = await screen.findByRole("group", { name: "Token for Gemini CLI" });
    const token = card.querySelector("code")!.textContent!;
    within(card).getByRole("button", { name: "Copy Token" }).click();
    await waitFor(() => expect(copied).toHaveBeenCalledWith(token));
    expect(await within(card).findByText("Copied")).toBeTruthy();
    expect(screen.getByRole<HTMLSelectElement>("combobox", { name: "Program" }).value).toBe("gemini");
    expect(panel.querySelector("pre")!.textContent).toContain(token);
    within(card).getByRole("button", { name: /hide it/ }).click();
    await waitFor(() => expect(panel.textContent).not.toContain(token));
  });

  it("do what the person picks for this vault, and freely only in folders that are named", async () => {
    const panel = await open();
    const pick = screen.getByRole<HTMLSelectElement>("combobox", { name: "What Cursor may do" });
    expect(pick.value).toBe("ask");
    await change(pick, "read_only");
    await waitFor(() => expect(panel.textContent).toContain("Cursor reads only."));
    // Nothing is allowed before a folder is named.
    await change(pick, "allow");
    const field = await screen.findByLabelText("Folder that Cursor may change");
    expect(agents.clients.find((client) => client.name === "Cursor")!.policy).toEqual({ kind: "read_only" });
    await type(/Folder that Cursor may change/, "Nowhere");
    submit(field);
    expect((await screen.findByRole("alert")).textContent).toContain("The folder is not there");
    await type(/Folder that Cursor may change/, "Expedition");
    submit(field);
    const allowed = await screen.findByRole("list", { name: "Folders that Cursor changes freely" });
    expect(allowed.textContent).toContain("Expedition");
    expect(panel.textContent).toContain("Cursor changes Expedition without asking.");
    expect(await violations(panel)).toEqual([]);
    within(allowed).getByRole("button", { name: "Ask again in Expedition" }).click();
    await waitFor(() => expect(panel.textContent).toContain("Cursor asks before every change."));
    expect(pick.value).toBe("ask");
  });

  it("see what the person shows them, with the tools that the person leaves them", async () => {
    const panel = await open();
    const row = () => screen.getByText("Cursor", { selector: ".name" }).closest("li")!;
    const scope = () => row().querySelector("details")!;
    expect(scope().querySelector("summary")!.textContent).toBe("Sees the whole vault, with all tools");
    scope().open = true;
    await type(/Folder that Cursor may see/, "Nowhere");
    submit(screen.getByLabelText("Folder that Cursor may see"));
    expect((await screen.findByRole("alert")).textContent).toContain("The folder is not there");
    await type(/Folder that Cursor may see/, "Expedition");
    submit(screen.getByLabelText("Folder that Cursor may see"));
    const seen = await screen.findByRole("list", { name: "Folders that Cursor sees" });
    expect(panel.textContent).toContain("Cursor sees Expedition only, with all tools.");
    expect(scope().open).toBe(true);

    const box = (name: string) => within(row()).getByRole<HTMLInputElement>("checkbox", { name });
    box("Edit a note").click();
    await waitFor(() => expect(panel.textContent).toContain("Cursor sees Expedition only, with 5 tools."));
    expect([box("Edit a note").checked, box("Get a note").checked]).toEqual([false, true]);
    expect(scope().querySelector("summary")!.textContent).toBe("Sees Expedition, with 5 of 6 tools");
    expect(await violations(panel)).toEqual([]);
    // What is refused changes nothing, the box neither.
    fake.refuse.set("agents_scope", new EngineError("no_vault", "no vault is open", "open one"));
    box("Get a note").click();
    await screen.findByText(/No vault is open/);
    await waitFor(() => expect(box("Get a note").checked).toBe(true));
    fake.refuse.delete("agents_scope");

    box("Edit a note").click();
    await waitFor(() => expect(panel.textContent).toContain("Cursor sees Expedition only, with all tools."));
    await waitFor(() => expect(agents.busy).toBeNull());
    within(seen).getByRole("button", { name: "Show the whole vault again" }).click();
    await waitFor(() => expect(panel.textContent).toContain("Cursor sees the whole vault, with all tools."));
    expect(agents.clients.find((client) => client.name === "Cursor")!.scope).toEqual({ folders: null, tools: null });
    // Who is kept out sees nothing anyway.
    await change(screen.getByRole<HTMLSelectElement>("combobox", { name: "What Cursor may do" }), "off");
    await waitFor(() => expect(row().querySelector("details")).toBeNull());
  });

  it("are set up in their own settings file once the person has seen what changes, and taken out again", async () => {
    const panel = await open();
    await agents.let_in("Codex CLI 2");
    const set_up = await screen.findByRole("button", { name: "Set up Codex CLI…" });
    expect(screen.queryByRole("group", { name: /What would change/ })).toBeNull();
    set_up.click();
    const change = await screen.findByRole("group", { name: "What would change in ~/.codex/config.toml" });
    expect(change.textContent).toContain(agents.created!.token);
    expect(await violations(panel)).toEqual([]);
    screen.getByRole("button", { name: "Write the file" }).click();
    expect(await screen.findByText("Wrote ~/.codex/config.toml. Restart the program to use it.")).toBeTruthy();
    expect(panel.textContent).toContain("Codex CLI is set up to use this vault.");
    screen.getByRole("button", { name: "Take it out of the file" }).click();
    expect(await screen.findByText("Took Vidimus out of ~/.codex/config.toml.")).toBeTruthy();
    expect(await screen.findByRole("button", { name: "Set up Codex CLI…" })).toBeTruthy();
  });

  it("are told why a settings file was not written", async () => {
    await open();
    await agents.let_in("Codex CLI 2");
    (await screen.findByRole("button", { name: "Set up Codex CLI…" })).click();
    fake.refuse.set("agents_connect", new EngineError("conflict", "`config.toml` has changed since it was shown", "look at the change again"));
    (await screen.findByRole("button", { name: "Write the file" })).click();
    expect((await screen.findByRole("alert")).textContent).toContain("has changed since it was shown. Look at the change again");
  });

  it("write the entry themselves where we would touch more than it", async () => {
    await open();
    await agents.let_in("Gemini CLI");
    expect(await screen.findByText(/The file cannot be read as JSON/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: /Set up/ })).toBeNull();
  });

  it("cannot have a name twice", async () => {
    await open();
    await type(/Let in another/, "Cursor");
    expect(await screen.findByText("Cursor is let in already.")).toBeTruthy();
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Make token" }).disabled).toBe(true);
  });

  it("are shut out only after a second press", async () => {
    await open();
    screen.getByRole("button", { name: "Shut out Cursor" }).click();
    const ask = await screen.findByRole("group", { name: "Shut out Cursor?" });
    await waitFor(() => expect(document.activeElement?.textContent).toBe("Keep"));
    within(ask).getByRole("button", { name: "Shut out" }).click();
    await waitFor(() => expect(screen.queryByText("Cursor is shut out.")).toBeTruthy());
    expect(screen.queryByRole("button", { name: "Shut out Cursor" })).toBeNull();
  });
});

describe("the guide", () => {
  it("has a text for each program, and says where it goes", async () => {
    const panel = await open();
    const program = screen.getByRole<HTMLSelectElement>("combobox", { name: "Program" });
    expect([...program.options].map((option) => option.text)).toEqual(["Claude Code", "Claude Desktop", "Cursor", "VS Code", "Codex CLI", "Gemini CLI"]);
    program.value = "codex";
    program.dispatchEvent(new Event("change", { bubbles: true }));
    await waitFor(() => expect(panel.textContent).toContain("~/.codex/config.toml"));
    expect(panel.querySelector("pre")!.textContent).toContain("[mcp_servers.vidimus]");
  });
});

describe("a program that is added with one press", () => {
  async function pick(id: string): Promise<void> {
    await change(screen.getByRole<HTMLSelectElement>("combobox", { name: "Program" }), id);
  }

  it("is opened by a link that holds no token, where it knows such links", async () => {
    const panel = await open();
    await agents.let_in("Gemini CLI");
    await pick("cursor");
    const copied = vi.fn(async () => {});
    Object.defineProperty(navigator, "clipboard", { value: { writeText: copied }, configurable: true });
    screen.getByRole("button", { name: "Copy Link for Cursor" }).click();
    const link = agents.configs.find((config) => config.id === "cursor")!.link!;
    await waitFor(() => expect(copied).toHaveBeenCalledWith(link));
    expect(link).not.toContain(agents.created!.token);
    screen.getByRole("button", { name: "Add it in Cursor…" }).click();
    await waitFor(() => expect(fake.opened_urls).toEqual([link]));
    await waitFor(() => expect(panel.textContent).toContain("Cursor asks whether to add the vault."));
    expect(await violations(panel)).toEqual([]);
    await pick("codex");
    expect(screen.queryByRole("button", { name: /Add it in/ })).toBeNull();
  });

  it("opens a bundle, where it takes one", async () => {
    const panel = await open();
    await pick("claude_desktop");
    (await screen.findByRole("button", { name: "Save a bundle…" })).click();
    await waitFor(() => expect(panel.textContent).toContain("Wrote /home/you/vidimus.mcpb. Open it with Claude Desktop."));
    fake.refuse.set("agents_bundle", new EngineError("no_bundle", "a bundle cannot name a path with `${` in it", "rename the folder"));
    await waitFor(() => expect(agents.busy).toBeNull());
    screen.getByRole("button", { name: "Save a bundle…" }).click();
    expect((await screen.findByRole("alert")).textContent).toContain("Rename the folder");
    await pick("cursor");
    expect(screen.queryByRole("button", { name: "Save a bundle…" })).toBeNull();
  });
});

describe("a program from the guide", () => {
  it("gets its token where it is needed", async () => {
    const panel = await open();
    const program = screen.getByRole<HTMLSelectElement>("combobox", { name: "Program" });
    program.value = "gemini";
    program.dispatchEvent(new Event("change", { bubbles: true }));
    (await screen.findByRole("button", { name: "Make a token for Gemini CLI" })).click();
    const card = await screen.findByRole("group", { name: "Token for Gemini CLI" });
    await waitFor(() => expect(panel.querySelector("pre")!.textContent).toContain(card.querySelector("code")!.textContent!));
  });
});

describe("the activity", () => {
  it("says what was read and proposed, and what waits", async () => {
    await operations.load();
    render(ActivityPanel);
    const items = await waitFor(() => {
      const found = screen.getAllByRole("listitem");
      expect(found.length).toBeGreaterThan(4);
      return found;
    });
    expect(items[0]!.textContent).toContain("rename_note_section · Expedition/Glacier survey.md");
    expect(items[0]!.textContent).toContain("waits for you");
    expect(items.some((item) => item.textContent!.includes("refused"))).toBe(true);
  });

  it("says of a proposal what became of it", async () => {
    await operations.load();
    render(ActivityPanel);
    const first = () => screen.getAllByRole("listitem")[0]!.textContent!.replace(/\s+/g, " ");
    await waitFor(() => expect(first()).toContain("waits for you"));
    await fake.decline(fake.operation_list[0]!.id, null);
    await operations.load();
    await waitFor(() => expect(first()).toContain("Claude Code · declined"));
    expect(first()).not.toContain("waits for you");
    operations.list = [];
    await waitFor(() => expect(first()).not.toMatch(/waits|declined/));
  });

  it("says when it is quiet", async () => {
    vi.spyOn(fake, "agents").mockResolvedValue({ on: true, url: null, port: null, n_connected: 0, clients: [], tools: [], activity: [], error: null });
    render(ActivityPanel);
    expect(await screen.findByText("Quiet so far")).toBeTruthy();
  });
});

describe("exporting the activity", () => {
  it("says where it went, or why it did not", async () => {
    render(ActivityPanel);
    (await screen.findByRole("button", { name: "Export everything…" })).click();
    expect(await screen.findByText("Wrote /home/you/agents.csv.")).toBeTruthy();
    fake.refuse.set("agents_export", new EngineError("not_written", "`/ro/agents.csv`: permission denied", "choose another place"));
    const again = screen.getByRole<HTMLButtonElement>("button", { name: "Export everything…" });
    await waitFor(() => expect(again.disabled).toBe(false));
    again.click();
    expect((await screen.findByRole("alert")).textContent).toContain("permission denied. Choose another place");
  });
});

describe("accessibility", () => {
  it("has no violations", async () => {
    const panel = await open();
    expect(await violations(panel)).toEqual([]);
    await type(/Let in another/, "VS Code");
    await waitFor(() => expect(screen.getByRole<HTMLButtonElement>("button", { name: "Make token" }).disabled).toBe(false));
    screen.getByRole("button", { name: "Make token" }).click();
    await screen.findByRole("group", { name: "Token for VS Code" });
    screen.getByRole("button", { name: "Shut out Cursor" }).click();
    await screen.findByRole("group", { name: "Shut out Cursor?" });
    expect(await violations(panel)).toEqual([]);
    const activity = render(ActivityPanel);
    expect(await violations(activity.container)).toEqual([]);
  }, 30_000);
});
