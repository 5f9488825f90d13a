import { mapEntry } from "../../lib/map-entry.ts";
import type { ChannelLimits, ChannelRecord, ChannelRecords } from "../records.ts";
import type { ItemStore } from "./item-store.ts";

const NONE = -1;
/** Sensors with more channels have a map. */
const MAX_WITHOUT_MAP = 64;
/** Longer columns would take 10 ms to grow. */
const ROWS_PER_BLOCK = 1_024;

/**
 * The channels of a list in columns. As objects, 200,000 channels would reach V8's old space with each poll, and the
 * collections that move them would block the event loop for 40 to 100 ms (`npm run bench -- loop`).
 */
export class ChannelTable implements ItemStore<ChannelRecord, ChannelRecords>, ChannelRecords {
  readonly #blocks: Block[] = [];
  readonly #sensors = new Map<string, SensorRows>();
  /** Sensor of the last channel. Most lists are in the order of sensors. */
  #sensor: SensorRows | undefined;
  #length = 0;
  readonly #room: number;

  /** @param room Expected number of channels. Columns that grow leave garbage. */
  constructor(room = 0) {
    this.#room = room;
  }

  get length(): number {
    return this.#length;
  }

  get items(): this {
    return this;
  }

  /** A new object for each channel. */
  *values(): Generator<ChannelRecord, undefined> {
    for (const block of this.#blocks) for (let row = 0; row < block.rows; row++) yield recordOf(block, row);
  }

  [Symbol.iterator](): Generator<ChannelRecord, undefined> {
    return this.values();
  }

  add(record: ChannelRecord): ChannelRecord | undefined {
    const sensor = this.#sensorOf(record.sensorId);
    const row = this.#find(sensor, record.channelId);
    if (row === NONE) this.#append(sensor, record);
    return row === NONE ? undefined : recordOf(this.#blockOf(row), row % ROWS_PER_BLOCK);
  }

  set(record: ChannelRecord): void {
    const sensor = this.#sensorOf(record.sensorId);
    const row = this.#find(sensor, record.channelId);
    if (row === NONE) this.#append(sensor, record);
    else write(this.#blockOf(row), row % ROWS_PER_BLOCK, record);
  }

  truncate(length: number): void {
    while (this.#length > length) {
      const row = --this.#length;
      const block = this.#blockOf(row);
      const at = --block.rows;
      const sensor = this.#sensorOf(block.sensorIds[at] ?? "");
      sensor.lastRow = block.previousRows[at] ?? NONE;
      sensor.rowsById?.delete(block.channelIds[at] ?? "");
    }
    this.#blocks.length = Math.ceil(length / ROWS_PER_BLOCK);
  }

  #sensorOf(id: string): SensorRows {
    if (this.#sensor?.id === id) return this.#sensor;
    this.#sensor = mapEntry(this.#sensors, id, () => ({ id, lastRow: NONE, rowsById: undefined }));
    return this.#sensor;
  }

  #append(sensor: SensorRows, record: ChannelRecord): void {
    const row = this.#length++;
    if (row % ROWS_PER_BLOCK === 0) {
      this.#blocks.push(new Block(row === 0 ? Math.min(this.#room, ROWS_PER_BLOCK) : ROWS_PER_BLOCK));
    }
    const block = this.#blockOf(row);
    const at = block.rows++;
    // One text for all channels of a sensor.
    block.sensorIds[at] = sensor.id;
    block.channelIds[at] = record.channelId;
    block.previousRows[at] = sensor.lastRow;
    write(block, at, record);
    sensor.lastRow = row;
    sensor.rowsById?.set(record.channelId, row);
  }

  #find(sensor: SensorRows, channelId: string): number {
    if (sensor.rowsById !== undefined) return sensor.rowsById.get(channelId) ?? NONE;
    let row = sensor.lastRow;
    let count = 0;
    for (; row !== NONE && this.#channelIdOf(row) !== channelId; row = this.#previous(row)) count++;
    if (count > MAX_WITHOUT_MAP) sensor.rowsById = this.#index(sensor);
    return row;
  }

  #index({ lastRow }: SensorRows): Map<string, number> {
    const rows = new Map<string, number>();
    for (let row = lastRow; row !== NONE; row = this.#previous(row)) rows.set(this.#channelIdOf(row), row);
    return rows;
  }

  #channelIdOf(row: number): string {
    return this.#blockOf(row).channelIds[row % ROWS_PER_BLOCK] ?? "";
  }

  #previous(row: number): number {
    return this.#blockOf(row).previousRows[row % ROWS_PER_BLOCK] ?? NONE;
  }

  #blockOf(row: number): Block {
    const block = this.#blocks[Math.floor(row / ROWS_PER_BLOCK)];
    if (block === undefined) throw new RangeError(`no row ${row}`);
    return block;
  }
}

interface SensorRows {
  readonly id: string;
  lastRow: number;
  rowsById: Map<string, number> | undefined;
}

class Block {
  rows = 0;
  readonly sensorIds: string[];
  readonly channelIds: string[];
  readonly names: string[];
  readonly units: string[];
  /** NaN: none, also in `times`. */
  readonly values: number[];
  readonly times: number[];
  readonly limits: (ChannelLimits | undefined)[];
  readonly lookups: (string | undefined)[];
  /** Previous row of the same sensor, for each row. */
  readonly previousRows: number[];

  /** `room`: rows without growing. */
  constructor(room: number) {
    this.sensorIds = new Array(room);
    this.channelIds = new Array(room);
    this.names = new Array(room);
    this.units = new Array(room);
    this.values = new Array(room);
    this.times = new Array(room);
    this.limits = new Array(room);
    this.lookups = new Array(room);
    this.previousRows = new Array(room);
  }
}

function write(block: Block, row: number, { name, unit, value, measuredAt, limits, lookup }: ChannelRecord): void {
  block.names[row] = name;
  block.units[row] = unit;
  block.values[row] = value ?? Number.NaN;
  block.times[row] = measuredAt ?? Number.NaN;
  block.limits[row] = limits;
  block.lookups[row] = lookup;
}

function recordOf(block: Block, row: number): Required<ChannelRecord> {
  return {
    sensorId: block.sensorIds[row] ?? "",
    channelId: block.channelIds[row] ?? "",
    name: block.names[row] ?? "",
    unit: block.units[row] ?? "",
    value: numberOf(block.values[row]),
    measuredAt: numberOf(block.times[row]),
    limits: block.limits[row],
    lookup: block.lookups[row],
  };
}

function numberOf(value = Number.NaN): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}
