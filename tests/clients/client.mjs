// What an agent does with a vault, done by the TypeScript client. One argument, as JSON; the test that gives it plays the person.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';

const { era, url, token, command, long, short } = JSON.parse(process.argv[2]);

const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';
const client = new Client({ name: 'typescript', version: '1' }, { versionNegotiation: { mode } });
const transport = url
  ? new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } })
  : new StdioClientTransport({ command: command[0], args: command.slice(1), env: { ...process.env } });

/** Calls a tool; what it answers stands in the text once more. */
async function call(name, args) {
  const answer = await client.callTool({ name, arguments: args });
  assert.deepEqual(JSON.parse(answer.content[0].text), answer.structuredContent, `${name} says two things`);
  return { failed: answer.isError === true, ...answer.structuredContent };
}

/** Takes a note's text out of its marks. */
function unwrapped(content) {
  const [, boundary] = content.match(/boundary="([^"]+)">\n/);
  const open = `boundary="${boundary}">\n`;
  return content.slice(content.indexOf(open) + open.length, content.lastIndexOf(`\n</vault_content boundary="${boundary}">`));
}

const say = (what) => console.log(JSON.stringify(what));

await client.connect(transport);
const version = client.getNegotiatedProtocolVersion();
const { tools } = await client.listTools();
assert.ok(tools.every((tool) => tool.title && tool.description && tool.outputSchema), 'a tool says too little');

const note = await call('get_note', { id_or_path: short.path });
assert.equal(unwrapped(note.content), readFileSync(short.file, 'utf8'));

let text = '', pages = 0, offset = 0;
while (offset !== null) {
  const page = await call('get_note', { id_or_path: long.path, offset });
  assert.equal(page.truncated, page.next_offset !== null);
  text += unwrapped(page.content);
  offset = page.next_offset;
  pages += 1;
}
assert.equal(text, readFileSync(long.file, 'utf8'), 'the pieces are not the text');

const missing = await call('get_note', { id_or_path: 'no such note.md' });
assert.ok(missing.failed && missing.code === 'not_found' && missing.hint, JSON.stringify(missing));
const wrong = await call('get_note', { id_or_path: 7, offfset: 1 });
assert.ok(wrong.failed && wrong.code === 'invalid_arguments' && wrong.message.includes('offfset'), JSON.stringify(wrong));

const { contents } = await client.readResource({ uri: `vault://note/${encodeURIComponent(short.path)}` });
assert.equal(unwrapped(contents[0].text), readFileSync(short.file, 'utf8'));

async function propose(heading, new_heading) {
  const { content_hash } = await call('get_note', { id_or_path: short.path, format: 'map' });
  const wish = { rel_path: short.path, heading, new_heading, expected_hash: content_hash, reason: 'a test' };
  const proposed = await call('rename_note_section', wish);
  assert.equal(proposed.status, 'proposed', JSON.stringify(proposed));
  const waiting = call('get_operation', { operation_id: proposed.operation_id, wait_seconds: 45 });
  say({ proposed: proposed.operation_id });
  return await waiting;
}

const approved = await propose('Old tools', 'Instruments');
const declined = await propose('Instruments', 'Things');
say({ version, tools: tools.length, pages, approved, declined });
await client.close();
