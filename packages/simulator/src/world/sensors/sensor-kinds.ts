import { z } from "zod";
import data from "../../../data/sensor-kinds.json" with { type: "json" };
import {
  asPercent,
  bursts,
  type Curve,
  drift,
  falling,
  fixed,
  floored,
  hoursSinceNightlyJob,
  meter,
  mostly,
  octets,
  oneOf,
  percentOf,
  plus,
  product,
  range,
  rate,
  shared,
  times,
  uptimeDays,
  whole,
} from "./curves.ts";
import type { ChannelTemplate, SensorKind } from "./sensor-kind.ts";
import { UNITS } from "./units.ts";

const number = z.number();
const pair = z.tuple([number, number]);
const driver = number.optional();
const levels = z.strictObject({
  low: pair,
  high: pair,
  rhythm: z.enum(["office", "shop", "night", "sun", "steady"]).default("office"),
  driver: number.default(0),
});
const trend = z.strictObject({
  days: pair,
  full: pair.optional(),
  ends: z.array(z.strictObject({ weight: number, range: pair })),
});

/** A function of curves.ts with its arguments, such as `["times", ["fixed", 1, 2], 0.5]`. */
const curve: z.ZodType<Curve> = z.lazy(() =>
  z.union([
    z.tuple([z.literal("range"), levels]).transform(([, options]) => range(options)),
    z.tuple([z.literal("rate"), levels]).transform(([, options]) => rate(options)),
    z.tuple([z.literal("octets"), curve, driver]).transform(([, link, by]) => octets(link, by)),
    z.tuple([z.literal("fixed"), number, number, driver]).transform(([, low, high, by]) => fixed(low, high, by)),
    z.tuple([z.literal("oneOf"), z.tuple([number], number), driver]).transform(([, values, by]) => oneOf(values, by)),
    z.tuple([z.literal("bursts"), number, number, driver]).transform(([, share, max, by]) => bursts(share, max, by)),
    z
      .tuple([z.literal("mostly"), number, z.array(number), number, driver])
      .transform(([, usual, others, share, by]) => mostly(usual, others, share, by)),
    z.tuple([z.literal("drift"), number, driver]).transform(([, width, by]) => drift(width, by)),
    z
      .tuple([z.literal("uptimeDays"), number, number, driver])
      .transform(([, low, high, by]) => uptimeDays(low, high, by)),
    z.tuple([z.literal("hoursSinceNightlyJob"), driver]).transform(([, by]) => hoursSinceNightlyJob(by)),
    z.tuple([z.literal("meter"), pair, driver]).transform(([, perDay, by]) => meter(perDay, by)),
    z.tuple([z.literal("falling"), trend]).transform(([, line]) => falling(line)),
    z.tuple([z.literal("whole"), curve]).transform(([, one]) => whole(one)),
    z.tuple([z.literal("floored"), curve]).transform(([, one]) => floored(one)),
    z.tuple([z.literal("shared"), curve]).transform(([, one]) => shared(one)),
    z.tuple([z.literal("times"), curve, number]).transform(([, one, factor]) => times(one, factor)),
    z.tuple([z.literal("plus"), curve, curve]).transform(([, left, right]) => plus(left, right)),
    z.tuple([z.literal("product"), curve, curve]).transform(([, left, right]) => product(left, right)),
    z.tuple([z.literal("percentOf"), curve, curve]).transform(([, total, share]) => percentOf(total, share)),
    z.tuple([z.literal("asPercent"), curve, curve]).transform(([, part, total]) => asPercent(part, total)),
  ]),
);

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

/** By their names in data/sensor-kinds.json, which device-roles.json refers to. */
const KINDS: ReadonlyMap<string, SensorKind> = new Map(
  Object.entries(data).map(([name, kind]) => [name, sensorKind.parse(kind)]),
);

/** @throws Error for a name that data/sensor-kinds.json does not have */
export function kindNamed(name: string): SensorKind {
  const kind = KINDS.get(name);
  if (kind === undefined) throw new Error(`no kind of sensor is named ${name}`);
  return kind;
}

/** All kinds of sensors of the world, by type; of several with one type the first. */
export const SENSOR_KINDS: ReadonlyMap<string, SensorKind> = new Map(
  [...KINDS.values()].reverse().map((kind) => [kind.type, kind]),
);

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
