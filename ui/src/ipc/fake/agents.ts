// Who was let in to the fake vault, and what they did there.

import type { AgentsView, ClientConfig, Connecting, Newcomer, Scope } from "../operations";
import { EngineError } from "../engine";
import { diff } from "./diff";

const minutes_ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

export const everything: Scope = { folders: null, tools: null };

export function fake_agents(): AgentsView {
  return {
    on: true,
    url: "http://127.0.0.1:7377/mcp",
    port: 7377,
    n_connected: 2,
    error: null,
    clients: [
      { id: "01JA0000000000000000000001", name: "Claude Code", created_at: minutes_ago(9000), last_seen_at: minutes_ago(2), connected: true, policy: { kind: "ask" }, scope: everything },
      { id: "01JA0000000000000000000002", name: "Cursor", created_at: minutes_ago(3000), last_seen_at: minutes_ago(60), connected: true, policy: { kind: "ask" }, scope: everything },
      { id: "01JA0000000000000000000003", name: "Codex CLI", created_at: minutes_ago(12000), last_seen_at: null, connected: false, policy: { kind: "read_only" }, scope: everything },
    ],
    tools: [
      { name: "append_to_section", title: "Append to a section", writes: true },
      { name: "edit_note", title: "Edit a note", writes: true },
      { name: "get_note", title: "Get a note", writes: false },
      { name: "list_notes", title: "List notes", writes: false },
      { name: "rename_note_section", title: "Rename a section", writes: true },
      { name: "search_text", title: "Search the text", writes: false },
    ],
    activity: [
      { at: minutes_ago(2), client: "Claude Code", tool: "rename_note_section", subject: "Expedition/Glacier survey.md", waiting: true, failed: false },
      { at: minutes_ago(2), client: "Claude Code", tool: "search_text", subject: "“instruments”", waiting: false, failed: false },
      { at: minutes_ago(3), client: "Claude Code", tool: "get_note", subject: "Expedition/Glacier survey.md", waiting: false, failed: false },
      { at: minutes_ago(60), client: "Cursor", tool: "rename_note_section", subject: "Expedition/Kit list.md", waiting: true, failed: false },
      { at: minutes_ago(61), client: "Cursor", tool: "get_note", subject: "Kit lists", waiting: false, failed: true },
      { at: minutes_ago(1500), client: "Cursor", tool: "list_notes", subject: "Expedition", waiting: false, failed: false },
    ],
  };
}

export function fake_configs(url: string, token: string | null): ClientConfig[] {
  const shown = token ?? "YOUR_TOKEN";
  const json = (value: unknown) => JSON.stringify(value, null, 2);
  const headers = { Authorization: `Bearer ${shown}` };
  const plain = { link: null, takes_bundle: false };
  return [
    { ...plain, id: "claude_code", title: "Claude Code", transport: "http", file: null, language: "shell", text: `claude mcp add --transport http vidimus ${url} \\\n  --header "Authorization: Bearer ${shown}"` },
    { ...plain, takes_bundle: true, id: "claude_desktop", title: "Claude Desktop", transport: "stdio", file: "claude_desktop_config.json", language: "json", text: json({ mcpServers: { vidimus: { command: "vidimus", args: ["mcp", "--vault", "/home/you/Field notes"] } } }) },
    { ...plain, link: "cursor://anysphere.cursor-deeplink/mcp/install?name=vidimus&config=e30%3D", id: "cursor", title: "Cursor", transport: "http", file: "~/.cursor/mcp.json", language: "json", text: json({ mcpServers: { vidimus: { url, headers } } }) },
    { ...plain, link: "vscode:mcp/install?%7B%7D", id: "vscode", title: "VS Code", transport: "http", file: ".vscode/mcp.json", language: "json", text: json({ servers: { vidimus: { type: "http", url, headers } } }) },
    { ...plain, id: "codex", title: "Codex CLI", transport: "http", file: "~/.codex/config.toml", language: "toml", text: `[mcp_servers.vidimus]\nurl = "${url}"\nhttp_headers = { "Authorization" = "Bearer ${shown}" }` },
    { ...plain, id: "gemini", title: "Gemini CLI", transport: "http", file: "~/.gemini/settings.json", language: "json", text: json({ mcpServers: { vidimus: { httpUrl: url, headers } } }) },
  ];
}

/** The settings files of programs, by program; one that is missing is not there yet. */
export function fake_settings_files(configs: () => ClientConfig[]) {
  const files = new Map<string, string>([["codex", 'model = "best"\n']]);

  function look({ program, token }: Newcomer): Connecting {
    const config = configs().find((one) => one.id === program);
    if (!config || config.file === null) throw new EngineError("no_file", `${program} keeps no settings file`, "run the command that is shown");
    const old = files.get(program) ?? "";
    const can_undo = old.includes("vidimus");
    const seen = old === "" ? "none" : old;
    const said = { file: config.file, hunks: [], by_hand: null, seen, can_undo };
    if (program === "gemini") return { ...said, outcome: "by_hand", by_hand: "cannot be read as JSON" };
    const text = config.text.replace("YOUR_TOKEN", token ?? "YOUR_TOKEN");
    if (old.includes(text) || (can_undo && token === null)) return { ...said, outcome: "connected" };
    return { ...said, outcome: "write", hunks: diff(old, `${old}${text}\n`) };
  }

  function write(newcomer: Newcomer, seen: string): Connecting {
    const before = look(newcomer);
    if (before.seen !== seen) throw new EngineError("conflict", "the file has changed since it was shown", "look at the change again");
    const text = configs().find((one) => one.id === newcomer.program)?.text ?? "";
    files.set(newcomer.program, `${files.get(newcomer.program) ?? ""}${text.replace("YOUR_TOKEN", newcomer.token ?? "")}\n`);
    return look(newcomer);
  }

  function take_out(newcomer: Newcomer): Connecting {
    files.delete(newcomer.program);
    return look(newcomer);
  }

  return { files, look, write, take_out };
}
