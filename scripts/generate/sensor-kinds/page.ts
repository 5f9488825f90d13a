import type { RuleSet } from "../../../src/mapping/rules/rule-set.ts";
import { code, pageHead, table } from "../markdown.ts";
import { isCurated } from "./coverage.ts";
import { KIND_TABLE_FILE, type KindTable, type KnownKind, LANGUAGES, namesOf } from "./table.ts";

const INTRODUCTION = `
The exporter knows these kinds of sensors. Their channels get names of their own from the
[presets](presets.md). With \`mapping: { presets: [all] }\`, the exporter uses all presets.

The page, the presets and the kinds of the simulator come from \`${KIND_TABLE_FILE}\`. If a kind or a language is
missing, add it there and run \`npm run docs\`. Rules compare names without case and punctuation. They accept the suffix
\`(speed)\` or \`(Geschwindigkeit)\` of a rate, which PRTG adds in historic data.

## Sources
`;

const CONFIDENCE = `
Three facts are not proved:

- **Ids.** The data set is from the classic core. API v2 shows \`ping\` and \`snmptraffic\` with the same ids, so the others
  are likely. If your server shows another id, [report it](../CONTRIBUTING.md).
- **Spelling.** The data set has names in lower case without punctuation, such as \`wmidiskspace_free_bytes_c\`. The spelling
  in this table is ours.
- **German names.** The data set proves those that are marked. It also shows that German servers use many English names. The
  others are translations.

Units are those that the product shows by default. The data set has no units. If the unit of a channel does not become the
unit of its metric, the channel stays in \`prtg_channel_value\` (see [Mapping](mapping.md#seeing-what-happens)).
`;

export function sensorKindsPage(kinds: KindTable, rules: RuleSet): string {
  const entries = Object.entries(kinds.kinds);
  const recorded = entries.filter(([, { evidence }]) => evidence === "open-dataset");
  return [
    pageHead("Kinds of sensors", KIND_TABLE_FILE),
    INTRODUCTION,
    "\n",
    table(
      ["Source", "Licence", "What it proves"],
      Object.entries(kinds.sources).map(([id, source]) => [
        source.url === undefined ? `${source.title} (${code(id)})` : `[${source.title}](${source.url}) (${code(id)})`,
        source.licence ?? "",
        source.note,
      ]),
    ),
    CONFIDENCE,
    "\n## Coverage\n\nChannels with a curated metric, of all channels of the kind in this table. A channel that shows several disks, processors or\nthe like counts once. So does a channel that the data set lists as rate and as volume.\n\n",
    table(
      ["Kind", "Product name", "Source", "Sensors in the data set", "English", "German"],
      [
        ...entries.map(([id, kind]) => [
          code(id),
          kind.manual === undefined ? kind.name : `[${kind.name}](${kinds.sources.manual.url}/${kind.manual})`,
          code(kind.evidence),
          kind.sensors?.toString() ?? "",
          ...coverage([[id, kind]], rules),
        ]),
        ["**The data set**", "", "", total(recorded), ...coverage(recorded, rules)],
      ],
    ),
    "\n## Channels\n\n`{disk}` stands for a text that becomes a label, and brackets for an optional part.\n\n",
    table(
      ["Kind", "Channel", "German name", "Unit", "Metric"],
      entries.flatMap(([id, kind]) =>
        kind.channels.map((channel) => [
          code(id),
          channel.en.map(code).join(", "),
          `${namesOf(channel, "de").map(code).join(", ")}${channel.de_evidence === undefined ? "" : " (recorded)"}`,
          channel.unit,
          channel.metric === undefined ? "" : code(channel.metric),
        ]),
      ),
    ),
  ].join("");
}

type Entry = readonly [id: string, kind: KnownKind];

function coverage(entries: readonly Entry[], rules: RuleSet): string[] {
  const channels = entries.flatMap(([id, kind]) => kind.channels.map((channel) => ({ id, channel })));
  return LANGUAGES.map((language) => {
    const curated = channels.filter(({ id, channel }) => isCurated(rules, id, channel, language));
    return `${curated.length} of ${channels.length}`;
  });
}

function total(entries: readonly Entry[]): string {
  const sum = entries.reduce((some, [, { sensors = 0 }]) => some + sensors, 0);
  return sum === 0 ? "" : sum.toString();
}
