import type {
  SimAverages,
  SimChannel,
  SimDevice,
  SimEdit,
  SimKind,
  SimLastSeen,
  SimMeasurement,
  SimNode,
  SimRow,
  SimSchedule,
  SimSensor,
  SimState,
  SimStatus,
  World,
} from "../../src/world/model.ts";

export const NOW = Date.UTC(2026, 2, 12, 17, 55, 10);
export const SINCE = Date.UTC(2026, 2, 12, 17, 2, 11);

type Draft = Partial<Omit<SimNode, "id" | "kind" | "parent" | "children">>;

/**
 * A small static world. Only tests change it, by writing `SimNode` fields.
 * root 0 > probe 1 > group 10 > device 100 > sensors 1000 (up) and 1001 (acknowledged)
 * group 10 > group 11 > device 101 > sensor 1002 (paused, never measured)
 * root 0 > probe 2 > group 20 > device 200 > sensor 2000 (down, measured without a value)
 */
export class StaticWorld implements World {
  readonly seed = 7;
  readonly root: SimNode;
  readonly #nodes: SimNode[] = [];
  readonly #states = new Map<string, SimState>();
  readonly #measurements = new Map<SimChannel, SimMeasurement>();

  constructor() {
    this.root = this.#add("root", undefined, "0", { name: "Root", type: "root", tags: ["everything"] });
    this.#buildFirstProbe();
    const probe = this.#add("probe", this.root, "2", { name: "Remote", type: "probenode" });
    const group = this.#add("group", probe, "20", { name: "Remote LAN", type: "group" });
    const device = this.#addDevice(group, "200", { name: "printer" }, "10.2.0.9");
    const sensor = this.#addSensor(device, "2000", { name: "Toner", type: "snmpcustom" });
    const toner = channel(sensor, 3, { name: "Black", displayUnit: "%", unitType: "PERCENT", primary: true });
    this.#states.set("2000", { status: "down", since: SINCE, message: 'No "response"' });
    this.measure(toner, { at: NOW - 30_000, displayValue: null, value: null });
  }

