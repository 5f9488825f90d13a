import { readPage } from "../processes/scrape.ts";

const NEWLINE = 10;
const HASH = 35;

const OWN_LINE = /^(# \w+ )?(prtg_exporter_|prtg_up|prtg_server_clock|process_|nodejs_)/;

/** A sample or comment about the exporter itself. */
export function isOwnLine(line: string): boolean {
  return OWN_LINE.test(line);
}

export async function seriesOnPage(url: string): Promise<number> {
  return countSamples(await readPage(url));
}

export function countSamples(page: Uint8Array): number {
  let samples = 0;
  for (let start = 0; start < page.length; ) {
    if (page[start] !== HASH && page[start] !== NEWLINE) samples++;
    const end = page.indexOf(NEWLINE, start);
    start = end < 0 ? page.length : end + 1;
  }
  return samples;
}

export function sampleOf(page: string, series: string): number | undefined {
  const at = page.startsWith(`${series} `) ? 0 : page.indexOf(`\n${series} `) + 1;
  if (at === 0 && !page.startsWith(`${series} `)) return undefined;
  const from = at + series.length + 1;
  const end = page.indexOf("\n", from);
  return Number(page.slice(from, end < 0 ? page.length : end));
}
