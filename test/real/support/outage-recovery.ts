import type { SimRow, SimSensor, World } from "prtg-simulator/src/world/model.ts";
import { DAY, HOUR, MINUTE } from "./delivery-site.ts";
import { describePoint, type PointSeries, type ReceivedPoints } from "./received-points.ts";

/** An outage of the exporter in server time, milliseconds since the epoch. */
interface Outage {
  /** Everything until then had arrived. */
  readonly from: number;
  /** Simulated time stopped here for the series reads. */
  readonly to: number;
}

/** The specification's series types except `long`. */
const LIVE_WINDOW = 4 * HOUR;
const SHORT = { step: 5 * MINUTE, window: 2 * DAY };
const MEDIUM = { step: HOUR, window: 60 * DAY };

interface Recovery {
  readonly faults: readonly string[];
  /** `2490.1@1700000000000` of each average over 5 minutes or an hour. */
  readonly short: ReadonlySet<string>;
  readonly medium: ReadonlySet<string>;
  /** Measurements without an average, because other sent data shares it. */
  readonly givenUp: number;
}

/** Before the live window, only the server's averages may come, without overlaps. */
export function judgeRecovery(received: ReceivedPoints, world: World, outage: Outage): Recovery {
  const judged = { faults: [] as string[], short: new Set<string>(), medium: new Set<string>(), givenUp: 0 };
  for (const sensor of world.list("sensor")) {
    const { to } = outage;
    const from = lastScan(world, sensor, outage.from);
    const scans = world
      .measurements(sensor, from + 1, to - LIVE_WINDOW)
      .filter(({ displayValues }) => !displayValues.includes(null));
    const averages = {
      short: averagesOf(world, sensor, { from, to }, SHORT.step),
      medium: averagesOf(world, sensor, { from, to }, MEDIUM.step),
    };
    const channels = sensor.channels.map(({ number }, index) => {
      const id = `${sensor.id}.${number}`;
      return { channel: { id, index, from, to, sensor }, series: received.channels.get(id) };
    });
    // A sensor paused until the outage starts with the live window. A down sensor's channels all have averages.
    const isKnown = channels.some(({ series }) => series?.times.some((at) => at <= outage.from) === true);
    for (const { channel, series } of channels) {
      const spans = readSpans(channel, series, averages, judged);
      if (isKnown) judgeScans(channel, scans, spans, judged);
      else if (spans.length > 0) judged.faults.push(`${channel.id} has averages, and nothing was sent of it before`);
    }
  }
  return judged;
}

interface Judged {
  readonly faults: string[];
  readonly short: Set<string>;
  readonly medium: Set<string>;
  givenUp: number;
}

/** Its last measurement before the outage was at `from`. */
interface Channel extends Outage {
  readonly id: string;
  /** Index in its sensor. */
  readonly index: number;
  readonly sensor: SimSensor;
}

type Averages = ReadonlyMap<number, SimRow>;

interface Sent {
  readonly from: number;
  readonly step: number;
}

function lastScan(world: World, sensor: SimSensor, at: number): number {
  return world.measurements(sensor, at - 2 * 1_000 * sensor.intervalSeconds, at).at(-1)?.at ?? at;
}

function averagesOf(world: World, sensor: SimSensor, { from, to }: Outage, step: number): Averages {
  const rows = world.averages(sensor, Math.floor(from / step) * step, to, step);
  // Time series have a gap if any channel lacks a value.
  return new Map(rows.filter(({ displayValues }) => !displayValues.includes(null)).map((row) => [row.at, row]));
}

/** Received averages between the outage's start and the live window. */
function readSpans(
  { id, index, from, to }: Channel,
  series: PointSeries | undefined,
  averages: { readonly short: Averages; readonly medium: Averages },
  judged: Judged,
): Sent[] {
  const spans: Sent[] = [];
  let free = from + 1;
  for (const [position, at] of series?.times.entries() ?? []) {
    if (at <= from || at > to - LIVE_WINDOW) continue;
    const value = series?.values[position];
    const isShort = at > to - SHORT.window && averages.short.get(at)?.displayValues[index] === value;
    const type = isShort ? "short" : "medium";
    if (averages[type].get(at)?.displayValues[index] !== value) {
      judged.faults.push(`${describePoint(id, at)} is ${value}, which is no average`);
    }
    if (at < free) judged.faults.push(`${describePoint(id, at)} covers what was sent before`);
    judged[type].add(`${id}@${at}`);
    const { step } = isShort ? SHORT : MEDIUM;
    free = at + step;
    spans.push({ from: at, step });
  }
  if (free > to - LIVE_WINDOW + 1 && (series?.times.find((at) => at > to - LIVE_WINDOW) ?? free) < free) {
    judged.faults.push(`${id}: the last average covers what came as it was measured`);
  }
  return spans;
}

/** Averages cover each measurement, except near the edges. */
function judgeScans(
  { id, index, sensor, from, to }: Channel,
  scans: readonly SimRow[],
  spans: Sent[],
  judged: Judged,
): void {
  const firstStep = from > to - SHORT.window ? SHORT.step : MEDIUM.step;
  // The last sent time may differ by half an interval. Its average is skipped.
  const begin = from + firstStep + 500 * sensor.intervalSeconds;
  const end = to - LIVE_WINDOW - SHORT.step;
  let next = 0;
  for (const { at, displayValues } of scans) {
    if (displayValues[index] === null) continue;
    while (at >= spanEnd(spans[next])) next++;
    const span = spans[next];
    if (span !== undefined && at >= span.from) continue;
    judged.givenUp++;
    if (at > begin && at < end) judged.faults.push(`${describePoint(id, at)} is in no average`);
  }
}

function spanEnd(span: Sent | undefined): number {
  return span === undefined ? Number.POSITIVE_INFINITY : span.from + span.step;
}
