// The text to copy for a link to a note, or to one of its sections.

import { engine } from "../ipc/engine";
import { name_of } from "./paths";
import { toasts } from "./toasts.svelte";

export async function link_to(path: string, heading?: string): Promise<string> {
  const bare = path.replace(/\.md$/i, "");
  const name = name_of(bare);
  const twins = await engine.quick(name, 50).catch(() => []);
  const is_twin = (other: string) => other !== path && name_of(other).toLowerCase() === `${name}.md`.toLowerCase();
  const target = twins.some((hit) => is_twin(hit.path)) ? bare : name;
  // In a link these signs would mean something else.
  const section = heading?.replace(/[#^|[\]\\:]|%%/g, " ").replace(/\s+/g, " ").trim();
  return section ? `[[${target}#${section}]]` : `[[${target}]]`;
}

export async function copy_link(path: string, heading?: string): Promise<void> {
  const link = await link_to(path, heading);
  try {
    await navigator.clipboard.writeText(link);
    toasts.say(`Copied ${link}`);
  } catch {
    toasts.error({ message: "the link could not be copied", hint: `it is ${link}` });
  }
}
