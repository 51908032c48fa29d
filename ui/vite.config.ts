import { svelte } from "@sveltejs/vite-plugin-svelte";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** KaTeX names each font in three formats; every window that can show this page reads the smallest. */
const only_woff2: Plugin = {
  name: "only-woff2",
  enforce: "pre",
  transform: (css, id) => (/katex[^/]*\.css/.test(id) ? css.replace(/,url\([^)]+\.(?:woff|ttf)\) format\("(?:woff|truetype)"\)/g, "") : undefined),
};

/** One of the layouts that Mermaid knows has a license unlike all the rest, and is left out. */
const no_elk: Plugin = {
  name: "no-elk",
  enforce: "pre",
  resolveId: (id) => (id.startsWith("elkjs") ? "\0no-elk" : null),
  load: (id) => (id === "\0no-elk" ? 'export default class { layout() { throw new Error("the layout elk is not part of Vidimus") } }' : null),
};

export default defineConfig(({ mode }) => ({
  plugins: [only_woff2, no_elk, svelte()],
  // Vitest would otherwise pick Svelte's server build, which cannot mount.
  resolve: mode === "test" ? { conditions: ["browser"] } : {},
  build: {
    target: "es2022",
    // The content security policy allows files of our own, never `data:` fonts or scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
  },
  server: { host: "127.0.0.1", port: 5199, strictPort: false },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.ts"],
    // The window is mounted whole and looked over by axe: seconds on a busy machine.
    testTimeout: 30_000,
    setupFiles: ["src/test/setup.ts"],
    // Only the tokens are read; what components look like is seen, not tested.
    css: { include: [/tokens\.css/] },
  },
}));
