import type {
  SimChannel,
  SimDevice,
  SimMeasurement,
  SimNode,
  SimRow,
  SimSchedule,
  SimSensor,
  SimState,
  SimStatus,
  World,
  WorldSize,
} from "./model.ts";
import { Mutations } from "./mutations.ts";
import { NodeFactory } from "./node-factory.ts";
import { ChannelNode, SensorNode, TreeNode } from "./nodes.ts";
import { plant } from "./planting.ts";
import { Registry } from "./registry.ts";
import { completeSize } from "./size.ts";
import { Timeline } from "./timeline.ts";
import { DAY_MS } from "./trend.ts";

export interface WorldOptions {
  /** Taken modulo 2^32. */
  readonly seed: number;
  /** What is left out follows the proportions of DEFAULT_WORLD_SIZE. */
  readonly size?: Partial<WorldSize>;
  /** Milliseconds since the epoch. The history of the world begins 365 days before. */
  readonly startedAt: number;
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
  readonly #timeline = new Timeline();
  readonly #mutations: Mutations;

  constructor({ seed, size = {}, startedAt }: WorldOptions) {
    this.seed = seed;
    const factory = new NodeFactory(seed);
    const root = factory.root(Math.floor(startedAt) - HISTORY_DAYS * DAY_MS);
    this.root = root;
    this.#registry = new Registry(root);
    this.#registry.add(plant(factory, root, seed, completeSize(size)));
    this.#mutations = new Mutations(this.#registry, factory, this.#timeline);
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
    if (!(node instanceof TreeNode)) throw new RangeError("the node is not of this world");
    return this.#timeline.state(node, at);
  }

  lastMeasurement(channel: SimChannel, at: number): SimMeasurement | undefined {
    if (!(channel instanceof ChannelNode)) throw new RangeError("the channel is not of this world");
    return this.#timeline.lastMeasurement(channel, at);
  }

  schedule(sensor: SimSensor): SimSchedule {
    return this.#timeline.history.schedule(ours(sensor));
  }

  measurements(sensor: SimSensor, from: number, to: number): readonly SimRow[] {
    return this.#timeline.history.measurements(ours(sensor), from, to);
  }

  averages(sensor: SimSensor, from: number, to: number, spanMs: number): readonly SimRow[] {
    return this.#timeline.history.averages(ours(sensor), from, to, spanMs);
  }

  remove(id: string): void {
    this.#mutations.remove(id);
  }

  rename(id: string, name: string): void {
    this.#mutations.rename(id, name);
  }

  move(id: string, newParentId: string): void {
    this.#mutations.move(id, newParentId);
  }

  addDevice(parentId: string, name: string, at: number): SimDevice {
    return this.#mutations.addDevice(parentId, name, at);
  }

  addSensor(deviceId: string, name: string, at: number): SimSensor {
    return this.#mutations.addSensor(deviceId, name, at);
  }

  pause(id: string, at: number, message?: string): void {
    this.#mutations.pause(id, at, message);
  }

  resume(id: string, at: number): void {
    this.#mutations.resume(id, at);
  }

  acknowledge(sensorId: string, at: number, message?: string): void {
    this.#mutations.acknowledge(sensorId, at, message);
  }

  force(sensorId: string, status: SimStatus, at: number): void {
    this.#mutations.force(sensorId, status, at);
  }
}

function ours(sensor: SimSensor): SensorNode {
  if (!(sensor instanceof SensorNode)) throw new RangeError("the sensor is not of this world");
  return sensor;
}
