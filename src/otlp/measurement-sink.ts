import { type InstrumentationScope, millisToHrTime } from "@opentelemetry/core";
import type { Resource } from "@opentelemetry/resources";
import type { ValueSeries } from "../mapping/channel-serving.ts";
import type { MetricFamily } from "../mapping/families/family.ts";
import { convert } from "../mapping/units/base-units.ts";
import type { DeliveryOutcome, MeasurementRow, MeasurementSink, RowKind } from "../sync/measurement.ts";
import type { OtlpRecorder } from "../telemetry/recorders.ts";
import type { ExportBatch, FinalOutcome, OtlpExporter } from "./exporter.ts";
import {
  estimatePointSize,
  MetricsByResource,
  type MetricsRequest,
  type PlacedSeries,
  SeriesPoint,
} from "./metric-data.ts";

/** The rejected points of each row. Those of a request count for its first row. */
export type SettledRows = WeakMap<MeasurementRow, number>;

/** The resource and the names of measurements. */
export interface RowPlacement {
  place(family: MetricFamily, labels: readonly string[]): PlacedSeries;
  /** Equal for sensors that share a resource; `undefined` if unknown. */
  deviceOf(sensorId: string): string | undefined;
}

export interface MeasurementSinkOptions {
  readonly exporter: Pick<OtlpExporter<MetricsRequest>, "export"> &
    Partial<Pick<OtlpExporter<MetricsRequest>, "takeHistoryTurn">>;
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
  /** `undefined` if the channel is unknown. */
  readonly describe: (sensorId: string, channelId: string) => readonly ValueSeries[] | undefined;
  /** Default: all series have `resource` and the names of the metric table. */
  readonly placement?: RowPlacement | undefined;
  /** Called before points of the channel are sent: the receiver will need a staleness marker. */
  readonly sending?: (sensorId: string, channelId: string) => void;
  readonly observer: OtlpRecorder;
  /** Of a sink before this one, whose rows this one continues. */
  readonly settled?: SettledRows;
}

export interface OtlpMeasurementSink extends MeasurementSink {
  /** Waits for requests under way. Later deliveries fail. The exporter stays open. */
  close(): Promise<void>;
}

interface RowItem {
  readonly row: MeasurementRow;
  readonly resource: Resource;
  readonly points: readonly SeriesPoint[];
  readonly size: number;
  /** Points that cannot be sent. */
  readonly skipped: number;
}

const NO_SERIES: readonly ValueSeries[] = [];

/** A receiver mostly rejects the oldest points, and the coarsest are the oldest. */
const COARSEST_FIRST: readonly RowKind[] = ["long", "medium", "short", "live", "repeated"];

/**
 * Sends measurements as gauge points with their own time, oldest first.
 * Remembers settled rows as objects, because a later request of the same delivery may fail. A repeated row is skipped,
 * and the outcome covers all attempts. So nothing arrives twice unless an answer is lost.
 */
export function createMeasurementSink(options: MeasurementSinkOptions): OtlpMeasurementSink {
  const { observer, settled = new WeakMap() } = options;
  const underWay = new Set<Promise<unknown>>();
  let closed = false;

  const settle = (row: MeasurementRow, skipped: number, rejected = 0): void => {
    settled.set(row, rejected);
    if (skipped > 0) observer.skipped(row.resolution, skipped);
  };
  const batchOf = (rows: readonly MeasurementRow[], signal: AbortSignal): ExportBatch<RowItem, MetricsRequest> => ({
    items: itemsOf(
      deviceByDevice(
        rows.filter((row) => !settled.has(row)),
        options.placement,
      ),
      options,
      settle,
    ),
    estimateSize: ({ size }) => size,
    count: ({ points }) => points.length,
    toRequest: (items) => requestOf(items, options),
    settled: (items, outcome) => {
      const points = items.reduce((sum, item) => sum + item.points.length, 0);
      const rejected = outcome.kind === "refused" ? points : outcome.rejected;
      for (const [index, { row, skipped }] of items.entries()) settle(row, skipped, index === 0 ? rejected : 0);
      report(items, outcome.kind === "refused", rejected, observer);
    },
    failed: (items) => {
      // An abort by us is not a failure of the receiver.
      if (signal.aborted) return;
      for (const resolution of pointsByResolution(items).keys()) observer.attemptFailed(resolution);
    },
  });

  return {
    async deliver(rows, signal): Promise<DeliveryOutcome> {
      if (closed) return { kind: "failed", retryAfterMs: undefined, message: "the exporter stops" };
      const isRepeated = rows.some((row) => settled.has(row));
      const delivery = options.exporter.export(batchOf(rows, signal), signal);
      underWay.add(delivery);
      const outcome = await delivery.finally(() => underWay.delete(delivery));
      if (outcome.kind === "failed") return outcome;
      if (!isRepeated) return ofPoints(outcome);
      const rejectedPoints = rows.reduce((sum, row) => sum + (settled.get(row) ?? 0), 0);
      return { kind: "accepted", rejectedPoints, message: outcome.message };
    },
    takeHistoryTurn: () => options.exporter.takeHistoryTurn?.() ?? 0,
    async close() {
      closed = true;
      await Promise.all(underWay);
    },
  };
}

