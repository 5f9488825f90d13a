import { constants } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ExporterError } from "../errors/exporter-error.ts";
import { closing, createPrivateDirectory, openToWrite, syncFolder, withFile } from "../lib/durable-file.ts";
import { mapEntry } from "../lib/map-entry.ts";

const SUFFIX = ".part";
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;

/** Time, value, and so on of one channel, ascending. */
export type DaySamples = number[];
/** Samples by day and position of the channel. */
export type HistoryDays = ReadonlyMap<number, ReadonlyMap<number, DaySamples>>;

/** Bytes by day. */
export type PartLengths = ReadonlyMap<number, number>;

/**
 * One file per day with one line per sensor: `[sensor, [channel, time, value, time, value, ...], ...]`. Sensors and
 * channels are positions in the plan, values are in the display unit. Without labels, which are 90 % of the final
 * files.
 */
export class DayParts {
  readonly #folder: string;
  readonly #lengths: Map<number, number>;
  #buffered = new Map<number, string[]>();
  #bufferedBytes = 0;

  private constructor(folder: string, lengths: PartLengths) {
    this.#folder = folder;
    this.#lengths = new Map(lengths);
  }

  /**
   * Truncates the parts to `lengths`.
   * @throws ExporterError BACKFILL_DAMAGED
   */
  static async open(folder: string, lengths: PartLengths): Promise<DayParts> {
    await createPrivateDirectory(folder);
    for (const name of (await readdir(folder)).filter((each) => each.endsWith(SUFFIX))) {
      if (!lengths.has(dayNumber(name.slice(0, -SUFFIX.length)))) await rm(join(folder, name));
    }
    const parts = new DayParts(folder, lengths);
    for (const [day, length] of lengths) await cutTo(partPath(folder, day), length);
    return parts;
  }

  get bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  /** Stays in memory until `write`. */
  add(sensor: number, days: HistoryDays): void {
    for (const [day, channels] of days) {
      if (channels.size === 0) continue;
      const lists = [...channels].sort(([a], [b]) => a - b);
      const line = JSON.stringify([sensor, ...lists.map(([channel, list]) => [channel, ...list])]);
      mapEntry(this.#buffered, day, () => []).push(line);
      this.#bufferedBytes += line.length;
    }
  }

  /** Resolves with the new lengths after a flush. */
  async write(): Promise<PartLengths> {
    const buffered = this.#buffered;
    this.#buffered = new Map();
    this.#bufferedBytes = 0;
    for (const [day, lines] of buffered) {
      const bytes = Buffer.from(`${lines.join("\n")}\n`);
      const position = this.#lengths.get(day) ?? 0;
      await closing(openToWrite(partPath(this.#folder, day), APPEND), async (file) => {
        await file.writeFile(bytes);
        await file.sync();
      });
      this.#lengths.set(day, position + bytes.length);
    }
    await syncFolder(this.#folder);
    return new Map(this.#lengths);
  }
}

export function partPath(folder: string, day: number): string {
  return join(folder, `${dayName(day)}${SUFFIX}`);
}

async function cutTo(path: string, length: number): Promise<void> {
  const size = await withFile(path, async (file) => (await file.stat()).size).catch(() => -1);
  if (size < length) {
    throw new ExporterError("BACKFILL_DAMAGED", `${path} is ${size < 0 ? "missing" : "shorter than before"}`);
  }
  if (size > length) await closing(openToWrite(path, constants.O_WRONLY), (file) => file.truncate(length));
}

export const DAY_MS = 86_400_000;

/** Days since the epoch. */
export function dayOf(at: number): number {
  return Math.floor(at / DAY_MS);
}

export function dayName(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

export function dayNumber(name: string): number {
  return Date.parse(`${name}T00:00:00Z`) / DAY_MS;
}

/**
 * Includes the time if the range begins within the day, because a file of the earlier part may exist.
 * @param rangeFrom Milliseconds since the epoch, whole seconds.
 */
export function dayFileName(day: number, rangeFrom: number): string {
  if (rangeFrom <= day * DAY_MS) return `${dayName(day)}.om`;
  const time = new Date(rangeFrom).toISOString().slice(11, 19).replaceAll(":", "");
  return `${dayName(day)}T${time}Z.om`;
}
