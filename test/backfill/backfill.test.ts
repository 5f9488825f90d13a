import { describe, expect, test } from "vitest";
import { formatLabels } from "../../src/exposition/text-format.ts";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { SERIES_TYPES, SERIES_WINDOW_MS, type SeriesType } from "../../src/prtg/series-types.ts";
import { parseSample } from "../support/parse-sample.ts";
import { DAY, HistoryServer, HOUR, MINUTE, NOW, valueAt } from "./history-server.ts";
import { emptyFolder, filesOf, run, samplesOf, TickingClock } from "./running.ts";

function labelsOf(sensorId: string, channelId: string, extra: Record<string, string> = {}): string {
  const labels = {
    server: "hq",
    sensor_id: sensorId,
    channel_id: channelId,
    probe: "Probe",
    group: "Berlin",
    device: 'a "device"',
    sensor: `Ping ${sensorId}`,
    channel: `channel ${channelId}`,
    unit: "%",
    path: `Probe/Berlin/a "device"/Ping ${sensorId}`,
    ...extra,
  };
  return formatLabels(Object.keys(labels), Object.values(labels));
}

describe("files of a backfill", () => {
  test("hold each measurement once, from the finest available series", async () => {
    const server = new HistoryServer({ sensors: ["9", "10", "101"], channels: 4 });
    const output = emptyFolder();
    const outcome = await run({ api: server, output }, { from: "70d" });
    const files = filesOf(output);
    const [from, to] = [NOW - 70 * DAY, NOW - 3 * HOUR];
    // After the margin of their window, at the end of a coarser row.
    const borders: [SeriesType, number][] = [
      ["long", from],
      ["medium", Date.UTC(2026, 0, 12)],
      ["short", Date.UTC(2026, 2, 10, 19)],
      ["live", Date.UTC(2026, 2, 12, 13, 55)],
    ];
    const expected = new Map<string, string[]>();
    let samples = 0;
    for (const sensorId of ["9", "10", "101"]) {
      for (const channelId of ["-4", "0", "2", "10"]) {
        for (const [index, [type, begin]] of borders.entries()) {
          const end = borders[index + 1]?.[1] ?? to;
          for (const { at } of server.rows(sensorId, type)) {
            if (at < begin || at >= end) continue;
            const name = new Date(at).toISOString().slice(0, 10);
            const lines = expected.get(name) ?? [];
            const value = valueAt(sensorId, channelId, type, at);
            lines.push(`prtg_channel_value${labelsOf(sensorId, channelId)} ${value} ${at / 1000}`);
            expected.set(name, lines);
            samples++;
          }
        }
      }
    }
    expect([...files.keys()]).toEqual([...expected.keys()].sort().map((name) => `${name}.om`));
    for (const [name, text] of files) {
      const [type, help, ...lines] = text.split("\n");
      expect(type).toBe("# TYPE prtg_channel_value gauge");
      expect(help).toBe(`# HELP prtg_channel_value ${TREE_FAMILIES.channelValue.help}`);
      expect(lines).toEqual([...(expected.get(name.slice(0, 10)) ?? []), "# EOF", ""]);
    }
    expect(outcome).toMatchObject({
      kind: "finished",
      shared: false,
      run: { sensors: 3, series: 12, samples, files: [...files.keys()] },
    });
  });

  test("have the extra labels after the standard ones", async () => {
    const server = new HistoryServer({ sensors: ["10"], channels: 1 });
    const output = emptyFolder();
    await run({ api: server, output }, { from: "5h", labels: ['instance=a"b', "job=prtg"] });
    const [sample] = samplesOf([...filesOf(output).values()].join(""));
    expect(sample?.labels).toBe(labelsOf("10", "10", { instance: 'a"b', job: "prtg" }));
    expect(parseSample(`x${sample?.labels} 1`).labels).toMatchObject({ instance: 'a"b', job: "prtg" });
  });

  test.each(SERIES_TYPES)("hold only %s on request", async (type) => {
    const server = new HistoryServer({ sensors: ["10"], channels: 1 });
    const output = emptyFolder();
    await run({ api: server, output }, { from: "45d", resolution: type });
    const rows = server.rows("10", type).filter(({ at }) => at >= NOW - 45 * DAY && at < NOW - 3 * HOUR);
    expect(samplesOf([...filesOf(output).values()].join(""))).toEqual(
      rows.map(({ at }) => ({ labels: labelsOf("10", "10"), value: valueAt("10", "10", type, at), time: at / 1000 })),
    );
    expect(new Set(server.asked.filter((asked) => asked.startsWith("timeSeries")))).toEqual(
      new Set([`timeSeries {"sensorId":"10","type":"${type}"}`]),
    );
  });

  test("leave out unselected sensors", async () => {
    const server = new HistoryServer({ sensors: ["9", "10", "101"] });
    server.change("10", { tags: ["core"] });
    const output = emptyFolder();
    const outcome = await run({ api: server, output }, { tags: ["core"], paths: ["Probe/**"], kinds: ["ping"] });
    expect(outcome).toMatchObject({ run: { sensors: 1 } });
    expect(server.asked.filter((asked) => asked.includes('"sensorId":"9"'))).toEqual([]);
    expect([...filesOf(output).values()].every((text) => !text.includes('sensor_id="9"'))).toBe(true);
  });

  test("do not exist without measurements, and the time stays free for another run", async () => {
    const server = new HistoryServer({ sensors: ["10"] });
    for (const type of SERIES_TYPES) server.series.set(`10/${type}`, { rows: [], gaps: [NOW - DAY], skipped: 0 });
    const output = emptyFolder();
    expect(await run({ api: server, output })).toMatchObject({ kind: "finished", run: { files: [], samples: 0 } });
    const again = new HistoryServer({ sensors: ["10"] });
    expect(await run({ api: again, output })).toMatchObject({ kind: "finished", run: { sensors: 1 } });
  });
});

describe("server of a backfill", () => {
  test("gets as many concurrent requests as the budget permits", async () => {
    const server = new HistoryServer({ sensors: Array.from({ length: 20 }, (_, index) => `${index + 10}`) });
    let [now, most] = [0, 0];
    const read = server.timeSeries.bind(server);
    server.timeSeries = async (...question) => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      return read(...question);
    };
    await run({ api: server, output: emptyFolder(), concurrency: 4 });
    expect(most).toBe(4);
  });

  test("gets requests for coarser series when a window expires, without gap or overlap", async () => {
    const server = new HistoryServer({ sensors: ["10"], channels: 1 });
    const clock = new TickingClock();
    const output = emptyFolder();
    // No live rows of the plan are left after six hours.
    const inWindow = (type: SeriesType) => {
      const rows = server.rows("10", type).filter(({ at }) => at > NOW + 6 * HOUR - SERIES_WINDOW_MS[type]);
      server.series.set(`10/${type}`, { rows, gaps: [], skipped: 0 });
    };
    for (const type of SERIES_TYPES) inWindow(type);
    const begin = () => {
      clock.wall += 6 * HOUR;
    };
    const progress = { begin, advance: () => undefined, end: () => undefined };
    await run({ api: server, output, clock, progress }, { from: "4d" });
    const times = samplesOf([...filesOf(output).values()].join("")).map(({ time }) => time * 1000);
    for (const [index, time] of times.slice(1).entries()) {
      const step = time - (times[index] ?? 0);
      expect([5 * MINUTE, HOUR]).toContain(step);
      expect(step === HOUR).toBe(time <= Date.UTC(2026, 2, 11, 1));
    }
    expect(NOW - 3 * HOUR - (times.at(-1) ?? 0)).toBeLessThan(5 * MINUTE);
  });
});
