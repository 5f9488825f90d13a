/**
 * The simulated world: what exists, and what it measures at any time.
 * Nothing here knows HTTP or how the API spells things; `packages/simulator/src/records` does.
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

/** Settings of the section `intervalgroup`. */
export interface SimIntervalSettings {
  readonly seconds: number;
  /** How many scans in a row may fail before the sensor is down. The world keeps it and does not act on it. */
  readonly errorIntervalsDown: number;
}

/** Settings of the section `scheduledependency`. */
export interface SimDependencySettings {
  /** Name of a schedule. The world keeps it and does not act on it. */
  readonly schedule: string;
  /** Id of the object without which this one and all below it make no sense; undefined where that is the parent. */
  readonly dependsOn: string | undefined;
}

/** Settings of the section `windowsconnection`. */
export interface SimWindowsSettings {
  readonly domain: string;
  readonly username: string;
  readonly password: string;
}

/** What is set on a node itself. What is undefined it has from its parent, section by section. */
export interface SimSettings {
  readonly interval?: SimIntervalSettings;
  readonly dependency?: SimDependencySettings;
  readonly windows?: SimWindowsSettings;
}

/** Changes of a node. What is left out stays as it is. */
export interface SimEdit extends SimSettings {
  /** What the node is to have from its parent again; not with the root. */
  readonly inherits?: readonly (keyof SimSettings)[];
  readonly name?: string;
  readonly tags?: readonly string[];
  readonly priority?: number;
  /** Of devices, like the next two. */
  readonly host?: string;
  readonly hostv6?: string;
  /** 4 or 6. */
  readonly ipVersion?: number;
}

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
  /** Set on the node itself. The root has all of them. */
  readonly settings: SimSettings;
}

export interface SimDevice extends SimNode {
  readonly kind: "device";
  host: string;
  /** Job of the auto-discovery that added it. */
  discoveryJobId?: string;
  hostv6: string;
  /** 4 or 6: by which of the two addresses the device is reached. */
  ipVersion: number;
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
  /** Id of the lookup that has texts for its values, of channels that show codes. */
  readonly lookupId?: string | undefined;
  readonly limits: SimLimits;
}

/** Limits in the display unit; undefined where not set. */
export interface SimLimits {
  maxError?: number;
  maxWarning?: number;
  minWarning?: number;
  minError?: number;
}

/** Own state of a node at one time. */
export interface SimState {
  readonly status: SimStatus;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly message: string;
}

export interface SimMeasurement {
  /** When the sensor was scanned, in whole seconds. */
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

/** Averages over a span. Scans without an answer count only in `downtime`, as they have a row only if Downtime is asked for alone. */
export interface SimAverages extends SimRow {
  readonly downtime: number;
}

/** When a sensor was last in a status of that kind, by its scans; milliseconds since the epoch. Undefined: never. */
export interface SimLastSeen {
  /** Up, in warning or unusual. */
  readonly up: number | undefined;
  /** Down, whether in part, or acknowledged. */
  readonly down: number | undefined;
}

/** When the scans of a sensor are due, whether or not they take place. */
export interface SimSchedule {
  /** The first one since the sensor was created; milliseconds since the epoch. */
  readonly first: number;
  readonly everyMs: number;
  /** The first one at or after a time; undefined where all lie `everyMs` apart. */
  readonly next?: (at: number) => number;
}

/** A status that shows while it lasts: of a node itself, or of all sensors below it. */
export interface StatusEffect {
  readonly kind: "status";
  readonly status: SimStatus;
  /** What shows as the message; by default what the status itself says. */
  readonly message: string | undefined;
}

/** A channel that measures what the incident says; the sensor's status follows from the channel's limits. */
export interface ValueEffect {
  readonly kind: "reading";
  /** Number of the channel, the part after the dot of its id. */
  readonly channel: number;
  /** Display value that it goes to. */
  readonly to: number;
  /** How long it takes to get there, in a straight line from what it would have measured; 0: at once. Milliseconds. */
  readonly overMs: number;
}

/** A change of status or value that happens to a node, once or repeatedly. Times are milliseconds (since the epoch). */
export interface Incident {
  /** When it first begins. */
  readonly start: number;
  /** How long it lasts each time; Infinity: for good. */
  readonly lengthMs: number;
  /** From one beginning to the next; not shorter than `lengthMs`. */
  readonly everyMs: number;
  /** How often it happens; Infinity: no end. */
  readonly times: number;
  readonly effect: StatusEffect | ValueEffect;
}

/** Answers are pure functions of the seed, the mutations so far and the time `at` (ms since the epoch). */
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
  lastSeen(sensor: SimSensor, at: number): SimLastSeen;
  schedule(sensor: SimSensor): SimSchedule;
  /** Every scan that took place from `from` to `to`, both included, oldest first. */
  measurements(sensor: SimSensor, from: number, to: number): readonly SimRow[];
  /**
   * The mean of each channel's values over the scans of each span, oldest first. Spans begin at whole multiples of
   * `spanMs` since the epoch, at or after `from`, and end at or before `to`; those without a value are left out.
   */
  averages(sensor: SimSensor, from: number, to: number, spanMs: number): readonly SimAverages[];

  /**
   * Changes at run time, at the time `at`. Removal takes the children along; what depended on something removed depends on
   * its parent from then on (without `at`: as if it always had). Unknown ids throw a RangeError, and so does what the tree
   * cannot be.
   */
  remove(id: string, at?: number): void;
  rename(id: string, name: string): void;
  /** A RangeError for settings that the kind does not have, and for a dependency that comes back to the node itself. */
  edit(id: string, edit: SimEdit, at: number): void;
  /** Puts a node below another parent, or elsewhere among its siblings: at `index` of the children, last without it. */
  move(id: string, newParentId: string, options?: { readonly index?: number; readonly at?: number }): void;
  addGroup(parentId: string, name: string, at: number): SimNode;
  /** Without a host it gets a private address. */
  addDevice(parentId: string, name: string, at: number, host?: string): SimDevice;
  /** Without a type, which is one of `SENSOR_KINDS`, it is a ping. */
  addSensor(deviceId: string, name: string, at: number, type?: string): SimSensor;
  /** A copy of a group, device or sensor with all that is below it and all settings, measuring on its own from now on. */
  clone(id: string, parentId: string, name: string, at: number): SimNode;
  /** Until it is resumed, or until the time `until`. */
  pause(id: string, at: number, message?: string, until?: number): void;
  resume(id: string, at: number): void;
  /** Until the alarm ends, but not beyond the time `until`. */
  acknowledge(sensorId: string, at: number, message?: string, until?: number): void;
  /** An additional scan in this second. */
  scan(sensorId: string, at: number): void;
  /** Forces a sensor into a status until `resume`; tests use it to know what must be served. */
  force(sensorId: string, status: SimStatus, at: number): void;
  /**
   * Adds an incident to an object, past or future. The function that it returns removes the incident as if it had never
   * been. A RangeError for what cannot happen to the object.
   */
  addIncident(id: string, incident: Incident): () => void;
}
