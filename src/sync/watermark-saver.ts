import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import { describeError } from "../errors/exporter-error.ts";
import type { SyncObserver } from "./observer.ts";
import type { Watermarks } from "./watermarks.ts";

/** A kill costs at most the acknowledgements of this time: their rows are sent once more. */
const SAVE_AFTER_MS = 5_000;

export interface WatermarkSaverOptions {
  readonly watermarks: Watermarks;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer: SyncObserver;
}

/** Writes watermarks some seconds after they moved, so that many moves are one write; and at the end. */
export class WatermarkSaver {
  readonly #options: WatermarkSaverOptions;
  readonly #ending = new AbortController();
  #waiting = false;
  #failing = false;

  constructor(options: WatermarkSaverOptions) {
    this.#options = options;
  }

  /** Watermarks may have moved. */
  notify(): void {
    const { watermarks, clock } = this.#options;
    if (this.#waiting || !watermarks.changed || this.#ending.signal.aborted) return;
    this.#waiting = true;
    void clock.sleep(SAVE_AFTER_MS, this.#ending.signal).then(
      async () => {
        this.#waiting = false;
        await this.#save();
        this.notify();
      },
      () => undefined,
    );
  }

  /** Writes what is left to write. Never rejects. */
  async end(): Promise<void> {
    this.#ending.abort();
    await this.#save();
  }

  async #save(): Promise<void> {
    const { watermarks, observer, log } = this.#options;
    try {
      await watermarks.save();
      observer.watermarksSaved(true);
      if (this.#failing) log.info("watermarks can be written again");
      this.#failing = false;
    } catch (error) {
      observer.watermarksSaved(false);
      const lost = "after a restart measurements since the last good write would be sent once more";
      if (!this.#failing) log.warn(`watermarks cannot be written: ${describeError(error)}; ${lost}`);
      this.#failing = true;
    }
  }
}
