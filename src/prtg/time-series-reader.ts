import { CELL_BYTES } from "./answer-bounds.ts";
import { ApiError, isMissing } from "./api-error.ts";
import { decodeTimeSeries, SeriesRows } from "./decode/time-series.ts";
import { noProblems, reportProblems } from "./decode/values.ts";
import { TIME_SERIES_ENDPOINTS, type TimeSeriesEndpoint, timeSeriesPath } from "./endpoints.ts";
import type { SeriesPart } from "./monitoring-api.ts";
import type { ApiClientOptions } from "./options.ts";
import { endpointMissingError, logFallback } from "./paging/endpoint-fallback.ts";
import type { ListQuotas } from "./paging/list-quota.ts";
import type { TimeSeries } from "./records.ts";
import type { Requester } from "./request/requester.ts";
import { notJson } from "./request/response-error.ts";
import { hasChannels, SeriesChannels } from "./series-channels.ts";
import type { SeriesType } from "./series-types.ts";

/** The server may be replaced meanwhile. */
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
