import { collectorsWith } from "../collectors/collector.ts";
import { ExtraWork } from "../lib/extra-work.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import type { Runtime } from "../lib/runtime.ts";
import type { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import { EXPORTER_METRICS } from "../telemetry/metric-declarations.ts";

/** See `ExtraWork.follow`. */
const MEASURED_EVERY_MS = 250;
/** Weight of a new measurement: a short burst must not pause extras. */
const WEIGHT = 0.5;
/** Without deferred reads for so long, and for more than a cycle of time series, the overload is over. */
const MIN_OVER_AFTER_MS = 5 * 60_000;
const OVER_AFTER_CYCLES = 1.5;

export interface ExtraBudgetOptions extends Pick<Runtime, "clock" | "log"> {
  readonly metrics: Pick<ExporterMetrics, "recorder">;
  /** Busy time of the event loop since the start, milliseconds. */
  readonly eventLoopBusyMs: () => number;
  /** Cycle of time series in the current configuration, milliseconds. */
  readonly cycleMs: () => number;
}

/** Time series, limits and details give way to other work. Measures the event loop, and reports deferred reads. */
export class ExtraBudget {
  readonly work: ExtraWork;
  readonly #options: ExtraBudgetOptions;
  readonly #metrics;
  readonly #heldBack = new LogOnChange();
  #utilization = 0;
  #heldBackEndsAt = Number.NEGATIVE_INFINITY;

  constructor(options: ExtraBudgetOptions) {
    this.#options = options;
    this.work = new ExtraWork(options.clock);
    this.#metrics = options.metrics.recorder(EXPORTER_METRICS.extras);
    this.#record();
  }

  /** Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, eventLoopBusyMs } = this.#options;
    let [measuredAt, busyMs] = [clock.monotonic(), eventLoopBusyMs()];
    for (;;) {
      await clock.sleep(MEASURED_EVERY_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
      const [before, busyBefore] = [measuredAt, busyMs];
      [measuredAt, busyMs] = [clock.monotonic(), eventLoopBusyMs()];
      const utilization = Math.min(1, (busyMs - busyBefore) / (measuredAt - before));
      this.#utilization += WEIGHT * (utilization - this.#utilization);
      this.work.follow(this.#utilization);
      this.#record();
    }
  }

  #record(): void {
    const { clock, cycleMs } = this.#options;
    const now = clock.monotonic();
    const deferred = this.work.takeDeferred();
    if (deferred > 0) this.#heldBackEndsAt = now + Math.max(MIN_OVER_AFTER_MS, OVER_AFTER_CYCLES * cycleMs());
    const isHeldBack = now < this.#heldBackEndsAt;
    this.#metrics.loop(this.#utilization);
    for (const collector of collectorsWith("isExtra"))
      this.#metrics.waiting({ collector }, this.work.queued(collector));
    for (const collector of collectorsWith("defers")) this.#metrics.deferred({ collector }, deferred);
    this.#metrics.heldBack(isHeldBack);
    this.#log(deferred, isHeldBack);
  }

  #log(deferred: number, isHeldBack: boolean): void {
    const { log } = this.#options;
    if (deferred > 0 && this.#heldBack.record(undefined, deferred)) {
      log.warn(
        { deferred, eventLoopUtilization: this.#utilization },
        "the exporter is busy: it defers time series, but not values and statuses",
      );
    }
    if (isHeldBack) return;
    const all = this.#heldBack.over();
    if (all > 0) log.info({ deferred: all }, "time series are no longer deferred");
  }
}
