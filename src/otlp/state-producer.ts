import type { HrTime } from "@opentelemetry/api";
import { type InstrumentationScope, millisToHrTime } from "@opentelemetry/core";
import { emptyResource } from "@opentelemetry/resources";
import type { CollectionResult, GaugeMetricData, MetricProducer } from "@opentelemetry/sdk-metrics";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import type { Clock } from "../lib/clock.ts";
import { TimeSlices, yieldToEventLoop } from "../lib/yielding.ts";
import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import { dropRevivedFrom } from "../store/retired-series.ts";
import type { SeriesTable } from "../store/series-table.ts";
import type { Store } from "../store/store.ts";
import type { OtlpRecorder } from "../telemetry/recorders.ts";
import { gauge, SeriesPoint } from "./metric-data.ts";
import { registryMetrics } from "./registry-metrics.ts";
import { hasFiniteValue, type MeasurementsUnderWay, measuredEnds, stateEnds } from "./series-ends.ts";

export interface StateOptions {
  readonly store: Store;
  /** The exporter's own metrics. */
  readonly registry: Registry;
  /** Since when the counters of the registry count, milliseconds since the epoch. */
  readonly countingSince: number;
  /** Families that go as measurements, with their own time. */
  readonly measured: ReadonlySet<string>;
  /** Undefined: the receiver is not told that series have ended. */
  readonly ends: MeasurementsUnderWay | undefined;
  /**
   * `current`: a series only for the status that a sensor has. Such series are pushed only where the receiver is told that
   * one has ended: else it would show the old status beside the new one for minutes. The code says the same. So it is
   * with the states of channels, whose code is their value.
   */
  readonly sensorStatus: "current" | "all";
  readonly observer: OtlpRecorder;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * The current state for a metric reader. A producer hands over finished data, so the limit of 2,000 attribute sets
 * that the SDK sets its instruments does not apply.
 */
export class StateProducer implements MetricProducer {
  readonly #options: StateOptions;
  readonly #scope: InstrumentationScope;
  readonly #left: ReadonlySet<string>;

  constructor(options: StateOptions, scope: InstrumentationScope) {
    this.#options = options;
    this.#scope = scope;
    const unsaid = options.sensorStatus === "all" ? [] : [TREE_FAMILIES.sensorStatus.name];
    const lingering = options.ends === undefined ? [...unsaid, TREE_FAMILIES.channelState.name] : [];
    this.#left = new Set([...options.measured, ...lingering]);
  }

  /** Never rejects: what cannot be read is left out and logged. */
  async collect(): Promise<CollectionResult> {
    const { store, registry, clock, countingSince, log } = this.#options;
    if (store.expiresBy(clock.monotonic())) await store.commit(() => store.expire(clock.monotonic()));
    const end = millisToHrTime(clock.now());
    const parts = await Promise.allSettled([
      this.#storeMetrics(end),
      registryMetrics(registry, { start: millisToHrTime(countingSince), end }),
    ]);
    const metrics = parts.flatMap((part) => (part.status === "fulfilled" ? part.value : []));
    const errors = parts.flatMap((part) => (part.status === "rejected" ? [part.reason] : []));
    for (const err of errors) log.error({ err }, "a part of the current state cannot be read for OTLP");
    return {
      // The reader puts its own resource in this place.
      resourceMetrics: { resource: emptyResource(), scopeMetrics: [{ scope: this.#scope, metrics }] },
      errors,
    };
  }

  /** The current samples of the store, and what has ended since they were read last, both as of `time`. */
  #storeMetrics(time: HrTime): Promise<GaugeMetricData[]> {
    const { store, ends } = this.#options;
    return store.read(async () => {
      const metrics: GaugeMetricData[] = [];
      for (const table of store.tables) {
        if (table.size > 0 && !this.#left.has(table.family.name)) {
          metrics.push(await tableMetric(table, time, ends !== undefined));
        }
      }
      return ends === undefined ? metrics : [...metrics, ...(await this.#ends(ends, time))];
    });
  }

  async #ends(underWay: MeasurementsUnderWay, time: HrTime): Promise<GaugeMetricData[]> {
    const { store, clock, measured, observer } = this.#options;
    const slices = new TimeSlices(clock);
    const metrics: GaugeMetricData[] = [];
    for (const table of store.retired) {
      const shown = store.tableByName(table.family.name);
      if (shown !== undefined) await dropRevivedFrom(table, shown, slices);
    }
    for (const table of [...store.tables, ...store.retired]) {
      const isMeasured = measured.has(table.family.name);
      metrics.push(
        await (isMeasured ? measuredEnds(table, underWay, clock.now(), slices) : stateEnds(table, time, slices)),
      );
    }
    observer.endsDropped(store.left.takeDropped());
    return metrics.filter(({ dataPoints }) => dataPoints.length > 0);
  }
}

/** Series read before the event loop gets its turn. */
const SLICE = 5_000;

async function tableMetric(table: SeriesTable, time: HrTime, tellsEnds: boolean): Promise<GaugeMetricData> {
  const metric = gauge(table.family);
  for (let slot = 0; slot < table.slots; slot++) {
    if (slot > 0 && slot % SLICE === 0) await yieldToEventLoop();
    if (!hasFiniteValue(table, slot)) continue;
    metric.dataPoints.push(new SeriesPoint(table.family, table.labels(slot), table.value(slot), time));
    if (tellsEnds) table.markPushed(slot);
  }
  return metric;
}
