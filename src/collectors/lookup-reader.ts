import type { Logger } from "pino";
import { describeError } from "../errors/exporter-error.ts";
import type { Clock } from "../lib/clock.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import { Lookups } from "../model/lookups.ts";
import { ApiError } from "../prtg/api-error.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import { FailureLog, failureFields } from "./failure-log.ts";
import { goesOnWithout } from "./readings.ts";

export interface LookupReaderOptions {
  readonly api: MonitoringApi;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The lookup definitions of one server. They are an extra: that they cannot be read is no failure of anything else. */
export class LookupReader {
  readonly #options: LookupReaderOptions;
  readonly #failures: FailureLog;
  /** Those of the last list. */
  #known: Lookups | undefined;
  /** What keeps states from being shown. */
  readonly #off: LogOnChange;

  /** `before`: of another way to the same server. */
  constructor(options: LookupReaderOptions, before?: LookupReader) {
    this.#options = options;
    this.#failures =
      before === undefined ? new FailureLog("reading the lookups", options.log, options.clock) : before.#failures;
    this.#known = before === undefined ? undefined : before.#known;
    this.#off = before === undefined ? new LogOnChange({ knows: "last" }) : before.#off;
  }

  /**
   * Undefined where the server does not list them, or not for this user. When the list fails otherwise: those of the
   * last one. Rejects only with the signal's reason.
   */
  async read(signal: AbortSignal): Promise<Lookups | undefined> {
    const { api } = this.#options;
    try {
      const list = await api.lookups(signal);
      this.#known = list && new Lookups(list.items);
      this.#failures.worked();
      if (list === undefined) this.#notShown("missing", "the server has no list of lookups");
    } catch (error) {
      signal.throwIfAborted();
      if (!goesOnWithout("lookups", error)) throw error;
      if (error instanceof ApiError && error.code === "API_FORBIDDEN") {
        this.#known = undefined;
        this.#notShown(error.code, describeError(error), failureFields(error));
      } else {
        this.#failures.failed(error);
      }
    }
    return this.#known;
  }

  /** The server tells which channels have lookups. */
  used(): void {
    if (this.#off.over() > 0) this.#options.log.info("states of channels are shown: the server tells lookups");
  }

  /** The server lists lookups, but does not tell which channels have them. */
  refused(): void {
    this.#notShown("refused", "the server does not tell which channels have lookups");
  }

  #notShown(kind: string, because: string, fields: Record<string, unknown> = {}): void {
    if (this.#off.record(kind)) this.#options.log.info(fields, `states of channels are not shown: ${because}`);
  }
}
