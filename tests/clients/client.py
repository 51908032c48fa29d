"""What an agent does with a vault, done by the Python client. One argument, as JSON; the test that gives it plays the person."""

import asyncio
import json
import re
import sys
from pathlib import Path
from urllib.parse import quote

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


def server(asked):
    if "url" in asked:
        headers = {"Authorization": f"Bearer {asked['token']}"}
        return streamable_http_client(asked["url"], http_client=create_mcp_http_client(headers=headers))
    import os

    program, *args = asked["command"]
    return StdioServerParameters(command=program, args=args, env=dict(os.environ))


def unwrapped(content):
    """Takes a note's text out of its marks."""
    boundary = re.search(r'boundary="([^"]+)">\n', content)[1]
    begin = f'boundary="{boundary}">\n'
    end = f'\n</vault_content boundary="{boundary}">'
    return content[content.index(begin) + len(begin) : content.rindex(end)]


def text_of(file):
    return Path(file).read_bytes().decode()


def say(what):
    print(json.dumps(what), flush=True)


async def main(asked):
    mode = "2026-07-28" if asked["era"] == "modern" else "legacy"
    long, short = asked["long"], asked["short"]
    async with Client(server(asked), mode=mode) as client:

        async def call(name, arguments):
            """Calls a tool; what it answers stands in the text once more."""
            answer = await client.call_tool(name, arguments)
            assert json.loads(answer.content[0].text) == answer.structured_content, f"{name} says two things"
            return {"failed": answer.is_error is True, **answer.structured_content}

        tools = (await client.list_tools()).tools
        assert all(tool.title and tool.description and tool.output_schema for tool in tools), "a tool says too little"

        note = await call("get_note", {"id_or_path": short["path"]})
        assert unwrapped(note["content"]) == text_of(short["file"])

        text, pages, offset = "", 0, 0
        while offset is not None:
            page = await call("get_note", {"id_or_path": long["path"], "offset": offset})
            assert page["truncated"] == (page["next_offset"] is not None)
            # Python counts as the server does, so each piece stands where it says.
            assert len(text) == page["offset"] and len(unwrapped(page["content"])) == page["returned_chars"]
            text += unwrapped(page["content"])
            offset = page["next_offset"]
            pages += 1
        assert text == text_of(long["file"]), "the pieces are not the text"

        missing = await call("get_note", {"id_or_path": "no such note.md"})
        assert missing["failed"] and missing["code"] == "not_found" and missing["hint"], missing
        wrong = await call("get_note", {"id_or_path": 7, "offfset": 1})
        assert wrong["failed"] and wrong["code"] == "invalid_arguments" and "offfset" in wrong["message"], wrong

        read = await client.read_resource(f"vault://note/{quote(short['path'])}")
        assert unwrapped(read.contents[0].text) == text_of(short["file"])

        async def propose(heading, new_heading):
            now = await call("get_note", {"id_or_path": short["path"], "format": "map"})
            wish = {"rel_path": short["path"], "heading": heading, "new_heading": new_heading, "reason": "a test"}
            proposed = await call("rename_note_section", {**wish, "expected_hash": now["content_hash"]})
            assert proposed["status"] == "proposed", proposed
            waiting = asyncio.create_task(
                call("get_operation", {"operation_id": proposed["operation_id"], "wait_seconds": 45})
            )
            say({"proposed": proposed["operation_id"]})
            return await waiting

        approved = await propose("Old tools", "Instruments")
        declined = await propose("Instruments", "Things")
        outcome = {"version": client.protocol_version, "tools": len(tools), "pages": pages}
        say({**outcome, "approved": approved, "declined": declined})


asyncio.run(main(json.loads(sys.argv[1])))
