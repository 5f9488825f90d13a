import { expect, onTestFinished, test } from "vitest";
import { type SimulatedExporter, startSimulatedExporter } from "../support/simulated-exporter.ts";

const SETTINGS = "collectors: { details: { enabled: true }, timeseries: { enabled: false } }";
const SIZE = { sensors: 300, devices: 40, probes: 3 };

async function shown({ samples }: SimulatedExporter) {
  const page = [...(await samples()).values()];
  const of = (name: string) => page.filter((sample) => sample.name === name);
  return { of, value: (name: string) => of(name).map(({ value }) => Number(value)) };
}

test("details match the simulated server", async () => {
  const subject = await startSimulatedExporter({ size: SIZE, settings: SETTINGS });
  onTestFinished(subject.close);
  expect(await subject.poll()).toBe(true);
  const { world } = subject.simulator;
  const { of, value } = await shown(subject);
  expect(value("prtg_license_sensors_used")).toEqual([world.list("sensor").length]);
  expect(value("prtg_autodiscoveries_running")).toEqual([0]);
  expect(of("prtg_probe_connected").map(({ labels }) => labels.id)).toEqual(world.list("probe").map(({ id }) => id));
  const primary = world
    .list("sensor")
    .flatMap(({ id, channels }) =>
      channels.filter((channel) => channel.primary).map(({ number }) => `${id}.${number}`),
    );
  const found = of("prtg_channel_primary").map(({ labels }) => `${labels.sensor_id}.${labels.channel_id}`);
  expect(found.toSorted()).toEqual(primary.toSorted());
  // Each needs a channel to join.
  const channels = new Set(of("prtg_channel_value").map(({ labels }) => `${labels.sensor_id}.${labels.channel_id}`));
  expect(found.filter((id) => channels.has(id)).length).toBeGreaterThan(200);
});
