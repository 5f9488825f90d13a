import type { Logger } from "pino";
import type { Clock } from "../lib/clock.ts";
import { WriteFailures } from "../state/write-failures.ts";
import type { SyncRecorder } from "../telemetry/recorders.ts";
import type { Watermarks } from "./watermarks.ts";

/** A kill repeats at most the rows of this time. */
const SAVE_AFTER_MS = 5_000;
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
  readonly #failures: WriteFailures;

  constructor(options: WatermarkSaverOptions) {
    this.#options = options;
    const onFailed = () => options.observer.watermarkFailed();
    this.#failures = new WriteFailures({ ...options, what: "watermarks", consequence: CONSEQUENCE, onFailed });
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

  #save(): Promise<void> {
    return this.#failures.watch(() => this.#options.watermarks.save());
  }
}
