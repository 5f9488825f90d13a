/** The value of one series on a page, named as the page spells it; undefined where there is none. */
export function sampleOf(page: string, series: string): number | undefined {
  // Not the end of a longer name.
  const at = page.startsWith(`${series} `) ? 0 : page.indexOf(`\n${series} `) + 1;
  if (at === 0 && !page.startsWith(`${series} `)) return undefined;
  const from = at + series.length + 1;
  const end = page.indexOf("\n", from);
  return Number(page.slice(from, end < 0 ? page.length : end));
}
