import { z } from "zod";
import { BASE_UNIT_NAMES } from "../mapping/units/base-units.ts";
import { filePath, inCode, optional } from "./fields.ts";

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
  const error = "a text, or a non-empty list of texts";
  return z
    .union([z.string(), z.array(z.string(), { error }).min(1, { error })], { error })
    .optional()
    .meta({ title: "text or list of texts", description, examples: [...examples] });
}

const match = z
  .strictObject({
    kind: patterns("Kind of the sensor, without version suffix.", ["ping", "paessler.*.ping_sensor"]),
    kind_name: patterns("Display name of the kind.", ["Ping v2"]),
    channel: patterns("Name of the channel.", ["Loading time", "/(?i)traffic (?<direction>in|out)/"]),
    unit: patterns("Unit of the channel as PRTG displays it.", ["msec"]),
    base_unit: z
      .union([baseUnit, z.array(baseUnit).min(1, { error: BASE_UNITS_EXPECTED })], { error: BASE_UNITS_EXPECTED })
      .optional()
      .meta({
        title: "text or list of texts",
        description: "Base unit of the channel, if its unit is known.",
        examples: ["seconds"],
      }),
    tags: patterns("Tags of the sensor. One of them must match.", ["site-*"]),
    device: patterns("Name of the device.", ["core-sw-?"]),
    path: patterns("Path of the sensor. `*` stands for text within one name, `**` for any text.", ["Berlin/**"]),
  })
  .meta({
    description:
      "Conditions of the rule. All keys must match, and one item of each list. A text matches itself. `~` before a text ignores case and punctuation. A text with `*` or `?` is a glob. A text between slashes is a regular expression (RE2) that must match the whole text.",
  });

const ruleKeys = z.strictObject({
  match,
  drop: optional(z.literal(true, { error: "true" }), "Drop the channel: no series, not even `prtg_channel_value`."),
  name: optional(z.string(), "Name of the metric.", "prtg_ping_seconds"),
  help: optional(
    z.string(),
    "HELP text of the metric. One of the rules with the same name sets it. Default: a general text.",
    "Round trip time.",
  ),
  unit: optional(baseUnit, "Base unit to convert values to. Default: values as PRTG displays them.", "seconds"),
  factor: optional(
    z.number({ error: "a number" }),
    "Multiplier for values, for unknown units. The unit of the channel does not matter.",
    60,
  ),
  offset: optional(z.number({ error: "a number" }), "Number that is added to values after `factor`.", -40),
  labels: z
    .record(z.string(), z.string())
    .optional()
    .meta({
      title: "map of texts",
      description: "Labels to add. `$1` and `$<name>` insert the match of a group of a regular expression.",
      examples: [{ direction: "$<direction>" }],
    }),
});

const DROPS = "drop alone, or name with its other keys";

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
          "Rules of the exporter. `all` enables all presets. `base-units` applies last, to channels that no other rule matches.",
        uniqueItems: true,
        examples: [["ping", "base-units"]],
      }),
    files: z
      .array(filePath())
      .prefault([])
      .meta({ description: "Files with your rules.", examples: [["/etc/prtg-exporter/rules.yaml"]] }),
    rules: rules.prefault([]).meta({
      description: "Rules for channels. The first match decides. Order: these rules, then `files`, then `presets`.",
    }),
    keep_original: z.boolean().prefault(true).meta({
      description: "Keep `prtg_channel_value` for channels with their own metric.",
    }),
    byte_units: z.enum(["binary", "decimal"]).prefault("binary").meta({
      description:
        "Size of KB, KByte, MB and so on: powers of 1024, as in PRTG, or of 1000. KiB is always 1024, kbit always 1000.",
    }),
  })
  .transform((input) => ({
    ...inCode(input),
    presets: [...new Set(input.presets.flatMap((name) => (name === ALL_PRESETS ? PRESET_NAMES : [name])))],
  }));

export type MappingSettings = z.output<typeof mappingSchema>;
export type RuleSettings = z.output<typeof ruleSchema>;

export const ruleFileSchema = z.strictObject({
  description: z.string().optional(),
  rules,
});
