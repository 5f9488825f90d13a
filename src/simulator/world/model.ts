/**
 * The simulated world: what exists, and what it measures at any moment.
 * Nothing here knows HTTP or how the API spells things; `src/simulator/service` does.
 */

/** Status tokens as the API specification lists them. */
export type SimStatus =
  | "none"
  | "unknown"
  | "collecting"
  | "up"
  | "warning"
  | "down"
  | "disconnected"
  | "pausedbyuser"
  | "pausedbydependency"
  | "pausedbyschedule"
  | "unusual"
  | "pausedbylicense"
  | "pauseduntil"
  | "acknowledged"
  | "partialdown";

export type SimKind = "root" | "probe" | "group" | "device" | "sensor";

/** Common to every node of the tree. Ids are unique over all kinds, decimal numbers as strings; the root is "0". */
export interface SimNode {
  readonly id: string;
  readonly kind: SimKind;
  /** Undefined for the root only. */
  parent: SimNode | undefined;
  readonly children: SimNode[];
  name: string;
  /** Type of the object, for example `ping`, `snmptraffic`, `paessler.snmp.cpu_usage_sensor.65`, `Probe Device`. */
  readonly type: string;
  /** Human name of the type. */
  readonly typeName: string;
  tags: string[];
  /** 1 to 5. */
  priority: number;
  favorite: boolean;
}

export interface SimDevice extends SimNode {
  readonly kind: "device";
  host: string;
}

export interface SimSensor extends SimNode {
  readonly kind: "sensor";
  /** Scanning interval in seconds: 10, 30, 60, 300 ... */
  intervalSeconds: number;
  /** False where the interval is set on the sensor itself. */
  readonly intervalInherited: boolean;
  readonly channels: SimChannel[];
}

export interface SimChannel {
  readonly sensor: SimSensor;
  /** Number after the dot of `2490.1`; -4 is the Downtime channel. */
  readonly number: number;
  name: string;
  /** Unit of `displayValue`, as live servers spell it: `%`, `msec`, `Mbit/s`, `GByte`, `°C`, `#` ... */
  readonly displayUnit: string;
  /** Upper-snake unit kind: PERCENT, TIME_RESPONSE, BYTES_BANDWIDTH, CUSTOM ... */
  readonly unitType: string;
  /** `value` = `displayValue` times this. */
  readonly rawFactor: number;
  readonly primary: boolean;
  readonly limits: SimLimits;
}

/** Limits in the display unit; undefined where not set. */
export interface SimLimits {
  maxError?: number;
  maxWarning?: number;
  minWarning?: number;
  minError?: number;
}

/** Own state of a node at a moment. */
export interface SimState {
  readonly status: SimStatus;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly message: string;
}

export interface SimMeasurement {
  /** When the sensor was scanned; a multiple of the interval plus an offset of the sensor's own. */
  readonly at: number;
  /** Display value; null where the scan brought none. */
  readonly displayValue: number | null;
  readonly value: number | null;
}

/** One scan of a sensor, or the averages over a span of time. */
export interface SimRow {
  /** When the sensor was scanned; of averages, when the span begins. Milliseconds since the epoch. */
  readonly at: number;
  /** Display values in the order of the sensor's channels; null where a channel has none. */
  readonly displayValues: readonly (number | null)[];
}

/** When the scans of a sensor are due, whether or not they take place. */
export interface SimSchedule {
  /** The first one since the sensor was created; milliseconds since the epoch. */
  readonly first: number;
  readonly everyMs: number;
}

/**
 * All answers are pure functions of the seed, the mutations so far and the time `at` (ms since the epoch),
 * so that a test can ask what the service must have said.
 */
export interface World {
  readonly seed: number;
  readonly root: SimNode;
  node(id: string): SimNode | undefined;
  /** Nodes of a kind in list order (ascending by creation; what a list endpoint shows without sort_by). */
  list(kind: "probe"): readonly SimNode[];
  list(kind: "group"): readonly SimNode[];
  list(kind: "device"): readonly SimDevice[];
  list(kind: "sensor"): readonly SimSensor[];
  /** All channels, by sensor in list order, then by position in the sensor. */
  channels(): readonly SimChannel[];
  /** `2490.1`, `2490.-4`. */
  channel(id: string): SimChannel | undefined;

  state(node: SimNode, at: number): SimState;
  /** The last scan at or before `at`; undefined when never scanned (paused since creation, status none). */
  lastMeasurement(channel: SimChannel, at: number): SimMeasurement | undefined;
  schedule(sensor: SimSensor): SimSchedule;
  /** Every scan that took place from `from` to `to`, both included, oldest first. */
  measurements(sensor: SimSensor, from: number, to: number): readonly SimRow[];
  /**
   * The mean of each channel's values over the scans of each span, oldest first. Spans begin at whole multiples of
   * `spanMs` since the epoch, at or after `from`, and end at or before `to`; those without a value are left out.
   */
  averages(sensor: SimSensor, from: number, to: number, spanMs: number): readonly SimRow[];

  /** Changes at run time, at the moment `at`. Removal takes the children along. Unknown ids throw a RangeError. */
  remove(id: string): void;
  rename(id: string, name: string): void;
  move(id: string, newParentId: string): void;
  addDevice(parentId: string, name: string, at: number): SimDevice;
  addSensor(deviceId: string, name: string, at: number): SimSensor;
  pause(id: string, at: number, message?: string): void;
  resume(id: string, at: number): void;
  acknowledge(sensorId: string, at: number, message?: string): void;
  /** Forces a sensor into a status until `resume`; tests use it to know what must be served. */
  force(sensorId: string, status: SimStatus, at: number): void;
}

/** How large the world is. `channels` includes each sensor's Downtime channel. */
export interface WorldSize {
  readonly probes: number;
  readonly groups: number;
  readonly devices: number;
  readonly sensors: number;
  readonly channels: number;
}

export const DEFAULT_WORLD_SIZE: WorldSize = {
  probes: 3,
  groups: 40,
  devices: 240,
  sensors: 2600,
  channels: 12_000,
};
