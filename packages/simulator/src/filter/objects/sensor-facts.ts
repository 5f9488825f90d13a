import type { SimSensor } from "../../world/model.ts";
import { uniform } from "../../world/noise.ts";
import { isChannel, isSensor, type SimObject } from "../../world/objects.ts";
import type { TreeContext } from "./context.ts";

/** How long a sensor was up and down since it was created, and which part of that time is known, in percent. */
export interface Totals {
  readonly upSeconds: number;
  readonly downSeconds: number;
  readonly coverage: number;
}

/** Made-up shares of the time since creation: adding up a year of scans would take minutes. */
export function totalsOf(object: SimObject, { world, now }: TreeContext): Totals | undefined {
  if (isChannel(object) || !isSensor(object) || !wasScanned(object, { world, now })) return undefined;
  const seconds = Math.max(0, now - world.schedule(object).first) / 1000;
  const salt = Number(object.id);
  const known = 0.98 + 0.02 * uniform(salt, 0xc0);
  // Few sensors are down for long.
  const down = 0.03 * uniform(salt, 0xd0) ** 3;
  return { upSeconds: seconds * known * (1 - down), downSeconds: seconds * known * down, coverage: 100 * known };
}

function wasScanned({ channels }: SimSensor, { world, now }: Pick<TreeContext, "world" | "now">): boolean {
  return channels.some((channel) => world.lastMeasurement(channel, now) !== undefined);
}

/** From 1, hardly any, to 5, after the technology in the name of the kind. The product has such a rating. */
export function performanceImpact(object: SimObject): number | undefined {
  if (isChannel(object) || !isSensor(object)) return undefined;
  return IMPACTS.find(([technology]) => technology.test(object.type))?.[1] ?? 2;
}

const IMPACTS: readonly [technology: RegExp, impact: number][] = [
  [/^(ping|port|ntp|corestate|probestate)$|icmp|dns/, 1],
  [/exe|script|exchange|powershell/, 5],
  [/sql|vmware|esx|veeam/, 4],
  [/wmi|ssh/, 3],
];

/** The kind, and without the version at its end: `paessler.snmp.cpu_usage_sensor` of `...sensor.65`. */
export function sensorKinds(type: string): readonly string[] {
  const bare = type.replace(/\.\d+$/, "");
  return bare === type ? [type] : [bare, type];
}

/** "unittype (number)" while records carry words: the number of a word is its place here. Ours; new ones go to the end. */
const UNIT_TYPES = [
  "CUSTOM",
  "PERCENT",
  "COUNT",
  "CPU",
  "TEMPERATURE",
  "TIME_RESPONSE",
  "TIME_SECONDS",
  "TIME_HOURS",
  "BYTES_BANDWIDTH",
  "BYTES_DISK",
  "BYTES_FILE",
  "BYTES_MEMORY",
  "SPEED_DISK",
  "SPEED_NET",
  "VALUE_LOOKUP",
];

export function unitNumber(object: SimObject): number | undefined {
  if (!isChannel(object)) return undefined;
  const place = UNIT_TYPES.indexOf(object.unitType);
  return place < 0 ? undefined : place;
}
