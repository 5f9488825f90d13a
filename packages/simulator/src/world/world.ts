import { LastSeen } from "./last-seen.ts";
import type { WorldSize } from "./layout/size.ts";
import { completeSize } from "./layout/size.ts";
import { buildTree } from "./layout/tree-builder.ts";
import type {
  Incident,
  SimAverages,
  SimChannel,
  SimDevice,
  SimEdit,
  SimLastSeen,
  SimMeasurement,
  SimNode,
  SimRow,
  SimSchedule,
  SimSensor,
  SimState,
  SimStatus,
  World,
} from "./model.ts";
import { Dependencies } from "./nodes/dependencies.ts";
import { ManualActions } from "./nodes/manual-actions.ts";
import { Mutations } from "./nodes/mutations.ts";
import { hostileNaming, plainNaming } from "./nodes/names.ts";
import { NodeFactory } from "./nodes/node-factory.ts";
import { ChannelNode, SensorNode, TreeNode } from "./nodes/nodes.ts";
import { Registry } from "./nodes/registry.ts";
import { DAY_MS } from "./sensors/trend.ts";
import { addIncident, removeIncident } from "./states/incidents.ts";
import { Timeline } from "./timeline.ts";

export interface WorldOptions {
  /** Taken modulo 2^32. */
  readonly seed: number;
  /** What is left out follows the proportions of DEFAULT_WORLD_SIZE. */
  readonly size?: Partial<WorldSize>;
  /** Milliseconds since the epoch. The history of the world begins 365 days before. */
  readonly startedAt: number;
  /** Whether every name is plain. Otherwise about one in a hundred would break what builds text from names carelessly. */
  readonly plainNames?: boolean;
  /** Sensors show the message of their acknowledgement. Default: they keep that of their last scan, as on live servers. */
  readonly showsAcknowledgements?: boolean;
  /** Whether no scan is late, drifts, or fails alone. */
  readonly evenScans?: boolean;
}

const HISTORY_DAYS = 365;

/** Throws a RangeError that says what is possible when the counts of `size` do not fit together. */
export function createWorld(options: WorldOptions): World {
  return new SimulatedWorld(options);
}

class SimulatedWorld implements World {
  readonly seed: number;
  readonly root: SimNode;
  readonly #registry: Registry;
  readonly #timeline: Timeline;
  readonly #lastSeen: LastSeen;
  readonly #mutations: Mutations;
  readonly #orders: ManualActions;
  readonly #dependencies = new Dependencies();

  constructor({ seed, size = {}, startedAt, showsAcknowledgements, ...options }: WorldOptions) {
    const { plainNames = false, evenScans = false } = options;
    this.seed = seed;
    this.#timeline = new Timeline(showsAcknowledgements);
    this.#lastSeen = new LastSeen(this.#timeline);
    const factory = new NodeFactory(seed, plainNames ? plainNaming : hostileNaming);
    const root = factory.root(Math.floor(startedAt) - HISTORY_DAYS * DAY_MS);
    this.root = root;
    this.#registry = new Registry(root);
    this.#registry.add(buildTree(factory, root, seed, completeSize(size)));
    const dependencies = this.#dependencies;
    this.#mutations = new Mutations({ registry: this.#registry, factory, timeline: this.#timeline, dependencies });
    this.#orders = new ManualActions(this.#registry, this.#timeline, dependencies);
    if (evenScans) for (const sensor of this.list("sensor")) sensorNode(sensor).isIrregular = false;
  }

  node(id: string): SimNode | undefined {
    return this.#registry.node(id);
  }

  list(kind: "probe" | "group"): readonly SimNode[];
  list(kind: "device"): readonly SimDevice[];
  list(kind: "sensor"): readonly SimSensor[];
  list(kind: "probe" | "group" | "device" | "sensor"): readonly SimNode[] {
    return this.#registry.list(kind);
  }

  channels(): readonly SimChannel[] {
    return this.#registry.channels();
  }

  channel(id: string): SimChannel | undefined {
    return this.#registry.channel(id);
  }

  state(node: SimNode, at: number): SimState {
    if (!(node instanceof TreeNode)) throw new RangeError("the node is not in this world");
    return this.#timeline.state(node, at);
  }

  lastMeasurement(channel: SimChannel, at: number): SimMeasurement | undefined {
    if (!(channel instanceof ChannelNode)) throw new RangeError("the channel is not in this world");
    return this.#timeline.lastMeasurement(channel, at);
  }

  lastSeen(sensor: SimSensor, at: number): SimLastSeen {
    return this.#lastSeen.of(sensorNode(sensor), at);
  }

  schedule(sensor: SimSensor): SimSchedule {
    return this.#timeline.history.schedule(sensorNode(sensor));
  }

  measurements(sensor: SimSensor, from: number, to: number): readonly SimRow[] {
    return this.#timeline.history.measurements(sensorNode(sensor), from, to);
  }

  averages(sensor: SimSensor, from: number, to: number, spanMs: number): readonly SimAverages[] {
    return this.#timeline.history.averages(sensorNode(sensor), from, to, spanMs);
  }

  remove(id: string, at?: number): void {
    this.#mutations.remove(id, at);
  }

  rename(id: string, name: string): void {
    this.#mutations.rename(id, name);
  }

  edit(id: string, edit: SimEdit, at: number): void {
    this.#mutations.edit(id, edit, at);
  }

  move(id: string, newParentId: string, options?: { readonly index?: number; readonly at?: number }): void {
    this.#mutations.move(id, newParentId, options);
  }

  addGroup(parentId: string, name: string, at: number): SimNode {
    return this.#mutations.addGroup(parentId, name, at);
  }

  addDevice(parentId: string, name: string, at: number, host?: string): SimDevice {
    return this.#mutations.addDevice(parentId, name, at, host);
  }

  addSensor(deviceId: string, name: string, at: number, type?: string): SimSensor {
    return this.#mutations.addSensor(deviceId, name, at, type);
  }

  clone(id: string, parentId: string, name: string, at: number): SimNode {
    return this.#mutations.clone(id, parentId, name, at);
  }

  pause(id: string, at: number, message?: string, until?: number): void {
    this.#orders.pause(id, at, message, until);
  }

  resume(id: string, at: number): void {
    this.#orders.resume(id, at);
  }

  acknowledge(sensorId: string, at: number, message?: string, until?: number): void {
    this.#orders.acknowledge(sensorId, at, message, until);
  }

  scan(sensorId: string, at: number): void {
    this.#orders.scan(sensorId, at);
  }

  force(sensorId: string, status: SimStatus, at: number): void {
    this.#orders.force(sensorId, status, at);
  }

  addIncident(id: string, incident: Incident): () => void {
    const node = this.#registry.require(id);
    addIncident(node, incident);
    this.#dependencies.invalidate(node);
    return () => {
      removeIncident(node, incident);
      this.#dependencies.invalidate(node);
    };
  }
}

function sensorNode(sensor: SimSensor): SensorNode {
  if (!(sensor instanceof SensorNode)) throw new RangeError("the sensor is not in this world");
  return sensor;
}
