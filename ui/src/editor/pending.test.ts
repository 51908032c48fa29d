import { expect, it } from "vitest";
import { proposal_text } from "./pending";

it.each([
  ["rename_section", "Instruments", "Cursor proposes “Instruments” · Review"],
  ["patch_section", null, "Cursor proposes new text here · Review"],
  ["append_to_section", null, "Cursor proposes more text here · Review"],
  ["move_section", null, "Cursor proposes another place for this · Review"],
  ["delete_section", null, "Cursor proposes to delete this · Review"],
  ["edit_note", null, "Cursor proposes a change · Review"],
])("%s", (kind, new_heading, said) => expect(proposal_text({ client: "Cursor", kind, new_heading })).toBe(said));