  #buildFirstProbe(): void {
    const probe = this.#add("probe", this.root, "1", { name: "Local Probe", type: "probenode" });
    const group = this.#add("group", probe, "10", { name: "Network", type: "group", tags: ["net"], favorite: true });
    const device = this.#addDevice(group, "100", { name: "core-sw-1", tags: ["cisco"] }, "10.0.0.2");
    const ping = this.#addSensor(device, "1000", { name: "Ping", type: "ping", typeName: "Ping v2", priority: 5 });
    const time = channel(ping, 0, { name: "Ping Time", displayUnit: "msec", unitType: "TIME_RESPONSE", primary: true });
    time.limits.maxError = 250;
    time.limits.minWarning = 0.5;
    const pingDowntime = channel(ping, -4, { name: "Downtime", displayUnit: "%", unitType: "PERCENT" });
    const uplink = this.#addSensor(
      device,
      "1001",
      { name: "Uplink", type: "snmptraffic", typeName: "SNMP Traffic", tags: ["wan"], favorite: true },
      { intervalSeconds: 30, intervalInherited: false },
    );
    const traffic = { displayUnit: "Mbit/s", unitType: "BYTES_BANDWIDTH", rawFactor: 125_000 };
    const trafficIn = channel(uplink, 1, { name: "Traffic In", primary: true, ...traffic });
    const trafficOut = channel(uplink, 2, { name: "Traffic Out", ...traffic });
    const inner = this.#add("group", group, "11", { name: 'Größe "π" \\ 漢\ud800', type: "group" });
    const server = this.#addDevice(inner, "101", { name: "srv", tags: ["cisco", "net"] }, "10.0.0.3");
    const paused = this.#addSensor(server, "1002", { name: "CPU", type: "paessler.cpu.65" });
    channel(paused, 0, { name: "Total", displayUnit: "%", unitType: "CPU", primary: true });
    this.#states.set("1001", { status: "acknowledged", since: SINCE, message: "No response" });
    this.#states.set("1002", { status: "pausedbyuser", since: SINCE, message: "" });
    this.measure(time, { at: NOW - 5000, displayValue: 68.75, value: 68.75 });
    this.measure(pingDowntime, { at: NOW - 5000, displayValue: 0, value: 0 });
    this.measure(trafficIn, { at: NOW - 10_000, displayValue: 0.5, value: 62_500 });
    this.measure(trafficOut, { at: NOW - 10_000, displayValue: 12, value: 1_500_000 });
  }

  measure(target: SimChannel, measurement: SimMeasurement): void {
    this.#measurements.set(target, measurement);
  }

  node(id: string): SimNode | undefined {
    return this.#nodes.find((node) => node.id === id);
  }

  list(kind: "probe"): readonly SimNode[];
  list(kind: "group"): readonly SimNode[];
  list(kind: "device"): readonly SimDevice[];
  list(kind: "sensor"): readonly SimSensor[];
  list(kind: SimKind): readonly SimNode[] {
    return this.#nodes.filter((node) => node.kind === kind);
  }

  channels(): readonly SimChannel[] {
    return this.list("sensor").flatMap((sensor) => sensor.channels);
  }

  channel(id: string): SimChannel | undefined {
    return this.channels().find(({ sensor, number }) => `${sensor.id}.${number}` === id);
  }

  state({ id }: SimNode): SimState {
    return this.#states.get(id) ?? { status: "up", since: SINCE, message: "OK" };
  }

  lastMeasurement(target: SimChannel): SimMeasurement | undefined {
    return this.#measurements.get(target);
  }

  /** Assumes that the status never changed since it began. */
  lastSeen(sensor: SimSensor): SimLastSeen {
    const { status, since } = this.state(sensor);
    const [scan] = this.measurements(sensor, -Infinity, Infinity);
    const isDown = status === "down" || status === "acknowledged";
    return status === "up"
      ? { up: scan?.at, down: undefined }
      : { up: since - 60_000, down: isDown ? scan?.at : undefined };
  }

  /** Assumes that the only measurement was the first scan. */
  schedule(sensor: SimSensor): SimSchedule {
    const [scan] = this.measurements(sensor, -Infinity, Infinity);
    return { first: scan?.at ?? SINCE, everyMs: sensor.intervalSeconds * 1000 };
  }

  measurements({ channels }: SimSensor, from: number, to: number): SimRow[] {
    const times = new Set(channels.flatMap((one) => this.lastMeasurement(one)?.at ?? []));
    const valueAt = (one: SimChannel, at: number): number | null => {
      const measurement = this.lastMeasurement(one);
      return measurement?.at === at ? measurement.displayValue : null;
    };
    return [...times]
      .filter((at) => from <= at && at <= to)
      .sort((a, b) => a - b)
      .map((at) => ({ at, displayValues: channels.map((one) => valueAt(one, at)) }));
  }

  /** One scan each. */
  averages(sensor: SimSensor, from: number, to: number, spanMs: number): SimAverages[] {
    return this.measurements(sensor, from, to - 1)
      .map((row) => ({ ...row, at: Math.floor(row.at / spanMs) * spanMs, downtime: 0 }))
      .filter(({ at }) => at >= from && at + spanMs <= to);
  }

  remove(id: string): void {
    const node = this.#must(id);
    for (const child of [...node.children]) this.remove(child.id);
    node.parent?.children.splice(node.parent.children.indexOf(node), 1);
    this.#nodes.splice(this.#nodes.indexOf(node), 1);
  }

  rename(id: string, name: string): void {
    this.#must(id).name = name;
  }

  move(id: string, newParentId: string): void {
    const node = this.#must(id);
    node.parent?.children.splice(node.parent.children.indexOf(node), 1);
    node.parent = this.#must(newParentId);
    node.parent.children.push(node);
  }

  addGroup(parentId: string, name: string): SimNode {
    return this.#add("group", this.#must(parentId), String(9000 + this.#nodes.length), { name });
  }

  addDevice(parentId: string, name: string): SimDevice {
    return this.#addDevice(this.#must(parentId), String(9000 + this.#nodes.length), { name }, "10.9.9.9");
  }

  addSensor(deviceId: string, name: string): SimSensor {
    return this.#addSensor(this.#must(deviceId), String(9000 + this.#nodes.length), { name });
  }

  /** Only names. */
  edit(id: string, { name }: SimEdit): void {
    if (name !== undefined) this.rename(id, name);
  }

  clone(): never {
    throw new RangeError("objects of the static world cannot be cloned");
  }

  scan(sensorId: string): void {
    this.#must(sensorId);
  }

  pause(id: string, at: number, message = ""): void {
    this.#states.set(id, { status: "pausedbyuser", since: at, message });
  }

  resume(id: string): void {
    this.#states.delete(id);
  }

  acknowledge(sensorId: string, at: number, message = ""): void {
    this.#states.set(sensorId, { status: "acknowledged", since: at, message });
  }

  force(sensorId: string, status: SimStatus, at: number): void {
    this.#states.set(sensorId, { status, since: at, message: "" });
  }

  /** No incidents. */
  addIncident(): () => void {
    throw new RangeError("the static world has no incidents");
  }

  #must(id: string): SimNode {
    const node = this.node(id);
    if (node === undefined) throw new RangeError(`no object ${id}`);
    return node;
  }

  #add<Kind extends SimKind, More extends object>(
    kind: Kind,
    parent: SimNode | undefined,
    id: string,
    draft: Draft,
    more?: More,
  ): SimNode & { kind: Kind } & More {
    const defaults = { name: id, type: kind, typeName: kind, tags: [], priority: 3, favorite: false, settings: {} };
    const node = Object.assign({ ...defaults, ...draft, id, kind, parent, children: [] }, more);
    parent?.children.push(node);
    this.#nodes.push(node);
    return node as SimNode & { kind: Kind } & More;
  }

  #addDevice(parent: SimNode, id: string, draft: Draft, host: string): SimDevice {
    return this.#add("device", parent, id, { type: "device", ...draft }, { host, hostv6: "", ipVersion: 4 });
  }

  #addSensor(parent: SimNode, id: string, draft: Draft, interval: Partial<SimSensor> = {}): SimSensor {
    const own = { intervalSeconds: 60, intervalInherited: true, ...interval };
    const settings = own.intervalInherited ? {} : { interval: { seconds: own.intervalSeconds, errorIntervalsDown: 1 } };
    const more = { ...own, settings, channels: [] as SimChannel[] };
    return this.#add("sensor", parent, id, draft, more);
  }
}

function channel(
  sensor: SimSensor,
  number: number,
  draft: Partial<SimChannel> & Pick<SimChannel, "name" | "displayUnit" | "unitType">,
): SimChannel {
  const made: SimChannel = { rawFactor: 1, primary: false, limits: {}, ...draft, sensor, number };
  (sensor.channels as SimChannel[]).push(made);
  return made;
}
