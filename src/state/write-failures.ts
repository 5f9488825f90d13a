import type { Logger } from "pino";
import { describeError } from "../errors/exporter-error.ts";
import type { Clock } from "../lib/clock.ts";
import { LogOnChange } from "../lib/log-on-change.ts";

/** Logs a lasting failure again after this time. */
const REMIND_EVERY_MS = 10 * 60_000;

export interface WriteFailuresOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Subject of the log lines. */
  readonly what: string;
  /** A sentence without its full stop. */
  readonly consequence: string;
  readonly onFailed: () => void;
}

/** Logs when a file cannot be written, and when it can be written again. */
export class WriteFailures {
  readonly #options: WriteFailuresOptions;
  readonly #failures: LogOnChange;

  constructor(options: WriteFailuresOptions) {
    this.#options = options;
    this.#failures = new LogOnChange({ remindEveryMs: REMIND_EVERY_MS, now: () => options.clock.monotonic() });
  }

  /** Never rejects. */
  async watch(write: () => Promise<void>): Promise<void> {
    const { log, what, consequence, onFailed } = this.#options;
    try {
      await write();
      if (this.#failures.over() > 0) log.info(`${what} can be written again`);
    } catch (error) {
      onFailed();
      const occasion = this.#failures.record();
      if (occasion === undefined) return;
      const how = occasion.isNew ? "cannot be written" : `still cannot be written, ${occasion.times} times so far`;
      log.warn(`${what} ${how}: ${describeError(error)}. ${consequence}`);
    }
  }
}
