import type { Logger } from "pino";
import { describeError } from "../errors/exporter-error.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { StatusSummary } from "../prtg/records.ts";
import { failureFields } from "./failure-log.ts";
import { goesOnWithout } from "./readings.ts";

/**
 * What a server counts itself. It is an extra: where it has no such endpoint, or this user may not read it, the answer is
 * undefined, and the lists are counted instead.
 */
export class CountReader {
  readonly #api: MonitoringApi;
  readonly #log: Logger;
  readonly #forbidden: LogOnChange;

  /** `before`: of another way to the same server. */
  constructor(api: MonitoringApi, log: Logger, before?: CountReader) {
    this.#api = api;
    this.#log = log;
    this.#forbidden = before === undefined ? new LogOnChange() : before.#forbidden;
  }

  /** Sensors per status. */
  statusSummary(signal: AbortSignal): Promise<StatusSummary | undefined> {
    return this.#unlessForbidden("statusSummary", "sensors per status", () => this.#api.statusSummary(signal));
  }

  /** Objects per kind. */
  objectCounts(signal: AbortSignal): Promise<ReadonlyMap<string, number> | undefined> {
    return this.#unlessForbidden("objectCounts", "objects per kind", () => this.#api.objectCounts(signal));
  }

  async #unlessForbidden<Counts>(
    reading: "statusSummary" | "objectCounts",
    what: string,
    read: () => Promise<Counts>,
  ): Promise<Counts | undefined> {
    try {
      const counts = await read();
      this.#forbidden.kindOver(what);
      return counts;
    } catch (error) {
      if (!goesOnWithout(reading, error)) throw error;
      const fields = failureFields(error);
      if (this.#forbidden.record(what))
        this.#log.warn(fields, `counting ${what} from the lists: ${describeError(error)}`);
      return undefined;
    }
  }
}
