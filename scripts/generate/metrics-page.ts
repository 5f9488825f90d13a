import type { MetricFamily } from "../../src/mapping/families/family.ts";
import { DECLARATIONS, type FamilyDeclaration, TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { STATUS_TOKENS } from "../../src/prtg/status.ts";
import { EXPORTER_METRICS, type MetricDeclaration } from "../../src/telemetry/metric-declarations.ts";
import { code, pageHead, table } from "./markdown.ts";

const INTRODUCTION = `
All metrics the exporter serves, their labels, and when series end. Metrics about PRTG objects are gauges. The exporter's own metrics are gauges, counters and histograms.

## Labels

- \`server\` is the configured name of the PRTG server. It is the first label of every family about one, after \`le\` in buckets.
- \`sensor_id\`, \`device_id\` and \`id\` are ids of PRTG objects, such as \`2005\`. \`channel_id\` is the part of a channel's id after the first dot: \`1\` for \`2005.1\`. It can be
  negative. Names can occur twice, so ids make each series unique.
- \`probe\`, \`group\`, \`device\`, \`sensor\` and \`channel\` are names. \`group\` is the nearest group above the device.
- \`path\` joins the names from below the root to the object with \`/\`. A channel has the path of its sensor.
- \`unit\` is the unit of a channel as the server spells it.
- \`kind\` has another meaning in each family:

  | Family | Values of \`kind\` |
  | --- | --- |
  | \`prtg_node_*\`, \`prtg_outage_*\` | \`probe\`, \`group\`, \`device\` |
  | \`prtg_dependency_info\` | the same, or \`sensor\` |
  | \`prtg_objects\` | kind of the counted objects |
  | \`prtg_sensor_info\`, \`prtg_device_info\` | type in PRTG, such as \`ping\` |

- \`tags\` are joined with commas: \`tags=~"(.*,)?wan(,.*)?"\` selects one tag. [Service discovery](service-discovery.md) also puts commas at both ends, as Prometheus does.

Names can contain any character. The exporter escapes them. It changes a name only if it is longer than \`limits.max_text_length\` (paths: 4,096 characters), which it cuts and ends
with \`…\`, or if it is not valid Unicode (U+FFFD). The labels of a family never vary. An unknown label is empty, which Prometheus treats as absent.

Join \`prtg_sensor_info\` and the other families with few labels by ids:

\`\`\`promql
prtg_sensor_status_code == 5
  and on (job, instance, server, sensor_id) prtg_sensor_info{priority="5"}
\`\`\`

The section \`labels\` of the configuration omits, renames and adds labels. [Mapping](mapping.md#fewer-labels) has the joins that bring names back, and the metrics of rules and presets.

## Values

- \`prtg_channel_value\` is the number that PRTG displays, in the unit of the label \`unit\`. Traffic channels are rates already: do not apply \`rate()\`.
- The exporter reads numbers that PRTG sends as text, such as \`"42,5 %"\`, \`"1.000,5"\` or the threshold \`"0,2"\`, if only one reading is possible. \`"1,234"\` has two, so it has no series,
  and \`prtg_exporter_decode_problems_total{problem="value"}\` counts it. The same rule holds for limits, lookups, intervals, priorities and counts. A count is a whole number, so
  \`"1,234"\` is one there.
- If two records of one list have the same id, the exporter serves the first one. \`prtg_exporter_decode_problems_total{problem="duplicate"}\` counts the other one, and the log names both.
- Each channel with a lookup has one \`prtg_channel_state\` series. Its label \`state\` is the text of the current value. Texts of a bit field are joined with commas. If the lookup has no text,
  \`state\` is the number. The exporter reads with the limits, every 15 minutes, which channel has which lookup.
- \`(prtg_sensor_down_delay_intervals + 1) * prtg_sensor_interval_seconds\` is the longest time from a failure to the status down. PRTG has the delay in *If a Sensor Query
  Fails*, and the default is 1. So an alert about a sensor with an interval of 5 minutes comes up to 10 minutes later.
- \`prtg_dependency_info\` names the object on which this one depends. The specification does not show the fields of \`scheduledependency\`,
  so the exporter reads the field names of the classic API (\`dependencytype\`, \`dependency\`). Only the type *Select a sensor* (\`dependencytype\` 1) names an object in \`dependency\`. *Use parent* (0) and *Master sensor for parent* (2) name
  none and have no series. An inherited dependency has a series for each object in which the server shows it. The id stays if the exporter does not know the object.
- \`prtg_node_location_info\` has the coordinates of a probe, group or device in degrees, from its own tag \`geo:LATITUDE_LONGITUDE\` such as \`geo:50.11_8.68\` or \`geo:-33.87_151.21\`.
  A \`/\`, \`;\` or comma can replace the \`_\`, but the forms of PRTG end a tag at a comma. The first such tag counts. If its coordinates are invalid, the object has no series, and
  \`prtg_exporter_decode_problems_total{problem="value"}\` counts it.
- A missing value has no series and never becomes 0. Paused sensors and channels that were never measured have no value.

## Outages

An outage is the highest probe, group or device below which at least 80 % of the sensors, and at least three, have the same kind of problem: \`down\` (also partially or acknowledged) or
\`unknown\`. Sensors that are paused, collecting data or without a status do not count. It lasts until fewer than two sensors, or less than half of them, have the problem, so it holds steady
while sensors come and go. If the object above becomes an outage, its outage takes the place of those below.

- The label \`id\` of \`prtg_outage_*\` is the object, and \`prtg_outage_device_info\` joins affected devices with it. A device that is an outage itself has no such series.
- \`prtg_outage_start_timestamp_seconds\` is the time of the first affected sensor. Sensors that had the problem more than an hour before half of the others do not count: they have another cause.
- All series of an outage end with it.

## When series end

- If two successive complete polls do not see an object, it is gone, and its series end. If the exporter cannot read some records of a list, it keeps
  that many missing objects until their series become stale, because it cannot know which ones are gone. If it can read none, all series stay until then.
- The value of a channel ends when its measurement is older than \`stale_after\`. The default is three scanning intervals of its sensor, at least five minutes.
- The state of a channel ends with its value.
- Statuses, counts, limits, lookups and properties end if no poll confirms them for three periods of their collector, at least five minutes. \`prtg_up\` and \`prtg_exporter_*\` stay
  and show the reason.

## Status codes

\`prtg_sensor_status_code\` and \`prtg_node_status_code\` give the status as a number: the position of its token in the list of the API. An unknown token becomes \`unknown\`, and
\`prtg_exporter_decode_problems_total\` counts it.
`;

const CONVENTIONS = `
## Differences from the naming conventions

- **One metric for all units.** \`prtg_channel_value\` has the unit in a label and the value as PRTG displays it. [Mapping](mapping.md) gives channels names with base units.
- **Only the current state.** \`prtg_sensor_status\` and \`prtg_channel_state\` have one series, not one for each possible state. This is 15 times fewer series for statuses.
- **No counters.** PRTG returns rates, or differences to the scan before, so all metrics about PRTG objects are gauges, errors of interfaces too.

To follow the conventions, with the unit in each name and all statuses as 0 and 1:

\`\`\`yaml
metrics: { sensor_status: all }
mapping:
  presets: [all]
  keep_original: false
\`\`\`

Then \`prtg_channel_value\` has only channels that no preset matches. The dashboards find each channel by its metric ([dashboards](dashboards.md#what-they-need)). \`keep_original: true\` serves
both, with a second series for each channel.
`;

const AVAILABILITY = `
Availability is the share of known time in which a sensor was up. Time as paused, \`none\`, \`unknown\` and \`collecting\` is not known. The part after \`and\` selects the codes that count:

\`\`\`promql
avg_over_time((
  prtg_sensor_status_code == bool 3
  and (prtg_sensor_status_code >= 3 < 7 or prtg_sensor_status_code == 10 or prtg_sensor_status_code >= 13)
)[30d:1m])
\`\`\`
`;

const OWN = `
The exporter also serves the usual metrics of its process and of Node.js (\`process_*\`, \`nodejs_*\`). If scrapes follow each other closely, these values can be one second old.

Labels in parentheses need \`metrics.api_detail: endpoint\` ([configuration](configuration.md)). Without it, \`prtg_exporter_api_*\` shows which server is slow or fails, and
\`prtg_exporter_api_endpoint_*\` which endpoint.
`;

/** Names of families that any release may change. */
export const EXPERIMENTAL_FAMILIES: ReadonlySet<string> = new Set(
  Object.values<FamilyDeclaration>(DECLARATIONS)
    .filter(({ stability }) => stability === "experimental")
    .map(({ name }) => name),
);

const GROUPS: Readonly<Record<keyof typeof EXPORTER_METRICS, string>> = {
  server: "Requests to PRTG",
  endpoints: "Requests by endpoint",
  collector: "Polls",
  objects: "Objects and channels",
  measurements: "Measurements",
  otlp: "Push by OTLP",
  events: "Events",
  extras: "Overload",
  config: "Configuration and reload",
  leadership: "Leader election",
  sync: "Acknowledge and silence",
  exposition: "Metrics page",
  web: "Web server",
  mcp: "Agents",
  process: "Build",
};

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
    "\n## The exporter\n",
    ...Object.entries(EXPORTER_METRICS).map(([group, families]) => {
      const title = GROUPS[group as keyof typeof EXPORTER_METRICS];
      return `\n### ${title}\n\n${familyTable(Object.values(families))}`;
    }),
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
    const mark = EXPERIMENTAL_FAMILIES.has(family.name) ? "*Experimental.* " : "";
    return [code(family.name), family.type, labelsOf(family), mark + family.help];
  });
  return table(["Name", "Type", "Labels", "Meaning"], rows);
}
