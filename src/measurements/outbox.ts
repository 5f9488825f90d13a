import { mapEntry } from "../lib/map-entry.ts";
import type { MemoryShare } from "../lib/memory-budget.ts";
import type { MeasurementRow, Resolution, RowKind } from "./measurement.ts";

/** Heap per value: 500,000 values take 50 MB. */
const POINT_BYTES = 100;
/** Always allowed, to keep the delivery going. */
const MIN_POINTS = 2_000;

/** A row is history if a newer one of its sensor follows by more than this. Live rows take two or three scans. */
const HISTORY_MS = 5 * 60_000;

export interface Batch {
  readonly resolution: RowKind;
  readonly rows: readonly MeasurementRow[];
  readonly points: number;
}

export interface Pending {
  readonly points: number;
  /** Milliseconds since the epoch. */
  readonly oldestAt: number;
}

interface SensorRows {
  readonly rows: MeasurementRow[];
  inFlight: number;
}

/**
 * Rows for one receiver, bounded by their values. Rows stay until they are settled. Each sensor sends strictly oldest
 * first, with one batch in flight.
 */
export class Outbox {
  readonly #maxPoints: number;
  readonly #memory: MemoryShare | undefined;
  readonly #sensors = new Map<string, SensorRows>();
  #points = 0;
  #pointsInFlight = 0;

  /**
   * @param maxPoints Includes values in flight.
   * @param memory Shared by all servers. `undefined`: no bound.
   */
  constructor(maxPoints: number, memory?: MemoryShare) {
    this.#maxPoints = maxPoints;
    this.#memory = memory;
    this.#count(0);
  }

  get points(): number {
    return this.#points;
  }

  get pointsToTake(): number {
    return this.#points - this.#pointsInFlight;
  }

  /** At least half full, or the shared memory is: stop reading. */
  get isCrowded(): boolean {
    return this.#points >= this.#maxPoints / 2 || !this.#fits(this.#points, (this.#memory?.maxBytes ?? 0) / 2);
  }

  /**
   * `late`: a newer row of the sensor is queued. `full`: no room. A row that is larger than the queue fits into an
   * empty one.
   */
  offer(row: MeasurementRow): "taken" | "full" | "late" {
    const queue = this.#sensors.get(row.sensorId);
    if ((queue?.rows.at(-1)?.at ?? Number.NEGATIVE_INFINITY) >= row.at) return "late";
    const points = row.values.length;
    if (this.#points > 0 && this.#points + points > this.#maxPoints) return "full";
    if (!this.#fits(this.#points + points)) return "full";
    mapEntry(this.#sensors, row.sensorId, () => ({ rows: [], inFlight: 0 })).rows.push(row);
    this.#count(points);
    return "taken";
  }

  /** @param spareBytes Left for others. */
  #fits(points: number, spareBytes = 0): boolean {
    return points <= MIN_POINTS || this.#memory === undefined || this.#memory.fits(points * POINT_BYTES + spareBytes);
  }

  #count(points: number): void {
    this.#points += points;
    this.#memory?.set(this.#points * POINT_BYTES);
  }

  /**
   * The next rows of one kind within `maxPoints`, but at least one.
   * @param skipsHistory Only sensors that are up to date.
   */
  take(maxPoints: number, { skipsHistory = false } = {}): Batch | undefined {
    const taken: MeasurementRow[] = [];
    let resolution: RowKind | undefined;
    let points = 0;
    for (const queue of this.#sensors.values()) {
      // Rows in flight may come back, so the sensor waits.
      if (queue.inFlight > 0 || (skipsHistory && hasHistory(queue))) continue;
      for (const row of queue.rows) {
        resolution ??= row.resolution;
        if (row.resolution !== resolution) break;
        if (points > 0 && points + row.values.length > maxPoints) break;
        taken.push(row);
        queue.inFlight++;
        points += row.values.length;
      }
      if (points >= maxPoints) break;
    }
    if (resolution === undefined) return undefined;
    this.#pointsInFlight += points;
    return { resolution, rows: taken, points };
  }

  /** The receiver accepted these rows in flight, or rejected them permanently. */
  settle(rows: readonly MeasurementRow[]): void {
    this.putBack(rows);
    this.#count(-pointsOf(rows));
    for (const [sensorId, count] of countBySensor(rows)) {
      const queue = this.#sensors.get(sensorId);
      queue?.rows.splice(0, count);
      if (queue?.rows.length === 0) this.#sensors.delete(sensorId);
    }
  }

  /** These rows are not in flight any more. */
  putBack(rows: readonly MeasurementRow[]): void {
    this.#pointsInFlight -= pointsOf(rows);
    for (const [sensorId, count] of countBySensor(rows)) {
      const queue = this.#sensors.get(sensorId);
      if (queue !== undefined) queue.inFlight -= count;
    }
  }

  /** Drops rows after a time that are not in flight. Returns the number of dropped values, without repeats. */
  drop(sensorId: string, after: number): number {
    const queue = this.#sensors.get(sensorId);
    if (queue === undefined) return 0;
    let points = 0;
    for (let last = queue.rows.at(-1); last !== undefined && last.at > after; last = queue.rows.at(-1)) {
      if (queue.rows.length === queue.inFlight) break;
      if (last.resolution !== "repeated") points += last.values.length;
      this.#count(-last.values.length);
      queue.rows.pop();
    }
    if (queue.rows.length === 0) this.#sensors.delete(sensorId);
    return points;
  }

  newestOf(sensorId: string): MeasurementRow | undefined {
    return this.#sensors.get(sensorId)?.rows.findLast(({ resolution }) => resolution !== "repeated");
  }

  has(sensorId: string): boolean {
    return this.#sensors.has(sensorId);
  }

  holds(sensorId: string, channelId: string): boolean {
    const rows = this.#sensors.get(sensorId)?.rows ?? [];
    return rows.some(({ values }) => values.some(([id]) => id === channelId));
  }

  /** Queued or in flight. May have duplicates. */
  *channels(): Iterable<readonly [sensorId: string, channelId: string]> {
    for (const [sensorId, { rows }] of this.#sensors) {
      for (const { values } of rows) for (const [channelId] of values) yield [sensorId, channelId];
    }
  }

  /** Includes rows in flight, but no repeats. Leaves out empty resolutions. */
  pending(): ReadonlyMap<Resolution, Pending> {
    const pending = new Map<Resolution, { points: number; oldestAt: number }>();
    for (const { rows } of this.#sensors.values()) {
      for (const { resolution, at, values } of rows) {
        if (resolution === "repeated") continue;
        const known = mapEntry(pending, resolution, () => ({ points: 0, oldestAt: at }));
        known.points += values.length;
        if (at < known.oldestAt) known.oldestAt = at;
      }
    }
    return pending;
  }
}

function hasHistory({ rows }: SensorRows): boolean {
  const [oldest, newest] = [rows[0], rows.at(-1)];
  return oldest !== undefined && newest !== undefined && newest.at - oldest.at > HISTORY_MS;
}

function pointsOf(rows: readonly MeasurementRow[]): number {
  return rows.reduce((sum, { values }) => sum + values.length, 0);
}

function countBySensor(rows: readonly MeasurementRow[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { sensorId } of rows) counts.set(sensorId, (counts.get(sensorId) ?? 0) + 1);
  return counts;
}
