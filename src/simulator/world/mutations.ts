import { NEW_SENSOR_KIND } from "./device-roles.ts";
import type { SimKind, SimStatus } from "./model.ts";
import type { NodeFactory } from "./node-factory.ts";
import { type DeviceNode, type Order, SensorNode, type TreeNode } from "./nodes.ts";
import { detach, type Registry } from "./registry.ts";
import type { Timeline } from "./timeline.ts";

/** What can hold what. */
const PARENTS: Readonly<Record<SimKind, readonly SimKind[]>> = {
  root: [],
  probe: ["root"],
  group: ["probe", "group"],
  device: ["probe", "group"],
  sensor: ["device"],
};

/** Changes at run time. Each throws a RangeError for an unknown id, or when the tree cannot be as asked. */
export class Mutations {
  readonly #registry: Registry;
  readonly #factory: NodeFactory;
  readonly #timeline: Timeline;

  constructor(registry: Registry, factory: NodeFactory, timeline: Timeline) {
    this.#registry = registry;
    this.#factory = factory;
    this.#timeline = timeline;
  }

  remove(id: string): void {
    const node = this.#registry.require(id);
    if (node.kind === "root") throw new RangeError("the root cannot be removed");
    this.#registry.remove(node);
    this.#timeline.changed();
  }

  rename(id: string, name: string): void {
    this.#registry.require(id).name = name;
  }

  move(id: string, newParentId: string): void {
    const node = this.#registry.require(id);
    const target = this.#parentFor(node.kind, newParentId);
    for (let above: TreeNode | undefined = target; above !== undefined; above = above.parent) {
      if (above === node) throw new RangeError(`the ${node.kind} ${id} cannot be moved into itself`);
    }
    detach(node);
    node.parent = target;
    target.children.push(node);
    this.#timeline.changed();
  }

  addDevice(parentId: string, name: string, at: number): DeviceNode {
    const parent = this.#parentFor("device", parentId);
    const host = (salt: number): string => `10.250.${salt % 250}.${(salt >>> 8) % 250}`;
    const device = this.#factory.device({ parent, name: () => name, type: "device", tags: [], host, bornAt: at });
    this.#registry.add([device]);
    return device;
  }

  /** A ping sensor; its first scan comes within an interval after `at`. */
  addSensor(deviceId: string, name: string, at: number): SensorNode {
    const parent = this.#parentFor("sensor", deviceId);
    const spec = NEW_SENSOR_KIND;
    const sibling = parent.children.find((child) => child instanceof SensorNode);
    const zone = sibling?.zone ?? 0;
    const sensor = this.#factory.sensor({
      parent,
      name: () => name,
      spec,
      channels: spec.channels.length,
      zone,
      bornAt: at,
    });
    this.#registry.add([sensor]);
    this.#timeline.changed();
    return sensor;
  }

  pause(id: string, at: number, message = ""): void {
    this.#order(this.#registry.require(id), { at, kind: "pause", status: "pausedbyuser", message });
  }

  resume(id: string, at: number): void {
    this.#order(this.#registry.require(id), { at, kind: "resume", status: "up", message: "" });
  }

  force(sensorId: string, status: SimStatus, at: number): void {
    this.#order(this.#registry.requireSensor(sensorId), { at, kind: "force", status, message: "" });
  }

  acknowledge(sensorId: string, at: number, message = ""): void {
    const sensor = this.#registry.requireSensor(sensorId);
    const { status } = this.#timeline.state(sensor, at);
    if (status !== "down" && status !== "acknowledged") {
      throw new RangeError(`the sensor ${sensorId} cannot be acknowledged: it is ${status}, not down`);
    }
    insert(sensor.acknowledgements, { at, message });
    this.#timeline.changed();
  }

  #order(node: TreeNode, order: Order): void {
    insert(node.orders, order);
    this.#timeline.changed();
  }

  #parentFor(kind: SimKind, id: string): TreeNode {
    const parent = this.#registry.require(id);
    if (!PARENTS[kind].includes(parent.kind)) throw new RangeError(`a ${parent.kind} (${id}) cannot hold a ${kind}`);
    return parent;
  }
}

/** Keeps the list in order of time; at the same time the later call comes last. */
function insert<Item extends { readonly at: number }>(items: Item[], item: Item): void {
  items.splice(items.findLastIndex((other) => other.at <= item.at) + 1, 0, item);
}
