import type { SimSensor } from "prtg-simulator/src/world/model.ts";
import { describe, expect, test } from "vitest";
import { statedRequests } from "../docs/support/stated-requests.ts";
import {
  type SteeredExporter,
  type SteeredOptions,
  startSteeredExporter,
  type TimedRequest,
} from "./support/steered-exporter.ts";

/* Requests that `collectors.timeseries.mode: auto` costs, from the simulator's log. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const SENSORS = 2_600;
/** The default. */
const REQUESTS_PER_SECOND = 20;
/** Time series get half of the budget. */
const READING_ALL_MS = (SENSORS / (REQUESTS_PER_SECOND / 2)) * SECOND + 2 * MINUTE;

async function start(options: SteeredOptions): Promise<SteeredExporter> {
  const steered = await startSteeredExporter(options);
  expect(steered.sensors).toHaveLength(SENSORS);
  const started = steered.exporter.start();
  await steered.pass(5 * SECOND);
  expect(await started).toBe(true);
  return steered;
}

function scansOf({ world }: SteeredExporter, sensor: SimSensor, from: number, to: number): readonly number[] {
  return world.measurements(sensor, from, to).map(({ at }) => at);
}

function idsOf(sensors: readonly { readonly id: string }[]): string[] {
  return sensors.map(({ id }) => id).sort();
}

interface Point {
  readonly sensorId: string;
  readonly channelId: string;
  readonly at: number;
  readonly value: number;
}

interface Measured {
  /** Scans with a value of each channel, which time series contain. */
  readonly whole: readonly Point[];
  /** Such as of down sensors: only in lists, and not all. */
  readonly partial: readonly Point[];
}

function measured({ world, sensors, clock, resumedAt }: SteeredExporter): Measured {
  const points = { whole: [] as Point[], partial: [] as Point[] };
  for (const sensor of sensors) {
    for (const { at, displayValues } of world.measurements(sensor, resumedAt, clock.now())) {
      for (const [index, value] of displayValues.entries()) {
        const channelId = String(sensor.channels[index]?.number);
        if (value === null) continue;
        points[displayValues.includes(null) ? "partial" : "whole"].push({ sensorId: sensor.id, channelId, at, value });
      }
    }
  }
  return points;
}

function arrived({ pushed }: SteeredExporter): Point[] {
  return pushed.flatMap(({ sensorId, at, values }) =>
    values.map(([channelId, value]) => ({ sensorId, channelId, at, value })),
  );
}

/** Surplus (positive) or missing (negative) counts. */
function differences(wanted: readonly string[], found: readonly string[]): (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const text of found) counts.set(text, (counts.get(text) ?? 0) + 1);
  for (const text of wanted) counts.set(text, (counts.get(text) ?? 0) - 1);
  return [...counts].filter(([, count]) => count !== 0).slice(0, 20);
}

/** Every measurement until this moment arrived once, and nothing else. */
function expectEverythingOnce(steered: SteeredExporter, until: number): void {
  const upTo = (points: readonly Point[]): string[] =>
    points.flatMap((point) => (point.at <= until ? [Object.values(point).join(" ")] : []));
  const came = upTo(arrived(steered));
  const { whole, partial } = measured(steered);
  const seen = new Set(came);
  expect(differences([...upTo(whole), ...upTo(partial).filter((point) => seen.has(point))], came)).toEqual([]);
}

describe("mode auto at 2,600 sensors", () => {
  test("requests no time series after the start with scans every 60 s and polls every 50 s", async () => {
    const steered = await start({ intervalSeconds: () => 60, channels: "50s", pushes: true, historyMs: 10 * MINUTE });
    const began = steered.clock.now();
    await steered.pass(READING_ALL_MS);

    // One request per sensor with data fills the live window.
    const scanned = steered.sensors.filter((sensor) => scansOf(steered, sensor, steered.resumedAt, began).length > 0);
    expect(scanned.length).toBeGreaterThan(0.9 * SENSORS);
    const read = steered.seriesRequests().filter(({ status }) => status === 200);
    expect([...new Set(read.map(({ sensorId }) => sensorId))].sort()).toEqual(idsOf(scanned));
    expect(read.length).toBeLessThan(1.01 * scanned.length);

    const settled = steered.clock.now();
    await steered.pass(5 * MINUTE);
    // Only sensors with failed or late scans have a gap.
    const later = steered.seriesRequests().filter(({ at }) => at > settled);
    expect(later.length).toBeLessThan(0.01 * SENSORS);
    expectEverythingOnce(steered, steered.clock.now() - MINUTE);
  });

  test("requests no more time series than pages of lists without OTLP, as docs/operations.md says", async () => {
    const minutes = 30;
    const steered = await start({ intervalSeconds: () => 10, channels: "60s", pushes: false, historyMs: MINUTE });
    await steered.pass(5 * MINUTE);
    const settled = steered.clock.monotonic();
    await steered.pass(minutes * MINUTE);
    const requests = steered.requests.filter(({ elapsed }) => elapsed > settled);
    const perMinute = (those: (request: TimedRequest) => boolean): number => requests.filter(those).length / minutes;
    const isSeries = ({ route }: TimedRequest): boolean => route.includes("/timeseries/");
    const page = statedRequests({ sensors: SENSORS, channels: steered.world.channels().length });
    // A run of `status` at the same moment uses two lists of `tree`.
    expect(Math.abs(perMinute((request) => !isSeries(request)) - page.all)).toBeLessThan(1);
    expect(Math.round(perMinute(({ route }) => route === "/health" || route === "/version"))).toBe(page.health);
    expect(Math.round(perMinute(isSeries))).toBe(page.series);

    let [pages, series] = [0, 0];
    for (const request of steered.requests) {
      if (isSeries(request)) series++;
      else if (request.url.includes("limit=")) pages++;
      expect(series).toBeLessThanOrEqual(pages);
    }
  });
});
