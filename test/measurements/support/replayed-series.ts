import { type Random, seededRandom } from "prtg-simulator/src/random.ts";
import type { SimChannel, SimRow, SimSensor, World } from "prtg-simulator/src/world/model.ts";

/**
 * How series of the PRTG Open Dataset come about in time: numbers counted in its examples, no data of it.
 * Source: https://github.com/PaesslerAG/prtg-open-dataset (BSD-2-Clause), `examples/*.tsv`, the first days of June 2021.
 */
export interface SeriesStatistics {
  /** Number of the example. */
  readonly example: string;
  readonly intervalSeconds: number;
  /** Share of scans whose row is late, and by how many seconds. The next scan is on time. */
  readonly late?: { readonly share: number; readonly seconds: readonly number[] };
  /** Share of scans that fail, how late the row without values is, and after how many seconds the first of them is repeated. */
  readonly failed?: {
    readonly share: number;
    readonly lateSeconds: readonly number[];
    readonly repeatSeconds: readonly number[];
    /** Share of repetitions that fail, too. */
    readonly repeatFails: number;
  };
  /** Once in so many scans the schedule begins anew, so many seconds after the last scan. */
  readonly restarts?: { readonly everyScans: number; readonly spacingSeconds: readonly number[] };
  readonly driftSecondsPerDay?: number;
  /** So many scans in a row have one value. */
  readonly identical?: number;
}

const HTTP_TIMES = [1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 4, 5, 5, 5, 6, 7, 7, 11, 14, 15, 23, 25, 28, 31];

export const SERIES: readonly SeriesStatistics[] = [
  { example: "001", intervalSeconds: 60, late: { share: 14 / 590, seconds: [1] } },
  { example: "010", intervalSeconds: 60, late: { share: HTTP_TIMES.length / 592, seconds: HTTP_TIMES } },
  {
    example: "025",
    intervalSeconds: 600,
    late: { share: 0.4, seconds: [1] },
    failed: {
      share: 23 / 520,
      lateSeconds: [3, 4, 5],
      repeatSeconds: [7, 7, 7, 13, 7, 6, 6, 6, 6, 6, 7, 8, 8, 8, 7, 6, 7],
      repeatFails: 2 / 17,
    },
    restarts: { everyScans: 260, spacingSeconds: [505, 90] },
    driftSecondsPerDay: -2,
  },
  { example: "028", intervalSeconds: 300, driftSecondsPerDay: 0.8 },
  { example: "031", intervalSeconds: 300, identical: 220 },
  {
    example: "034",
    intervalSeconds: 600,
    late: { share: 3 / 500, seconds: [1, 1, 2] },
    restarts: { everyScans: 144, spacingSeconds: [530, 530, 526, 527] },
  },
  { example: "036", intervalSeconds: 120, late: { share: 1 / 590, seconds: [30] } },
  { example: "038", intervalSeconds: 60, late: { share: 1 / 33, seconds: [1] } },
  {
    example: "042",
    intervalSeconds: 300,
    restarts: { everyScans: 140, spacingSeconds: [429, 492] },
    identical: 290,
  },
  {
    example: "045",
    intervalSeconds: 60,
    late: { share: 2 / 590, seconds: [1] },
    restarts: { everyScans: 590, spacingSeconds: [63] },
  },
];

/** Of an interval, as in 025, 034, 042 and 045. */
const PARTS = [505 / 600, 530 / 600, 429 / 300, 492 / 300, 63 / 60];

/** As 025 on sensors that scan each minute, and more often than in the examples. */
export const OFTEN: readonly SeriesStatistics[] = [60, 30, 120, 300].map((intervalSeconds) => ({
  example: "025, more often",
  intervalSeconds,
  late: { share: 0.05, seconds: HTTP_TIMES.filter((seconds) => seconds <= 0.52 * intervalSeconds) },
  failed: { share: 0.1, lateSeconds: [0, 2, 3, 4, 5], repeatSeconds: [6, 7, 8, 13], repeatFails: 2 / 17 },
  restarts: { everyScans: 100, spacingSeconds: PARTS.map((part) => Math.round(part * intervalSeconds)) },
}));

