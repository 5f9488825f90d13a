import { z } from "zod";
import { BASE_UNIT_NAMES } from "../mapping/units/base-units.ts";
import { filePath } from "./fields.ts";

/* Syntax of `mapping` and of rule files. `src/mapping/rules` checks the rules after all files are read. */

/** Names of the files in config/mappings. */
export const PRESET_NAMES = [
  "base-units",
  "certificate",
  "cloud",
  "core-health",
  "cpu",
  "database",
  "disk-free",
  "disk-io",
  "hardware",
  "http",
  "memory",
  "network",
  "ping",
  "printer",
  "probe-health",
  "process",
  "response-time",
  "snmp-rmon",
  "snmp-traffic",
  "temperature",
  "uptime",
  "web-server",
] as const;
const ALL_PRESETS = "all";
export type PresetName = (typeof PRESET_NAMES)[number];

const baseUnit = z.enum(BASE_UNIT_NAMES);
const BASE_UNITS_EXPECTED = `a base unit or a list of them, of ${BASE_UNIT_NAMES.join(", ")}`;

function patterns(description: string, examples: readonly string[]) {
  const error = "a text, or a list of texts that is not empty";
  return z
    .union([z.string(), z.array(z.string(), { error }).min(1, { error })], { error })
    .optional()
    .meta({ title: "text or list of texts", description, examples: [...examples] });
}

const match = z
  .strictObject({
    kind: patterns("Type of the sensor, without version suffix.", ["ping", "paessler.*.ping_sensor"]),
    kind_name: patterns("Human name of the type.", ["Ping v2"]),
    channel: patterns("Name of the channel.", ["Loading time", "/(?i)traffic (?<direction>in|out)/"]),
    unit: patterns("Unit of the channel as the server spells it.", ["msec"]),
    base_unit: z
      .union([baseUnit, z.array(baseUnit).min(1, { error: BASE_UNITS_EXPECTED })], { error: BASE_UNITS_EXPECTED })
      .optional()
      .meta({
        title: "text or list of texts",
        description: "Base unit that the unit of the channel becomes, where it is recognised.",
        examples: ["seconds"],
      }),
    tags: patterns("Tags of the sensor, of which any may fit.", ["site-*"]),
    device: patterns("Name of the device.", ["core-sw-?"]),
    path: patterns("Path of the sensor. `*` stands for text within one name, `**` for any text.", ["Berlin/**"]),
  })
  .meta({
    description:
      "What the rule fits: everything that is given must fit, and of each list one item. A text fits itself; after `~` it ignores case and punctuation; `*` and `?` make it a glob; between slashes it is a regular expression (RE2 syntax) that must fit the whole text.",
  });

const ruleKeys = z.strictObject({
  match,
  drop: z
    .literal(true, { error: "true" })
    .optional()
    .meta({ description: "The channel has no series at all, not even `prtg_channel_value`." }),
  name: z
    .string()
    .optional()
    .meta({ description: "Name of the metric.", examples: ["prtg_ping_seconds"] }),
  help: z
    .string()
    .optional()
    .meta({
      description:
        "What the metric is. One rule of those that share a name gives it; where none does, the metric is called a last measurement that a mapping rule names.",
      examples: ["Round trip time."],
    }),
  unit: baseUnit.optional().meta({
    description: "What values are converted to. Without it they stay as they are displayed.",
    examples: ["seconds"],
  }),
  factor: z
    .number({ error: "a number" })
    .optional()
    .meta({
      description: "Values are multiplied by this, whatever their unit, for units that are not recognised.",
      examples: [60],
    }),
  offset: z
    .number({ error: "a number" })
    .optional()
    .meta({ description: "Added to values after `factor`.", examples: [-40] }),
  labels: z
    .record(z.string(), z.string())
    .optional()
    .meta({
      title: "map of texts",
      description: "Labels to add. `$1` and `$<name>` stand for what a group of a regular expression matched.",
      examples: [{ direction: "$<direction>" }],
    }),
});

const DROPS = "drop alone, or name with what belongs to it";

const ruleSchema = ruleKeys.transform((input, context) => {
  const { match: matched, drop, name, ...rest } = input;
  const others = [...(name === undefined ? [] : ["name"]), ...Object.keys(rest)];
  if (drop) {
    const [other] = others;
    if (other === undefined) return { kind: "drop" as const, match: matched };
    context.addIssue({ code: "custom", message: DROPS, path: [], input });
    return z.NEVER;
  }
  if (name !== undefined) return { kind: "metric" as const, match: matched, name, ...rest };
  if (context.issues.length === 0) {
    context.addIssue({ code: "custom", message: "name, or drop", path: ["name"], input: undefined });
  }
  return z.NEVER;
});

const rules = z.array(ruleSchema);

export const mappingSchema = z
  .strictObject({
    presets: z
      .array(z.enum([ALL_PRESETS, ...PRESET_NAMES]))
      .prefault([])
      .meta({
        description:
          "Rules that come with the exporter. `all` stands for all of them. `base-units` takes what no other rule takes, wherever it stands in the list.",
        uniqueItems: true,
        examples: [["ping", "base-units"]],
      }),
    files: z
      .array(filePath())
      .prefault([])
      .meta({ description: "Files with rules of your own.", examples: [["/etc/prtg-exporter/rules.yaml"]] }),
    rules: rules.prefault([]).meta({
      description:
        "Rules for channels. The first one that fits decides: of these, then of `files`, then of `presets`, each in order.",
    }),
    keep_original: z.boolean().prefault(true).meta({
      description: "Whether channels that a rule gives a metric of their own also stay in `prtg_channel_value`.",
    }),
    byte_units: z.enum(["binary", "decimal"]).prefault("binary").meta({
      description:
        "How large KB, KByte, MB and the like are: powers of 1024, as the product counts, or of 1000. KiB is always 1024, kbit 1000.",
    }),
  })
  .transform((input) => ({
    presets: [...new Set(input.presets.flatMap((name) => (name === ALL_PRESETS ? PRESET_NAMES : [name])))],
    files: input.files,
    rules: input.rules,
    keepOriginal: input.keep_original,
    byteUnits: input.byte_units,
  }));

export type MappingSettings = z.output<typeof mappingSchema>;
export type RuleSettings = z.output<typeof ruleSchema>;

export const ruleFileSchema = z.strictObject({
  description: z.string().optional(),
  rules,
});
