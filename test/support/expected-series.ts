import type { SimChannel, SimNode, SimSensor, World } from "prtg-simulator/src/world/model.ts";
import { entryOf, lookupOf } from "prtg-simulator/src/world/sensors/lookups.ts";

/** The specification's status tokens in order, deliberately repeated here. */
const TOKENS =
  "none unknown collecting up warning down disconnected pausedbyuser pausedbydependency pausedbyschedule unusual pausedbylicense pauseduntil acknowledged partialdown".split(
    " ",
  );

/** Keys like `seriesKey` of parsed samples: sorted labels. */
type ExpectedSeries = Map<string, number>;

const FIVE_MINUTES = 300_000;

/** Series of sensors and channels, computed from the simulator's world without the exporter's code. */
export function expectedSeries(world: World, server: string, at: number): ExpectedSeries {
  const expected: ExpectedSeries = new Map();
  for (const sensor of world.list("sensor")) {
    const labels = sensorLabels(sensor, server);
    const { status } = world.state(sensor, at);
    expected.set(seriesKey("prtg_sensor_status", { ...labels, status }), 1);
    expected.set(seriesKey("prtg_sensor_status_code", labels), parseStatusCode(status));
  }
  for (const channel of world.channels()) {
    const value = servedValue(world, channel, at);
    if (value === undefined) continue;
    const labels = channelLabels(channel, server);
    expected.set(seriesKey("prtg_channel_value", labels), value);
    const state = stateOf(channel, value);
    if (state !== undefined) expected.set(seriesKey("prtg_channel_state", { ...labels, state }), 1);
  }
  return expected;
}

/** Only statuses with sensors. */
export function statusCounts(world: World, at: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (const sensor of world.list("sensor")) {
    const { status } = world.state(sensor, at);
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return counts;
}

/** Includes channels. */
export function objectCounts(world: World): Map<string, number> {
  return new Map([
    ["probe", world.list("probe").length],
    ["group", world.list("group").length],
    ["device", world.list("device").length],
    ["sensor", world.list("sensor").length],
    ["channel", world.channels().length],
  ]);
}

/**
 * Polled at a moment.
 * @param countedKinds kinds in `GET /objects/count`
 */
export function familySizes(
  world: World,
  at: number,
  { countedKinds }: { readonly countedKinds: number },
): Map<string, number> {
  const sensors = world.list("sensor");
  const channels = world.channels();
  const devices = world.list("device").length;
  const parents = world.list("probe").length + world.list("group").length;
  const limits = (list: readonly SimChannel[]): number =>
    list.reduce((sum, channel) => sum + Object.values(channel.limits).filter((limit) => limit !== undefined).length, 0);
  const served = channels.filter((channel) => servedValue(world, channel, at) !== undefined);
  return new Map([
    ["prtg_up", 1],
    ["prtg_server_info", 1],
    ["prtg_sensors", TOKENS.length],
    ["prtg_objects", countedKinds],
    ["prtg_node_status_code", parents + devices],
    ["prtg_node_sensors", parents * TOKENS.length],
    ["prtg_sensor_status", sensors.length],
    ["prtg_sensor_status_code", sensors.length],
    ["prtg_sensor_info", sensors.length],
    ["prtg_device_info", devices],
    ["prtg_sensor_interval_seconds", sensors.length],
    ["prtg_sensor_status_since_timestamp_seconds", sensors.length],
    [
      "prtg_sensor_last_measurement_timestamp_seconds",
      sensors.filter((sensor) => lastMeasured(world, sensor, at) !== undefined).length,
    ],
    ["prtg_channel_value", served.length],
    ["prtg_channel_limit", limits(channels)],
    ["prtg_channel_limit_exceeded", limits(served)],
    ["prtg_channel_state", served.filter((channel) => lookupOf(channel) !== undefined).length],
  ]);
}

/** Last measurement of any channel, milliseconds since the epoch. Undefined: never. */
export function lastMeasured(world: World, sensor: SimSensor, at: number): number | undefined {
  const times = sensor.channels.flatMap((channel) => world.lastMeasurement(channel, at)?.at ?? []);
  return times.length === 0 ? undefined : Math.max(...times);
}

export function differences(expected: ReadonlyMap<string, number>, found: ReadonlyMap<string, number>): string[] {
  const missing = [...expected].filter(([key]) => !found.has(key)).map(([key]) => `missing: ${key}`);
  const extra = [...found].filter(([key]) => !expected.has(key)).map(([key]) => `extra: ${key}`);
  const different = [...expected].flatMap(([key, value]) => {
    const other = found.get(key);
    return other === undefined || other === value ? [] : [`${key} is ${other}, not ${value}`];
  });
  return [...missing, ...extra, ...different];
}

/** Not for paused and never measured channels. Expires after three intervals (at least 5 min). */
export function servedValue(world: World, channel: SimChannel, at: number): number | undefined {
  const { sensor } = channel;
  if (world.state(sensor, at).status.startsWith("paused")) return undefined;
  const measurement = world.lastMeasurement(channel, at);
  if (measurement === undefined || measurement.displayValue === null) return undefined;
  const staleAfter = Math.max(3 * sensor.intervalSeconds * 1_000, FIVE_MINUTES);
  return at - measurement.at < staleAfter ? measurement.displayValue : undefined;
}

/** The lookup's text for a value, if any. */
function stateOf(channel: SimChannel, value: number): string | undefined {
  const lookup = lookupOf(channel);
  return lookup && (entryOf(lookup, value)?.text ?? String(value));
}

export function seriesKey(name: string, labels: Readonly<Record<string, string>>): string {
  return `${name}${JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))}`;
}

function sensorLabels(sensor: SimSensor, server: string): Record<string, string> {
  const ancestors = ancestorsOf(sensor);
  return {
    server,
    sensor_id: sensor.id,
    probe: nameOf(ancestors.findLast(({ kind }) => kind === "probe")),
    group: nameOf(ancestors.find(({ kind }) => kind === "group")),
    device: nameOf(sensor.parent),
    sensor: sensor.name.toWellFormed(),
    path: [sensor, ...ancestors].map(nameOf).reverse().join("/"),
  };
}

function channelLabels(channel: SimChannel, server: string): Record<string, string> {
  return {
    ...sensorLabels(channel.sensor, server),
    channel_id: String(channel.number),
    channel: channel.name.toWellFormed(),
    unit: channel.displayUnit,
  };
}

/** From the parent up, without the root. */
function ancestorsOf(node: SimNode): SimNode[] {
  const ancestors: SimNode[] = [];
  for (let { parent } = node; parent !== undefined && parent.kind !== "root"; { parent } = parent)
    ancestors.push(parent);
  return ancestors;
}

function nameOf(node: SimNode | undefined): string {
  return node?.name.toWellFormed() ?? "";
}

function parseStatusCode(token: string): number {
  const code = TOKENS.indexOf(token);
  if (code < 0) throw new Error(`no status ${token}`);
  return code;
}
