import type { Scan } from "./curves.ts";
import type { SimChannel, SimDevice, SimKind, SimLimits, SimNode, SimSensor, SimStatus } from "./model.ts";
import { type ChannelTemplate, DOWNTIME_NUMBER, type SensorKind } from "./sensor-kind.ts";

/** What somebody did to a node: it holds from `at` until the next order. */
export interface Order {
  readonly at: number;
  readonly kind: "pause" | "resume" | "force";
  readonly status: SimStatus;
  readonly message: string;
}

/** An acknowledgement counts for the alarm that is on at `at`. */
export interface Acknowledgement {
  readonly at: number;
  readonly message: string;
}

export interface NodeOptions {
  readonly id: string;
  readonly parent: TreeNode | undefined;
  readonly name: string;
  readonly type: string;
  readonly typeName: string;
  readonly tags: readonly string[];
  readonly priority: number;
  readonly favorite: boolean;
  /** Source of the node's own randomness. */
  readonly salt: number;
  /** Place among the nodes of its kind, moved by an amount of the seed; spreads rare states evenly over the nodes. */
  readonly seat: number;
  readonly bornAt: number;
}

/** A node as the world itself sees it. */
export class TreeNode implements SimNode {
  readonly id: string;
  readonly kind: SimKind;
  parent: TreeNode | undefined;
  readonly children: TreeNode[] = [];
  name: string;
  readonly type: string;
  readonly typeName: string;
  tags: string[];
  priority: number;
  favorite: boolean;

  readonly salt: number;
  readonly seat: number;
  readonly bornAt: number;
  /** In order of time. */
  readonly orders: Order[] = [];
  /** Somebody pauses it now and then (groups, devices, sensors), or it loses its connection (probes). */
  restless = false;

  constructor(kind: SimKind, options: NodeOptions) {
    this.id = options.id;
    this.kind = kind;
    this.parent = options.parent;
    this.name = options.name;
    this.type = options.type;
    this.typeName = options.typeName;
    this.tags = [...options.tags];
    this.priority = options.priority;
    this.favorite = options.favorite;
    this.salt = options.salt;
    this.seat = options.seat;
    this.bornAt = options.bornAt;
    options.parent?.children.push(this);
  }
}

export class DeviceNode extends TreeNode implements SimDevice {
  declare readonly kind: "device";
  host: string;

  constructor(options: NodeOptions, host: string) {
    super("device", options);
    this.host = host;
  }
}

export interface SensorOptions extends NodeOptions {
  readonly spec: SensorKind;
  readonly intervalSeconds: number;
  readonly intervalInherited: boolean;
  /** Offset of the local time in milliseconds. */
  readonly zone: number;
}

export class SensorNode extends TreeNode implements SimSensor {
  declare readonly kind: "sensor";
  intervalSeconds: number;
  readonly intervalInherited: boolean;
  readonly channels: ChannelNode[] = [];

  readonly spec: SensorKind;
  readonly zone: number;
  /** Waits for its first scan for ever, in this status. */
  neverScanned: "unknown" | "none" | undefined;
  /** Paused every night. */
  nightly = false;
  readonly acknowledgements: Acknowledgement[] = [];

  constructor(options: SensorOptions) {
    super("sensor", options);
    this.spec = options.spec;
    this.intervalSeconds = options.intervalSeconds;
    this.intervalInherited = options.intervalInherited;
    this.zone = options.zone;
  }
}

export interface ChannelOptions {
  readonly number: number;
  readonly name: string;
  readonly ordinal: number;
  readonly primary: boolean;
  readonly limits: Readonly<SimLimits>;
}

export class ChannelNode implements SimChannel {
  readonly sensor: SensorNode;
  readonly number: number;
  name: string;
  readonly displayUnit: string;
  readonly unitType: string;
  readonly rawFactor: number;
  readonly primary: boolean;
  readonly limits: SimLimits;

  readonly template: ChannelTemplate;
  readonly ordinal: number;

  constructor(sensor: SensorNode, template: ChannelTemplate, options: ChannelOptions) {
    this.sensor = sensor;
    this.template = template;
    this.number = options.number;
    this.name = options.name;
    this.ordinal = options.ordinal;
    this.displayUnit = template.unit.display;
    this.unitType = template.unit.type;
    this.rawFactor = template.unit.factor;
    this.primary = options.primary;
    this.limits = { ...options.limits };
  }

  get isDowntime(): boolean {
    return this.number === DOWNTIME_NUMBER;
  }

  /** The scan of this channel at a moment, for its curve. */
  scan(at: number): Scan {
    const { salt, zone, intervalSeconds } = this.sensor;
    return { at, salt, zone, intervalSeconds, ordinal: this.ordinal };
  }
}
