// Finds settings by what is to be read of them: their names, what is said below them, and what can be chosen.

/** Whether an element, or what it stands under, has every word of what is looked for in its text. */
type Fits = (...texts: (Element | null)[]) => boolean;

function fitting(typed: string): Fits {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return (...texts) => {
    const text = texts.map((one) => one?.textContent ?? "").join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  };
}

/**
 * Hides the settings that do not fit what was typed, and the headings that nothing is left of.
 *
 * A setting stands below an `h3`, and a list of them perhaps below an `h4`; what fits a heading fits with all that is below it.
 * Returns how many settings are left.
 */
export function show_fitting(body: Element, typed: string): number {
  const fits = fitting(typed);
  let n = 0;
  let section: HTMLElement | null = null;
  let list: HTMLElement | null = null;
  const show = (element: HTMLElement, shown: boolean) => {
    element.hidden = !shown;
    if (!shown) return;
    n++;
    for (const heading of [section, list]) if (heading) heading.hidden = false;
  };
  for (const element of body.querySelectorAll<HTMLElement>(":scope > *")) {
    if (element.matches("h3, h4")) {
      if (element.matches("h3")) section = element;
      list = element.matches("h4") ? element : null;
      element.hidden = true;
    } else if (element.matches("ul")) {
      const before = n;
      for (const item of element.querySelectorAll<HTMLElement>(":scope > li")) show(item, fits(section, list, item));
      element.hidden = n === before;
      list = null;
    } else show(element, fits(section, element));
  }
  return n;
}
