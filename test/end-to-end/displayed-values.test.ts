import { afterEach, expect, test } from "vitest";
import { runCommand } from "../support/command-line.ts";
import { type SimulatedExporter, startSimulatedExporter } from "../support/simulated-exporter.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";

let exporter: SimulatedExporter | undefined;

afterEach(async () => {
  await exporter?.close();
  exporter = undefined;
});

const SETTINGS = "collectors: { timeseries: { enabled: false }, limits: { enabled: false } }";

/** More often than any scan. */
const LOOK_EVERY_MS = 5_000;
const LOOKS_BACK = 24;

test.each(["en", "de"] as const)(
  "the exporter reads text values in %s and counts unreadable ones",
  async (language) => {
    exporter = await startSimulatedExporter({
      size: { sensors: 200 },
      settings: SETTINGS,
      simulator: { faults: [`text-values=${language}@/experimental/channels*`] },
    });
    // The second read uses the list's cache.
    for (let round = 0; round < 2; round++) expect(await exporter.poll()).toBe(true);
    const samples = [...(await exporter.samples()).values()];
    const shown = samples.filter(({ name }) => name === "prtg_channel_value");
    expect(shown.length).toBeGreaterThan(300);
    const { clock, simulator } = exporter;
    const { world } = simulator;
    let compared = 0;
    for (const { labels, value } of shown) {
      // Without a unit, numerals follow JSON in every language.
      if (labels.unit === "") continue;
      const channel = world.channel(`${labels.sensor_id}.${labels.channel_id}`);
      const now = clock.now();
      const valueAt = (at: number) => channel && world.lastMeasurement(channel, at)?.displayValue;
      const exact = valueAt(now);
      if (exact === undefined || exact === null) continue;
      // Known as of the read. May have changed back.
      const earlier = Array.from({ length: LOOKS_BACK }, (_, look) => valueAt(now - (look + 1) * LOOK_EVERY_MS));
      if (earlier.some((value) => value !== exact)) continue;
      compared++;
      expect(Number(value)).toBeCloseTo(exact, 1);
    }
    expect(compared).toBeGreaterThan(20);
    // In German, a whole thousand looks like a thousandth.
    const { metrics } = exporter.exporter;
    const own = await metrics.registry.getSingleMetric("prtg_exporter_decode_problems_total")?.get();
    const unreadable = own?.values.find(({ labels }) => labels.problem === "value")?.value ?? 0;
    const channels = samples.find(({ name, labels }) => name === "prtg_objects" && labels.kind === "channel");
    expect(unreadable).toBeGreaterThan(0);
    expect(unreadable).toBeLessThan(Number(channels?.value) / 2);
  },
);

test.each(["en", "de"] as const)("the exporter reads text limits in %s", async (language) => {
  exporter = await startSimulatedExporter({
    size: { sensors: 200 },
    settings: "collectors: { timeseries: { enabled: false } }",
    simulator: { faults: [`text-values=${language}@/experimental/channels*`] },
  });
  expect(await exporter.poll()).toBe(true);
  const { world } = exporter.simulator;
  const members = {
    max_error: "maxError",
    max_warning: "maxWarning",
    min_warning: "minWarning",
    min_error: "minError",
  };
  const shown = [...(await exporter.samples()).values()].filter(({ name }) => name === "prtg_channel_limit");
  expect(shown.length).toBeGreaterThan(50);
  for (const { labels, value } of shown) {
    const limits = world.channel(`${labels.sensor_id}.${labels.channel_id}`)?.limits;
    const member = members[labels.limit as keyof typeof members] as keyof NonNullable<typeof limits>;
    expect(Number(value)).toBeCloseTo(limits?.[member] ?? Number.NaN, 1);
  }
});

test("check reports the number of unreadable values", async () => {
  const faults = ["text-values=de@/experimental/channels*"];
  const { url } = await simulateServer({ faults });
  const env = { PRTG_URL: url, PRTG_NAME: "hq", PRTG_API_KEY: CREDENTIALS.apiKey };
  const { stdout, code } = await runCommand(["check"], { env });
  expect(stdout).toMatch(/channels +warning .*\d+ values \(\d+ %\) are not numbers in their unit/);
  expect(code).toBe(0);
});
