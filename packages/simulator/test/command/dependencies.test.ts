import { expect, test } from "vitest";
import { addDependencies } from "../../src/command/dependencies.ts";
import type { SimDevice, SimNode, World } from "../../src/world/model.ts";
import { createWorld } from "../../src/world/world.ts";

const AT = Date.UTC(2026, 2, 12, 12);
const HOUR = 3_600_000;

function worldOf(sensors?: number): World {
  const world = createWorld({ seed: 1, size: sensors === undefined ? {} : { sensors }, startedAt: AT });
  addDependencies(world, AT);
  return world;
}

/** By the sensor that they depend on. */
function dependents(world: World): ReadonlyMap<string, readonly SimDevice[]> {
  const devices = world.list("device").filter((device) => targetOf(device) !== undefined);
  return Map.groupBy(devices, (device) => targetOf(device) ?? "");
}

const targetOf = ({ settings }: SimNode): string | undefined => settings.dependency?.dependsOn;

test("hosts of each site depend on the ping of its core switch", () => {
  const world = worldOf();
  const groups = dependents(world);
  expect(groups.size).toBeGreaterThan(2);
  for (const [id, devices] of groups) {
    const ping = world.node(id);
    expect(ping).toMatchObject({ kind: "sensor", type: expect.stringContaining("ping") });
    expect(ping?.parent?.name).toMatch(/^core-sw/);
    expect(devices.length).toBeGreaterThan(3);
    // The path begins with probe and site.
    for (const device of devices) expect(siteOf(device)).toBe(siteOf(ping));
  }
});

test("a lost switch pauses the sensors of all hosts behind it", () => {
  const world = worldOf();
  const [[id, devices] = ["", []]] = dependents(world);
  world.force(id, "down", AT + HOUR);
  const statuses = new Set(
    devices.flatMap((device) => device.children).map((sensor) => world.state(sensor, AT + 2 * HOUR).status),
  );
  expect(statuses).toContain("pausedbydependency");
  expect([...statuses].filter((status) => !status.startsWith("paused"))).toEqual([]);
});

test.each([1, 3, 12])("a world with %i sensors may have no dependency", (sensors) => {
  expect(dependents(worldOf(sensors)).size).toBeLessThanOrEqual(1);
});

function siteOf(node: SimNode | undefined): string | undefined {
  let site = node;
  while (site !== undefined && site.parent?.kind !== "probe") site = site.parent;
  return site?.id;
}
