import type { HrTime } from "@opentelemetry/api";
import { type InstrumentationScope, millisToHrTime } from "@opentelemetry/core";
import { emptyResource } from "@opentelemetry/resources";
import type { CollectionResult, GaugeMetricData, MetricProducer, ScopeMetrics } from "@opentelemetry/sdk-metrics";
import type { Registry } from "prom-client";
import type { Runtime } from "../lib/runtime.ts";
import { type Steps, TimeSlices, yieldToEventLoop } from "../lib/yielding.ts";
import { keyColumns, keyOf } from "../mapping/families/family.ts";
import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import { dropRevivedFrom, endedSlots } from "../store/ended-series.ts";
import type { SeriesTable } from "../store/series-table.ts";
import type { Store } from "../store/store.ts";
import type { OtlpRecorder } from "../telemetry/recorders.ts";
import { gauge, MetricsByResource, type PlacedMarker, SeriesPoint, StalenessMarker, seriesKey } from "./metric-data.ts";
import { hasFiniteValue, type MovedSeries, type OtelPlacement, placeMarkers } from "./otel-placement.ts";
import { OTEL_NAMING, PROMETHEUS_NAMING, registryMetrics } from "./registry-metrics.ts";

/** Measurements on their way to the receiver. */
export interface PendingMeasurements {
  /** Just after the last sent measurement of the sensor: milliseconds since the epoch, server's clock. */
  endOf(server: string, sensorId: string): number | undefined;
  /** Whether values of the channel are queued. */
  holds(server: string, sensorId: string, channelId: string): boolean;
}

export interface StateOptions extends Pick<Runtime, "clock" | "log"> {
  readonly scope: InstrumentationScope;
  readonly store: Store;
  readonly registry: Registry;
  /** Start of the counters, milliseconds since the epoch. */
  readonly countingSince: number;
  readonly measured: ReadonlySet<string>;
  /** `undefined`: no staleness markers. */
  readonly ends: PendingMeasurements | undefined;
  /**
   * `current`: only the series of the current status. It needs staleness markers, because receivers would show the old
   * status next to the new one for minutes. The same holds for states of channels.
   */
  readonly sensorStatus: "current" | "all";
  /** Default: one resource, and the names of the metric table. */
  readonly placement?: OtelPlacement | undefined;
  readonly observer: OtlpRecorder;
}

export class StateProducer implements MetricProducer {
  readonly #options: StateOptions;
  readonly #excluded: ReadonlySet<string>;

  constructor(options: StateOptions) {
    this.#options = options;
    const statuses = options.sensorStatus === "all" ? [] : [TREE_FAMILIES.sensorStatus.name];
    const lingering = options.ends === undefined ? [...statuses, TREE_FAMILIES.channelState.name] : [];
    this.#excluded = new Set([...options.measured, ...lingering]);
  }

