import { build, type Rolldown } from "vite";
import { describe, expect, it, vi } from "vitest";

/** Builds the start of the page, without the window that it mounts, and names the modules that are in it. */
async function modules_of(mode: string): Promise<string[]> {
  vi.stubEnv("NODE_ENV", mode);
  const built = (await build({
    configFile: false,
    logLevel: "silent",
    mode,
    plugins: [
      {
        name: "only-the-start",
        enforce: "pre",
        resolveId: (id) => (/\.(svelte|css)$/.test(id) ? "\0nothing" : null),
        load: (id) => (id === "\0nothing" ? "export default null" : null),
      },
    ],
    build: { write: false, minify: false, rollupOptions: { input: new URL("./main.ts", import.meta.url).pathname } },
  })) as Rolldown.RolldownOutput;
  vi.unstubAllEnvs();
  return built.output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
}

describe("the page that ships", () => {
  it.each([
    ["production", false],
    ["test", true],
  ])("has, built for %s, the in-memory engine: %s", async (mode, has) => {
    const modules = await modules_of(mode);
    expect(modules.some((id) => id.endsWith("ipc/tauri.ts"))).toBe(true);
    expect(modules.some((id) => id.includes("ipc/fake"))).toBe(has);
  });
});
