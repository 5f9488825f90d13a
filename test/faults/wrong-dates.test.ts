import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { startReceiver } from "../otlp/support/otlp-http-receiver.ts";
import { type ExporterWithFaults, SERVER, startExporterWithFaults } from "./support/exporter-with-faults.ts";

/** Simulated hours take seconds, over a minute on a busy machine. */
vi.setConfig({ testTimeout: 180_000 });

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const NANO_PER_MS = 1e6;
const SIZE = { probes: 1, groups: 4, devices: 6, sensors: 10, channels: 30 };

let subject: ExporterWithFaults;
let folder: string;
afterEach(async () => {
  await subject.close();
  await rm(folder, { recursive: true });
});

async function pushing(mode: "auto" | "all" = "auto") {
  const receiver = await startReceiver();
  folder = await mkdtemp(join(tmpdir(), "wrong-dates-"));
  const settings = `collectors:
  health: { schedule: 15s }
  status: { schedule: 30s }
  channels: { schedule: 30s }
  tree: { schedule: 60s }
  limits: { schedule: 60s }
  timeseries: { schedule: 30s, mode: ${mode} }
otlp: { endpoint: "${receiver.url}", interval: 1h }
state_dir: ${JSON.stringify(folder)}
`;
  subject = await startExporterWithFaults({ size: SIZE, settings });
  for (const sensor of subject.world.list("sensor")) sensor.intervalSeconds = 60;
  await subject.clock.pass(4 * MINUTE);
  const points = () =>
    receiver.points
      .filter(({ metric }) => metric === "prtg.channel_value")
      .map(({ metric, attributes, time }) => {
        return `${metric} ${JSON.stringify(attributes)} ${time}`;
      });
  return { ...subject, points, values: async () => (await subject.page()).samples("prtg_channel_value").length };
}

describe.each(["-2h", "+2h", "+8700h"])("one wrong Date, %s", (date) => {
  test.each(["*/channels", "*/health", "*"])("repeats no point and removes no value at %s", async (place) => {
    const pushed = await pushing();
    const values = await pushed.values();
    expect(values).toBeGreaterThan(10);
    const before = pushed.points().length;
    expect(before).toBeGreaterThan(values);
    for (let turn = 0; turn < 3; turn++) {
      pushed.simulator.faults.set([`date=${date}@${place}`]);
      await pushed.clock.pass(35 * SECOND);
      expect(await pushed.values()).toBe(values);
      pushed.simulator.faults.clear();
      await pushed.clock.pass(35 * SECOND);
      expect(await pushed.values()).toBe(values);
    }
    const points = pushed.points();
    expect(points.length).toBeGreaterThan(before);
    expect(new Set(points).size).toBe(points.length);
    const offset = (await pushed.page()).value("prtg_exporter_server_clock_offset_seconds", { server: SERVER });
    expect(Math.abs(offset ?? Number.NaN)).toBeLessThan(2);
  });
});

describe.each(["auto", "all"] as const)("long wrong Date, mode %s", (mode) => {
  test.each(["-2h", "+2h"])("repeats no point and loses none afterwards, %s", async (date) => {
    const pushed = await pushing(mode);
    const values = await pushed.values();
    pushed.simulator.faults.set([`date=${date}`]);
    await pushed.clock.pass(5 * MINUTE);
    const offset = (await pushed.page()).value("prtg_exporter_server_clock_offset_seconds", { server: SERVER });
    expect(Math.abs(offset ?? 0)).toBeGreaterThan(7_000);
    pushed.simulator.faults.clear();
    await pushed.clock.pass(3 * MINUTE);
    expect(await pushed.values()).toBe(values);
    const points = pushed.points();
    expect(points.length).toBeGreaterThan(5 * values);
    expect(new Set(points).size).toBe(points.length);
    // Channels have a point for every scan between first and last.
    const times = new Map<string, number[]>();
    for (const point of points) {
      const cut = point.lastIndexOf(" ");
      const [series, time] = [point.slice(0, cut), Number(point.slice(cut + 1))];
      times.set(series, [...(times.get(series) ?? []), time]);
    }
    for (const [series, at] of times) {
      const sorted = at.toSorted((a, b) => a - b).slice(-9);
      const steps = sorted.slice(1).map((time, index) => time - (sorted[index] ?? 0));
      expect(Math.max(...steps), series).toBeLessThan(1.5 * MINUTE * NANO_PER_MS);
    }
  });
});
