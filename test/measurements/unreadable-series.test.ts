import { describe, expect, test } from "vitest";
import type { ErrorCode } from "../../src/errors/catalogue.ts";
import type { MeasurementRun } from "./support/measurement-run.ts";
import { HOUR, type MeasurementSetup, MINUTE, measurementSetup, recordedSensor } from "./support/measurement-setup.ts";

const SENSORS = [1, 2, 3, 4, 5].map((sensor) => recordedSensor(`1${sensor}`, 60, { phaseSeconds: 7 * sensor }));

function breakSeries({ server }: MeasurementSetup, code: ErrorCode): void {
  for (const { id } of SENSORS) server.failing.set(id, code);
}

/** Minutes of the measurements of one sensor since the start. */
function minutesOf({ receiver }: MeasurementSetup, sensorId = "11"): number[] {
  const rows = receiver.received.filter((row) => row.sensorId === sensorId);
  return rows.map(({ at }) => Math.floor((at - Date.UTC(2026, 0, 15, 12)) / MINUTE));
}

function linesOf(process: MeasurementRun): string[] {
  return process.log.map((line) => JSON.parse(line).msg).filter((text: string) => text.includes("time series"));
}

const CODES: readonly ErrorCode[] = ["API_ENDPOINT_MISSING", "API_NOT_FOUND", "API_FORBIDDEN", "API_SERVER_ERROR"];

describe("a server whose time series cannot be read", () => {
  test.each(CODES)("sends the values of the lists from the second minute of the first start on (%s)", async (code) => {
    const all = measurementSetup(SENSORS);
    breakSeries(all, code);
    const process = await all.start();
    await all.run(process, 12);
    for (const { id } of SENSORS) {
      const minutes = minutesOf(all, id);
      expect(minutes.slice(-9)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
    }
    expect(linesOf(process)).toEqual([expect.stringContaining("only the values of the lists are pushed")]);
  });

  test.each(CODES)("goes on with the values of the lists if it stops to have series (%s)", async (code) => {
    const all = measurementSetup(SENSORS);
    const process = await all.start();
    await all.run(process, 10);
    breakSeries(all, code);
    // The lists miss some scans, which opens gaps.
    all.server.failure = "API_SERVER_ERROR";
    await all.run(process, 2.5);
    all.server.failure = undefined;
    const before = all.receiver.received.length;
    await all.run(process, 15);
    expect(all.receiver.received.length - before).toBeGreaterThan(9 * SENSORS.length);
    expect(linesOf(process)).toHaveLength(1);
  });

  test("sends every measurement again when the series are back", async () => {
    const all = measurementSetup(SENSORS);
    breakSeries(all, "API_SERVER_ERROR");
    const process = await all.start();
    await all.run(process, 12);
    all.server.failing.clear();
    await all.run(process, 3);
    // Scans between two lists.
    all.server.failure = "API_SERVER_ERROR";
    await all.run(process, 4);
    all.server.failure = undefined;
    await all.run(process, 6);
    expect(minutesOf(all).slice(-12)).toEqual([12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]);
    expect(linesOf(process)).toEqual([
      expect.stringContaining("only the values of the lists are pushed"),
      expect.stringContaining("can be read again"),
    ]);
  });

  test("keeps its gaps while the whole server is away, and for three minutes after that", async () => {
    const all = measurementSetup(SENSORS);
    const process = await all.start();
    await all.run(process, 10);
    all.server.failure = "API_SERVER_ERROR";
    await all.run(process, 30);
    all.server.failure = undefined;
    breakSeries(all, "API_SERVER_ERROR");
    await all.run(process, 2);
    all.server.failing.clear();
    await all.run(process, 10);
    expect(linesOf(process)).toEqual([]);
    const minutes = minutesOf(all).filter((minute) => minute >= 0);
    expect(minutes).toEqual(Array.from({ length: minutes.length }, (_, minute) => minute));
    expect(minutes.length).toBeGreaterThan(48);
  });

  test("does not follow a single sensor whose series fail", async () => {
    const all = measurementSetup(SENSORS);
    all.server.failing.set("11", "API_NOT_FOUND");
    const process = await all.start();
    await all.run(process, 60);
    expect(linesOf(process)).toEqual([]);
    expect(minutesOf(all, "12").slice(-20)).toHaveLength(20);
  });

  test("does not give up gaps while some series can be read, though each cycle ends with an error", async () => {
    const all = measurementSetup(SENSORS);
    all.server.failing.set("15", "API_UNAVAILABLE");
    const process = await all.start();
    await all.run(process, 20);
    expect(linesOf(process)).toEqual([]);
    expect(minutesOf(all, "12")).toContain(-60);
  });

  test("costs at most three requests a cycle", async () => {
    const all = measurementSetup(SENSORS);
    breakSeries(all, "API_SERVER_ERROR");
    const process = await all.start();
    await all.run(process, 10);
    all.server.asked.length = 0;
    await all.run(process, 60);
    expect(all.server.asked.length).toBeLessThanOrEqual(3 * 60);
    expect(all.server.asked.length).toBeGreaterThan(0);
  });

  test.each(["all", "auto"] as const)("sends the values of the lists in mode %s", async (mode) => {
    const all = measurementSetup(SENSORS, { mode });
    breakSeries(all, "API_SERVER_ERROR");
    await all.run(await all.start(), HOUR / MINUTE / 4);
    expect(minutesOf(all).length).toBeGreaterThan(8);
  });
});
