import type { MemoryShare } from "../lib/memory-budget.ts";
import type { MeasurementRow, Resolution, RowKind } from "./measurement.ts";

/** Of the heap, for a value that waits: with 500,000 of them it grows by 50 MB. */
const POINT_BYTES = 100;
/** Values that may wait however much others hold: enough to go on delivering. */
const MIN_POINTS = 2_000;

/** A row is history if the sensor has one waiting that is newer by more than this: live rows take two or three scans. */
const HISTORY_MS = 5 * 60_000;

/** Rows of one kind, on their way. */
export interface Batch {
  readonly resolution: RowKind;
  /** Rows of one sensor follow each other, oldest first. */
  readonly rows: readonly MeasurementRow[];
  readonly points: number;
}

export interface Pending {
  readonly points: number;
  /** Time of the oldest row, milliseconds since the epoch. */
  readonly oldestAt: number;
}

interface SensorRows {
  /** Oldest first; those in flight come first. */
  readonly rows: MeasurementRow[];
  inFlight: number;
}

/**
 * The rows that wait to be delivered, bounded by their number of values. Rows stay until it is settled what became of
 * them; per sensor they leave strictly oldest first, and only one batch of them is under way at a time.
 */
export class Outbox {
  readonly #maxPoints: number;
  readonly #memory: MemoryShare | undefined;
  /** In the order in which sensors began to wait. */
  readonly #sensors = new Map<string, SensorRows>();
  #points = 0;
  #pointsInFlight = 0;

  /**
   * @param maxPoints Values that may wait at most, those in flight included.
   * @param memory Of what waits for all servers together: hundreds of them would else hold so much each. Undefined: without a bound.
   */
  constructor(maxPoints: number, memory?: MemoryShare) {
    this.#maxPoints = maxPoints;
    this.#memory = memory;
    this.#count(0);
  }

  /** Values that wait, those in flight included. */
  get points(): number {
    return this.#points;
  }

  get pointsToTake(): number {
    return this.#points - this.#pointsInFlight;
  }

  /** At least half of the room is taken, by this one or by all together: time to deliver rather than to read more. */
  get isCrowded(): boolean {
    return this.#points >= this.#maxPoints / 2 || !this.#fits(this.#points, (this.#memory?.maxBytes ?? 0) / 2);
  }

  /**
   * Queues a row. `late`: the sensor has a newer one waiting, so that this one must not follow it; `full`: no room.
   * A row that is larger than all the room there is, is let in when nothing else waits.
   */
  offer(row: MeasurementRow): "taken" | "full" | "late" {
    const queue = this.#sensors.get(row.sensorId);
    if ((queue?.rows.at(-1)?.at ?? Number.NEGATIVE_INFINITY) >= row.at) return "late";
    const points = row.values.length;
    if (this.#points > 0 && this.#points + points > this.#maxPoints) return "full";
    if (!this.#fits(this.#points + points)) return "full";
    if (queue === undefined) this.#sensors.set(row.sensorId, { rows: [row], inFlight: 0 });
    else queue.rows.push(row);
    this.#count(points);
    return "taken";
  }

  /** `spareBytes`: with as much left for others. */
  #fits(points: number, spareBytes = 0): boolean {
    return points <= MIN_POINTS || this.#memory === undefined || this.#memory.fits(points * POINT_BYTES + spareBytes);
  }

  #count(points: number): void {
    this.#points += points;
    this.#memory?.set(this.#points * POINT_BYTES);
  }

  /**
   * The next rows of one kind, at most so many values, but at least one row; undefined when none can go.
   * @param skipsHistory Only of sensors that are up to date.
   */
  take(maxPoints: number, { skipsHistory = false } = {}): Batch | undefined {
    const taken: MeasurementRow[] = [];
    let resolution: RowKind | undefined;
    let points = 0;
    for (const queue of this.#sensors.values()) {
      // The rest of a sensor waits for what is under way: it may come back.
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

  /** The rows of the batch are done with, because the receiver has them or never wants to. */
  settle(batch: Batch): void {
    this.#endFlight(batch);
    this.#count(-batch.points);
    for (const [sensorId, count] of countBySensor(batch)) {
      const queue = this.#sensors.get(sensorId);
      queue?.rows.splice(0, count);
      if (queue?.rows.length === 0) this.#sensors.delete(sensorId);
    }
  }

  /** The rows of the batch could not be delivered: they are the next to go again. */
  putBack(batch: Batch): void {
    this.#endFlight(batch);
  }

  #endFlight(batch: Batch): void {
    this.#pointsInFlight -= batch.points;
    for (const [sensorId, count] of countBySensor(batch)) {
      const queue = this.#sensors.get(sensorId);
      if (queue !== undefined) queue.inFlight -= count;
    }
  }

  /** Drops the sensor's rows that are newer than `after` and not in flight. Returns the number of values measured. */
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

  /** The newest measurement of the sensor that waits or is in flight. */
  newestOf(sensorId: string): MeasurementRow | undefined {
    return this.#sensors.get(sensorId)?.rows.findLast(({ resolution }) => resolution !== "repeated");
  }

  /** Whether any row of the sensor waits or is in flight. */
  has(sensorId: string): boolean {
    return this.#sensors.has(sensorId);
  }

  /** Whether a value of the channel waits or is in flight. */
  holds(sensorId: string, channelId: string): boolean {
    const rows = this.#sensors.get(sensorId)?.rows ?? [];
    return rows.some(({ values }) => values.some(([id]) => id === channelId));
  }

  /** Channels of which a value waits or is in flight. One may come more than once. */
  *channels(): Iterable<readonly [sensorId: string, channelId: string]> {
    for (const [sensorId, { rows }] of this.#sensors) {
      for (const { values } of rows) for (const [channelId] of values) yield [sensorId, channelId];
    }
  }

  /** Measurements that wait, those in flight included; resolutions of which nothing waits are left out. */
  pending(): ReadonlyMap<Resolution, Pending> {
    const pending = new Map<Resolution, { points: number; oldestAt: number }>();
    for (const { rows } of this.#sensors.values()) {
      for (const { resolution, at, values } of rows) {
        if (resolution === "repeated") continue;
        const known = pending.get(resolution);
        if (known === undefined) pending.set(resolution, { points: values.length, oldestAt: at });
        else {
          known.points += values.length;
          if (at < known.oldestAt) known.oldestAt = at;
        }
      }
    }
    return pending;
  }
}

function hasHistory({ rows }: SensorRows): boolean {
  const [oldest, newest] = [rows[0], rows.at(-1)];
  return oldest !== undefined && newest !== undefined && newest.at - oldest.at > HISTORY_MS;
}

function countBySensor({ rows }: Batch): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { sensorId } of rows) counts.set(sensorId, (counts.get(sensorId) ?? 0) + 1);
  return counts;
}
