import { withFile } from "../lib/durable-file.ts";
import { DAY_MS } from "./utc-day.ts";

/** Of one sensor at one time. */
export interface StoredRow {
  /** Position in the plan. */
  readonly sensor: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Position of the channel in the sensor's plan, and value in the display unit. */
  readonly values: readonly (readonly [channel: number, value: number])[];
}

/** Of a part, in memory at a time; rows take several times as much. */
const SLICE_BYTES = 16 * 2 ** 20;

/**
 * Rows of a day's part by time, then in the order of the plan: always the same for the same part. A part is in the
 * order of sensors and may be larger than memory: it is read once for each slice of the day.
 * @param day Its number since the epoch.
 */
export async function* rowsInOrder(partPath: string, day: number, sliceBytes = SLICE_BYTES): AsyncGenerator<StoredRow> {
  const bytes = await withFile(partPath, async (part) => (await part.stat()).size);
  const slices = Math.max(1, Math.ceil(bytes / sliceBytes));
  for (let slice = 0; slice < slices; slice++) {
    const begin = day * DAY_MS + (slice * DAY_MS) / slices;
    const end = day * DAY_MS + ((slice + 1) * DAY_MS) / slices;
    const rows = await readSlice(partPath, begin, end);
    yield* rows.sort((a, b) => a.at - b.at || a.sensor - b.sensor);
  }
}

function readSlice(partPath: string, begin: number, end: number): Promise<StoredRow[]> {
  return withFile(partPath, async (part) => {
    const rows: StoredRow[] = [];
    for await (const line of part.readLines({ encoding: "latin1", start: 0, autoClose: false })) {
      const [sensor = -1, ...lists]: [number, ...number[][]] = JSON.parse(line);
      const byTime = new Map<number, [channel: number, value: number][]>();
      for (const [channel = -1, ...list] of lists) {
        for (let index = 0; index < list.length; index += 2) {
          const at = list[index] ?? 0;
          if (at < begin || at >= end) continue;
          const values = byTime.get(at);
          if (values === undefined) byTime.set(at, [[channel, list[index + 1] ?? Number.NaN]]);
          else values.push([channel, list[index + 1] ?? Number.NaN]);
        }
      }
      for (const [at, values] of byTime) rows.push({ sensor, at, values });
    }
    return rows;
  });
}
