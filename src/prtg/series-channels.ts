import type { ErrorCode } from "../errors/catalogue.ts";
import type { Clock } from "../lib/clock.ts";
import { ApiError } from "./api-error.ts";
import { idOf } from "./decode/values.ts";

/** Longer addresses may be refused on the way, by proxies too. */
const MAX_IDS = 40;
const MAX_VALUE_LENGTH = 1_000;
/** What is refused is asked for again after this time, or as soon as other channels are wanted. */
const REFUSED_FOR_MS = 60 * 60_000;
/** So many refusals without an answer are no longer about single channels. */
const ENOUGH_REFUSALS = 3;
/** Sensors whose refusal is remembered: some kilobytes each at most. */
const MAX_REMEMBERED = 1_000;

/** An id that a list in the address can hold. */
const PLAIN_ID = /^[\w-]+$/;

/** What a server says that does not know one of the channels, or the parameter: it is asked for all of them at once. */
const REFUSALS: readonly ErrorCode[] = ["API_NOT_FOUND", "API_BAD_REQUEST"];
/** These may be the fault of the parameter too. The next attempt is without it, after the usual time. */
const POSSIBLE_REFUSALS: readonly ErrorCode[] = ["API_FORBIDDEN", "API_SERVER_ERROR", "API_NOT_JSON"];

/**
 * Which time series may be asked for by channels. A server answers 404 to a channel that it does not know, in the words that it
 * has for a sensor that is gone, and may not know the parameter at all. So each refusal is remembered, by sensor, together with
 * the channels it was about; after some in a row none is asked for by channels for a time.
 */
export class SeriesChannels {
  readonly #clock: Clock;
  readonly #refused = new Map<string, { readonly value: string; readonly expiresAt: number }>();
  #inARow = 0;
  /** Monotonic. */
  #pauseEndsAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Value of the parameter `channels`; undefined where all channels are to be asked for. */
  valueFor(sensorId: string, channelIds: readonly string[] | undefined): string | undefined {
    if (channelIds === undefined || channelIds.length === 0 || channelIds.length > MAX_IDS) return undefined;
    if (![sensorId, ...channelIds].every((id) => PLAIN_ID.test(id))) return undefined;
    const value = channelIds.map((id) => `${sensorId}.${id}`).join(",");
    if (value.length > MAX_VALUE_LENGTH) return undefined;
    const now = this.#clock.monotonic();
    const refused = this.#refused.get(sensorId);
    return now < this.#pauseEndsAt || (refused?.value === value && now < refused.expiresAt) ? undefined : value;
  }

  answered(sensorId: string): void {
    this.#inARow = 0;
    this.#refused.delete(sensorId);
  }

  /** Takes note of a question that failed. True where it is to be asked for all channels now. */
  failed(sensorId: string, value: string, error: unknown): boolean {
    if (!(error instanceof ApiError)) return false;
    const isRefusal = REFUSALS.includes(error.code);
    if (isRefusal || POSSIBLE_REFUSALS.includes(error.code)) this.refused(sensorId, value);
    return isRefusal;
  }

  refused(sensorId: string, value: string): void {
    this.#refused.delete(sensorId);
    for (const oldest of this.#refused.keys()) {
      if (this.#refused.size < MAX_REMEMBERED) break;
      this.#refused.delete(oldest);
    }
    this.#refused.set(sensorId, { value, expiresAt: this.#clock.monotonic() + REFUSED_FOR_MS });
  }

  /** What was refused by channels was answered with all of them. True where no series is asked for by channels from now on. */
  neededAll(): boolean {
    this.#inARow++;
    if (this.#inARow < ENOUGH_REFUSALS) return false;
    this.#inARow = 0;
    this.#pauseEndsAt = this.#clock.monotonic() + REFUSED_FOR_MS;
    return true;
  }
}

/** Whether an answer with this header has all channels that `value` names: else its rows lack what others would have. */
export function hasChannels(header: unknown, value: string): boolean {
  if (!Array.isArray(header)) return false;
  const columns = new Set(header.map((cell: unknown) => idOf(cell)));
  return value.split(",").every((id) => columns.has(id));
}
