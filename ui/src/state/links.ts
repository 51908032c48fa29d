// The text to copy for a link to a note, or to one of its sections: for notes of this vault, and for other programs.

import { engine } from "../ipc/engine";
import { name_of } from "./paths";
import { toasts } from "./toasts.svelte";
import { vault } from "./vault.svelte";

export async function link_to(path: string, heading?: string): Promise<string> {
  const bare = path.replace(/\.md$/i, "");
  const name = name_of(bare);
  const twins = await engine.quick(name, 50).catch(() => []);
  const is_twin = (other: string) => other !== path && name_of(other).toLowerCase() === `${name}.md`.toLowerCase();
  const target = twins.some((hit) => is_twin(hit.path)) ? bare : name;
  const section = heading && as_subpath(heading);
  return section ? `[[${target}#${section}]]` : `[[${target}]]`;
}

/** A heading as a link names it: these signs would mean something else there. */
export function as_subpath(heading: string): string {
  return heading.replace(/[#^|[\]\\:]|%%/g, " ").replace(/\s+/g, " ").trim();
}

/** An address that opens a note, or one of its sections, from anywhere on this computer. */
export function address_of(vault_name: string, path: string, heading?: string): string {
  // A bracket would end the address in a Markdown link.
  const part = (text: string) => encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const section = heading && as_subpath(heading);
  return `vidimus://open?vault=${part(vault_name)}&file=${part(path)}${section ? `&heading=${part(section)}` : ""}`;
}

export async function copy_link(path: string, heading?: string): Promise<void> {
  await copy(await link_to(path, heading));
}

/** Copies the address of a note or of one of its sections, for other programs. */
export async function copy_address(path: string, heading?: string): Promise<void> {
  await copy(address_of(vault.info?.name ?? "", path, heading));
}

async function copy(link: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(link);
    toasts.say(`Copied ${link}`);
  } catch {
    toasts.error({ message: "the link could not be copied", hint: `it is ${link}` });
  }
}