interface ReplayedScan {
  readonly at: number;
  readonly failed: boolean;
  /** Changes when the values change. */
  readonly course: number;
}

/** The scans of a series from one time to another, milliseconds since the epoch. */
function replay(statistics: SeriesStatistics, random: Random, from: number, to: number): ReplayedScan[] {
  const { intervalSeconds, late, failed, restarts, driftSecondsPerDay = 0, identical = 1 } = statistics;
  const oneOf = (values: readonly number[]): number => values[Math.floor(random() * values.length)] ?? 0;
  const scans: ReplayedScan[] = [];
  const add = (seconds: number, hasFailed: boolean): void => {
    scans.push({ at: Math.floor(seconds) * 1000, failed: hasFailed, course: Math.floor(scans.length / identical) });
  };
  const spacing = intervalSeconds * (1 + driftSecondsPerDay / 86_400);
  for (let due = from / 1000 + random() * intervalSeconds; due * 1000 <= to; ) {
    const last = scans.length;
    if (failed !== undefined && random() < failed.share) {
      const at = due + oneOf(failed.lateSeconds);
      const isFirst = scans.at(-1)?.failed !== true;
      add(at, true);
      if (isFirst) add(at + oneOf(failed.repeatSeconds), random() < failed.repeatFails);
    } else {
      add(due + (late !== undefined && random() < late.share ? oneOf(late.seconds) : 0), false);
    }
    const isRestart = restarts !== undefined && random() < 1 / restarts.everyScans;
    const next = isRestart ? oneOf(restarts.spacingSeconds) : spacing;
    due = Math.max(due + next, (scans[last]?.at ?? 0) / 1000 + (scans.length - last > 1 ? 20 : 1));
  }
  return scans;
}

/** Has the sensors of a small world measure as the series say, one after the other, from one time to another. */
export function replayIn(
  world: World,
  series: readonly SeriesStatistics[],
  { seed, from, to }: { readonly seed: number; readonly from: number; readonly to: number },
): void {
  const random = seededRandom(seed);
  const rows = new Map<SimSensor, SimRow[]>();
  for (const [index, sensor] of world.list("sensor").entries()) {
    const statistics = series[index % series.length];
    if (statistics === undefined) throw new Error("no series");
    sensor.intervalSeconds = statistics.intervalSeconds;
    const scans = replay(statistics, random, from, to);
    rows.set(
      sensor,
      scans.map((scan) => rowOf(sensor, scan)),
    );
  }
  const of = (sensor: SimSensor): readonly SimRow[] => rows.get(sensor) ?? [];
  Object.assign(world, {
    lastMeasurement({ sensor, rawFactor, number }: SimChannel, at: number) {
      const row = of(sensor).findLast((one) => one.at <= at);
      if (row === undefined) return undefined;
      const displayValue = row.displayValues[sensor.channels.findIndex((one) => one.number === number)] ?? null;
      return { at: row.at, displayValue, value: displayValue === null ? null : displayValue * rawFactor };
    },
    schedule(sensor: SimSensor) {
      const next = (at: number): number => of(sensor).find((one) => one.at >= at)?.at ?? Number.POSITIVE_INFINITY;
      return { first: of(sensor)[0]?.at ?? 0, everyMs: sensor.intervalSeconds * 1000, next };
    },
    measurements: (sensor: SimSensor, begin: number, end: number) =>
      of(sensor).filter(({ at }) => at >= begin && at <= end),
    averages: () => [],
  });
}

/** While nothing answers, Downtime alone has a value, as in the simulator. */
function rowOf({ id, channels }: SimSensor, { at, failed, course }: ReplayedScan): SimRow {
  const displayValues = channels.map(({ number }, index) => {
    if (number === -4) return failed ? 100 : 0;
    return failed ? null : Number(id) + course / 16 + index / 1024;
  });
  return { at, displayValues };
}
