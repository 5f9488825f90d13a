import { afterEach, describe, expect, test, vi } from "vitest";
import {
  COLLECTORS,
  type ExporterWithFaults,
  SERVER,
  startExporterWithFaults,
} from "./support/exporter-with-faults.ts";
import { isRecovered, staleValues } from "./support/truth.ts";

/** Simulated hours take seconds, over a minute on a busy machine. */
vi.setConfig({ testTimeout: 180_000 });

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const SIZE = { probes: 1, groups: 4, devices: 6, sensors: 10, channels: 30 };
const EVERY_SERIES = `collectors:
  health: { schedule: 15s }
  status: { schedule: 30s }
  channels: { schedule: 30s }
  tree: { schedule: 60s }
  limits: { schedule: 60s }
  timeseries: { schedule: 30s, mode: all }
`;

let subject: ExporterWithFaults;
afterEach(() => subject.close());

/** Largest default `stale_after` of any sensor. */
function staleAfter({ world }: ExporterWithFaults): number {
  return Math.max(5 * MINUTE, ...world.list("sensor").map(({ intervalSeconds }) => 3 * intervalSeconds * SECOND));
}

describe("long outage", () => {
  test.each(["cut=start", "hang", "error=503"])("ends all unconfirmed series, %s", async (fault) => {
    subject = await startExporterWithFaults({ size: SIZE });
    const { clock, simulator, page } = subject;
    for (const sensor of subject.world.list("sensor")) sensor.intervalSeconds = 60;
    await clock.pass(2 * MINUTE);
    const before = (await page()).samples("prtg_channel_value").length;
    expect(before).toBeGreaterThan(10);
    simulator.faults.set([fault]);
    for (let minutes = 0; minutes < 7; minutes++) {
      await clock.pass(MINUTE);
      const view = await page(minutes % 2 === 0 ? "text" : "openmetrics");
      expect(staleValues(view, SERVER, clock.now(), staleAfter(subject))).toEqual([]);
      expect(view.value("prtg_up", { server: SERVER })).toBe(0);
      // Recent data is still the best available.
      if (minutes < 3) expect(view.samples("prtg_sensor_status_code")).toHaveLength(SIZE.sensors);
    }
    const dead = await page();
    for (const family of [
      "prtg_channel_value",
      "prtg_channel_limit",
      "prtg_sensor_status",
      "prtg_sensor_info",
      "prtg_sensors",
    ]) {
      expect(dead.samples(family), family).toEqual([]);
    }
    expect(dead.samples("prtg_exporter_collector_last_success_timestamp_seconds").length).toBeGreaterThan(3);
    simulator.faults.clear();
    await clock.pass(65 * SECOND);
    const recovered = await page();
    expect(isRecovered(recovered, SERVER, COLLECTORS)).toBe(true);
    expect(recovered.samples("prtg_sensor_status_code")).toHaveLength(SIZE.sensors);
    expect(recovered.samples("prtg_channel_value").length).toBeGreaterThan(before / 2);
  });
});

describe("objects that come and go under faults", () => {
  test("stay while they exist, and end when two complete lists lack them", async () => {
    subject = await startExporterWithFaults({ size: SIZE });
    const { clock, simulator, world, page } = subject;
    const [gone, ...others] = world.list("sensor").map(({ id }) => id);
    simulator.faults.set(["error=500@*/sensors#0.7", "hang@*/channels#0.5"]);
    world.remove(gone ?? "");
    for (let minutes = 0; minutes < 4; minutes++) {
      await clock.pass(MINUTE);
      const shown = (await page()).labelsOf("prtg_sensor_status_code", "sensor_id");
      expect(others.filter((id) => !shown.has(id))).toEqual([]);
    }
    simulator.faults.clear();
    await clock.pass(2 * MINUTE);
    const shown = (await page()).labelsOf("prtg_sensor_status_code", "sensor_id");
    expect([...shown].toSorted()).toEqual(others.toSorted());
    expect((await page()).labelsOf("prtg_channel_value", "sensor_id").has(gone ?? "")).toBe(false);
  });
});

describe("temporarily wrong clock", () => {
  test.each(["skew=+2h", "skew=-2h"])("leaves no trace, %s", async (fault) => {
    subject = await startExporterWithFaults({ size: SIZE, settings: EVERY_SERIES });
    const { clock, simulator, world, page } = subject;
    for (const sensor of world.list("sensor")) sensor.intervalSeconds = 60;
    await clock.pass(2 * MINUTE);
    simulator.faults.set([fault]);
    await clock.pass(3 * MINUTE);
    simulator.faults.clear();
    // A backward jump is accepted after a minute.
    await clock.pass(115 * SECOND);
    const view = await page();
    expect(isRecovered(view, SERVER, COLLECTORS)).toBe(true);
    // From the last scan or the one before.
    const at = clock.now();
    const measured = view.byLabel("prtg_sensor_last_measurement_timestamp_seconds", "sensor_id");
    expect(measured.size).toBeGreaterThan(SIZE.sensors / 2);
    for (const [id, seconds] of measured) {
      const age = at / SECOND - seconds;
      expect(age, `age of sensor ${id}`).toBeGreaterThanOrEqual(0);
      if (view.samples("prtg_channel_value", { sensor_id: id }).length > 0) expect(age, id).toBeLessThan(180);
    }
    const wrong = world.channels().filter((channel) => {
      const labels = { sensor_id: channel.sensor.id, channel_id: String(channel.number) };
      const shown = view.value("prtg_channel_value", labels);
      const scans = [0, 60, 120].map((back) => world.lastMeasurement(channel, at - back * SECOND)?.displayValue);
      return shown !== undefined && !scans.includes(shown);
    });
    expect(wrong.map(({ name, sensor }) => `${sensor.name}: ${name}`)).toEqual([]);
    expect(view.samples("prtg_channel_value").length).toBeGreaterThan(10);
  });
});
