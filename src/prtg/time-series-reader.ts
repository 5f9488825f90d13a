import type { ErrorCode } from "../errors/catalogue.ts";
import type { Clock } from "../lib/clock.ts";
import { CELL_BYTES } from "./answer-bounds.ts";
import { ApiError, isMissing } from "./api-error.ts";
import { decodeTimeSeries, SeriesRows } from "./decode/time-series.ts";
import { idOf, noProblems, reportProblems } from "./decode/values.ts";
import { TIME_SERIES_ENDPOINTS, type TimeSeriesEndpoint, timeSeriesPath } from "./endpoints.ts";
import type { SeriesPart } from "./monitoring-api.ts";
import type { ApiClientOptions } from "./options.ts";
import { endpointMissingError, logFallback } from "./paging/endpoint-fallback.ts";
import type { ListQuotas } from "./paging/list-quota.ts";
import type { TimeSeries } from "./records.ts";
import type { Requester } from "./request/requester.ts";
import { notJson } from "./request/response-error.ts";
import type { SeriesType } from "./series-types.ts";

/** The server may be replaced meanwhile: what it lacks or refuses is tried again. */
const KNOWN_FOR_MS = 60 * 60_000;

interface SeriesQuestion {
  readonly sensorId: string;
  readonly type: SeriesType;
  /** Default: all. */
  readonly channels?: string | undefined;
  readonly newest?: number | undefined;
}

/**
 * Reads time series from the best endpoint. A 404 may mean a missing endpoint or a missing sensor. So it uses an
 * endpoint that answered recently, and asks the fallback only if there is none. A 404 to a request for some channels
 * says nothing, and all channels are requested.
 */
export class TimeSeriesReader {
  readonly #options: ApiClientOptions;
  readonly #requester: Requester;
  readonly #quotas: ListQuotas;
  readonly #channels: SeriesChannels;
  #known: { readonly endpoint: TimeSeriesEndpoint; readonly expiresAt: number } | undefined;
  #fallbackLogged = false;

  constructor(options: ApiClientOptions, requester: Requester, quotas: ListQuotas) {
    this.#quotas = quotas;
    this.#options = options;
    this.#requester = requester;
    this.#channels = new SeriesChannels(options.clock);
  }

  async read(
    sensorId: string,
    type: SeriesType,
    signal: AbortSignal,
    { channelIds, newest }: SeriesPart = {},
  ): Promise<TimeSeries> {
    const question = { sensorId, type, newest };
    // A server that has not answered yet may lack the endpoint.
    const endpoint = this.#knownEndpoint();
    const channels = endpoint && this.#channels.valueFor(sensorId, channelIds);
    if (endpoint === undefined || channels === undefined) return this.#readWhole(question, signal);
    const part = await this.#readPart(endpoint, { ...question, channels }, signal);
    if (part !== undefined) return part;
    const whole = await this.#readWhole(question, signal);
    // A sensor that was never scanned has no channels in either answer.
    if (whole.rows.length + whole.gaps.length > 0 && this.#channels.recordFallback()) {
      this.#options.log.info({ endpoint }, "reading time series with all channels: the server cannot select channels");
    }
    return whole;
  }

