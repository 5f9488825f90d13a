import type { Logger } from "pino";
import type { Clock } from "../lib/clock.ts";
import { ExtraWork } from "../lib/load/extra-work.ts";
import type { LoadMeter } from "../lib/load/load-meter.ts";
import { PressureGauge } from "../lib/load/pressure.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import type { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import { DEFERRED_COLLECTORS, EXTRA_COLLECTORS, OWN_METRICS } from "../telemetry/own-metrics.ts";

const MEASURED_EVERY_MS = 1_000;
/** It is over when nothing was left for later for so long, and for more than a cycle of time series, in which it may be told once. */
const MIN_OVER_AFTER_MS = 5 * 60_000;
const OVER_AFTER_CYCLES = 1.5;

export interface ExtraBudgetOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Pick<ExporterMetrics, "recorder">;
  readonly openLoadMeter: () => LoadMeter;
  /** Milliseconds between the cycles of time series, as they are configured now. */
  readonly cycleMs: () => number;
}

/**
 * The time that the process has for what is extra: time series and limits. Statuses, the tree, values and scrapes have all they
 * need; what is left is measured each second, and given out by `work`.
 */
export class ExtraBudget {
  readonly work: ExtraWork;
  readonly #options: ExtraBudgetOptions;
  readonly #metrics;
  readonly #gauge = new PressureGauge();
  readonly #heldBack = new LogOnChange();
  /** Units left for later so far, by collector. */
  readonly #seen = new Map<string, number>();
  /** Monotonic. */
  #heldBackUntil = Number.NEGATIVE_INFINITY;

  constructor(options: ExtraBudgetOptions) {
    this.#options = options;
    this.work = new ExtraWork(options.clock);
    this.#metrics = options.metrics.recorder(OWN_METRICS.extras);
    this.#record();
  }

  /** Whether reads are left for later these minutes. */
  get isHeldBack(): boolean {
    return this.#options.clock.monotonic() < this.#heldBackUntil;
  }

  /** Follows the load of the process until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, openLoadMeter } = this.#options;
    const meter = openLoadMeter();
    while (!signal.aborted) {
      await clock.sleep(MEASURED_EVERY_MS, signal).catch(() => undefined);
      if (signal.aborted) break;
      this.work.adapt(this.#gauge.measured(meter.read()));
      this.#record();
    }
    meter.close();
  }

  #record(): void {
    this.#metrics.loop(this.#gauge.load.loop);
    this.#metrics.allowed(this.work.rate);
    for (const collector of EXTRA_COLLECTORS) this.#metrics.waiting(collector, this.work.waiting(collector));
    let deferred = 0;
    for (const collector of DEFERRED_COLLECTORS) {
      const more = this.work.deferredBy(collector) - (this.#seen.get(collector) ?? 0);
      this.#seen.set(collector, this.work.deferredBy(collector));
      this.#metrics.deferred(collector, more);
      deferred += more;
    }
    if (deferred > 0) {
      const { clock, cycleMs } = this.#options;
      this.#heldBackUntil = clock.monotonic() + Math.max(MIN_OVER_AFTER_MS, OVER_AFTER_CYCLES * cycleMs());
    }
    this.#log(deferred);
    this.#metrics.heldBack(this.isHeldBack);
  }

  #log(deferred: number): void {
    const { log } = this.#options;
    if (deferred > 0 && this.#heldBack.met(undefined, deferred)) {
      const fields = { deferred, allowedPerSecond: Math.round(this.work.rate), load: this.#gauge.load };
      log.warn(
        fields,
        "the process is busy: time series are read later than they are due; values and statuses are not",
      );
    }
    if (this.isHeldBack) return;
    const all = this.#heldBack.over();
    if (all > 0) log.info({ deferred: all }, "time series are read when they are due again");
  }
}
