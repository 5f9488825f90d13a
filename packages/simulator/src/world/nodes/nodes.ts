import type {
  Incident,
  SimChannel,
  SimDevice,
  SimKind,
  SimLimits,
  SimNode,
  SimSensor,
  SimSettings,
  SimStatus,
} from "../model.ts";
import type { Scan } from "../sensors/curves.ts";
import { lookupFor } from "../sensors/lookups.ts";
import { type ChannelTemplate, DOWNTIME_NUMBER, type SensorKind } from "../sensors/sensor-kind.ts";
import { type IntervalPeriod, type ScanTiming, secondsAt } from "./scan-times.ts";

/** A pause, resume or forced status by a user: it holds from `at` until the next action, but not beyond `until`. */
export interface ManualAction {
  readonly at: number;
  /** Infinity where only another action ends it. */
  readonly until: number;
  readonly kind: "pause" | "resume" | "force";
  readonly status: SimStatus;
  readonly message: string;
}

/** An acknowledgement counts for the alarm that is on at `at`, but not beyond `until`. */
export interface Acknowledgement {
  readonly at: number;
  /** Infinity where it ends with the alarm. */
  readonly until: number;
  readonly message: string;
}

/** From `at` on the node depends on another object than its parent; undefined ends this. */
export interface Dependency {
  readonly at: number;
  readonly target: TreeNode | undefined;
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
  readonly spreadIndex: number;
  readonly createdAt: number;
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
  settings: SimSettings = {};

  readonly salt: number;
  readonly spreadIndex: number;
  readonly createdAt: number;
  /** In order of time. */
  readonly manualActions: ManualAction[] = [];
  /** In order of time. */
  readonly dependencies: Dependency[] = [];
  /** Incidents that were added, past and future ones. */
  readonly incidents: Incident[] = [];
  /** Goes up with each change that can affect the state of the node; cached results carry the revision that they were made with. */
  revision = 0;
  /** It is paused now and then (groups, devices, sensors), or loses its connection (probes). */
  hasRandomHalts = false;

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
    this.spreadIndex = options.spreadIndex;
    this.createdAt = options.createdAt;
    options.parent?.children.push(this);
  }
}

export class DeviceNode extends TreeNode implements SimDevice {
  declare readonly kind: "device";
  host: string;
  hostv6 = "";
  ipVersion = 4;

  constructor(options: NodeOptions, host: string) {
    super("device", options);
    this.host = host;
  }
}

export interface SensorOptions extends NodeOptions {
  readonly spec: SensorKind;
  readonly intervalSeconds: number;
  /** Offset of the local time in milliseconds. */
  readonly zone: number;
}

export class SensorNode extends TreeNode implements SimSensor, ScanTiming {
  declare readonly kind: "sensor";
  readonly channels: ChannelNode[] = [];

  readonly spec: SensorKind;
  readonly zone: number;
  /** Waits for its first scan for ever, in this status. */
  neverScanned: "unknown" | "none" | undefined;
  /** Paused every night. */
  pausedAtNight = false;
  readonly acknowledgements: Acknowledgement[] = [];
  /** In order of time; the first one from -Infinity on. */
  intervals: readonly [IntervalPeriod, ...IntervalPeriod[]];
  /** Scans that were requested, in order of time. */
  readonly requestedScans: number[] = [];
  isIrregular = false;

  constructor(options: SensorOptions) {
    super("sensor", options);
    this.spec = options.spec;
    this.intervals = [{ from: -Infinity, seconds: options.intervalSeconds }];
    this.zone = options.zone;
  }

  get intervalSeconds(): number {
    return (this.intervals.at(-1) ?? this.intervals[0]).seconds;
  }

  /** As if it had always been so. */
  set intervalSeconds(seconds: number) {
    this.intervals = [{ from: -Infinity, seconds }];
    this.revision++;
  }

  get intervalInherited(): boolean {
    return this.settings.interval === undefined;
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

  get lookupId(): string | undefined {
    const { unit, name } = this.template;
    return lookupFor({ kind: this.sensor.spec.type, name, unitType: unit.type })?.id;
  }

  get isDowntime(): boolean {
    return this.number === DOWNTIME_NUMBER;
  }

  /** The scan of this channel at a given time, for its curve. */
  scan(at: number): Scan {
    const { salt, zone } = this.sensor;
    return { at, salt, zone, intervalSeconds: secondsAt(this.sensor, at), ordinal: this.ordinal };
  }
}

/** Keeps a list in order of time; at the same time the later call comes last. */
export function insertByTime<Item extends { readonly at: number }>(items: Item[], item: Item): void {
  items.splice(items.findLastIndex((other) => other.at <= item.at) + 1, 0, item);
}
