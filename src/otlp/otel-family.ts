import { type KeyColumns, keyColumns, type MetricFamily } from "../mapping/families/family.ts";
import { CHANNEL_LABEL_NAMES, TREE_FAMILIES } from "../mapping/metric-table.ts";
import { unitInName } from "../mapping/rules/names.ts";
import { BASE_UNITS, type BaseUnitName } from "../mapping/units/base-units.ts";
import { statusFacts } from "../prtg/status.ts";
import type { PushedFamily } from "./metric-data.ts";
import {
  DEVICE_LABELS,
  type ExtraAttribute,
  LABEL_ATTRIBUTES,
  LABELS_OF_INFOS,
  meaningOf,
  QUANTITIES,
} from "./otel-names.ts";
import { SEMCONV_ATTRIBUTES, SEMCONV_VALUES } from "./semantic-conventions.ts";

/** Value of an attribute. `row`: the labels of a series. */
type Source = (row: readonly string[]) => string;

/** Translates a family and the labels of its series. */
export class Translation {
  readonly family: PushedFamily;
  readonly #sources: readonly Source[];

  constructor(metric: Pick<PushedFamily, "name" | "help" | "unit">, attributes: ReadonlyMap<string, Source>) {
    this.family = { ...metric, labels: [...attributes.keys()] };
    this.#sources = [...attributes.values()];
  }

  labels(labels: readonly string[]): readonly string[] {
    return this.#sources.map((source) => source(labels));
  }
}

export interface OtelFamily {
  /** `undefined` for families about servers. */
  readonly columns: KeyColumns | undefined;
  /** For series whose resource is their device. */
  readonly onDevice: Translation;
  /** For all other series. */
  readonly alone: Translation;
}

const BASE_FAMILIES: ReadonlyMap<string, MetricFamily> = new Map(
  Object.values(TREE_FAMILIES).map((family) => [family.name, family]),
);
const INFOS: ReadonlySet<string> = new Set([TREE_FAMILIES.sensorInfo.name, TREE_FAMILIES.deviceInfo.name]);
const MAPPED_LABELS: readonly string[] = ["server", ...CHANNEL_LABEL_NAMES, "limit"];

/** Labels of rules, from tags, and renamed ones keep their names. */
export function otelFamily(family: MetricFamily): OtelFamily {
  const base = BASE_FAMILIES.get(family.name);
  const metric = { ...otelMetric(family.name), help: family.help };
  return {
    columns: keyColumns(family),
    onDevice: new Translation(metric, attributesOf(family, base, true)),
    alone: new Translation(metric, attributesOf(family, base, false)),
  };
}

function attributesOf(
  { name: familyName, labels }: MetricFamily,
  base: MetricFamily | undefined,
  onDevice: boolean,
): ReadonlyMap<string, Source> {
  const known = base?.labels ?? MAPPED_LABELS;
  const names = INFOS.has(familyName) ? LABELS_OF_INFOS : LABEL_ATTRIBUTES;
  const extras = meaningOf(familyName)?.attributes ?? [];
  const replaced = new Set(extras.map(({ from }) => from));
  const attributes = new Map<string, Source>();
  for (const [column, label] of labels.entries()) {
    const isOurs = known.includes(label);
    if (replaced.has(label) || (onDevice && isOurs && DEVICE_LABELS.has(label))) continue;
    attributes.set(isOurs ? (names[label] ?? label) : label, (row) => row[column] ?? "");
    if (familyName === TREE_FAMILIES.sensorStatus.name && label === "status") {
      attributes.set(SEMCONV_ATTRIBUTES.hwState, (row) => stateOf(row[column] ?? ""));
    }
  }
  for (const each of extras) {
    const source = sourceOf(each, labels);
    if (source !== undefined) attributes.set(each.name, source);
  }
  return attributes;
}

/** Empty for a status that says nothing about the object. */
function stateOf(status: string): string {
  const state = statusFacts(status)?.hwState;
  return state === undefined ? "" : SEMCONV_VALUES.hwState[state];
}

/** `undefined` if the series lack a label. */
function sourceOf({ from, of = [], value, words }: ExtraAttribute, labels: readonly string[]): Source | undefined {
  if (value !== undefined) return () => value;
  const columns = (from === undefined ? of : [from]).map((label) => labels.indexOf(label));
  if (columns.includes(-1)) return undefined;
  return (row) => {
    const text = columns.map((column) => row[column]).join(".");
    return words?.[text] ?? text;
  };
}

/** The second word of a name, if it is a namespace. */
const NAMESPACES = /^prtg_(?:(server|sensor|channel|node|device|exporter)_)?/;
const UNITS_ALONE = /^prtg_channel_(limit_)?(.+)$/;

/**
 * Name and unit in OpenTelemetry: dots after namespaces, the unit in its own field. Prometheus translates it back to
 * the name of the family, except for names of the conventions.
 */
export function otelMetric(family: string): { readonly name: string; readonly unit: string } {
  const named = unitInName(family);
  const unit = named === undefined ? "" : BASE_UNITS[named].ucum;
  const metric = meaningOf(family)?.metric ?? (named === undefined ? undefined : quantity(family, named));
  if (metric !== undefined) return { name: metric, unit };
  // A share and an amount may measure the same thing, so `ratio` stays in the name.
  const suffix = named === undefined || named === "ratio" ? 0 : BASE_UNITS[named].suffix.length + 1;
  const name = family.slice(0, family.length - suffix);
  return { name: name.replace(NAMESPACES, (_, word) => (word === undefined ? "prtg." : `prtg.${word}.`)), unit };
}

function quantity(family: string, unit: BaseUnitName): string | undefined {
  const [, limit, suffix] = UNITS_ALONE.exec(family) ?? [];
  if (suffix !== BASE_UNITS[unit].suffix) return undefined;
  return `prtg.channel.${QUANTITIES[unit] ?? suffix}${limit === undefined ? "" : "_limit"}`;
}
