// Colours as numbers, and whether they can be read.

/** Red, green and blue of `#rrggbb`, from 0 to 1. */
function parts(hex: string): [number, number, number] {
  const part = (at: number) => Number.parseInt(hex.slice(at, at + 2), 16) / 255;
  return [part(1), part(3), part(5)];
}

function hex_of(rgb: number[]): string {
  return `#${rgb.map((part) => Math.round(Math.min(1, Math.max(0, part)) * 255).toString(16).padStart(2, "0")).join("")}`;
}

function luminance(hex: string): number {
  const [red, green, blue] = parts(hex).map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

/** The contrast of two colours, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
}

/** The colour that is nearest to a wanted one and can be read on all grounds: it goes towards black or white as far as it must. */
export function readable(wanted: string, grounds: string[], least = 4.5): string {
  const end = grounds.every((ground) => luminance(ground) > 0.18) ? 0 : 1;
  for (let step = 0; step <= 20; step++) {
    const tried = hex_of(parts(wanted).map((part) => part + ((end - part) * step) / 20));
    if (grounds.every((ground) => contrast(tried, ground) >= least)) return tried;
  }
  return hex_of([end, end, end]);
}

/** Hue, saturation and lightness, as CSS writes them. */
export function hsl_of(hex: string): [string, string, string] {
  const [red, green, blue] = parts(hex);
  const most = Math.max(red, green, blue);
  const least = Math.min(red, green, blue);
  const span = most - least;
  const light = (most + least) / 2;
  const hue = span === 0 ? 0 : most === red ? ((green - blue) / span + 6) % 6 : most === green ? (blue - red) / span + 2 : (red - green) / span + 4;
  const saturation = span === 0 ? 0 : span / (1 - Math.abs(2 * light - 1));
  return [String(Math.round(hue * 60)), `${Math.round(saturation * 100)}%`, `${Math.round(light * 100)}%`];
}
