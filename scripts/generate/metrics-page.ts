import type { MetricFamily } from "../../src/mapping/families/family.ts";
import { DECLARATIONS, type FamilyDeclaration, TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { STATUS_TOKENS } from "../../src/prtg/status.ts";
import { EXPORTER_FAMILIES, type MetricDeclaration } from "../../src/telemetry/metric-declarations.ts";
import { code, pageHead, table } from "./markdown.ts";

const INTRODUCTION = `
All metrics of the monitored world are gauges; the exporter's own are gauges, counters and histograms. Names, labels and
help texts come from one table in the code, and so does this page.

## Labels

- \`server\` is the configured name of the monitoring server. It comes first in every family that belongs to one.
- \`sensor_id\`, \`device_id\` and \`id\` are ids of objects, as in \`2490\`. \`channel_id\` is what follows the first dot of a
  channel's id: \`1\` for \`2490.1\`; it can be negative. Ids make every series unique: names need not be.
- \`probe\`, \`group\`, \`device\`, \`sensor\` and \`channel\` are names. \`group\` is the nearest group above the device.
- \`path\` joins the names from below the root to the object itself with \`/\`; a channel has the path of its sensor.
- \`unit\` is the unit of a channel as the server spells it.
- \`kind\` is \`probe\`, \`group\` or \`device\` in \`prtg_node_*\`, these or \`sensor\` in \`prtg_dependency_info\`, the kind of objects counted in \`prtg_objects\`, and the type of
  the sensor or device in the \`_info\` families. \`tags\` are joined with commas, with none at either
  end: \`tags=~"(.*,)?wan(,.*)?"\` finds a whole tag. ([Service discovery](service-discovery.md) puts one at each end, as Prometheus' own discoveries do; here it would
  be a new series for every sensor.)

Names can hold any character. They are escaped as the format demands and never altered, but that they are cut at
\`limits.max_text_length\` (paths at 4,096 characters; the end is then \`…\`), and for lone surrogates, which become U+FFFD. The labels of a family never vary; what is unknown is empty, which Prometheus treats as absent.

The narrow families (\`prtg_sensor_info\`, \`prtg_channel_limit_exceeded\`) join the wide ones by ids:

\`\`\`promql
prtg_sensor_status_code == 5
  and on (job, instance, server, sensor_id) prtg_sensor_info{priority="5"}
\`\`\`

The section \`labels\` of the configuration leaves some of these labels out, renames them and adds others:
[mapping.md](mapping.md#fewer-labels) has the joins that bring names back. Metrics that mapping rules make, and those of the
presets, are there too.

## Values

- \`prtg_channel_value\` is the number that the product's own pages show, in the unit of the label \`unit\`. Traffic channels
  are rates already: do not apply \`rate()\`.
- A number that comes as a text, such as \`"42,5 %"\`, \`"1.000,5"\` or the limit \`"0,2"\`, is read if only one reading is possible. \`"1,234"\` can be two
  numbers, so it has no series and is counted in \`prtg_exporter_decode_problems_total{problem="value"}\`. The same rule holds for values, limits, lookups, intervals,
  priorities and counts. A count is a whole number, so \`"1,234"\` is one there.
- If two records of one list have the same id, the first one is shown. The other one is counted in \`prtg_exporter_decode_problems_total{problem="duplicate"}\`, and
  the log names both.
- \`prtg_channel_state\` is there for channels that have a lookup: its label \`state\` is the text for the value that is served, and
  there is one series per channel, so that it can be joined. The texts of a bit field are joined with a comma; a number, or a rest of
  bits, that the lookup lacks stands there itself. Which channel has which lookup is read with the limits, every 15 minutes.
- \`prtg_dependency_info\` names the object without which PRTG pauses this one. The specification does not show the fields of the section \`scheduledependency\`, so these are
  the names of the classic settings. Only the type *Select a sensor* (\`dependencytype\` 1) names an object in \`dependency\`. *Use parent* (0) and *Master sensor for parent* (2) name
  none and have no series. An inherited dependency has a series for each object in which the server shows it. The id stays if the exporter does not know the object.
- What is missing has no series. Paused sensors and channels that were never measured have no value; null is never 0.

## When series end

- An object that two successive complete polls did not see is gone, and its series with it. Where records cannot be read, any of them may be a missing object: as many
  as there are of these, or all where none can be read, stay until nothing confirms them any more.
- The value of a channel is withdrawn when its measurement is older than \`stale_after\`: three scanning intervals of its
  sensor, at least five minutes, unless configured.
- The state of a channel goes with its value, and changes with it.
- Statuses, counts, limits, lookups and properties that no poll has confirmed for three periods of their collector, at least five
  minutes, are withdrawn as well. \`prtg_up\` and \`prtg_exporter_*\` remain and say why.

## Status codes

\`prtg_sensor_status_code\` and \`prtg_node_status_code\` give the status as a number: the position of its token in the list of
the API. A token that the exporter does not know becomes \`unknown\`, and is counted in
\`prtg_exporter_decode_problems_total\`.
`;

const CONVENTIONS = `
## Where names leave the conventions, and how to have none of that

- **One metric for all units.** \`prtg_channel_value\` has the unit in a label, not in its name, and shows what the server displays, not base units. Units are
  free text on the server, so a name for each is a choice, and the choice is [mapping](mapping.md).
- **States that show the current one only.** \`prtg_sensor_status\` and \`prtg_channel_state\` have one series, not one for each state as the state sets of OpenMetrics:
  15 times fewer for statuses.
- **No counters.** What the server counts it hands out as a rate or as the difference to the scan before, so everything about the monitored world is a
  gauge, errors of interfaces too.

Base units, with the unit in each name, and all statuses as 0 and 1:

\`\`\`yaml
metrics: { sensor_status: all }
mapping:
  presets: [all]
  keep_original: false
\`\`\`

Then only channels that no preset takes stay in \`prtg_channel_value\`: counts, codes, and units that are not recognised. Dashboards follow and show each channel by the metric that it has
([dashboards.md](dashboards.md#what-they-need)); \`keep_original: true\` has both, at a second series for each channel.
`;

const AVAILABILITY = `
Availability is the share of the time that a sensor was up, without the time in which that is not known: paused,
\`none\`, \`unknown\` and \`collecting\`. The second operand of \`and\` lists the codes that count:

\`\`\`promql
avg_over_time((
  prtg_sensor_status_code == bool 3
  and (prtg_sensor_status_code >= 3 < 7 or prtg_sensor_status_code == 10 or prtg_sensor_status_code >= 13)
)[30d:1m])
\`\`\`
`;

const OWN = `
Beside these, the exporter serves the usual metrics of its process and of Node.js (\`process_*\`, \`nodejs_*\`).
These are of the last second where scrapes follow each other; all others are as they are at the scrape.

A label in parentheses is there with \`metrics.api_detail: endpoint\` only ([configuration](configuration.md)). Without it
\`prtg_exporter_api_*\` say which server is slow or fails, \`prtg_exporter_api_endpoint_*\` which endpoint.
`;

const EXPERIMENTAL: ReadonlySet<string> = new Set(
  Object.values<FamilyDeclaration>(DECLARATIONS)
    .filter(({ stability }) => stability === "experimental")
    .map(({ name }) => name),
);

export function metricsPage(): string {
  return [
    pageHead("Metrics", "src/mapping/families/"),
    INTRODUCTION,
    "\n",
    table(
      ["Code", "Status"],
      STATUS_TOKENS.map((token, index) => [String(index), code(token)]),
    ),
    AVAILABILITY,
    CONVENTIONS,
    "\n## The monitored world\n\n",
    "A metric marked *experimental* may change in any release.\n\n",
    familyTable(Object.values(TREE_FAMILIES)),
    "\n## The exporter\n\n",
    familyTable(EXPORTER_FAMILIES),
    OWN,
  ].join("");
}

function familyTable(families: readonly (MetricFamily | MetricDeclaration)[]): string {
  const labelsOf = ({
    labels,
    detailLabels = [],
  }: Partial<MetricDeclaration> & Pick<MetricDeclaration, "labels">): string =>
    labels.map((label) => (detailLabels.includes(label) ? `(${code(label)})` : code(label))).join(" ");
  const rows = families.map((family) => {
    const mark = EXPERIMENTAL.has(family.name) ? "*Experimental.* " : "";
    return [code(family.name), family.type, labelsOf(family), mark + family.help];
  });
  return table(["Name", "Type", "Labels", "Meaning"], rows);
}
