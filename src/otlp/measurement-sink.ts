import { type InstrumentationScope, millisToHrTime } from "@opentelemetry/core";
import type { Resource } from "@opentelemetry/resources";
import type { MetricFamily } from "../mapping/families/family.ts";
import type { ValueSeries } from "../mapping/rules/rule.ts";
import { convert } from "../mapping/units/base-units.ts";
import type {
  DeliveryControl,
  DeliveryOutcome,
  MeasurementRow,
  MeasurementSink,
  RowKind,
  SettledRows,
} from "../measurements/measurement.ts";
import type { OtlpRecorder } from "../telemetry/recorders.ts";
import type { ExportBatch, FinalOutcome, OtlpExporter } from "./exporter.ts";
import {
  estimatePointSize,
  MetricsByResource,
  type MetricsRequest,
  type PlacedSeries,
  SeriesPoint,
} from "./metric-data.ts";
import { OTEL_NAMING, PROMETHEUS_NAMING, probeRequest } from "./registry-metrics.ts";

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
}

interface RowItem {
  readonly row: MeasurementRow;
  readonly resource: Resource;
  /** Empty if nothing of the row can be sent. */
  readonly points: readonly SeriesPoint[];
  readonly size: number;
  /** Points that cannot be sent. */
  readonly skipped: number;
}

const NO_SERIES: readonly ValueSeries[] = [];

/** A receiver mostly rejects the oldest points, and the coarsest are the oldest. */
const COARSEST_FIRST: readonly RowKind[] = ["long", "medium", "short", "live", "repeated"];

/** Sends measurements as gauge points with their own time, oldest first per sensor. Nothing arrives twice unless an answer is lost. */
export class OtlpMeasurementSink implements MeasurementSink {
  readonly #options: MeasurementSinkOptions;

  constructor(options: MeasurementSinkOptions) {
    this.#options = options;
  }

  async deliver(rows: readonly MeasurementRow[], control: DeliveryControl): Promise<DeliveryOutcome> {
    const { signal, stop } = control;
    const outcome = await this.#options.exporter.export(this.#batch(rows, control), signal, stop);
    return outcome.kind === "failed" ? outcome : { kind: "done" };
  }

  takeHistoryTurn(): number {
    return this.#options.exporter.takeHistoryTurn?.() ?? 0;
  }

  #batch(
    rows: readonly MeasurementRow[],
    { signal, onSettled }: DeliveryControl,
  ): ExportBatch<RowItem, MetricsRequest> {
    const { observer, placement } = this.#options;
    const naming = placement === undefined ? PROMETHEUS_NAMING : OTEL_NAMING;
    return {
      items: itemsOf(deviceByDevice(rows, placement), this.#options),
      estimateSize: ({ size }) => size,
      count: ({ points }) => points.length,
      toRequest: (items) => requestOf(items, this.#options),
      // Receivers refuse old points, so that the bad ones stand together.
      compare: (a, b) => a.row.at - b.row.at,
      probe: (nowMs) => probeRequest({ ...this.#options, naming }, nowMs),
      settled: (items, outcome) => onSettled(this.#settle(items, outcome)),
      failed: (items) => {
        // An abort by us is not a failure of the receiver.
        if (signal.aborted) return;
        for (const resolution of pointsByResolution(items).keys()) observer.attemptFailed({ stream: resolution });
      },
    };
  }

  #settle(items: readonly RowItem[], outcome: FinalOutcome): SettledRows {
    const { observer } = this.#options;
    const points = items.reduce((sum, item) => sum + item.points.length, 0);
    const rejectedPoints = outcome.kind === "refused" ? points : outcome.rejected;
    for (const { row, skipped } of items) if (skipped > 0) observer.skipped({ stream: row.resolution }, skipped);
    report(items, outcome.kind === "refused", rejectedPoints, observer);
    const rows = items.map(({ row }) => row);
    return { rows, rejectedPoints, message: outcome.message, ...(points === 0 && { isSkipped: true }) };
  }
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
    yield { row, resource: owner, points, size, skipped };
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
    if (isRefused) observer.requestRefused({ stream: resolution });
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
