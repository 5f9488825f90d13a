import { oncePerNode } from "../mapping/once-per-node.ts";
import { SENSOR_GAUGES, type SensorGauge } from "../mapping/sensor-gauges.ts";
import type { SeriesLabels } from "../mapping/series-labels.ts";
import type { TreeNode } from "../model/tree.ts";
import type { NodeRecord } from "../prtg/records.ts";
import type { StatusToken } from "../prtg/status.ts";
import { KeyedSeries } from "../store/keyed-series.ts";
import type { Owner } from "../store/owner.ts";
import type { Tables } from "../store/store.ts";
import { createSensorStatusSeries, type SensorStatusMode, type SensorStatusSeries } from "./sensor-status-series.ts";

interface GaugeSeries {
  readonly gauge: SensorGauge;
  readonly labels: (sensor: TreeNode) => readonly string[];
  readonly series: KeyedSeries;
}

/** What the store shows of one server's sensors. Call inside a commit. */
export class SensorSeries {
  readonly #gauges: readonly GaugeSeries[];
  readonly #status: SensorStatusSeries;
  readonly #statuses = new Map<string, StatusToken>();

  constructor(
    server: string,
    tables: Tables,
    labels: SeriesLabels,
    mode: SensorStatusMode,
    ownerOf: (id: string) => Owner,
  ) {
    const labellers = {
      sensor: oncePerNode((sensor) => labels.sensor(server, sensor)),
      sensorInfo: oncePerNode((sensor) => labels.sensorInfo(server, sensor)),
    };
    this.#gauges = SENSOR_GAUGES.map((gauge) => {
      return { gauge, labels: labellers[gauge.labels], series: new KeyedSeries(tables.table(gauge.family), ownerOf) };
    });
    this.#status = createSensorStatusSeries(mode, server, tables, labels, ownerOf);
  }

  /** Last known status of every sensor. */
  get statuses(): ReadonlyMap<string, StatusToken> {
    return this.#statuses;
  }

  show(sensor: TreeNode, record: NodeRecord, until: { readonly state: number; readonly property: number }): void {
    for (const { gauge, labels, series } of this.#gauges) {
      const value = gauge.value(record);
      if (value !== undefined) series.set(sensor.id, labels(sensor), value, until[gauge.of]);
    }
    this.#status.show(sensor, record.status, until.state);
    this.#statuses.set(sensor.id, record.status);
  }

  /** Shows of a sensor what `before` shows. */
  takeOver(sensor: TreeNode, before: SensorSeries): void {
    for (const [index, { labels, series }] of this.#gauges.entries()) {
      const shown = before.#gauges[index]?.series;
      const value = shown?.value(sensor.id);
      if (value !== undefined) series.set(sensor.id, labels(sensor), value, shown?.expiresAt(sensor.id));
    }
    const status = before.#statuses.get(sensor.id);
    if (status === undefined) return;
    this.#statuses.set(sensor.id, status);
    const until = before.#status.expiresAt(sensor.id);
    if (until !== undefined) this.#status.show(sensor, status, until);
  }

  relabel(sensor: TreeNode): void {
    for (const { labels, series } of this.#gauges) series.relabel(sensor.id, labels(sensor));
    const status = this.#statuses.get(sensor.id);
    if (status !== undefined) this.#status.relabel(sensor, status);
  }

  remove(sensorId: string): void {
    for (const { series } of this.#gauges) series.delete(sensorId);
    this.#status.remove(sensorId);
    this.#statuses.delete(sensorId);
  }
}
