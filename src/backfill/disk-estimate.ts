import { SERIES_STEP_MS } from "../prtg/series-types.ts";
import type { BackfillPlan } from "./plan.ts";
import type { SeriesRange } from "./series-ranges.ts";

export interface DiskEstimate {
  /** Bytes while the series are read. Files take their place day by day. */
  readonly parts: number;
  /** Bytes of the finished files. */
  readonly files: number;
}

/** Digits of an average value, with its separator. */
const VALUE_LENGTH = 10;
/** `1773337350` or `1773337350.1231`, with blank and line end. */
const TIME_LENGTH = 12;
/** Milliseconds, with their separator. */
const PART_TIME_LENGTH = 14;
const DEFAULT_INTERVAL_MS = 60_000;

/** @param intervalOf Scanning interval of a sensor, milliseconds, if known. */
export function estimateDisk(
  { families, sensors }: BackfillPlan,
  ranges: readonly SeriesRange[],
  intervalOf: (sensorId: string) => number | undefined,
): DiskEstimate {
  let [parts, files] = [0, 0];
  for (const { id, channels } of sensors) {
    const intervalMs = intervalOf(id) ?? DEFAULT_INTERVAL_MS;
    const rows = ranges.reduce((sum, { type, from, to }) => {
      return sum + (to - from) / Math.max(SERIES_STEP_MS[type], intervalMs);
    }, 0);
    for (const { series } of channels) {
      if (series.length > 0) parts += rows * (VALUE_LENGTH + PART_TIME_LENGTH);
      for (const { family, labels } of series) {
        const name = families[family]?.name ?? "";
        files += rows * (name.length + Buffer.byteLength(labels) + VALUE_LENGTH + TIME_LENGTH);
      }
    }
  }
  return { parts: Math.ceil(parts), files: Math.ceil(files) };
}

/** Two digits are enough for an estimate. */
export function roughSize(bytes: number): string {
  const [unit, size] = UNITS.find(([, size]) => bytes >= size) ?? ["kB", 1e3];
  const count = bytes / size;
  return `${count < 10 ? count.toFixed(1) : Math.round(count)} ${unit}`;
}

const UNITS = [
  ["TB", 1e12],
  ["GB", 1e9],
  ["MB", 1e6],
] as const;
