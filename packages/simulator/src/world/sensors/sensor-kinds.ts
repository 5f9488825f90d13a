import { z } from "zod";
import data from "../../../data/sensor-kinds.json" with { type: "json" };
import { curve, trend } from "./curve-schema.ts";
import { range } from "./curves.ts";
import { germanName, KNOWN_KINDS } from "./known-kinds.ts";
import type { ChannelTemplate, SensorKind } from "./sensor-kind.ts";
import { UNITS } from "./units.ts";

const number = z.number();
const pair = z.tuple([number, number]);

const channel = z.strictObject({
  name: z.string(),
  unit: z.literal(Object.keys(UNITS) as (keyof typeof UNITS)[]).transform((name) => UNITS[name]),
  curve,
  number: number.exactOptional(),
  limits: z
    .strictObject({
      maxWarning: number.exactOptional(),
      maxError: number.exactOptional(),
      minWarning: number.exactOptional(),
      minError: number.exactOptional(),
    })
    .exactOptional(),
  bounds: pair.exactOptional(),
  whole: z.literal(true).exactOptional(),
  group: z.string().exactOptional(),
});

const sensorKind = z.strictObject({
  type: z.string(),
  typeName: z.string(),
  names: z.tuple([z.string()], z.string()),
  tags: z.array(z.string()),
  firstNumber: z.literal([0, 1]),
  channels: z.tuple([channel], channel),
  repeated: z
    .strictObject({ templates: z.array(channel), labels: z.array(z.string()).exactOptional(), max: number })
    .exactOptional(),
  usual: pair,
  intervalSeconds: number.exactOptional(),
  canBeFast: z.literal(true).exactOptional(),
  limited: number,
  noAnswer: z.string(),
  trend: z.strictObject({ channel: number, line: trend }).exactOptional(),
});

/** By their names in data/sensor-kinds.json. They have more to tell than those of the table of known kinds. */
const KINDS: ReadonlyMap<string, SensorKind> = new Map(
  Object.entries(data).map(([name, kind]) => [name, withGermanNames(sensorKind.parse(kind))]),
);

/** As device-roles.json refers to it: by its name in data/sensor-kinds.json, or by the id of a known kind. */
export function kindNamed(name: string): SensorKind {
  const kind = KINDS.get(name) ?? KNOWN_KINDS.get(name);
  if (kind === undefined) throw new Error(`there is no sensor kind ${name}`);
  return kind;
}

/** All kinds of sensors of the world, by type; of several with one type the first. */
export const SENSOR_KINDS: ReadonlyMap<string, SensorKind> = new Map([
  ...KNOWN_KINDS,
  ...[...KINDS.values()].reverse().map((kind): [string, SensorKind] => [kind.type, kind]),
]);

/** What a sensor is that is added without a kind. */
export const DEFAULT_SENSOR_KIND: SensorKind = kindNamed("pingV2");

/** Every sensor has it; its value follows the sensor's state, not a curve. */
export const DOWNTIME: ChannelTemplate = {
  name: "Downtime",
  unit: UNITS.percent,
  curve: () => 0,
  bounds: [0, 100],
  whole: true,
};

/** Fills sensors up where the world must have more channels than their kinds offer. */
export const EXTRA: ChannelTemplate = {
  name: "Value {n}",
  unit: UNITS.count,
  curve: range({ low: [0, 40], high: [60, 4000], driver: 60 }),
  whole: true,
};

function withGermanNames(kind: SensorKind): SensorKind {
  const named = (template: ChannelTemplate): ChannelTemplate => {
    const german = germanName(kind.type, template.name);
    return german === undefined ? template : { ...template, german };
  };
  const [primary, ...others] = kind.channels;
  const { repeated } = kind;
  return {
    ...kind,
    channels: [named(primary), ...others.map(named)],
    ...(repeated !== undefined && { repeated: { ...repeated, templates: repeated.templates.map(named) } }),
  };
}
