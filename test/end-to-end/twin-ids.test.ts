import { expect, onTestFinished, test } from "vitest";
import { runCommand } from "../support/command-line.ts";
import { startSimulatedExporter } from "../support/simulated-exporter.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";

const SIZE = { probes: 2, groups: 4, devices: 12, sensors: 60 };
const SETTINGS = "collectors: { timeseries: { enabled: false }, limits: { enabled: false } }";

test.each(["channels", "sensors"])("the page shows the first of two %s with the same id", async (list) => {
  const faults = [`twin-ids@/experimental/${list}*`];
  const exporter = await startSimulatedExporter({ size: SIZE, settings: SETTINGS, simulator: { faults } });
  onTestFinished(() => exporter.close());
  const shown = async () => {
    expect(await exporter.poll()).toBe(true);
    const samples = [...(await exporter.samples()).values()];
    const problems = samples.filter(
      ({ name, labels }) => name === "prtg_exporter_decode_problems_total" && labels.problem === "duplicate",
    );
    const infos = samples.filter(({ name }) => /^prtg_(channel_value|sensor_info|device_info)$/.test(name));
    return {
      duplicates: Number(problems[0]?.value),
      names: infos.map(({ labels }) => JSON.stringify(labels)).sort(),
    };
  };
  const first = await shown();
  expect(first.duplicates).toBeGreaterThan(0);
  const second = await shown();
  expect(second.duplicates).toBeGreaterThan(first.duplicates);
  expect(second.names).toEqual(first.names);
});

test("check reports the number of duplicate ids", async () => {
  const { url } = await simulateServer({ faults: ["twin-ids@/experimental/channels*"] });
  const env = { PRTG_URL: url, PRTG_NAME: "hq", PRTG_API_KEY: CREDENTIALS.apiKey };
  const { stdout, code } = await runCommand(["check"], { env });
  expect(stdout).toMatch(/channels +warning .*1 records have a duplicate id/);
  expect(code).toBe(0);
});