  /** Never rejects: logs what it cannot read. */
  async collect(): Promise<CollectionResult> {
    const { store, registry, clock, countingSince, placement, log } = this.#options;
    if (store.expiresBy(clock.monotonic())) await store.commit(() => store.expire(clock.monotonic()));
    const end = millisToHrTime(clock.now());
    const span = { start: millisToHrTime(countingSince), end };
    const naming = placement === undefined ? PROMETHEUS_NAMING : OTEL_NAMING;
    const parts = await Promise.allSettled([
      placement === undefined ? this.#storeScopes(end) : this.#placedScopes(placement, end),
      registryMetrics(registry, span, naming).then((metrics) => [{ scope: this.#options.scope, metrics }]),
    ]);
    const scopeMetrics = parts.flatMap((part): ScopeMetrics[] => (part.status === "fulfilled" ? part.value : []));
    const errors = parts.flatMap((part) => (part.status === "rejected" ? [part.reason] : []));
    for (const err of errors) log.error({ err }, "cannot read a part of the current state for OTLP");
    // The reader sets its own resource.
    return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors };
  }

  /** Current samples and staleness markers as of `time`. */
  #storeScopes(time: HrTime): Promise<ScopeMetrics[]> {
    const { store } = this.#options;
    return store.read(async () => {
      const metrics: GaugeMetricData[] = [];
      for (const table of this.#tables()) {
        const metric = gauge(table.family);
        await this.#readTable(table, (labels, value) => {
          metric.dataPoints.push(new SeriesPoint(table.family, labels, value, time));
        });
        metrics.push(metric);
      }
      const slices = new TimeSlices(this.#options.clock, undefined, store.lane);
      for await (const [{ family }, dataPoints] of this.#markers(time, slices))
        metrics.push({ ...gauge(family), dataPoints });
      return [{ scope: this.#options.scope, metrics }];
    });
  }

  /** The same by resource. */
  #placedScopes(placement: OtelPlacement, time: HrTime): Promise<ScopeMetrics[]> {
    const { store, clock } = this.#options;
    return store.read(async () => {
      const slices = new TimeSlices(clock, undefined, store.lane);
      await this.#noteMoves(placement, slices);
      const [values, ends, measurements] = [new MetricsByResource(), new MetricsByResource(), new MetricsByResource()];
      for (const table of this.#tables()) {
        await this.#readTable(table, (labels, value) => {
          const placed = placement.place(table.family, labels);
          values.add(placed.resource, placed.family, new SeriesPoint(placed.family, placed.labels, value, time));
        });
      }
      const reported = new Set<string>();
      const addMarker = ({ resource, point }: PlacedMarker): void => {
        (point.isMeasured ? measurements : ends).add(resource, point.family, point);
      };
      for await (const [{ family }, markers] of this.#markers(time, slices)) {
        const current = store.tableByName(family.name);
        for (const end of await placeMarkers(markers, family, current, placement, slices)) {
          reported.add(seriesKey({ resource: end.resource, family: end.point.family, labels: end.point.labels }));
          addMarker(end);
        }
      }
      const measuredTime = ({ server, sensorId }: MovedSeries) =>
        millisToHrTime(this.#options.ends?.endOf(server, sensorId) ?? clock.now());
      for (const end of placement.movedMarkers(reported, (series) => (series.isMeasured ? measuredTime(series) : time)))
        addMarker(end);
      return [values, ends, measurements].flatMap((metrics) => metrics.scopes(this.#options.scope));
    });
  }

  /** Series of sensors that moved have ended on the previous device. */
  async #noteMoves(placement: OtelPlacement, slices: Steps): Promise<void> {
    const { store, measured, observer, ends } = this.#options;
    const moves = placement.beginPush();
    if (moves.size === 0 || ends === undefined) return;
    let dropped = 0;
    for (const table of store.tables) {
      const columns = keyColumns(table.family);
      if (columns?.kind !== "sensor") continue;
      for (let slot = 0; slot < table.slots; slot++) {
        const turn = slices.step();
        if (turn !== undefined) await turn;
        // Series with other labels now were not pushed.
        if (!table.isPushed(slot) || table.hasEnded(slot)) continue;
        for (const before of moves.get(table.label(slot, columns.server))?.get(table.label(slot, columns.id)) ?? []) {
          const isMeasured = measured.has(table.family.name);
          if (!placement.noteMoved(table.family, table.labels(slot), before, isMeasured)) dropped++;
        }
      }
    }
    observer.endsDropped(dropped);
  }

  #tables(): readonly SeriesTable[] {
    return [...this.#options.store.tables].filter(({ size, family }) => size > 0 && !this.#excluded.has(family.name));
  }

  async #readTable(table: SeriesTable, take: (labels: readonly string[], value: number) => void): Promise<void> {
    const sendsMarkers = this.#options.ends !== undefined;
    for (let slot = 0; slot < table.slots; slot++) {
      if (slot > 0 && slot % SLICE === 0) await yieldToEventLoop(this.#options.store.lane);
      if (!hasFiniteValue(table, slot)) continue;
      take(table.labels(slot), table.value(slot));
      if (sendsMarkers) table.markPushed(slot);
    }
  }

  async *#markers(time: HrTime, slices: Steps): AsyncGenerator<readonly [SeriesTable, StalenessMarker[]]> {
    const { store, clock, measured, observer, ends } = this.#options;
    if (ends === undefined) return;
    for (const table of store.retired) {
      const current = store.tableByName(table.family.name);
      if (current !== undefined) await dropRevivedFrom(table, current, slices);
    }
    for (const table of [...store.tables, ...store.retired]) {
      const slots = await endedSlots(table, slices, (slot) => hasFiniteValue(table, slot));
      const markers = measured.has(table.family.name)
        ? measurementMarkers(table, slots, ends, clock.now())
        : slots.map((slot) => markerOf(table, slot, time, false));
      if (markers.length > 0) yield [table, markers];
    }
    observer.endsDropped(store.endedSeries.takeDropped());
  }
}

/** Series between two turns of the event loop. */
const SLICE = 5_000;

/**
 * Staleness markers of series with measurements, just after the last one, so that times stay in order whatever the
 * server's clock says. The marker waits while values of the series are queued.
 */
function measurementMarkers(
  table: SeriesTable,
  slots: readonly number[],
  { endOf, holds }: PendingMeasurements,
  now: number,
): StalenessMarker[] {
  const columns = keyColumns(table.family);
  return slots.flatMap((slot) => {
    const { server, id, channelId } = keyOf(columns, table.labels(slot));
    // Queued values get the current labels of the channel, not those of a series that left.
    if (!table.hasEnded(slot) && holds(server, id, channelId)) return [];
    return [markerOf(table, slot, millisToHrTime(endOf(server, id) ?? now), true)];
  });
}

function markerOf(table: SeriesTable, slot: number, endTime: HrTime, isMeasured: boolean): StalenessMarker {
  const labelVersion = table.markEnding(slot);
  const point = { family: table.family, labels: table.labels(slot), endTime };
  return new StalenessMarker(point, isMeasured, () => table.ended(slot, labelVersion));
}
