import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { startSimulator } from "prtg-simulator/src/simulator.ts";
import type { SimChannel, World } from "prtg-simulator/src/world/model.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { expect, onTestFinished, test } from "vitest";
import { startReceiver } from "../otlp/support/otlp-http-receiver.ts";
import { startPushingExporter } from "../real/support/pushing-exporter.ts";
import { ReceivedPoints } from "../real/support/received-points.ts";
import { OTLP_TIMEOUT_MS, REQUEST_TIMEOUT_MS, RequestClock } from "../real/support/request-clock.ts";
import { differencesFromRecord } from "../real/support/simulated-record.ts";
import { parsePage } from "../support/parse-sample.ts";
import { TEST_KEY } from "../support/simulated-exporter.ts";
import { OFTEN, replayIn, SERIES, type SeriesStatistics } from "./support/replayed-series.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BEGIN = Date.UTC(2026, 0, 15, 12);

test.each<{ name: string; series: readonly SeriesStatistics[]; hours: number }>([
  { name: "the examples of the open data set", series: SERIES, hours: 4 },
  { name: "failures, late rows and restarts more often", series: OFTEN, hours: 3 },
])(
  "$name arrive once per measurement at an OTLP receiver, without withdrawals",
  { timeout: 240_000 },
  async ({ series, hours }) => {
    const folder = mkdtempSync(path.join(tmpdir(), "prtg-exporter-replay-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const clock = new RequestClock(BEGIN);
    const world = createWorld({
      seed: 1,
      size: { probes: 1, groups: 1, devices: 6, sensors: 20, channels: 60 },
      startedAt: BEGIN,
    });
    replayIn(world, series, { seed: 7, from: BEGIN - 3 * HOUR, to: BEGIN + hours * HOUR - 5 * MINUTE });
    const receiver = await startReceiver();
    const credentials = { apiKey: TEST_KEY, username: "tester", password: "password-of-the-tests" };
    const simulator = await startSimulator({ world, clock, spelling: "live", credentials });
    onTestFinished(() => simulator.close());
    const exporter = await clock.until(
      startPushingExporter({
        server: simulator.url,
        limits: `timeout: ${REQUEST_TIMEOUT_MS}ms`,
        settings: `
state_dir: ${folder}
otlp: { endpoint: "${receiver.url}", interval: 15s, timeout: ${OTLP_TIMEOUT_MS}ms, repeat_interval: 0 }
`,
        clock,
      }),
    );
    const missing: string[] = [];
    for (let half = 0; half < 2 * hours; half++) {
      await clock.pass(HOUR / 2);
      // The series end five minutes before the last one.
      if (half < 2 * hours - 1) missing.push(...missingOn(await exporter.page(), world, clock.now()));
    }
    await clock.until(exporter.stop());
    const received = new ReceivedPoints();
    for (const { metric, attributes, time, value, ended } of receiver.points) {
      if (metric !== "prtg.channel_value" || typeof value !== "number" || ended) continue;
      received.add(`${attributes.sensor_id}.${attributes.channel_id}`, Number(time / 1_000_000n), value);
    }
    expect(missing).toEqual([]);
    expect(received.channels.size).toBe(60);
    expect(differencesFromRecord(received, world, [{ from: BEGIN - 3 * HOUR, to: clock.now() }])).toEqual([]);
    expect([received.outOfOrder, received.conflicts, received.repeated]).toEqual([[], [], 0]);
  },
);

/** Channels with a value two minutes ago and now that the page withdrew. The page is that of the last poll, a minute ago at most. */
function missingOn(page: string, world: World, now: number): string[] {
  const served = new Set(
    [...parsePage(page).values()]
      .filter(({ name }) => name === "prtg_channel_value")
      .map(({ labels }) => `${labels.sensor_id}.${labels.channel_id}`),
  );
  const hasValue = (channel: SimChannel, at: number): boolean =>
    (world.lastMeasurement(channel, at)?.displayValue ?? null) !== null;
  return world
    .channels()
    .filter((channel) => [now - 2 * MINUTE, now - MINUTE, now].every((at) => hasValue(channel, at)))
    .map(({ sensor, number }) => `${sensor.id}.${number}`)
    .filter((id) => !served.has(id))
    .map((id) => `${id} at ${new Date(now).toISOString()}`);
}
