import { mkdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DayParts, dayFileName, dayName, dayNumber, dayOf, partPath } from "../../src/backfill/day-parts.ts";
import type { BackfillPlan, PlannedSensor } from "../../src/backfill/plan.ts";
import { readSensorHistory } from "../../src/backfill/sensor-reader.ts";
import { formatTimestamp, writeDayFile } from "../../src/backfill/write-files.ts";
import type { MetricFamily } from "../../src/mapping/families/family.ts";
import { never } from "../support/never-aborted.ts";
import { DAY, HistoryServer, HOUR, MINUTE, NOW, valueAt } from "./history-server.ts";
import { emptyFolder, filesOf } from "./running.ts";

describe("days", () => {
  test.each([
    ["2026-03-12T00:00:00.000Z", "2026-03-12", "2026-03-12.om"],
    ["2026-03-11T23:59:59.999Z", "2026-03-11", "2026-03-11.om"],
    ["1970-01-01T00:00:00.000Z", "1970-01-01", "1970-01-01.om"],
  ])("%s belongs to %s", (time, name, file) => {
    const day = dayOf(Date.parse(time));
    expect(dayName(day)).toBe(name);
    expect(dayNumber(name)).toBe(day);
    expect(dayFileName(day, 0)).toBe(file);
  });

  test("the file name of a partial first day has its start time", () => {
    const from = Date.UTC(2026, 2, 12, 7, 5, 9);
    expect(dayFileName(dayOf(from), from)).toBe("2026-03-12T070509Z.om");
    expect(dayFileName(dayOf(from) + 1, from)).toBe("2026-03-13.om");
    expect(dayFileName(dayOf(from), Date.UTC(2026, 2, 12))).toBe("2026-03-12.om");
  });
});

describe("formatTimestamp", () => {
  test("writes whole seconds without decimals", () => {
    expect(formatTimestamp(1_773_331_200_000)).toBe("1773331200");
  });

  test("writes times that Prometheus reads back to the millisecond", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4e12 }), (at) => {
        const read = Number(formatTimestamp(at)) * 1000;
        expect(Math.trunc(read)).toBe(at);
        expect(Math.round(read)).toBe(at);
      }),
    );
  });
});

describe("readSensorHistory", () => {
  const server = new HistoryServer({ sensors: ["70"], channels: 3 });
  const series = [{ family: 0, labels: "{}" }];
  const channels = ["-4", "2", "10"].map((channelId) => ({ channelId, series }));
  const sensor: PlannedSensor = { id: "70", path: "a/Ping", channels };
  const begin = Math.floor(NOW / DAY) * DAY;

  test("assigns each sample to its series and UTC day", async () => {
    const from = begin - 2 * HOUR;
    const to = begin + 2 * HOUR;
    const { days } = await readSensorHistory(server, sensor, [{ type: "short", from, to }], never);
    expect([...days.keys()]).toEqual([dayOf(begin) - 1, dayOf(begin)]);
    for (const [day, lists] of days) {
      const first = day === dayOf(begin) ? begin : from;
      const times = Array.from({ length: 24 }, (_, index) => first + index * 5 * MINUTE);
      for (const [position, { channelId }] of channels.entries()) {
        expect(lists.get(position)).toEqual(times.flatMap((at) => [at, valueAt("70", channelId, "short", at)]));
      }
    }
  });

  test("requests each series once, the one that expires first before others", async () => {
    const asked: string[] = [];
    server.asks = (_, type) => asked.push(type);
    const at = (hours: number) => NOW - hours * HOUR;
    const spans = [
      { type: "medium", from: at(90), to: at(60) },
      { type: "medium", from: at(60), to: at(40) },
      { type: "short", from: at(40), to: at(4) },
      { type: "live", from: at(4), to: at(3) },
    ] as const;
    const { days } = await readSensorHistory(server, sensor, spans, never);
    expect(asked).toEqual(["live", "short", "medium"]);
    const times = [...days.values()].flatMap((lists) => (lists.get(0) ?? []).filter((_, index) => index % 2 === 0));
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
    expect(times[0]).toBeGreaterThanOrEqual(at(90));
    expect(times.at(-1)).toBeLessThan(at(3));
  });

  test("counts values that it cannot place", async () => {
    const rows = [
      { at: begin, values: [["2", 1] as const, ["99", 5] as const] },
      { at: begin + 1, values: [["99", 6] as const] },
    ];
    const api = { timeSeries: async () => ({ rows, gaps: [], skipped: 4 }) };
    const history = await readSensorHistory(api, sensor, [{ type: "live", from: begin, to: begin + 9 }], never);
    expect(history).toEqual({
      days: new Map([[dayOf(begin), new Map([[1, [begin, 1]]])]]),
      samples: 1,
      skippedRows: 4,
      unknownChannels: 1,
    });
  });

  test("counts converted values and skips dropped channels", async () => {
    const planned = [
      { channelId: "-4", series: [] },
      { channelId: "2", series: [...series, { family: 1, labels: "{}" }] },
    ];
    const rows = [1, 2, 3].map((value) => ({
      at: begin + value,
      values: [["-4", value] as const, ["2", value] as const],
    }));
    const api = { timeSeries: async () => ({ rows, gaps: [], skipped: 0 }) };
    const spans = [{ type: "live", from: begin, to: begin + 9 }] as const;
    expect(await readSensorHistory(api, { ...sensor, channels: planned }, spans, never)).toEqual({
      days: new Map([[dayOf(begin), new Map([[1, [begin + 1, 1, begin + 2, 2, begin + 3, 3]]])]]),
      samples: 6,
      skippedRows: 0,
      unknownChannels: 0,
    });
  });
});

