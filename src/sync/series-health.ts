import { ApiError } from "../prtg/api-error.ts";

/** A first start without time series sends the values of the lists after this time. */
const PATIENCE_AT_START_MS = 45_000;
/** Later, this gives up the history since the last sent measurement. A PRTG server that restarts must not cause that. */
const PATIENCE_MS = 3 * 60_000;
/** The server itself was away. */
const LISTS_APART_MS = 3 * 60_000;

/** Says since when no time series can be read, although the lists can be. Times are monotonic milliseconds. */
export class SeriesHealth {
  #failure: unknown;
  #since: number | undefined;
  #listedAt = Number.NEGATIVE_INFINITY;

  /** A cycle could read no series. */
  fail(error: unknown): void {
    this.#failure ??= error;
  }

  /** A cycle read a series. */
  recover(): void {
    this.#failure = undefined;
    this.#since = undefined;
  }

  /** A list was read. */
  list(now: number): void {
    const wasAway = now - this.#listedAt > LISTS_APART_MS;
    this.#listedAt = now;
    if (this.#failure === undefined) return;
    if (wasAway) this.#since = now;
    this.#since ??= now;
  }

  get isFailing(): boolean {
    return this.#failure !== undefined;
  }

  /** Why the values of the lists are sent, and nothing else. */
  get failure(): unknown {
    return this.replacesSeries(true) ? this.#failure : undefined;
  }

  /**
   * Whether values of the lists are sent, with gaps between them.
   * @param wasSent Something of the sensor was sent before.
   */
  replacesSeries(wasSent: boolean): boolean {
    if (this.#since === undefined) return false;
    // This server has no time series.
    if (this.#failure instanceof ApiError && this.#failure.code === "API_ENDPOINT_MISSING") return true;
    return this.#listedAt - this.#since >= (wasSent ? PATIENCE_MS : PATIENCE_AT_START_MS);
  }
}
