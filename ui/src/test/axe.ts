// The accessibility rules that can be checked without a screen. Contrast cannot: theme/tokens.test.ts holds the tokens to it.

import axe from "axe-core";

// jsdom has no canvas; axe asks for one to tell icons from letters and takes a refusal well.
HTMLCanvasElement.prototype.getContext = () => null;

const THEMES = ["light", "dark"] as const;

/** Returns what axe finds wrong in an element, in both themes, as readable lines. */
export async function violations(element: Element): Promise<string[]> {
  const found: string[] = [];
  for (const theme of THEMES) {
    document.documentElement.dataset.theme = theme;
    const results = await axe.run(element, {
      resultTypes: ["violations"],
      rules: {
        "color-contrast": { enabled: false },
        // A pane is not a page.
        region: { enabled: false },
        "page-has-heading-one": { enabled: false },
      },
    });
    for (const violation of results.violations)
      for (const node of violation.nodes) found.push(`${theme}: ${violation.id}: ${node.html.slice(0, 160)}`);
  }
  return found;
}
