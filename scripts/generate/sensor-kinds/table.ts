import { readFile } from "node:fs/promises";
import { load } from "js-yaml";
import { z } from "zod";
import { PRESET_NAMES } from "../../../src/config/mapping-schema.ts";
import { BASE_UNIT_NAMES } from "../../../src/mapping/units/base-units.ts";

const EVIDENCE = ["open-dataset", "manual", "invented"] as const;

const names = z.union([z.string(), z.array(z.string()).min(1)]).transform((one) => (Array.isArray(one) ? one : [one]));
const text = z.record(z.string(), z.string());

const channel = z.strictObject({
  en: names,
  /** Default: the English names. */
  de: names.optional(),
  de_evidence: z.enum(EVIDENCE).optional(),
  /** From lookups, after the name. */
  text: z.array(z.string()).prefault([]),
  /** In the product's spelling. */
  unit: z.string(),
  metric: z.string().optional(),
  labels: text.optional(),
  examples: z.record(z.string(), z.array(z.string())).prefault({}),
  factor: z.number().optional(),
});

const metric = z.strictObject({
  preset: z.enum(PRESET_NAMES),
  unit: z.enum(BASE_UNIT_NAMES).optional(),
  factor: z.number().optional(),
  help: z.string(),
});

const kind = z.strictObject({
  name: z.string(),
  evidence: z.enum(EVIDENCE),
  /** Manual page. */
  manual: z.string().optional(),
  /** Number in the data set. */
  sensors: z.number().optional(),
  channels: z.array(channel),
});

const table = z.strictObject({
  sources: z.record(
    z.enum(EVIDENCE),
    z.strictObject({ title: z.string(), url: z.string().optional(), licence: z.string().optional(), note: z.string() }),
  ),
  placeholders: text,
  metrics: z.record(z.string(), metric),
  kinds: z.record(z.string(), kind),
});

export type KindTable = z.output<typeof table>;
export type KnownKind = z.output<typeof kind>;
export type KnownChannel = z.output<typeof channel>;
export type KnownMetric = z.output<typeof metric>;

export const KIND_TABLE_FILE = "config/sensor-kinds.yaml";

export async function readKindTable(): Promise<KindTable> {
  return table.parse(load(await readFile(new URL(`../../../${KIND_TABLE_FILE}`, import.meta.url), "utf8")));
}

export const LANGUAGES = ["en", "de"] as const;
export type Language = (typeof LANGUAGES)[number];

export function namesOf(channel: KnownChannel, language: Language): readonly string[] {
  return channel[language] ?? channel.en;
}

/** As a server may show it. */
export interface ExampleName {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Without examples, drops optional parts. */
export function exampleNames(channel: KnownChannel, language: Language): ExampleName[] {
  return namesOf(channel, language).flatMap((template) => {
    const placeholders = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    const fills = placeholders.reduce<Record<string, string>[]>(
      (some, name) => some.flatMap((one) => (channel.examples[name] ?? []).map((value) => ({ ...one, [name]: value }))),
      [{}],
    );
    const bare = template.replaceAll(/\[[^\]]*\]/g, "");
    const filled =
      fills.length === 0 ? [{ name: bare, values: {} }] : fills.map((values) => ({ name: template, values }));
    return filled.map(({ name, values }) => ({
      name: fill(name.replaceAll(/[[\]]/g, ""), values),
      labels: Object.fromEntries(
        Object.entries(channel.labels ?? {}).map(([key, value]) => [key, fill(value, values)]),
      ),
    }));
  });
}

function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
}
