import type { HrTime } from "@opentelemetry/api";
import { type InstrumentationScope, millisToHrTime } from "@opentelemetry/core";
import { emptyResource } from "@opentelemetry/resources";
import type { CollectionResult, GaugeMetricData, MetricProducer } from "@opentelemetry/sdk-metrics";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import type { Clock } from "../lib/clock.ts";
import { yieldToEventLoop } from "../lib/yielding.ts";
import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import type { SeriesTable } from "../store/series-table.ts";
import type { Store } from "../store/store.ts";
import { gauge, SeriesPoint } from "./metric-data.ts";
import { registryMetrics } from "./registry-metrics.ts";

export interface StateOptions {
  readonly store: Store;
  /** The exporter's own metrics. */
  readonly registry: Registry;
  /** Since when the counters of the registry count, milliseconds since the epoch. */
  readonly countingSince: number;
  /** Families that go as measurements, with their own time. */
  readonly measured: ReadonlySet<string>;
  /**
   * `current`: a series only for the status that a sensor has. Such series are not pushed, as OTLP cannot say that one
   * has ended: a receiver would show the old status beside the new one for minutes. The code says the same. So it is
   * with the states of channels, whose code is their value.
   */
  readonly sensorStatus: "current" | "all";
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
    this.#left = new Set([...options.measured, ...unsaid, TREE_FAMILIES.channelState.name]);
  }

  /** Never rejects: what cannot be read is left out and logged. */
  async collect(): Promise<CollectionResult> {
    const { store, registry, clock, countingSince, log } = this.#options;
    if (store.expiresBy(clock.monotonic())) await store.commit(() => store.expire(clock.monotonic()));
    const end = millisToHrTime(clock.now());
    const parts = await Promise.allSettled([
      storeMetrics(store, (family) => !this.#left.has(family), end),
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
}

/** Series read before the event loop gets its turn. */
const SLICE = 5_000;

/** The current samples of the store as of `time`, for the families that `includes` takes. */
function storeMetrics(store: Store, includes: (family: string) => boolean, time: HrTime): Promise<GaugeMetricData[]> {
  return store.read(async () => {
    const metrics: GaugeMetricData[] = [];
    for (const table of store.tables) {
      if (table.size > 0 && includes(table.family.name)) metrics.push(await tableMetric(table, time));
    }
    return metrics;
  });
}

async function tableMetric(table: SeriesTable, time: HrTime): Promise<GaugeMetricData> {
  const metric = gauge(table.family);
  for (let slot = 0; slot < table.slots; slot++) {
    if (slot > 0 && slot % SLICE === 0) await yieldToEventLoop();
    const value = table.value(slot);
    // JSON has no word for NaN and the infinities.
    if (!table.isPresent(slot) || !Number.isFinite(value)) continue;
    metric.dataPoints.push(new SeriesPoint(table.family, table.labels(slot), value, time));
  }
  return metric;
}
