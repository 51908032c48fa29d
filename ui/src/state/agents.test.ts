import { beforeEach, describe, expect, it, vi } from "vitest";
import { EngineError, use_engine } from "../ipc/engine";
import { FakeEngine } from "../ipc/fake";
import type { OperationView } from "../ipc/types";
import { Agents, proposal_of } from "./agents.svelte";

let fake: FakeEngine;
let agents: Agents;

beforeEach(async () => {
  fake = new FakeEngine();
  use_engine(fake);
  agents = new Agents();
  await agents.refresh();
});

describe("the door for agents", () => {
  it("tells where it stands", () => {
    expect([agents.on, agents.n_connected, agents.clients.length]).toEqual([true, 2, 3]);
  });

  it("shuts and opens", async () => {
    await agents.set(false);
    expect([agents.on, agents.n_connected]).toEqual([false, 0]);
    await agents.set(true);
    expect([agents.on, agents.n_connected]).toEqual([true, 2]);
  });

  it("shows a token once, in the configuration too, and forgets it", async () => {
    expect(await agents.create(" VS Code ")).toBe(true);
    const token = agents.created!.token;
    expect(agents.created!.client.name).toBe("VS Code");
    expect(agents.configs.find((config) => config.id === "cursor")?.text).toContain(token);
    await agents.dismiss_token();
    expect(agents.created).toBeNull();
    expect(agents.configs.every((config) => !config.text.includes(token))).toBe(true);
  });

  it("lets the same program in twice under two names", async () => {
    await agents.let_in("Cursor");
    expect(agents.created?.client.name).toBe("Cursor 2");
    await agents.let_in("Gemini CLI");
    expect(agents.created?.client.name).toBe("Gemini CLI");
  });

  it("needs a name", async () => {
    expect(await agents.create("   ")).toBe(false);
    expect(agents.created).toBeNull();
  });

  it("says why a client was not let in", async () => {
    expect(await agents.create("Cursor")).toBe(false);
    expect(agents.problem?.code).toBe("exists");
  });

  it("shuts a client out", async () => {
    await agents.revoke(agents.clients[1]!);
    expect(agents.clients.map((client) => client.name)).toEqual(["Claude Code", "Codex CLI"]);
    expect(agents.n_connected).toBe(1);
  });

  it("follows what happens elsewhere", async () => {
    const stop = agents.start();
    await fake.agents_set(false);
    await vi.waitFor(() => expect(agents.on).toBe(false));
    stop();
  });

  it("says what went wrong", async () => {
    fake.refuse.set("agents_set", new EngineError("port", "the port 7377 is taken", "close the other program"));
    await agents.set(false);
    expect(agents.problem?.message).toContain("7377");
    expect(agents.on).toBe(true);
  });
});

describe("the proposal that a call made", () => {
  const call = { at: "2026-11-30T14:00:05Z", client: "Cursor", tool: "edit_note", subject: "a.md", waiting: true, failed: false };
  const operation = (id: string, proposed_at: string, path = "a.md", client = "Cursor") =>
    ({ id, path, proposed_at, actor: { kind: "agent", client } }) as OperationView;
  const earlier = operation("earlier", "2026-11-30T13:59:00.000Z");
  const made = operation("made", "2026-11-30T14:00:05.900Z");
  const later = operation("later", "2026-11-30T14:03:00.000Z");

  it.each([
    ["the latest before the answer", [later, earlier, made], {}, "made"],
    ["an earlier one, asked for again", [later, earlier], {}, "earlier"],
    ["none of another note", [operation("b", made.proposed_at, "b.md")], {}, null],
    ["none of another client", [operation("b", made.proposed_at, "a.md", "Codex CLI")], {}, null],
    ["none, if it only read", [made], { waiting: false }, null],
  ] as const)("is %s", (_, operations, more, id) => expect(proposal_of({ ...call, ...more }, [...operations])?.id ?? null).toBe(id));
});
