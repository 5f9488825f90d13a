import type { ErrorCode } from "../errors/catalogue.ts";
import type { Clock } from "../lib/clock.ts";
import { ApiError } from "./api-error.ts";
import { idOf } from "./decode/values.ts";

/** Servers and proxies may refuse longer URLs. */
const MAX_IDS = 40;
const MAX_VALUE_LENGTH = 1_000;
/** Asks again after this time, or for other channels. */
const REFUSED_FOR_MS = 60 * 60_000;
/** More refusals without an answer do not concern single channels. */
const ENOUGH_REFUSALS = 3;
/** Some kilobytes per sensor at most. */
const MAX_REMEMBERED = 1_000;

/** Safe in a URL. */
const PLAIN_ID = /^[\w-]+$/;

/** Answers to an unknown channel or parameter. All channels are requested at once. */
const REFUSALS: readonly ErrorCode[] = ["API_NOT_FOUND", "API_BAD_REQUEST"];
/** The parameter may be the cause. The next regular attempt omits it. */
const POSSIBLE_REFUSALS: readonly ErrorCode[] = ["API_FORBIDDEN", "API_SERVER_ERROR", "API_NOT_JSON"];

/**
 * Decides which time series to request by channels. A 404 may mean an unknown channel, parameter or sensor. So it
 * remembers refused channels by sensor. After some refusals in a row it requests all channels for a time.
 */
export class SeriesChannels {
  readonly #clock: Clock;
  readonly #refused = new Map<string, { readonly value: string; readonly expiresAt: number }>();
  #inARow = 0;
  #pauseEndsAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Value of the parameter `channels`. `undefined`: request all channels. */
  valueFor(sensorId: string, channelIds: readonly string[] | undefined): string | undefined {
    if (channelIds === undefined || channelIds.length === 0 || channelIds.length > MAX_IDS) return undefined;
    if (![sensorId, ...channelIds].every((id) => PLAIN_ID.test(id))) return undefined;
    const value = channelIds.map((id) => `${sensorId}.${id}`).join(",");
    if (value.length > MAX_VALUE_LENGTH) return undefined;
    const now = this.#clock.monotonic();
    const refused = this.#refused.get(sensorId);
    return now < this.#pauseEndsAt || (refused?.value === value && now < refused.expiresAt) ? undefined : value;
  }

  recordAnswer(sensorId: string): void {
    this.#inARow = 0;
    this.#refused.delete(sensorId);
  }

  /** Returns whether to request all channels now. */
  recordFailure(sensorId: string, value: string, error: unknown): boolean {
    if (!(error instanceof ApiError)) return false;
    const isRefusal = REFUSALS.includes(error.code);
    if (isRefusal || POSSIBLE_REFUSALS.includes(error.code)) this.recordRefusal(sensorId, value);
    return isRefusal;
  }

  recordRefusal(sensorId: string, value: string): void {
    this.#refused.delete(sensorId);
    for (const oldest of this.#refused.keys()) {
      if (this.#refused.size < MAX_REMEMBERED) break;
      this.#refused.delete(oldest);
    }
    this.#refused.set(sensorId, { value, expiresAt: this.#clock.monotonic() + REFUSED_FOR_MS });
  }

  /** A refused request worked with all channels. Returns whether to stop requests by channels. */
  recordFallback(): boolean {
    this.#inARow++;
    if (this.#inARow < ENOUGH_REFUSALS) return false;
    this.#inARow = 0;
    this.#pauseEndsAt = this.#clock.monotonic() + REFUSED_FOR_MS;
    return true;
  }
}

/** Whether the answer has all requested channels. */
export function hasChannels(header: unknown, value: string): boolean {
  if (!Array.isArray(header)) return false;
  const columns = new Set(header.map((cell: unknown) => idOf(cell)));
  return value.split(",").every((id) => columns.has(id));
}