describe("file of a day", () => {
  const DAY_NUMBER = dayOf(NOW);
  const samples = fc
    .uniqueArray(fc.integer({ min: 0, max: 86_399_999 }), { minLength: 1, maxLength: 5 })
    .map((offsets) => offsets.sort((a, b) => a - b).map((offset) => DAY_NUMBER * DAY + offset));
  const history = fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), samples), { maxLength: 4 });
  const plannedHistories = fc
    .array(history, { minLength: 1, maxLength: 12 })
    .chain((histories) =>
      fc.tuple(
        fc.constant(histories),
        fc.shuffledSubarray([...histories.keys()], { minLength: histories.length }),
        fc.array(fc.boolean(), { minLength: histories.length, maxLength: histories.length }),
      ),
    );

  const families = ["prtg_channel_value", "prtg_ping_seconds", "prtg_load_ratio"].map((name): MetricFamily => {
    return { name, type: "gauge", help: `Help of\n${name}.`, labels: ["s", "c"] };
  });
  const conversion = { shift: 0, times: 1, over: 1_000, plus: 0.5 };
  const FAMILIES_OF = [[0], [0, 1], [], [2]];

  function planOf(sensors: number): BackfillPlan {
    const channelsOf = (sensor: number) =>
      FAMILIES_OF.map((ofChannel, channel) => ({
        channelId: `${channel}`,
        series: ofChannel.map((family) => {
          return { family, labels: `{s="${sensor}",c="${channel}"}`, ...(family > 0 && { conversion }) };
        }),
      }));
    const planned = Array.from({ length: sensors }, (_, sensor) => {
      return { id: `${sensor}`, path: "", channels: channelsOf(sensor) };
    });
    return { families, sensors: planned };
  }

  test("has every sample once, by family, in any order of reading", async () => {
    await fc.assert(
      fc.asyncProperty(plannedHistories, async ([histories, order, writes]) => {
        const folder = emptyFolder();
        const expected: string[] = [];
        let samples = 0;
        for (const [family, { name }] of families.entries()) {
          const lines: string[] = [];
          for (const [sensor, lists] of histories.entries()) {
            for (const [channel, times] of [...new Map(lists)].sort(([a], [b]) => a - b)) {
              if (!FAMILIES_OF[channel]?.includes(family)) continue;
              for (const at of times) {
                const value = family === 0 ? at / 3 : at / 3 / 1_000 + 0.5;
                lines.push(`${name}{s="${sensor}",c="${channel}"} ${value} ${formatTimestamp(at)}`);
              }
            }
          }
          samples += lines.length;
          if (lines.length === 0) continue;
          const unit = name.endsWith("_seconds") ? [`# UNIT ${name} seconds`] : [];
          expected.push(`# TYPE ${name} gauge`, ...unit, `# HELP ${name} Help of\\n${name}.`, ...lines);
        }
        let parts = await DayParts.open(folder, new Map());
        for (const [turn, sensor] of order.entries()) {
          const lists = new Map(
            (histories[sensor] ?? []).map(([channel, times]) => [channel, times.flatMap((at) => [at, at / 3])]),
          );
          parts.add(sensor, new Map([[DAY_NUMBER, lists]]));
          // Reopens between writes: nothing may be lost or doubled.
          if (writes[turn]) parts = await DayParts.open(folder, await parts.write());
        }
        await parts.write();
        if (histories.every((lists) => lists.length === 0)) return;
        const plan = planOf(histories.length);
        const written = await writeDayFile(partPath(folder, DAY_NUMBER), join(folder, "day.om"), plan, never);
        expect((filesOf(folder).get("day.om") ?? "").split("\n")).toEqual([...expected, "# EOF", ""]);
        expect(written).toBe(samples);
      }),
      { numRuns: 60 },
    );
  });

  test("has every sample once if it is larger than one write", async () => {
    const folder = emptyFolder();
    const times = Array.from({ length: 40_000 }, (_, second) => DAY_NUMBER * DAY + second * 1_000);
    const parts = await DayParts.open(folder, new Map());
    for (const sensor of [0, 1]) {
      parts.add(sensor, new Map([[DAY_NUMBER, new Map([[0, times.flatMap((at) => [at, 7])]])]]));
    }
    await parts.write();
    await writeDayFile(partPath(folder, DAY_NUMBER), join(folder, "day.om"), planOf(2), never);
    const header = "# TYPE prtg_channel_value gauge\n# HELP prtg_channel_value Help of\\nprtg_channel_value.\n";
    const lines = [0, 1].flatMap((sensor) =>
      times.map((at) => `prtg_channel_value{s="${sensor}",c="0"} 7 ${at / 1_000}\n`),
    );
    // Not `toBe`, which would print megabytes.
    expect(filesOf(folder).get("day.om") === `${header}${lines.join("")}# EOF\n`).toBe(true);
  });

  test("does not exist after an interrupted write", async () => {
    const folder = emptyFolder();
    mkdirSync(join(folder, "unfinished"));
    const parts = await DayParts.open(join(folder, "unfinished"), new Map());
    parts.add(0, new Map([[1, new Map([[0, [DAY, 1]]])]]));
    await parts.write();
    const path = partPath(join(folder, "unfinished"), 1);
    const aborted = AbortSignal.abort(new Error("enough"));
    await expect(writeDayFile(path, join(folder, "day.om"), planOf(1), aborted)).rejects.toThrow("enough");
    expect(filesOf(folder).size).toBe(0);
  });
});
