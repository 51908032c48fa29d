// Paths of the vault: segments between slashes, with the empty path for the vault itself.

/** The folder that a path is in; the vault itself is the empty one. */
export function folder_of(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "" : path.slice(0, slash);
}

/** The last segment of a path. */
export function name_of(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Tells whether a path is that of a folder, or lies below it. */
export function is_within(path: string, folder: string): boolean {
  return path === folder || folder === "" || path.startsWith(`${folder}/`);
}

/** Returns where a path is after it, or a folder above it, was moved; nothing if neither was. */
export function moved_path(path: string, from: string, to: string): string | undefined {
  if (path === from) return to;
  return from !== "" && path.startsWith(`${from}/`) ? to + path.slice(from.length) : undefined;
}

/** Where something goes when only its folder changes. */
export function moved_to(path: string, folder: string): string {
  return folder ? `${folder}/${name_of(path)}` : name_of(path);
}

/** Where a note goes when only its name changes. */
export function renamed_to(path: string, name: string): string {
  return moved_to(`${name.trim().replace(/\.md$/i, "")}.md`, folder_of(path));
}

/** Where a folder goes when only its name changes. */
export function folder_renamed_to(path: string, name: string): string {
  return moved_to(name.trim(), folder_of(path));
}
