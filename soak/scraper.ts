import { monitorEventLoopDelay } from "node:perf_hooks";
import { type Page, type PageFormat, parsePage } from "./page-parser.ts";
import { PageView } from "./page-view.ts";
import type { Random } from "./random.ts";

const ACCEPTS: readonly { readonly format: PageFormat; readonly accept: string }[] = [
  { format: "text", accept: "text/plain;version=0.0.4" },
  { format: "text", accept: "text/plain;version=1.0.0;escaping=allow-utf-8" },
  { format: "openmetrics", accept: "application/openmetrics-text;version=1.0.0" },
];
const ENCODINGS = ["gzip", "identity"] as const;
/** Worth a line on standard error. */
const SLOW_MS = 2_000;
/** What a machine without time to spare may make of it. */
const MAX_MS = 60_000;

/** How long this process itself kept answers waiting. */
const ownDelay = monitorEventLoopDelay({ resolution: 10 });
ownDelay.enable();

export interface Scrape {
  readonly page: PageView;
  /** When it was asked for, and when it was there; milliseconds since the epoch. */
  readonly at: number;
  readonly endedAt: number;
  readonly durationMs: number;
}

/** Scrapes in all formats and encodings in turn, at random, and reads every page by the letter. */
export class Scraper {
  readonly url: string;
  readonly #random: Random;
  scrapes = 0;
  readonly durationsMs: number[] = [];

  constructor(url: string, random: Random) {
    this.url = url;
    this.#random = random;
  }

  /** How long a request takes that asks for nothing: what the machine makes of any. */
  async calibrate(): Promise<number> {
    const started = performance.now();
    const response = await fetch(new URL("/-/healthy", this.url), { signal: AbortSignal.timeout(MAX_MS) });
    await response.text();
    return performance.now() - started;
  }

  /** @throws PageError for a page that is none, Error for no answer */
  async scrape(): Promise<Scrape> {
    const { format, accept } = this.#random.pick(ACCEPTS);
    const at = Date.now();
    ownDelay.reset();
    const started = performance.now();
    const response = await fetch(this.url, {
      headers: { Accept: accept, "Accept-Encoding": this.#random.pick(ENCODINGS) },
      signal: AbortSignal.timeout(MAX_MS),
    });
    const text = await response.text();
    const durationMs = performance.now() - started;
    const endedAt = Date.now();
    if (response.status !== 200) throw new Error(`the page was answered with ${response.status}`);
    const type = response.headers.get("content-type") ?? "";
    const mime = format === "text" ? "text/plain" : "application/openmetrics-text";
    if (!type.startsWith(mime)) throw new Error(`asked for ${mime}, got ${type}`);
    this.scrapes++;
    this.durationsMs.push(durationMs);
    if (durationMs > SLOW_MS) {
      const own = Math.round(ownDelay.max / 1e6);
      process.stderr.write(`slow scrape: ${Math.round(durationMs)} ms; this process was held up for up to ${own} ms\n`);
    }
    const page: Page = parsePage(text, format);
    return { page: new PageView(page), at, endedAt, durationMs };
  }
}
