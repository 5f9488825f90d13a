import { describe, expect, test } from "vitest";
import type { World } from "../../../../src/world/model.ts";
import { query, startService } from "../../../support/running-service.ts";
import { NOW } from "../../../support/static-world.ts";
import {
  cellsOf,
  DAY,
  gapLength,
  HOUR,
  iso,
  MINUTE,
  meanOf,
  type Row,
  read,
  type Series,
  sensorThatStaysUp,
  shownOf,
  smallWorld,
} from "../../../support/time-series.ts";

/** Read-only: a request speeds up the next one. */
const STEADY = smallWorld();

describe("rows of time series", () => {
  const start = (world: World) => startService({ spelling: "specification", world });

  test.each<[type: "short" | "medium" | "long", count: number, first: string, last: string]>([
    // It is 17:55:10. Unfinished spans have no row.
    ["short", 575, "2026-03-10T18:00:00Z", "2026-03-12T17:50:00Z"],
    ["medium", 1439, "2026-01-11T18:00:00Z", "2026-03-12T16:00:00Z"],
    ["long", 364, "2025-03-13T00:00:00Z", "2026-03-11T00:00:00Z"],
  ])("%s has rows at whole spans, from the start of its window to the last complete span", async (...row) => {
    const [type, count, first, last] = row;
    const world = STEADY;
    const service = await start(world);
    const spanMs = { short: 5 * MINUTE, medium: HOUR, long: DAY }[type];
    const [from, to] = [Date.parse(first), Date.parse(last)];
    const some = world.list("sensor").filter((_, index) => index % (type === "short" ? 13 : 39) === 0);
    for (const sensor of type === "long" ? [sensorThatStaysUp(world)] : some) {
      const { header, rows, measured, marks } = await read(service, `${sensor.id}/${type}`);
      expect(header).toEqual(["time", ...sensor.channels.map(({ number }) => `${sensor.id}.${number}`)]);
      expect(rows.every(({ at }) => at % spanMs === 0)).toBe(true);
      expect([rows[0]?.at, rows.at(-1)?.at]).toEqual([from, to]);
      expect(measured).toEqual(shownOf(world.averages(sensor, from, to + spanMs, spanMs)));
      // Each span has a row or belongs to a gap.
      const held = measured.length + (marks.length === 0 ? 0 : gapLength(rows, spanMs));
      expect(held).toBe(count);
    }
  });

  test("live has every scan of the last four hours, newest last, as the channel list shows it", async () => {
    const world = STEADY;
    const service = await start(world);
    const lengths = new Map<number, number>();
    for (const sensor of world.list("sensor")) {
      const { measured, rows } = await read(service, `${sensor.id}/live`);
      const scans = world.measurements(sensor, NOW - 4 * HOUR + 1, NOW);
      expect(measured).toEqual(shownOf(scans));
      if (rows.length === measured.length) lengths.set(sensor.intervalSeconds, rows.length);
      for (const [index, channel] of sensor.channels.entries()) {
        const newest = world.lastMeasurement(channel, NOW);
        if (newest?.at === measured.at(-1)?.at) expect(measured.at(-1)?.cells[index]).toBe(newest?.displayValue);
      }
    }
    expect(lengths.get(60)).toBe(240);
    expect(lengths.get(300)).toBe(48);
    const { json } = await service.send("/experimental/channels");
    const shown = json as { id: string; last_measurement?: { display_value: number | string } }[];
    const sensor = sensorThatStaysUp(world);
    const { header, measured } = await read(service, `${sensor.id}/live`);
    for (const [index, id] of header.slice(1).entries()) {
      const value = shown.find((channel) => channel.id === id)?.last_measurement?.display_value;
      expect(measured.at(-1)?.cells[index]).toBe(Number(value));
    }
  });

  test.each<[which: string, isIn: (number: number) => boolean, shortRows: number]>([
    ["measured channels", (number) => number !== -4, 42],
    ["Downtime alone", (number) => number === -4, 47],
    ["all channels", () => true, 42],
  ])("%s: averages match the live scans and each other", async (_, isIn, shortRows) => {
    const world = smallWorld();
    const service = await start(world);
    const sensor = sensorThatStaysUp(world);
    world.force(sensor.id, "down", NOW - 130 * MINUTE);
    world.resume(sensor.id, NOW - 97 * MINUTE);
    const chosen = sensor.channels.map(({ number }) => number).filter(isIn);
    const channels = `channels=${chosen.map((number) => `${sensor.id}.${number}`).join()}`;
    const live = await read(service, `${sensor.id}/live?${channels}`);
    const short = await read(service, `${sensor.id}/short?${channels}`);
    const medium = await read(service, `${sensor.id}/medium?${channels}`);
    const within = (series: Series, from: number, to: number): Row[] =>
      series.measured.filter(({ at }) => from <= at && at < to);
    for (const [averages, spanMs, count] of [
      [short, 5 * MINUTE, shortRows],
      [medium, HOUR, 3],
    ] as const) {
      const covered = averages.measured.filter(({ at }) => at >= (live.rows[0]?.at ?? 0));
      expect(covered).toHaveLength(count);
      for (const { at, cells } of covered) {
        const scans = within(live, at, at + spanMs);
        // The same scans in the same order give the exact number.
        expect(cells).toEqual(cells.map((_cell, column) => meanOf(scans, column)));
      }
    }
    for (const { at, cells } of medium.measured.slice(-3)) {
      for (const [column, cell] of cells.entries()) {
        const scansOf = (row: Row): number => within(live, row.at, row.at + 5 * MINUTE).length;
        const mean = meanOf(within(short, at, at + HOUR), column, scansOf) ?? Number.NaN;
        expect(Math.abs((cell ?? Number.NaN) - mean)).toBeLessThanOrEqual(1e-9 * Math.abs(mean));
      }
    }
    const days = await read(service, `${sensor.id}?from=2025-12-01T00:00:00Z&to=2025-12-02T00:00:00Z&${channels}`);
    expect(days.measured).toHaveLength(2);
    for (const { at, cells } of days.measured) {
      const scans = world.measurements(sensor, at, at + DAY - 1);
      const columns = sensor.channels.flatMap(({ number }, column) => (isIn(number) ? [column] : []));
      // A scan without an answer has a row only if Downtime is asked for alone.
      const day = columns.length === 1 ? cellsOf(scans) : shownOf(scans);
      expect(cells).toEqual(columns.map((column) => meanOf(day, column)));
    }
  });

  test("a pause leaves a gap from the first to the last missing row", async () => {
    const world = smallWorld();
    const service = await start(world);
    const sensor = sensorThatStaysUp(world);
    const [from, to] = [NOW - 3 * HOUR, NOW - 2 * HOUR];
    world.pause(sensor.parent?.id ?? "", from);
    world.resume(sensor.parent?.id ?? "", to);
    const live = await read(service, `${sensor.id}/live`);
    const last = live.measured.findLast(({ at }) => at <= from)?.at ?? 0;
    const next = live.measured.find(({ at }) => at >= to)?.at ?? 0;
    expect(live.marks).toEqual([last + MINUTE, next - MINUTE]);
    expect([next - last, live.measured.length]).toEqual([61 * MINUTE, 180]);
    const short = await read(service, `${sensor.id}/short`);
    expect(short.marks.filter((at) => at > from - HOUR)).toEqual([
      Date.UTC(2026, 2, 12, 15, 0),
      Date.UTC(2026, 2, 12, 15, 50),
    ]);
    // Every hour has scans.
    const medium = await read(service, `${sensor.id}/medium`);
    expect(medium.measured.slice(-3).map(({ at }) => at)).toEqual(
      [14, 15, 16].map((hour) => Date.UTC(2026, 2, 12, hour)),
    );
  });

  test("has a gap up to the newest row during a pause", async () => {
    const world = smallWorld();
    const service = await start(world);
    const sensor = sensorThatStaysUp(world);
    world.pause(sensor.id, NOW - 10 * MINUTE);
    const { rows, marks, measured } = await read(service, `${sensor.id}/live`);
    expect(rows.slice(-2).map(({ at }) => at)).toEqual(marks);
    expect(marks[0]).toBe((measured.at(-1)?.at ?? 0) + MINUTE);
    expect(NOW - (marks[1] ?? 0)).toBeLessThan(MINUTE);
    expect((await read(service, `${sensor.id}/short`)).rows.at(-1)).toEqual({
      at: Date.UTC(2026, 2, 12, 17, 50),
      cells: [],
    });
    world.pause(sensor.id, NOW - 300 * DAY);
    const long = await read(service, `${sensor.id}/long`);
    expect(long.marks.slice(-1)).toEqual([Date.UTC(2026, 2, 11)]);
    expect(long.measured.length).toBeLessThanOrEqual(65);
    expect((await read(service, `${sensor.id}/medium`)).rows).toEqual([
      { at: Date.UTC(2026, 0, 11, 18), cells: [] },
      { at: Date.UTC(2026, 2, 12, 16), cells: [] },
    ]);
  });

  test("a sensor that is down has gaps in all series except Downtime", async () => {
    const world = smallWorld();
    const service = await start(world);
    const sensor = sensorThatStaysUp(world);
    const own = sensor.channels.filter(({ number }) => number !== -4).map(({ number }) => `${sensor.id}.${number}`);
    for (const [type, spanMs, forMs] of [
      ["live", MINUTE, 30 * MINUTE],
      ["short", 5 * MINUTE, 2 * HOUR],
      ["medium", HOUR, 10 * HOUR],
    ] as const) {
      const since = NOW - forMs;
      world.force(sensor.id, "down", since);
      const all = await read(service, `${sensor.id}/${type}`);
      // From the first row without an earlier scan.
      const [begin = 0, end = 0] = all.marks.slice(-2);
      expect(begin).toBeGreaterThanOrEqual(since - spanMs);
      expect(begin).toBeLessThanOrEqual(since + spanMs);
      expect(end).toBe(all.rows.at(-1)?.at);
      expect(all.measured.at(-1)?.at).toBe(begin - spanMs);
      const some = await read(service, `${sensor.id}/${type}?channels=${own.join()}`);
      expect(some.marks).toEqual(all.marks);
      expect(some.measured).toEqual(all.measured.map(({ at, cells }) => ({ at, cells: cells.slice(0, own.length) })));
      const downtime = await read(service, `${sensor.id}/${type}?channels=${sensor.id}.-4`);
      const down = downtime.measured.filter(({ at }) => at >= begin);
      expect(down).toHaveLength((end - begin) / spanMs + 1);
      expect(down.every(({ cells }) => cells[0] === 100)).toBe(true);
    }
  });

  test("a new sensor has rows from its first scan on", async () => {
    const world = smallWorld();
    const service = await start(world);
    const added = world.addSensor(world.list("device")[0]?.id ?? "", "new", NOW);
    const { first } = world.schedule(added);
    expect((await read(service, `${added.id}/live`)).rows).toEqual([]);
    service.clock.setWallClock(first + 2 * MINUTE);
    expect((await read(service, `${added.id}/live`)).measured.map(({ at }) => at)).toEqual([
      first,
      first + MINUTE,
      first + 2 * MINUTE,
    ]);
    expect((await read(service, `${added.id}/medium`)).rows).toEqual([]);
  });

  test("the average of a span appears at the end of the span and does not change", async () => {
    const world = STEADY;
    const service = await start(world);
    const { id } = sensorThatStaysUp(world);
    const before = await read(service, `${id}/medium`);
    service.clock.setWallClock(Date.UTC(2026, 2, 12, 18) - 1);
    expect((await read(service, `${id}/medium`)).rows).toEqual(before.rows);
    service.clock.setWallClock(Date.UTC(2026, 2, 12, 18));
    const after = await read(service, `${id}/medium`);
    expect(after.rows.at(-1)?.at).toBe(Date.UTC(2026, 2, 12, 17));
    expect(after.rows.slice(0, -1)).toEqual(before.rows.slice(1 - after.rows.length));
  });

  test.each<[ago: number, type: string]>([
    [HOUR, "live"],
    [4 * HOUR - 1000, "live"],
    [4 * HOUR, "short"],
    [2 * DAY - 1000, "short"],
    [2 * DAY, "medium"],
    [60 * DAY - 1000, "medium"],
    [60 * DAY, "long"],
    [3000 * DAY, "long"],
  ])("from %i ms ago: later rows of %s", async (ago, type) => {
    const world = STEADY;
    const service = await start(world);
    const { id } = sensorThatStaysUp(world);
    const from = NOW - ago;
    const expected = await read(service, `${id}/${type}`);
    const all = await read(service, `${id}${query({ from: iso(from) })}`);
    expect(all.header).toEqual(expected.header);
    const before = all.rows.filter(({ at }) => at < (expected.rows[0]?.at ?? 0));
    expect(before.length > 0).toBe(ago === 3000 * DAY);
    expect(all.measured.slice(before.length)).toEqual(expected.measured.filter(({ at }) => at >= from));
    const to = all.measured.at(-20)?.at ?? 0;
    const part = await read(service, `${id}${query({ from: iso(from), to: iso(to) })}`);
    expect(part.rows).toEqual(all.rows.filter(({ at }) => at <= to));
  });

  test.each<[from: string, to: string, everyMs: number, count: number]>([
    ["2026-03-12T12:00:00Z", "2026-03-12T13:00:00Z", 5 * MINUTE, 13],
    ["2026-03-12T12:00:01Z", "2026-03-12T12:59:59Z", 5 * MINUTE, 11],
    ["2026-03-01T00:00:00Z", "2026-03-01T05:00:00Z", HOUR, 6],
    ["2025-06-01T00:00:00Z", "2025-06-03T23:00:00Z", DAY, 3],
  ])("from %s to %s inclusive, every %i ms", async (from, to, everyMs, count) => {
    const service = await start(STEADY);
    const { rows } = await read(service, `${sensorThatStaysUp(STEADY).id}${query({ from, to })}`);
    const first = Math.ceil(Date.parse(from) / everyMs) * everyMs;
    expect(rows.map(({ at }) => at)).toEqual(Array.from({ length: count }, (_, index) => first + index * everyMs));
  });

  test("the spelling of times and channels does not change the rows", async () => {
    const world = STEADY;
    const service = await start(world);
    const { id } = sensorThatStaysUp(world);
    const expected = await read(service, `${id}?from=2026-03-12T16:00:00Z&to=2026-03-12T17:00:00Z`);
    expect(expected.measured.length).toBeGreaterThanOrEqual(60);
    for (const [from, to] of [
      ["2026-03-12T17:00:00+01:00", "2026-03-12T12:30:00-04:30"],
      ["2026-03-12t16:00:00.000z", "2026-03-12T17:00:00.999999Z"],
    ]) {
      expect(await read(service, `${id}${query({ from: from ?? "", to: to ?? "" })}`)).toEqual(expected);
    }
  });
});
