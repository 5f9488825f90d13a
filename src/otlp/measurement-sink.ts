import { type InstrumentationScope, millisToHrTime } from "@opentelemetry/core";
import type { Resource } from "@opentelemetry/resources";
import type { ValueSeries } from "../mapping/channel-serving.ts";
import type { MetricFamily } from "../mapping/families/family.ts";
import { convert } from "../mapping/units/conversion.ts";
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

/** With the points of each row that were rejected; those of a request stand at its first row. */
export type SettledRows = WeakMap<MeasurementRow, number>;

/** Which resource measurements belong to, and what they are called there. */
export interface RowPlacement {
  place(family: MetricFamily, labels: readonly string[]): PlacedSeries;
  /** The same for sensors that share a resource; undefined where that is not known. */
  deviceOf(sensorId: string): string | undefined;
}

export interface MeasurementSinkOptions {
  readonly exporter: Pick<OtlpExporter<MetricsRequest>, "export"> &
    Partial<Pick<OtlpExporter<MetricsRequest>, "takeHistoryTurn">>;
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
  /** The series of a channel; undefined when the channel is not known (any more). */
  readonly describe: (sensorId: string, channelId: string) => readonly ValueSeries[] | undefined;
  /** Undefined: all belong to `resource`, under the names of the metric table. */
  readonly placement?: RowPlacement | undefined;
  /** Points of the channel are about to be sent: that its series end is to be told. */
  readonly sending?: (sensorId: string, channelId: string) => void;
  readonly observer: OtlpRecorder;
  /** Of a sink before this one, whose rows this one goes on with. */
  readonly settled?: SettledRows;
}

export interface OtlpMeasurementSink extends MeasurementSink {
  /** Waits for what is under way; whatever comes later fails. The exporter stays open. */
  close(): Promise<void>;
}

/** A row as data points. */
interface RowItem {
  readonly row: MeasurementRow;
  readonly resource: Resource;
  readonly points: readonly SeriesPoint[];
  readonly size: number;
  /** Points of the row that are not sent. */
  readonly skipped: number;
}

const NO_SERIES: readonly ValueSeries[] = [];

/** The coarsest, and so the oldest, first: what a receiver refuses of a request is nearly always too old for it. */
const COARSEST_FIRST: readonly RowKind[] = ["long", "medium", "short", "live", "repeated"];

/**
 * Sends measurements as gauge points with their own time, oldest first.
 *
 * Rows may need several requests, and one of these may fail after others were delivered. Rows that are settled are
 * remembered as objects: when they come again, in whatever company, they are left out, and the outcome is that of all
 * attempts together. So nothing arrives twice, unless the answer to a request is lost on the way.
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
      // Who stops us has not found the receiver at fault.
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

/** Rows of one device together, so that its resource is sent once; those of a sensor stay in their order. */
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
    // One for all points of a sensor.
    let owner = resource;
    const endTime = millisToHrTime(row.at);
    let size = 0;
    let skipped = 0;
    for (const [channelId, value] of row.values) {
      const series = describe(row.sensorId, channelId);
      if (series === undefined) skipped++;
      for (const { family, labels, conversion } of series ?? NO_SERIES) {
        const converted = conversion === undefined ? value : convert(conversion, value);
        // JSON has no word for NaN and the infinities; the serializer would write null.
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