  /** `undefined` if channels are missing. */
  async #readPart(
    endpoint: TimeSeriesEndpoint,
    question: SeriesQuestion & { readonly channels: string },
    signal: AbortSignal,
  ): Promise<TimeSeries | undefined> {
    const { sensorId, channels } = question;
    try {
      const { series, header } = await this.#readFrom(endpoint, question, signal);
      this.#answered(endpoint, undefined);
      if (hasChannels(header, channels)) {
        this.#channels.recordAnswer(sensorId);
        return series;
      }
      this.#channels.recordRefusal(sensorId, channels);
    } catch (error) {
      if (!this.#channels.recordFailure(sensorId, channels, error)) throw error;
    }
    return undefined;
  }

  async #readWhole(question: SeriesQuestion, signal: AbortSignal): Promise<TimeSeries> {
    const known = this.#knownEndpoint();
    let missing: ApiError | undefined;
    for (const endpoint of known === undefined ? TIME_SERIES_ENDPOINTS : [known]) {
      try {
        const { series } = await this.#readFrom(endpoint, question, signal);
        this.#answered(endpoint, missing);
        return series;
      } catch (error) {
        if (!isMissing(endpoint, error)) throw error;
        missing = error;
      }
    }
    throw notFound(question.sensorId, missing, this.#knownEndpoint() !== undefined);
  }

  #knownEndpoint(): TimeSeriesEndpoint | undefined {
    if (this.#known === undefined || this.#options.clock.monotonic() >= this.#known.expiresAt) return undefined;
    return this.#known.endpoint;
  }

  #answered(endpoint: TimeSeriesEndpoint, missing: ApiError | undefined): void {
    const { clock, log } = this.#options;
    // The preferred endpoint is tried again after an hour.
    if (endpoint === TIME_SERIES_ENDPOINTS[0] || this.#knownEndpoint() === undefined) {
      this.#known = { endpoint, expiresAt: clock.monotonic() + KNOWN_FOR_MS };
    }
    if (missing === undefined || this.#fallbackLogged) return;
    this.#fallbackLogged = true;
    logFallback(log, missing, endpoint);
  }

  async #readFrom(
    endpoint: TimeSeriesEndpoint,
    question: SeriesQuestion,
    signal: AbortSignal,
  ): Promise<{ readonly series: TimeSeries; readonly header: unknown }> {
    const { sensorId, type, channels, newest } = question;
    const quota = this.#quotas.open(endpoint, CELL_BYTES);
    try {
      const path = timeSeriesPath(endpoint, sensorId, type, this.#requester.serverClock.now(), channels);
      let rows = new SeriesRows(newest);
      const startRecords = () => {
        rows = new SeriesRows(newest);
        quota.restartPage();
        return (record: unknown) => {
          const row = plainRow(record);
          const dropped = rows.add(row) ?? UNUSABLE;
          quota.add(row.length - dropped.length, textSize(row) - textSize(dropped));
        };
      };
      const { response } = await this.#requester.get({ endpoint, path, startRecords }, signal);
      const problems = noProblems();
      const series = decodeTimeSeries(rows.all, sensorId, problems);
      reportProblems(problems, this.#options.observer);
      if (series === undefined) throw notJson(endpoint, response, "rows without a header that names their channels");
      return { series, header: rows.all[0] };
    } finally {
      quota.close();
    }
  }
}

/** No decoder accepts it. */
const UNUSABLE: readonly unknown[] = [];

/** Nested values may be large, and nothing reads them. */
function plainRow(record: unknown): readonly unknown[] {
  if (!Array.isArray(record)) return UNUSABLE;
  return record.some(isNested) ? record.map((cell: unknown) => (isNested(cell) ? UNUSABLE : cell)) : record;
}

function isNested(cell: unknown): boolean {
  return typeof cell === "object" && cell !== null;
}

function textSize(row: readonly unknown[]): number {
  let size = 0;
  for (const cell of row) if (typeof cell === "string") size += cell.length;
  return size;
}

function notFound(sensorId: string, missing: ApiError | undefined, endpointIsThere: boolean): ApiError {
  if (!endpointIsThere) return endpointMissingError(TIME_SERIES_ENDPOINTS, missing);
  const { httpStatus, serverCode, requestId } = missing ?? {};
  return new ApiError("API_NOT_FOUND", `the server has no time series of sensor ${sensorId}`, {
    ...{ endpoint: TIME_SERIES_ENDPOINTS[0], httpStatus, serverCode, requestId, cause: missing },
    remedy: "Nothing. The sensor was deleted, or the user can no longer see it.",
  });
}

/** Servers and proxies may refuse longer URLs. */
const MAX_IDS = 40;
const MAX_VALUE_LENGTH = 1_000;
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
    this.#refused.set(sensorId, { value, expiresAt: this.#clock.monotonic() + KNOWN_FOR_MS });
  }

  /** A refused request worked with all channels. Returns whether to stop requests by channels. */
  recordFallback(): boolean {
    this.#inARow++;
    if (this.#inARow < ENOUGH_REFUSALS) return false;
    this.#inARow = 0;
    this.#pauseEndsAt = this.#clock.monotonic() + KNOWN_FOR_MS;
    return true;
  }
}

/** Whether the answer has all requested channels. */
export function hasChannels(header: unknown, value: string): boolean {
  if (!Array.isArray(header)) return false;
  const columns = new Set(header.map((cell: unknown) => idOf(cell)));
  return value.split(",").every((id) => columns.has(id));
}
