import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import { oncePerNode } from "../mapping/once-per-node.ts";
import type { SeriesLabels } from "../mapping/series-labels.ts";
import type { TreeNode } from "../model/tree.ts";
import { STATUS_TOKENS, type StatusToken, statusCode } from "../prtg/status.ts";
import { KeyedSeries } from "../store/keyed-series.ts";
import type { Owner } from "../store/owner.ts";
import type { Tables } from "../store/store.ts";

/** `prtg_sensor_status`: a series for the current status only, or all 15 as 0 and 1. */
export type SensorStatusMode = "current" | "all";

export interface SensorStatusSeries {
  show(sensor: TreeNode, status: StatusToken, expiresAt: number): void;
  relabel(sensor: TreeNode, status: StatusToken): void;
  remove(sensorId: string): void;
  /** Until when (monotonic ms) the sensor's status may be served, undefined while none is. */
  expiresAt(sensorId: string): number | undefined;
}

export function createSensorStatusSeries(
  mode: SensorStatusMode,
  server: string,
  tables: Tables,
  labels: SeriesLabels,
  ownerOf: (id: string) => Owner,
): SensorStatusSeries {
  const perStatus = labelsPerStatus(server, labels);
  return mode === "current"
    ? new CurrentStatus(tables, perStatus, ownerOf)
    : new AllStatuses(tables, perStatus, ownerOf);
}

type LabelsPerStatus = (sensor: TreeNode, status: StatusToken) => readonly string[];

/** Few of a sensor's 15 statuses ever occur, so their labels are built when they do. */
function labelsPerStatus(server: string, seriesLabels: SeriesLabels): LabelsPerStatus {
  const known = oncePerNode((): (readonly string[] | undefined)[] => []);
  return (sensor, status) => {
    const labels = known(sensor);
    const code = statusCode(status);
    const found = labels[code] ?? seriesLabels.sensorStatus(server, sensor, status);
    labels[code] = found;
    return found;
  };
}

class CurrentStatus implements SensorStatusSeries {
  readonly #series: KeyedSeries;
  readonly #labels: LabelsPerStatus;

  constructor(tables: Tables, labels: LabelsPerStatus, ownerOf: (id: string) => Owner) {
    this.#series = new KeyedSeries(tables.table(TREE_FAMILIES.sensorStatus), ownerOf);
    this.#labels = labels;
  }

  show(sensor: TreeNode, status: StatusToken, expiresAt: number): void {
    this.#series.set(sensor.id, this.#labels(sensor, status), 1, expiresAt);
  }

  relabel(sensor: TreeNode, status: StatusToken): void {
    this.#series.relabel(sensor.id, this.#labels(sensor, status));
  }

  remove(sensorId: string): void {
    this.#series.delete(sensorId);
  }

  expiresAt(sensorId: string): number | undefined {
    return this.#series.expiresAt(sensorId);
  }
}

class AllStatuses implements SensorStatusSeries {
  readonly #series: ReadonlyMap<StatusToken, KeyedSeries>;
  readonly #labels: LabelsPerStatus;

  constructor(tables: Tables, labels: LabelsPerStatus, ownerOf: (id: string) => Owner) {
    const table = tables.table(TREE_FAMILIES.sensorStatus);
    this.#series = new Map(STATUS_TOKENS.map((token) => [token, new KeyedSeries(table, ownerOf)]));
    this.#labels = labels;
  }

  show(sensor: TreeNode, status: StatusToken, expiresAt: number): void {
    for (const [token, series] of this.#series) {
      series.set(sensor.id, this.#labels(sensor, token), token === status ? 1 : 0, expiresAt);
    }
  }

  relabel(sensor: TreeNode): void {
    for (const [token, series] of this.#series) series.relabel(sensor.id, this.#labels(sensor, token));
  }

  remove(sensorId: string): void {
    for (const series of this.#series.values()) series.delete(sensorId);
  }

  expiresAt(sensorId: string): number | undefined {
    return this.#series.get("up")?.expiresAt(sensorId);
  }
}
