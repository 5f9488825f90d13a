import { readPage } from "../processes/scrape.ts";

const NEWLINE = 10;
const HASH = 35;

/** Lines of the page that are samples. */
export async function seriesOnPage(url: string): Promise<number> {
  return countSamples(await readPage(url));
}

/** `page`: text in one of the formats of Prometheus. */
export function countSamples(page: Uint8Array): number {
  let samples = 0;
  for (let start = 0; start < page.length; ) {
    if (page[start] !== HASH && page[start] !== NEWLINE) samples++;
    const end = page.indexOf(NEWLINE, start);
    start = end < 0 ? page.length : end + 1;
  }
  return samples;
}
