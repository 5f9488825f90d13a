import { z } from "zod";
import data from "../../../data/known-kinds.json" with { type: "json" };
import quantityData from "../../../data/quantities.json" with { type: "json" };
import { curve } from "./curve-schema.ts";
import { asOrdinal, pages } from "./curves.ts";
import type { ChannelTemplate, SensorKind } from "./sensor-kind.ts";
import { UNITS, type Unit } from "./units.ts";

/** A kind of the table of kinds. scripts/generate makes data/known-kinds.json from config/sensor-kinds.yaml. */
const knownKind = z.strictObject({
  id: z.string(),
  name: z.string(),
  evidence: z.enum(["open-dataset", "manual", "invented"]),
  /** Of all sensors in the data set. */
  share: z.number().optional(),
  channels: z.array(z.strictObject({ en: z.string(), de: z.string(), unit: z.string(), quantity: z.string() })),
});
type KnownKind = z.output<typeof knownKind>;
type KnownChannel = KnownKind["channels"][number];

/** Without versions at the end of ids. */
export const KIND_TABLE: ReadonlyMap<string, KnownKind> = new Map(
  z
    .array(knownKind)
    .parse(data)
    .map((kind) => [kind.id, kind]),
);

/** How channels of a quantity move, by quantity and unit or by quantity alone. */
const QUANTITIES = z
  .record(
    z.string(),
    z.strictObject({
      curve,
      bounds: z.tuple([z.number(), z.number()]).exactOptional(),
      whole: z.literal(true).exactOptional(),
      limits: z
        .union([
          z.strictObject({ maxWarning: z.number(), maxError: z.number() }),
          z.strictObject({ minWarning: z.number(), minError: z.number() }),
        ])
        .exactOptional(),
    }),
  )
  .parse(quantityData);

const UNIT_OF_DISPLAY: ReadonlyMap<string, Unit> = new Map(
  Object.values(UNITS)
    .reverse()
    .map((unit) => [unit.display, unit]),
);

const NO_ANSWERS: readonly [technology: RegExp, message: string][] = [
  [/^snmp/, "No such object (SNMP error # 222)"],
  [/^(wmi|pc)/, "Connection could not be established (800706BA: The RPC server is unavailable) (code: PE015)"],
  [/^ssh/, "Failed to establish secure connection [11] Unable to connect using SSH (code: PE095)"],
];

/** Ratios of what is left: too little of it is a problem. */
const FREE = /\b(free|available|idle)\b/i;

/** The kinds of the table, with a curve by quantity for each channel. */
export const KNOWN_KINDS: ReadonlyMap<string, SensorKind> = new Map(
  [...KIND_TABLE.values()].flatMap((kind): [string, SensorKind][] => {
    const [primary, ...others] = kind.channels.map(channelTemplate);
    return primary === undefined ? [] : [[kind.id, sensorKind(kind, [primary, ...others])]];
  }),
);

function sensorKind({ id, name }: KnownKind, channels: SensorKind["channels"]): SensorKind {
  return {
    ...{
      type: id,
      typeName: name,
      names: [`${name} {n}`],
      tags: [`${id}sensor`],
      firstNumber: 0,
      channels,
      limited: 0.3,
    },
    usual: [Math.min(2, channels.length), Math.min(5, channels.length)],
    noAnswer: NO_ANSWERS.find(([technology]) => technology.test(id))?.[1] ?? "Timeout (code: PE018)",
  };
}

function channelTemplate({ en, de, unit: display, quantity }: KnownChannel, index: number): ChannelTemplate {
  const unit = quantity === "state" ? UNITS.lookup : display === "" ? UNITS.plain : UNIT_OF_DISPLAY.get(display);
  if (unit === undefined) throw new Error(`there is no unit with the text ${display}`);
  const name = quantity === "ratio" && FREE.test(en) ? "free ratio" : quantity;
  const found = QUANTITIES[`${name} ${display}`] ?? QUANTITIES[name];
  if (found === undefined) throw new Error(`data/quantities.json has no ${quantity}`);
  const { curve: shape, ...rest } = found;
  const own = asOrdinal(shape, index);
  return {
    ...{ name: en, german: de, unit, ...rest },
    curve: quantity === "size" && unit.factor > 1 ? pages(own, unit.factor) : own,
  };
}

/** Labels of repeated channels, as the table has them in examples. */
const LABELS = ["1", "C:", "xvda1"];

/** The German name of a channel, if the table of kinds has it; `{n}` stays. */
export function germanName(type: string, name: string): string | undefined {
  const channels = KIND_TABLE.get(type.replace(/\.\d+$/, ""))?.channels ?? [];
  for (const label of name.includes("{n}") ? LABELS : [""]) {
    const found = channels.find(({ en }) => plain(en) === plain(name.replace("{n}", label)));
    if (found !== undefined) return label === "" ? found.de : found.de.replace(label, "{n}");
  }
  return undefined;
}

/** Rules of the exporter ignore the same: case and punctuation. */
function plain(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
