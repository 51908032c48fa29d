// What a new note may be called, so that the file works on every system and in every link.

/** Returns the path that a typed name means: in the folder at hand, or from the vault's top if it names folders itself. */
export function new_note_path(folder: string, typed: string): string {
  const name = typed.trim().replace(/\.md$/i, "").replace(/^\/+|\/+$/g, "");
  const top = typed.trim().startsWith("/") || name.includes("/");
  return `${!top && folder ? `${folder}/` : ""}${name}.md`;
}

/** Returns what is wrong with a name, or nothing. */
export function name_problem(typed: string): string | undefined {
  const parts = typed.trim().replace(/\.md$/i, "").replace(/^\/+/, "").split("/");
  for (const part of parts) {
    const bad = /[\\:*?"<>|]/.exec(part);
    if (bad) return `A name cannot contain ${bad[0]}, because not every system can store it`;
    const link = /[#^[\]]/.exec(part);
    if (link) return `A name cannot contain ${link[0]}, because links could not name it`;
    if (part.trim() === "") return "A name cannot be empty";
    if (part.startsWith(".")) return "A name cannot begin with a dot: such files are hidden";
    if (/[. ]$/.test(part)) return "A name cannot end with a dot or a space";
  }
  return undefined;
}
