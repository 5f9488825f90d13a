import type { Clock } from "../lib/clock.ts";
import type { SensorSync, SyncMode } from "./sensor-sync.ts";

/** Few reads are spread no further apart than this: a gap should not stay open for the sake of an even load. */
const MAX_SPACING_MS = 1_000;
/** Part of the period in which reads start, so that the last ones end within it. */
const SPREAD = 0.9;

/**
 * Sensors whose series are to be read now, the most urgent first: in `auto` those with a gap, the oldest gap first,
 * since its measurements are the next to leave the live window; in `all` every sensor, the longest unread first.
 * @param monotonic Milliseconds.
 */
export function dueSensors(sensors: Iterable<SensorSync>, mode: SyncMode, monotonic: number): SensorSync[] {
  if (mode === "off") return [];
  const due: SensorSync[] = [];
  for (const sensor of sensors) {
    if ((mode === "all" || sensor.hasGap) && sensor.mayBeRead(monotonic)) due.push(sensor);
  }
  const urgency =
    mode === "all"
      ? (sensor: SensorSync) => sensor.lastReadAt ?? Number.NEGATIVE_INFINITY
      : (sensor: SensorSync) => sensor.covered ?? Number.NEGATIVE_INFINITY;
  return due.sort((a, b) => compare(urgency(a), urgency(b)));
}

/** Infinities, too: their difference is no number. */
function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export interface CycleLimits {
  /** Requests in one cycle. */
  readonly requests: number;
  readonly periodMs: number;
}

/** Gives out the requests of one cycle: no more than the budget, spread over the period, none after its end. */
export class CycleBudget {
  readonly #clock: Clock;
  readonly #end: number;
  readonly #spacingMs: number;
  #left: number;
  #nextStart: number;

  /** @param expected Requests that are likely to be needed. */
  constructor(clock: Clock, { requests, periodMs }: CycleLimits, expected: number) {
    this.#clock = clock;
    this.#left = requests;
    this.#nextStart = clock.monotonic();
    this.#end = this.#nextStart + periodMs;
    const spread = (SPREAD * periodMs) / Math.max(1, Math.min(requests, expected));
    this.#spacingMs = Math.min(spread, MAX_SPACING_MS);
  }

  /** Whether so many requests can still be sent in this cycle. */
  allows(requests: number): boolean {
    return this.#left >= requests && Math.max(this.#nextStart, this.#clock.monotonic()) < this.#end;
  }

  /** Takes one request and resolves when its time has come. Rejects with the signal's reason when that aborts. */
  async next(signal: AbortSignal): Promise<void> {
    this.#left--;
    const now = this.#clock.monotonic();
    const start = Math.max(this.#nextStart, now);
    this.#nextStart = start + this.#spacingMs;
    if (start > now) await this.#clock.sleep(start - now, signal);
    signal.throwIfAborted();
  }
}
