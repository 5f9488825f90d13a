import { deviceName, hostName } from "../nodes/names.ts";
import type { NodeFactory } from "../nodes/node-factory.ts";
import { SensorNode, type TreeNode } from "../nodes/nodes.ts";
import { evenSpread } from "../states/recurrence.ts";
import { type DevicePlan, type ProbePlan, planWorld } from "./layout.ts";
import type { City } from "./sites.ts";
import type { WorldSize } from "./size.ts";

const HOUR_MS = 3_600_000;

/** Smaller worlds pause nothing at random and scan on time, so that a small world in a test changes only as the test says. */
const MIN_SENSORS_WITH_HALTS = 50;
/** Larger groups are never paused at random, nor any with more than a 25th of all sensors. */
const MAX_PAUSED_SENSORS = 120;
/** With fewer probes than this none of them ever loses its connection. */
const MIN_FLAKY_PROBES = 6;

/** A group or probe that devices go into, and where it stands. */
interface Place {
  readonly node: TreeNode;
  readonly city: City;
  readonly isGerman: boolean;
  /** Second number of the addresses there. */
  readonly site: number;
}

/** Makes the nodes of the world, in the order of their creation. */
export function buildTree(factory: NodeFactory, root: TreeNode, seed: number, size: WorldSize): TreeNode[] {
  let sites = 0;
  const nodes = planWorld(seed, size).flatMap((plan) => {
    const firstSite = sites;
    sites += 1 + plan.groups.length;
    return buildProbe(factory, root, plan, firstSite);
  });
  if (size.sensors >= MIN_SENSORS_WITH_HALTS) markRandomHalts(nodes, size);
  return nodes;
}

function buildProbe(factory: NodeFactory, root: TreeNode, plan: ProbePlan, firstSite: number): TreeNode[] {
  const { createdAt } = root;
  const devices = Map.groupBy(plan.devices, ({ group }) => group);
  const probe = factory.probe({ parent: root, name: () => plan.name, createdAt });
  const nodes = [probe];
  const fill = (place: Place, group: number | undefined): void => {
    for (const device of devices.get(group) ?? []) nodes.push(...buildDevice(factory, place, device));
  };
  const isGerman = (city: City): boolean => plan.isGerman && city.isGerman === true;
  fill({ node: probe, city: plan.city, isGerman: isGerman(plan.city), site: firstSite }, undefined);
  const groups: TreeNode[] = [];
  for (const [position, { name, parent, category, city }] of plan.groups.entries()) {
    const node = factory.group({
      parent: (parent === undefined ? undefined : groups[parent]) ?? probe,
      name: (salt) => factory.naming(name, salt),
      tags: parent === undefined ? ["site", city.code] : [category],
      createdAt,
    });
    nodes.push(node);
    groups.push(node);
    fill({ node, city, isGerman: isGerman(city), site: firstSite + 1 + position }, position);
  }
  return nodes;
}

function buildDevice(factory: NodeFactory, place: Place, plan: DevicePlan): TreeNode[] {
  const { node: parent, city, isGerman, site } = place;
  const { role, position } = plan;
  const { createdAt } = parent;
  const ofProbe = role.name === "Probe Device";
  const device = factory.device({
    parent,
    name: (salt) => (ofProbe ? role.name : factory.naming(deviceName(role.name, position, salt), salt)),
    type: ofProbe ? role.name : "device",
    tags: role.tags,
    host: (salt) => (ofProbe ? "127.0.0.1" : hostName(role.name, city.code, site, position, salt)),
    createdAt,
  });
  const counts = new Map<string, number>();
  const sensors = plan.sensors.map(({ spec, channels }) => {
    const count = (counts.get(spec.type) ?? 0) + 1;
    counts.set(spec.type, count);
    const plain = (spec.names[(count - 1) % spec.names.length] ?? spec.names[0]).replaceAll("{n}", String(count));
    const name = (salt: number): string => factory.naming(plain, salt);
    const own = { parent: device, name, spec, channels, isGerman, createdAt };
    return factory.sensor({ ...own, zone: city.hours * HOUR_MS });
  });
  return [device, ...sensors];
}

/** Marks what is paused now and then, never scanned, or scanned irregularly, and what loses its connection. */
function markRandomHalts(nodes: readonly TreeNode[], size: WorldSize): void {
  const probes = nodes.filter(({ kind }) => kind === "probe");
  for (const probe of probes.slice(1)) probe.hasRandomHalts = probes.length >= MIN_FLAKY_PROBES;
  const maxPaused = Math.min(MAX_PAUSED_SENSORS, size.sensors / 25);
  for (const node of nodes) {
    if (node.kind === "device") node.hasRandomHalts = node.type === "device";
    if (node.kind === "group") node.hasRandomHalts = node.children.length > 0 && sensorsBelow(node) <= maxPaused;
    if (!(node instanceof SensorNode)) continue;
    node.hasRandomHalts = true;
    node.isIrregular = true;
    const draw = evenSpread(node.spreadIndex, 9);
    if (draw < 0.0036) node.neverScanned = "unknown";
    else if (draw < 0.004) node.neverScanned = "none";
    else node.pausedAtNight = draw < 0.0065;
  }
}

function sensorsBelow(node: TreeNode): number {
  return node.children.reduce((sum, child) => sum + (child.kind === "sensor" ? 1 : sensorsBelow(child)), 0);
}
