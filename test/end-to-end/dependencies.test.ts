import type { SimNode } from "prtg-simulator/src/world/model.ts";
import { settingsInForce } from "prtg-simulator/src/world/nodes/settings.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { expect, onTestFinished, test } from "vitest";
import { CLOCK_START } from "../support/manual-clock.ts";
import { startSimulatedExporter } from "../support/simulated-exporter.ts";

const SETTINGS = "collectors: { timeseries: { enabled: false } }\nmetrics: { dependency_info: true }\n";

/** A device, and a group with devices, depend on another device's sensor. */
async function start() {
  const at = CLOCK_START;
  const world = createWorld({ seed: 1, startedAt: at, size: { sensors: 300, devices: 40 } });
  const devices = world.list("device").filter(({ type }) => type === "device");
  const [core, device] = devices;
  const group = devices.at(-1)?.parent;
  const target = core?.children[0];
  if (target === undefined || device === undefined || group === undefined) throw new Error("too small a world");
  for (const { id } of [device, group]) {
    world.edit(id, { dependency: { schedule: "none", dependsOn: target.id } }, at);
  }
  const running = await startSimulatedExporter({ settings: SETTINGS, simulator: { world } });
  onTestFinished(() => running.close());
  running.simulator.freezeAt(at);
  const shown = async () => {
    const samples = [...(await running.samples()).values()].filter(({ name }) => name === "prtg_dependency_info");
    return samples.map(({ labels: { id, kind, depends_on_id } }) => `${kind} ${id} on ${depends_on_id}`).toSorted();
  };
  return { ...running, world, device, target, shown };
}

test("series match the server, including inherited dependencies", async () => {
  const { world, poll, shown, target, device, exporter } = await start();
  expect(await poll()).toBe(true);
  const nodes: readonly SimNode[] = [
    world.list("probe"),
    world.list("group"),
    world.list("device"),
    world.list("sensor"),
  ].flat();
  const dependents = nodes.filter((node) => settingsInForce(node, "dependency").settings.dependsOn === target.id);
  expect(dependents.length).toBeGreaterThan(10);
  expect(await shown()).toEqual(dependents.map(({ kind, id }) => `${kind} ${id} on ${target.id}`).toSorted());
  const report = await exporter.status.node({ id: device.id, server: "hq", from: 0 });
  expect(report?.depends_on).toEqual({ id: target.id, path: expect.stringContaining(target.name) });
});
