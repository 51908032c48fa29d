// Draws diagrams. Mermaid ships with the program and loads nothing from outside. What it draws is shown as a picture: in a
// picture no script runs, nothing is loaded, and no style reaches the page.

import mermaid, { type MermaidConfig } from "mermaid";
import type { Outcome } from "./diagrams";

let n_drawn = 0;

/** Draws one; the next is asked for when this one is done, for Mermaid has one state for all. */
export async function draw(source: string, is_dark: boolean): Promise<Outcome> {
  // It is measured on the page, where nobody sees it.
  const bench = document.createElement("div");
  bench.className = "diagram-bench";
  bench.setAttribute("aria-hidden", "true");
  document.body.append(bench);
  try {
    mermaid.initialize(config(is_dark));
    const { svg } = await mermaid.render(`diagram-${++n_drawn}`, source, bench);
    return picture_of(svg);
  } catch (cause) {
    return { kind: "wrong", reason: reason_of(cause) };
  } finally {
    bench.remove();
  }
}

/** The first line of an error, without the dots that stand for the rest. */
function reason_of(cause: unknown): string {
  const [line] = String(cause instanceof Error ? cause.message : cause).split("\n");
  const said = line!.replace(/[.:\s]+$/, "");
  return said ? said.charAt(0).toLowerCase() + said.slice(1) : "its text cannot be read";
}

/** Colors are those of the window. A diagram may ask for a theme of its own, and for nothing that would reach beyond it. */
function config(is_dark: boolean): MermaidConfig {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(`--${name}`).trim() || "#888888";
  return {
    startOnLoad: false,
    securityLevel: "strict",
    suppressErrorRendering: true,
    // Text of a page within a picture is drawn by no web view alike.
    htmlLabels: false,
    fontFamily: FONT,
    // The other one is not part of the program.
    layout: "dagre",
    look: "classic",
    deterministicIds: true,
    maxTextSize: 50_000,
    secure: ["secure", "securityLevel", "startOnLoad", "maxTextSize", "suppressErrorRendering", "maxEdges", "htmlLabels", "fontFamily", "altFontFamily", "themeCSS", "dompurifyConfig", "layout"],
    theme: "base",
    themeVariables: {
      darkMode: is_dark,
      fontFamily: FONT,
      fontSize: "14px",
      background: color("bg"),
      mainBkg: color("link-bg"),
      primaryColor: color("link-bg"),
      primaryTextColor: color("text"),
      primaryBorderColor: color("link"),
      secondaryColor: color("warn-bg"),
      secondaryTextColor: color("text"),
      secondaryBorderColor: color("warn"),
      tertiaryColor: color("surface"),
      tertiaryTextColor: color("text"),
      tertiaryBorderColor: color("faint"),
      lineColor: color("muted"),
      textColor: color("text"),
      titleColor: color("text"),
      edgeLabelBackground: color("bg"),
      clusterBkg: color("surface"),
      clusterBorder: color("faint"),
      noteBkgColor: color("warn-bg"),
      noteTextColor: color("text"),
      noteBorderColor: color("warn"),
      sequenceNumberColor: color("bg"),
      nodeBorder: color("link"),
      useGradient: false,
      dropShadow: "none",
      pieStrokeColor: color("faint"),
      pieOuterStrokeColor: color("faint"),
      pieStrokeWidth: "1px",
      pieOpacity: "1",
      pieTitleTextColor: color("text"),
      pieSectionTextColor: color("text"),
      pieLegendTextColor: color("text"),
      commitLabelColor: color("text"),
      commitLabelBackground: color("surface"),
      xyChart: { backgroundColor: color("bg"), plotColorPalette: HUES.map(color).join(", ") },
      ...numbered((hue) => ({ pie: color(`${hue}-bg`), cScale: color(`${hue}-bg`), cScaleLabel: color("text"), cScalePeer: color(hue), cScaleInv: color("faint"), git: color(hue), gitInv: color(`${hue}-bg`), gitBranchLabel: color("bg") })),
    },
  };
}

/** Colors for things of which there are many, each with a ground of its own. */
const HUES = ["link", "warn", "add", "violet", "teal", "rem"];

/** Some kinds count their colors from 0, others from 1; none has more than these. */
function numbered(of: (hue: string) => Record<string, string>): Record<string, string> {
  const all: [string, string][] = [];
  for (let n = 0; n <= 12; n++) for (const [name, color] of Object.entries(of(HUES[n % HUES.length]!))) all.push([`${name}${n}`, color]);
  return Object.fromEntries(all);
}

/** The window's own font is not there in a picture; what is measured with must be what is drawn with. */
const FONT = 'system-ui, -apple-system, "Segoe UI", sans-serif';

/** Elements that a picture has no use for. */
const USELESS = "script, iframe, object, embed, audio, video, link, meta, form, input, button, image, img";

/** Makes a picture of what was drawn. Nothing in it could do anything there; it is taken out all the same. */
export function picture_of(svg: string): Outcome {
  const root = new DOMParser().parseFromString(svg, "text/html").querySelector("svg");
  if (!root) return { kind: "wrong", reason: "nothing was drawn" };
  for (const element of root.querySelectorAll(USELESS)) element.remove();
  for (const element of [root, ...root.querySelectorAll("*")])
    for (const { name, value } of [...element.attributes]) {
      const leads_out = /^(?:xlink:)?href$/i.test(name) && !value.startsWith("#");
      if (leads_out || /^on/i.test(name) || /^(?:src|action|formaction)$/i.test(name) || loads(value)) element.removeAttribute(name);
    }
  for (const sheet of root.querySelectorAll("style")) if (/@import/i.test(sheet.textContent) || loads(sheet.textContent)) sheet.remove();
  const [, , width, height] = (root.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
  const size = { width: Math.ceil(width || Number.parseFloat(root.getAttribute("width") ?? "") || 300), height: Math.ceil(height || Number.parseFloat(root.getAttribute("height") ?? "") || 150) };
  root.setAttribute("width", String(size.width));
  root.setAttribute("height", String(size.height));
  root.removeAttribute("style");
  const title = root.querySelector(":scope > title")?.textContent?.trim() ?? "";
  return { kind: "drawn", src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(root))}`, ...size, title };
}

/** Whether a style names something to load; `url(#arrow)` is within the picture. */
function loads(style: string): boolean {
  return /url\(\s*["']?\s*(?!["']?\s*#)/i.test(style);
}