function ofPoints(outcome: FinalOutcome): DeliveryOutcome {
  const { kind, message } = outcome;
  return kind === "refused" ? outcome : { kind, rejectedPoints: outcome.rejected, message };
}

/** Groups rows by device, so that each resource is sent once. Rows of a sensor stay in order. */
function deviceByDevice(
  rows: readonly MeasurementRow[],
  placement: RowPlacement | undefined,
): readonly MeasurementRow[] {
  if (placement === undefined) return rows;
  return [...Map.groupBy(rows, ({ sensorId }) => placement.deviceOf(sensorId)).values()].flat();
}

function* itemsOf(
  rows: readonly MeasurementRow[],
  { describe, sending, placement, resource }: MeasurementSinkOptions,
  nothingToSend: (row: MeasurementRow, skipped: number) => void,
): Generator<RowItem> {
  for (const row of rows) {
    const points: SeriesPoint[] = [];
    let owner = resource;
    const endTime = millisToHrTime(row.at);
    let size = 0;
    let skipped = 0;
    for (const [channelId, value] of row.values) {
      const series = describe(row.sensorId, channelId);
      if (series === undefined) skipped++;
      for (const { family, labels, conversion } of series ?? NO_SERIES) {
        const converted = conversion === undefined ? value : convert(conversion, value);
        // JSON has no NaN and no infinities.
        if (!Number.isFinite(converted)) {
          skipped++;
          continue;
        }
        const placed = placement?.place(family, labels);
        owner = placed?.resource ?? resource;
        const point =
          placed === undefined
            ? new SeriesPoint(family, labels, converted, endTime)
            : new SeriesPoint(placed.family, placed.labels, converted, endTime);
        points.push(point);
        size += estimatePointSize(point);
      }
      if (series !== undefined) sending?.(row.sensorId, channelId);
    }
    if (points.length === 0) nothingToSend(row, skipped);
    else yield { row, resource: owner, points, size, skipped };
  }
}

function requestOf(items: readonly RowItem[], { scope }: MeasurementSinkOptions): MetricsRequest {
  const metrics = new MetricsByResource();
  for (const { resource, points } of items) {
    for (const point of points) metrics.add(resource, point.family, point);
  }
  return metrics.scopes(scope).map((scoped) => ({ resource: scoped.resource, scopeMetrics: [scoped] }));
}

function report(items: readonly RowItem[], isRefused: boolean, rejected: number, observer: OtlpRecorder): void {
  const counts = pointsByResolution(items);
  let left = rejected;
  for (const resolution of COARSEST_FIRST) {
    const points = counts.get(resolution);
    if (points === undefined) continue;
    if (isRefused) observer.requestRefused(resolution);
    const refused = Math.min(points, left);
    left -= refused;
    if (refused > 0) observer.rejected(resolution, refused);
    if (points > refused) observer.delivered(resolution, points - refused);
  }
}

function pointsByResolution(items: readonly RowItem[]): Map<RowKind, number> {
  const counts = new Map<RowKind, number>();
  for (const { row, points } of items) {
    counts.set(row.resolution, (counts.get(row.resolution) ?? 0) + points.length);
  }
  return counts;
}
