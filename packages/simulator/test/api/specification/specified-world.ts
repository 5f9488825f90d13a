import type { SimNode, SimSensor, World } from "../../../src/world/model.ts";
import { createWorld } from "../../../src/world/world.ts";
import { NOW } from "../../support/static-world.ts";

const HOUR = 3_600_000;

/** Objects in known states with stable ids. */
export interface SpecifiedWorld {
  readonly world: World;
  readonly probe: SimNode;
  readonly group: SimNode;
  /** In the group. Sensors `up`, `down`, `paused`, `fresh`. */
  readonly device: SimNode;
  readonly up: SimSensor;
  readonly down: SimSensor;
  readonly paused: SimSensor;
  readonly fresh: SimSensor;
  /** In the group. Sensors a, b, c, d. */
  readonly four: SimNode;
  /** On another probe, visible to the restricted user. */
  readonly elsewhere: SimNode;
  readonly otherProbe: SimNode;
  readonly otherGroup: SimNode;
}

export function specifiedWorld(): SpecifiedWorld {
  const size = { probes: 2, groups: 6, devices: 8, sensors: 24 };
  const world = createWorld({ seed: 5, size, startedAt: NOW - HOUR });
  const [probe, otherProbe] = world.list("probe");
  const elsewhere = world.list("device").findLast(({ parent }) => parent?.kind === "group");
  const otherGroup = elsewhere?.parent;
  if (probe === undefined || otherProbe === undefined || elsewhere === undefined || otherGroup === undefined) {
    throw new Error("the world is too small");
  }
  const group = world.addGroup(probe.id, "Known group", NOW - HOUR);
  const device = world.addDevice(group.id, "Known device", NOW - HOUR, "10.9.0.1");
  const sensor = (name: string, at = NOW - HOUR): SimSensor => world.addSensor(device.id, name, at, "ping");
  const [up, down, paused] = [sensor("up"), sensor("down"), sensor("paused")];
  world.force(up.id, "up", NOW - HOUR);
  world.force(down.id, "down", NOW - HOUR);
  world.pause(paused.id, NOW - HOUR / 2);
  const fresh = sensor("fresh", NOW);
  const four = world.addDevice(group.id, "Four", NOW - HOUR, "10.9.0.4");
  for (const name of ["a", "b", "c", "d"]) world.addSensor(four.id, name, NOW - HOUR, "ping");
  return { world, probe, group, device, up, down, paused, fresh, four, elsewhere, otherProbe, otherGroup };
}

type SpecifiedNode = Exclude<keyof SpecifiedWorld, "world">;

export const ID: Readonly<Record<SpecifiedNode | "a" | "b" | "c" | "d" | "channel" | "downtime", string>> = idsOf(
  specifiedWorld(),
);

function idsOf({ world: _, ...known }: SpecifiedWorld): typeof ID {
  const ids = Object.fromEntries(Object.entries(known).map(([name, { id }]) => [name, id]));
  const children = Object.fromEntries(known.four.children.map(({ name, id }) => [name, id]));
  const [channel] = known.up.channels.filter(({ primary }) => primary);
  return {
    ...ids,
    ...children,
    channel: `${known.up.id}.${channel?.number}`,
    downtime: `${known.up.id}.-4`,
  } as typeof ID;
}
