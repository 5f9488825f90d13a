import type { SimSensor, World } from "prtg-simulator/src/world/model.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

interface HistorySpan {
  /** Server time, milliseconds since the epoch, like the others. */
  readonly at: number;
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/**
 * By `<sensor>.<channel>`: hourly and five-minute averages, then measurements. Each ends where the next covers a whole step.
 */
export function historyRecord(world: World, { at, from, to }: HistorySpan): Map<string, [number, number][]> {
  const liveFrom = Math.min(to, ceil(at - 4 * HOUR + 10 * MINUTE, 5 * MINUTE));
  const shortFrom = ceil(at - 2 * DAY + HOUR, HOUR);
  const expected = new Map<string, [number, number][]>();
  for (const sensor of world.list("sensor")) {
    const rows = [
      ...averages(world, sensor, { begin: from, end: shortFrom, stepMs: HOUR }),
      ...averages(world, sensor, { begin: shortFrom, end: liveFrom, stepMs: 5 * MINUTE }),
      ...(liveFrom < to ? world.measurements(sensor, liveFrom, to - 1) : []),
    ];
    // Time series have a gap if any channel lacks a value.
    const shown = rows.filter(({ displayValues }) => !displayValues.includes(null));
    for (const [index, channel] of sensor.channels.entries()) {
      const points = shown.flatMap((row): [number, number][] => {
        const value = row.displayValues[index];
        return value === null || value === undefined ? [] : [[row.at, value]];
      });
      if (points.length > 0) expected.set(`${sensor.id}.${channel.number}`, points);
    }
  }
  return expected;
}

function averages(
  world: World,
  sensor: SimSensor,
  { begin, end, stepMs }: { readonly begin: number; readonly end: number; readonly stepMs: number },
) {
  return world.averages(sensor, begin, ceil(end, stepMs), stepMs).filter((row) => row.at < end);
}

function ceil(time: number, step: number): number {
  return Math.ceil(time / step) * step;
}
