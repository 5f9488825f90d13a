import { setTimeout as sleep } from "node:timers/promises";
import type { Findings } from "./findings.ts";
import type { Random } from "./random.ts";

const READERS = 4;
const BURST_MS = 20_000;
const PAUSE_MS = 20_000;
const MAX_PARTS = 5_000;
/** A reader that takes its page so slowly that several pages of the exporter come and go meanwhile. */
const SLOW_READER_PAUSE_MS = 1_500;
const GIVE_UP_MS = 60_000;

/** Readers of pages that cost the exporter something, in bursts: parts of `/metrics`, the status page, debug pages. */
export class Readers {
  readonly #origin: string;
  readonly #random: Random;
  readonly #findings: Findings;

  constructor(metricsUrl: string, random: Random, findings: Findings) {
    this.#origin = new URL(metricsUrl).origin;
    this.#random = random;
    this.#findings = findings;
  }

  /** Reads until the signal aborts. Never rejects. */
  async readOn(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      const burst = AbortSignal.any([over, AbortSignal.timeout(BURST_MS)]);
      await Promise.all(Array.from({ length: READERS }, () => this.#reader(burst)));
      await sleep(PAUSE_MS, undefined, { signal: over }).catch(() => undefined);
    }
  }

  async #reader(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      const path = this.#path();
      try {
        this.#findings.read(await this.#read(path));
      } catch {
        this.#findings.read("no answer");
      }
      // A server that refuses must not make this a loop without a pause.
      await sleep(20);
    }
  }

  async #read(path: string): Promise<string> {
    const random = this.#random;
    const giveUp = new AbortController();
    const response = await fetch(this.#origin + path, {
      headers: { "Accept-Encoding": random.next() < 0.7 ? "identity" : "gzip" },
      signal: AbortSignal.any([giveUp.signal, AbortSignal.timeout(GIVE_UP_MS)]),
    });
    const manner = random.next();
    if (manner < 0.1) {
      giveUp.abort();
      return "left early";
    }
    if (manner < 0.15) await sleep(SLOW_READER_PAUSE_MS);
    await response.arrayBuffer();
    return String(response.status);
  }

  #path(): string {
    const random = this.#random;
    const parts = 1 + Math.floor(random.next() * (random.next() < 0.5 ? 40 : MAX_PARTS));
    const part = Math.floor(random.next() * parts);
    const shard = `/metrics?shard=${part}/${parts}`;
    const number = Math.floor(random.next() * 3_000);
    return random.pick([
      ...[shard, shard, shard, shard],
      "/",
      "/status.json",
      `/tree?object=${number}`,
      "/search?q=a",
      "/debug/cardinality",
      `/debug/explain?object=${number}`,
      "/sd",
    ]);
  }
}
