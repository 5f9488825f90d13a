import { type Conversion, UNCHANGED } from "../units/base-units.ts";
import type { UnitReader, UnitReading } from "../units/unit-reader.ts";
import { AttributeIndex, type Bits, firstCommon, intersect, noBits, unite } from "./attribute-index.ts";
import { captured, type LabelPart, type RuleLabel } from "./labels.ts";
import { ATTRIBUTE_NAMES, type Conditions } from "./pattern.ts";
import type { AttributeName, ChannelAttributes, MappedFamily, Mapping, Rule, SensorAttributes } from "./rule.ts";

export interface ReadyRule extends Rule {
  readonly conditions: Conditions;
  /** `undefined` for a drop rule. */
  readonly family: MappedFamily | undefined;
  readonly factor: Conversion | undefined;
  readonly labels: readonly RuleLabel[];
}

export type AttributeValues = Readonly<Record<AttributeName, readonly string[]>>;

/** Cached units. */
const MAX_UNITS = 5000;

/**
 * The first matching rule decides. Matches are cached per value of an attribute, so that a channel costs one
 * intersection.
 */
export class RuleSet {
  /** In order of their first rule. */
  readonly families: readonly MappedFamily[];
  readonly rules: readonly ReadyRule[];
  readonly #units: UnitReader;
  readonly #indexes: Readonly<Record<AttributeName, AttributeIndex>>;
  readonly #sensors = new WeakMap<SensorAttributes, Bits>();
  readonly #readings = new Map<string, { readonly reading: UnitReading | undefined; readonly bits: Bits }>();

  constructor(rules: readonly ReadyRule[], families: Iterable<MappedFamily>, units: UnitReader) {
    this.rules = rules;
    this.families = [...families];
    this.#units = units;
    const indexes = ATTRIBUTE_NAMES.map((attribute) => {
      return [attribute, new AttributeIndex(rules.map(({ conditions }) => conditions.get(attribute)))] as const;
    });
    this.#indexes = Object.fromEntries(indexes) as Record<AttributeName, AttributeIndex>;
  }

  map(sensor: SensorAttributes, channel: ChannelAttributes): Mapping | undefined {
    if (this.rules.length === 0) return undefined;
    const { reading, bits } = this.#readUnit(channel.unit);
    const rule = this.rules[firstCommon(this.#sensorBits(sensor), this.#indexes.channel.match(channel.name), bits)];
    if (rule === undefined) return undefined;
    const { family, settings } = rule;
    if (family === undefined || settings.kind === "drop") return { kind: "drop", rule };
    const conversion = rule.factor ?? conversionTo(settings.unit, reading);
    if (conversion === undefined) return { kind: "unconverted", rule, family };
    const labels = rule.labels.map(({ parts }) => parts.map((part) => textOf(part, sensor, channel)).join(""));
    return { kind: "metric", rule, family, conversion, labels };
  }

  /** Adds all rules whose conditions match, whatever the order. */
  addMatches(found: Bits, sensor: SensorAttributes, channel: ChannelAttributes): void {
    const all = this.#sensorBits(sensor).slice();
    intersect(all, this.#indexes.channel.match(channel.name));
    intersect(all, this.#readUnit(channel.unit).bits);
    unite(found, all);
  }

  /** What the conditions of rules are compared with. */
  valuesOf(sensor: SensorAttributes, channel: ChannelAttributes): AttributeValues {
    return { ...textsOf(sensor, channel), base_unit: [this.#readUnit(channel.unit).reading?.base ?? ""] };
  }

  recognises(displayUnit: string): boolean {
    return this.#readUnit(displayUnit).reading !== undefined;
  }

  #sensorBits(sensor: SensorAttributes): Bits {
    const known = this.#sensors.get(sensor);
    if (known !== undefined) return known;
    const { kind, kind_name, tags, device, path } = this.#indexes;
    const bits = kind.match(sensor.type).slice();
    intersect(bits, kind_name.match(sensor.typeName));
    const ofTags = tags.unconditional.slice();
    for (const tag of tagsOf(sensor)) unite(ofTags, tags.match(tag));
    intersect(bits, ofTags);
    intersect(bits, device.match(sensor.device));
    intersect(bits, path.matchOnce(sensor.path));
    this.#sensors.set(sensor, bits);
    return bits;
  }

  #readUnit(displayUnit: string) {
    const known = this.#readings.get(displayUnit);
    if (known !== undefined) return known;
    const reading = this.#units.read(displayUnit);
    const bits = noBits(this.rules.length);
    unite(bits, this.#indexes.unit.matchOnce(displayUnit));
    intersect(bits, this.#indexes.base_unit.match(reading?.base ?? ""));
    const read = { reading, bits };
    if (this.#readings.size >= MAX_UNITS) this.#readings.clear();
    this.#readings.set(displayUnit, read);
    return read;
  }
}

/** A sensor's own tags come first. */
function tagsOf({ tags, inheritedTags }: SensorAttributes): readonly string[] {
  return inheritedTags.length === 0 ? tags : [...tags, ...inheritedTags];
}

function conversionTo(target: string | undefined, reading: UnitReading | undefined): Conversion | undefined {
  if (target === undefined) return UNCHANGED;
  return reading?.base === target ? reading.conversion : undefined;
}

function textOf(part: LabelPart, sensor: SensorAttributes, channel: ChannelAttributes): string {
  if (part.kind === "text") return part.text;
  return captured(part, textsOf(sensor, channel)[part.attribute]);
}

function textsOf(sensor: SensorAttributes, channel: ChannelAttributes): AttributeValues {
  return {
    kind: [sensor.type],
    kind_name: [sensor.typeName],
    channel: [channel.name],
    unit: [channel.unit],
    // Only exact names match it, and these have no groups.
    base_unit: [],
    tags: tagsOf(sensor),
    device: [sensor.device],
    path: [sensor.path],
  };
}
