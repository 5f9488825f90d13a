import type { Logger } from "pino";
import type { Clock } from "../../lib/clock.ts";
import { ApiError } from "../api-error.ts";
import type { ListEndpoint, ListExtra } from "../endpoints.ts";

/** What was refused is asked for again after a while, twice as long each time: a server may be updated. */
const FIRST_HOLD_MS = 60_000;
const MAX_HOLD_MS = 24 * 60 * 60_000;

interface Refusal {
  readonly holdMs: number;
  /** Monotonic. */
  readonly until: number;
}

/**
 * Remembers which extras of a list a server refuses, so that one parameter that it does not know costs what the
 * parameter brings, and not the list.
 */
export class RefusedExtras {
  readonly #clock: Clock;
  readonly #log: Logger;
  /** By endpoint and extra. */
  readonly #refusals = new Map<string, Refusal>();

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /** The list without the extras that the server is known to refuse. */
  without(list: ListEndpoint): ListEndpoint {
    const extras = list.extras.filter((extra) => {
      const refusal = this.#refusals.get(keyOf(list, extra));
      return refusal === undefined || this.#clock.monotonic() >= refusal.until;
    });
    return extras.length === list.extras.length ? list : { ...list, extras };
  }

  /**
   * Finds out, after the list was refused, whether it is because of its extras: asks for the bare list, then for each
   * extra beside those that work. Resolves with the list as the server takes it, which may be unchanged; rejects with
   * `refusal` where even the bare list is refused, and as `probe` does when that fails in another way.
   * @param probe Asks for one record.
   */
  async settle(
    list: ListEndpoint,
    refusal: ApiError,
    probe: (list: ListEndpoint) => Promise<unknown>,
  ): Promise<ListEndpoint> {
    const isTaken = async (extras: readonly ListExtra[]): Promise<boolean> => {
      try {
        await probe({ ...list, extras });
        return true;
      } catch (error) {
        if (isRefusal(error)) return false;
        throw error;
      }
    };
    if (!(await isTaken([]))) throw refusal;
    const taken: ListExtra[] = [];
    for (const extra of list.extras) {
      if (await isTaken([...taken, extra])) taken.push(extra);
      else this.#refused(list, extra, refusal);
    }
    return { ...list, extras: taken };
  }

  /** The list was read with these extras. */
  worked(list: ListEndpoint): void {
    for (const extra of list.extras) {
      if (!this.#refusals.delete(keyOf(list, extra))) continue;
      this.#log.info({ endpoint: list.endpoint, ...extra }, "the server takes this parameter again");
    }
  }

  /** The server may be another one now. */
  forget(): void {
    this.#refusals.clear();
  }

  #refused(list: ListEndpoint, extra: ListExtra, refusal: ApiError): void {
    const key = keyOf(list, extra);
    const before = this.#refusals.get(key);
    const holdMs = Math.min(before === undefined ? FIRST_HOLD_MS : before.holdMs * 2, MAX_HOLD_MS);
    this.#refusals.set(key, { holdMs, until: this.#clock.monotonic() + holdMs });
    const fields = { endpoint: list.endpoint, ...extra, request_id: refusal.requestId, err: refusal };
    if (before === undefined) this.#log.warn(fields, "the server refuses this parameter: the list is read without it");
    else this.#log.debug(fields, "the server still refuses this parameter");
  }
}

/** Whether the server may have refused what a request asked for, and not the request as such. */
export function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.code === "API_BAD_REQUEST" || error.code === "API_FORBIDDEN");
}

function keyOf({ endpoint }: ListEndpoint, { parameter, value }: ListExtra): string {
  return `${endpoint} ${parameter}=${value}`;
}
