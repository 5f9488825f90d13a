import { type ProbePlan, planWorld } from "./layout.ts";
import type { WorldSize } from "./model.ts";
import { deviceName, hostName, seasoned } from "./names.ts";
import type { NodeFactory } from "./node-factory.ts";
import { SensorNode, type TreeNode } from "./nodes.ts";
import { mix, uniform } from "./noise.ts";
import type { City } from "./sites.ts";

const HOUR_MS = 3_600_000;

/** Below this many sensors nobody pauses anything unasked, so that a small world in a test does what it is told. */
const LEAST_RESTLESS_SENSORS = 50;
/** Nobody pauses larger groups. */
const MOST_PAUSED_SENSORS = 120;
/** With fewer probes than this none of them ever loses its connection. */
const LEAST_FLAKY_PROBES = 6;

/** Makes the nodes of the world, in the order of their creation. */
export function plant(factory: NodeFactory, root: TreeNode, seed: number, size: WorldSize): TreeNode[] {
  const nodes: TreeNode[] = [];
  for (const [index, plan] of planWorld(seed, size).entries()) {
    plantProbe(factory, root, plan, index, nodes);
  }
  if (size.sensors >= LEAST_RESTLESS_SENSORS) unsettle(nodes, size);
  return nodes;
}

function plantProbe(factory: NodeFactory, root: TreeNode, plan: ProbePlan, index: number, nodes: TreeNode[]): void {
  const { bornAt } = root;
  const probe = factory.probe(root, plan.name, bornAt);
  nodes.push(probe);
  const places: { readonly node: TreeNode; readonly city: City; readonly site: number }[] = [];
  const own = { node: probe, city: plan.city, site: index };
  const devices = Map.groupBy(plan.devices, ({ group }) => group);
  const plantDevices = (group: number | undefined): void => {
    for (const device of devices.get(group) ?? []) {
      const { node: parent, city, site } = (group === undefined ? own : places[group]) ?? own;
      const { role, position } = device;
      const type = role.name === "Probe Device" ? role.name : "device";
      const node = factory.device(
        parent,
        (salt) => (type === "device" ? deviceName(role.name, position, salt) : role.name),
        type,
        role.tags,
        (salt) => (type === "device" ? hostName(role.name, city.code, site, position, salt) : "127.0.0.1"),
        bornAt,
      );
      nodes.push(node);
      const seen = new Map<string, number>();
      for (const { spec, channels } of device.sensors) {
        const count = (seen.get(spec.type) ?? 0) + 1;
        seen.set(spec.type, count);
        const name = (spec.names[(count - 1) % spec.names.length] ?? spec.names[0]).replaceAll("{n}", String(count));
        const sensor = factory.sensor({ parent: node, name, spec, channels, zone: city.hours * HOUR_MS, bornAt });
        sensor.name = seasoned(name, sensor.salt);
        nodes.push(sensor);
      }
    }
  };
  plantDevices(undefined);
  for (const [place, group] of plan.groups.entries()) {
    const parent = group.parent === undefined ? probe : (places[group.parent]?.node ?? probe);
    const tags = group.parent === undefined ? ["site", group.city.code] : [group.category];
    const node = factory.group(parent, group.name, tags, bornAt);
    nodes.push(node);
    places.push({ node, city: group.city, site: index * 8 + place });
    plantDevices(place);
  }
}

/** Marks what is paused now and then, what has never been scanned, and what loses its connection. */
function unsettle(nodes: readonly TreeNode[], size: WorldSize): void {
  const probes = nodes.filter(({ kind }) => kind === "probe");
  for (const probe of probes.slice(1)) probe.restless = probes.length >= LEAST_FLAKY_PROBES;
  for (const node of nodes) {
    if (node.kind === "device") node.restless = node.type === "device";
    if (node.kind === "group")
      node.restless = node.children.length > 0 && sensorsOf(node) <= Math.min(MOST_PAUSED_SENSORS, size.sensors / 25);
    if (node instanceof SensorNode) {
      node.restless = true;
      const draw = uniform(mix(node.salt, 0x11e), 0);
      if (draw < 0.0036) node.neverScanned = "unknown";
      else if (draw < 0.004) node.neverScanned = "none";
      else node.nightly = draw < 0.0065;
    }
  }
}

function sensorsOf(node: TreeNode): number {
  return node.children.reduce((sum, child) => sum + (child.kind === "sensor" ? 1 : sensorsOf(child)), 0);
}
