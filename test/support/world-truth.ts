import type { SimChannel, SimNode, SimSensor, World } from "../../src/simulator/world/model.ts";
import { parseStatusCode } from "./status-codes.ts";

/** `name` with its labels in the order of their names, as `seriesKey` of parsed samples gives it. */
export type ExpectedSeries = Map<string, number>;

const FIVE_MINUTES = 300_000;

/**
 * What a page must say of the sensors and channels of a simulated world at a moment, worked out from the world itself:
 * nothing of the exporter's code is used here.
 */
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
    if (value !== undefined) expected.set(seriesKey("prtg_channel_value", channelLabels(channel, server)), value);
  }
  return expected;
}

/** Paused and never measured channels have no value; one older than three intervals (at least 5 min) is withdrawn. */
function servedValue(world: World, channel: SimChannel, at: number): number | undefined {
  const { sensor } = channel;
  if (world.state(sensor, at).status.startsWith("paused")) return undefined;
  const measurement = world.lastMeasurement(channel, at);
  if (measurement === undefined || measurement.displayValue === null) return undefined;
  const staleAfter = Math.max(3 * sensor.intervalSeconds * 1_000, FIVE_MINUTES);
  return at - measurement.at < staleAfter ? measurement.displayValue : undefined;
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
