import type { SimKind } from "../model.ts";
import { type ChannelNode, DeviceNode, SensorNode, type TreeNode } from "./nodes.ts";

/**
 * All nodes by id and by kind. A change makes new lists, so that a list once handed out stays as it was.
 */
export class Registry {
  readonly root: TreeNode;
  probes: readonly TreeNode[] = [];
  groups: readonly TreeNode[] = [];
  devices: readonly DeviceNode[] = [];
  sensors: readonly SensorNode[] = [];
  readonly #nodes = new Map<string, TreeNode>();
  #channels: readonly ChannelNode[] | undefined;

  constructor(root: TreeNode) {
    this.root = root;
    this.#nodes.set(root.id, root);
  }

  node(id: string): TreeNode | undefined {
    return this.#nodes.get(id);
  }

  /** Throws a RangeError for an unknown id. */
  require(id: string): TreeNode {
    const node = this.#nodes.get(id);
    if (node === undefined) throw new RangeError(`there is no object with the id ${id}`);
    return node;
  }

  /** Throws a RangeError for an unknown id, and for one that is no sensor. */
  requireSensor(id: string): SensorNode {
    const node = this.require(id);
    if (!(node instanceof SensorNode))
      throw new RangeError(`the object with the id ${id} is a ${node.kind}, not a sensor`);
    return node;
  }

  list(kind: Exclude<SimKind, "root">): readonly TreeNode[] {
    switch (kind) {
      case "probe":
        return this.probes;
      case "group":
        return this.groups;
      case "device":
        return this.devices;
      case "sensor":
        return this.sensors;
    }
  }

  /** Nodes come in the order of their creation. */
  add(nodes: readonly TreeNode[]): void {
    for (const node of nodes) this.#nodes.set(node.id, node);
    this.probes = [...this.probes, ...nodes.filter(({ kind }) => kind === "probe")];
    this.groups = [...this.groups, ...nodes.filter(({ kind }) => kind === "group")];
    this.devices = [...this.devices, ...nodes.filter((node) => node instanceof DeviceNode)];
    this.sensors = [...this.sensors, ...nodes.filter((node) => node instanceof SensorNode)];
    this.#channels = undefined;
  }

  /** Takes the node out with all below it. */
  remove(node: TreeNode): void {
    const removed = new Set<TreeNode>([node]);
    // A Set visits what is added to it on the way.
    for (const each of removed) {
      for (const child of each.children) removed.add(child);
      this.#nodes.delete(each.id);
    }
    detach(node);
    this.probes = this.probes.filter((each) => !removed.has(each));
    this.groups = this.groups.filter((each) => !removed.has(each));
    this.devices = this.devices.filter((each) => !removed.has(each));
    this.sensors = this.sensors.filter((each) => !removed.has(each));
    this.#channels = undefined;
  }

  channels(): readonly ChannelNode[] {
    this.#channels ??= this.sensors.flatMap((sensor) => sensor.channels);
    return this.#channels;
  }

  /** `2490.1`; split at the first dot, as the number after it can be negative. */
  channel(id: string): ChannelNode | undefined {
    const dot = id.indexOf(".");
    const sensor = dot < 0 ? undefined : this.#nodes.get(id.slice(0, dot));
    if (!(sensor instanceof SensorNode)) return undefined;
    const number = id.slice(dot + 1);
    return sensor.channels.find((channel) => String(channel.number) === number);
  }
}

/** Takes a node out of its parent's children. */
function detach(node: TreeNode): void {
  const siblings = node.parent?.children;
  const index = siblings?.indexOf(node) ?? -1;
  if (index >= 0) siblings?.splice(index, 1);
}

/** Puts a node below a parent, at `index` of what is there without it; last without one. */
export function attach(node: TreeNode, parent: TreeNode, index = Infinity): void {
  detach(node);
  node.parent = parent;
  parent.children.splice(Math.min(index, parent.children.length), 0, node);
}
