import type { Logger } from "pino";
import { describeError } from "../errors/exporter-error.ts";
import type { Clock } from "../lib/clock.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import type { SyncRecorder } from "../telemetry/recorders.ts";
import type { Watermarks } from "./watermarks.ts";

/** A kill repeats at most the rows of this time. */
const SAVE_AFTER_MS = 5_000;

/** Logs a lasting failure again after this time. */
const REMIND_EVERY_MS = 10 * 60_000;
const CONSEQUENCE = "After a restart, the exporter would repeat measurements since the last successful write";

export interface WatermarkSaverOptions {
  readonly watermarks: Watermarks;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer: SyncRecorder;
}

/** Writes watermarks a few seconds after they change, and at the end. */
export class WatermarkSaver {
  readonly #options: WatermarkSaverOptions;
  readonly #ending = new AbortController();
  #isScheduled = false;
  readonly #failures: LogOnChange;

  constructor(options: WatermarkSaverOptions) {
    this.#options = options;
    this.#failures = new LogOnChange({ remindEveryMs: REMIND_EVERY_MS, now: () => options.clock.monotonic() });
  }

  notify(): void {
    const { watermarks, clock } = this.#options;
    if (this.#isScheduled || !watermarks.changed || this.#ending.signal.aborted) return;
    this.#isScheduled = true;
    void clock.sleep(SAVE_AFTER_MS, this.#ending.signal).then(
      async () => {
        this.#isScheduled = false;
        await this.#save();
        this.notify();
      },
      () => undefined,
    );
  }

  async end(): Promise<void> {
    this.#ending.abort();
    await this.#save();
  }

  async #save(): Promise<void> {
    const { watermarks, observer, log } = this.#options;
    try {
      await watermarks.save();
    } catch (error) {
      observer.watermarkFailed();
      this.#logFailure(error);
      return;
    }
    if (this.#failures.over() > 0) log.info("watermarks can be written again");
  }

  #logFailure(error: unknown): void {
    const occasion = this.#failures.record();
    if (occasion === undefined) return;
    const what = occasion.isNew ? "cannot be written" : `still cannot be written, ${occasion.times} times so far`;
    this.#options.log.warn(`watermarks ${what}: ${describeError(error)}. ${CONSEQUENCE}`);
  }
}
