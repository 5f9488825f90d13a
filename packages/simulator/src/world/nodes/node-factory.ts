import type { SimKind } from "../model.ts";
import { mix, uniform } from "../noise.ts";
import type { SensorKind } from "../sensors/sensor-kind.ts";
import { addChannels } from "./channel-factory.ts";
import type { Naming } from "./names.ts";
import { ChannelNode, DeviceNode, type NodeOptions, SensorNode, TreeNode } from "./nodes.ts";
import { ROOT_SETTINGS, settingsInForce } from "./settings.ts";

const SECOND_MS = 1000;

/** Makes a text from a node's own randomness. */
export type FromSalt = (salt: number) => string;

interface NewNode {
  readonly parent: TreeNode;
  readonly name: FromSalt;
  readonly createdAt: number;
}

export interface NewGroup extends NewNode {
  readonly tags: readonly string[];
}

export interface NewDevice extends NewNode {
  readonly type: string;
  readonly tags: readonly string[];
  readonly host: FromSalt;
}

export interface NewSensor extends NewNode {
  readonly spec: SensorKind;
  /** Without Downtime. */
  readonly channels: number;
  /** Offset of the local time in milliseconds. */
  readonly zone: number;
  /** Its channels have German names, where they are known. */
  readonly isGerman?: boolean;
  /** Scans as its parent has it, unless its kind does not; otherwise some sensors have intervals of their own. */
  readonly inherits?: boolean;
}

/** The product's own probe has the id 1; everything else begins above this. */
const FIRST_IDS = 2000;

/** Makes nodes; ids ascend, with holes as in a tree that people have worked on. */
export class NodeFactory {
  readonly naming: Naming;
  readonly #seed: number;
  readonly #shift: number;
  readonly #counts = new Map<SimKind, number>();
  #lastId = 0;

  constructor(seed: number, naming: Naming) {
    this.naming = naming;
    this.#seed = seed;
    this.#shift = uniform(seed, 0x5ea7) * 1000;
  }

  root(createdAt: number): TreeNode {
    const salt = mix(this.#seed, 0);
    const names = { name: "Root", type: "root", typeName: "Root", tags: [] };
    const root = new TreeNode("root", {
      ...names,
      ...{ id: "0", parent: undefined, priority: 3, favorite: false, salt, spreadIndex: 0, createdAt },
    });
    root.settings = ROOT_SETTINGS;
    return root;
  }

  probe(own: NewNode): TreeNode {
    return new TreeNode(
      "probe",
      this.#options("probe", own, { type: "probenode", typeName: "Probe", tags: ["probe"] }),
    );
  }

  group(own: NewGroup): TreeNode {
    return new TreeNode("group", this.#options("group", own, { type: "group", typeName: "Group", tags: own.tags }));
  }

  device(own: NewDevice): DeviceNode {
    const { type, tags } = own;
    const options = this.#options("device", own, { type, typeName: type === "device" ? "Device" : type, tags });
    return new DeviceNode(options, own.host(options.salt));
  }

  sensor(own: NewSensor): SensorNode {
    const { spec, zone } = own;
    const options = this.#options("sensor", own, spec);
    const handedDown = settingsInForce(own.parent, "interval").settings.seconds;
    const intervalSeconds = spec.intervalSeconds ?? (own.inherits ? handedDown : drawnInterval(spec, options.salt));
    const sensor = new SensorNode({ ...options, spec, zone, intervalSeconds });
    if (intervalSeconds !== handedDown) {
      sensor.settings = { interval: { seconds: intervalSeconds, errorIntervalsDown: 1 } };
    }
    addChannels(sensor, own.channels, this.naming, own.isGerman);
    return sensor;
  }

  /** A node that is as another one, without what is below that; it has a history of its own, which begins at `createdAt`. */
  copy(original: TreeNode, parent: TreeNode, name: string, createdAt: number): TreeNode {
    const { kind, type, typeName, tags, priority } = original;
    const options = {
      ...this.#options(kind, { parent, name: () => name, createdAt }, { type, typeName, tags }),
      ...{ priority, favorite: false },
    };
    const copy = original instanceof SensorNode ? copySensor(original, options) : copyOther(original, options);
    copy.settings = original.settings;
    return copy;
  }

  #options(kind: SimKind, own: NewNode, what: Pick<NodeOptions, "type" | "typeName" | "tags">): NodeOptions {
    const count = this.#counts.get(kind) ?? 0;
    this.#counts.set(kind, count + 1);
    const salt = mix(this.#seed, 0x1d5 + this.#lastId);
    const hole = salt % 8 === 0 ? salt % 5 : 0;
    this.#lastId = this.#lastId === 0 ? 1 : Math.max(FIRST_IDS, this.#lastId) + 1 + hole;
    // A scan within the second of its creation has that second as its moment, as all scans have.
    const createdAt = Math.floor(own.createdAt / SECOND_MS) * SECOND_MS;
    return {
      ...{ id: String(this.#lastId), parent: own.parent, name: own.name(salt), createdAt, salt },
      ...{ type: what.type, typeName: what.typeName, tags: what.tags },
      priority: priorityOf(uniform(salt, 0x9110)),
      favorite: uniform(salt, 0xfa5) < 0.02,
      spreadIndex: count + this.#shift,
    };
  }
}

/** Nearly everything stays at the default of 3. */
function priorityOf(draw: number): number {
  if (draw < 0.8) return 3;
  if (draw < 0.88) return 4;
  if (draw < 0.92) return 5;
  return draw < 0.97 ? 2 : 1;
}

function drawnInterval(spec: SensorKind, salt: number): number {
  const draw = uniform(salt, 0x1e7);
  if (spec.canBeFast && draw < 0.06) return 10;
  if (spec.canBeFast && draw < 0.16) return 30;
  return draw > 0.97 ? 300 : ROOT_SETTINGS.interval.seconds;
}

function copySensor(original: SensorNode, options: NodeOptions): SensorNode {
  const { spec, zone, intervalSeconds } = original;
  const sensor = new SensorNode({ ...options, spec, zone, intervalSeconds });
  for (const channel of original.channels) sensor.channels.push(new ChannelNode(sensor, channel.template, channel));
  return sensor;
}

function copyOther(original: TreeNode, options: NodeOptions): TreeNode {
  if (!(original instanceof DeviceNode)) return new TreeNode(original.kind, options);
  const device = new DeviceNode(options, original.host);
  device.hostv6 = original.hostv6;
  device.ipVersion = original.ipVersion;
  return device;
}
