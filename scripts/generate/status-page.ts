import { z } from "zod";
import { ChangesReport } from "../../src/http/pages/status/changes-report.ts";
import { NodeReport, SearchReport, StatusReport } from "../../src/http/pages/status/report.ts";
import { SORT_KEYS } from "../../src/http/pages/status/source.ts";
import { code, pageHead, table } from "./markdown.ts";

const INTRODUCTION = `
The status page (\`/\`) shows the state of the exporter and the tree of each server. It works without scripts and sends no requests to PRTG, except for charts.
\`/status.json\` has the same data for programs. New members can appear. The change log announces renamed and removed members.
Times are UTC (ISO 8601), durations are in seconds, sizes in bytes. Counts start at 0 with the process and after each change of the configuration.

| A list | A device, in the dark | A sensor with charts | On a phone |
| --- | --- | --- | --- |
| ![All problems as a table with filters](images/status-list.png) | ![A device with its sensors, values and messages](images/status-device.png) | ![Charts of the channels of a sensor](images/status-sensor.png) | ![The overview on a phone: cards](images/status-phone.png) |

| Address | Content |
| --- | --- |
| \`/\` | Problems: the 20 worst objects. Then, with one server: its counts, status history and the top of its tree. With many servers: totals and a list of servers before the problems, worst first, 25 a page. Then the exporter: collectors, API requests, series and sizes, OTLP |
| \`/?find=WORDS&page=N\` | page N of the servers with all words in their name |
| \`/tree?server=NAME\` | one server |
| \`/tree?server=NAME&id=ID&from=N&sort=KEY\` | one object (\`0\`: the root) with its path and up to 50 children from index N. For a sensor: up to 200 channels with values, units, limits and series |
| \`/tree?server=NAME&id=ID&chart=1\` | also charts of the last four hours of each channel, with its limits |
| \`/search?q=WORDS&...&sort=KEY&page=N\` | page N of the objects that match all filters (see *Search*), 50 a page |
| \`/changes?server=NAME&page=N\` | what changed in the last four hours, newest first, 100 lines a page (see *Changes*) |
| \`/status.json?find=WORDS&page=N\` | data of \`/\` without the tree |
| \`/status.json?server=NAME\` | data of one server with details |
| \`/status.json?server=NAME&object=ID&from=N&sort=KEY\` | data of \`/tree\` |
| \`/status.json?q=WORDS&...&sort=KEY&page=N\` | data of \`/search\` |
| \`/changes.json?server=NAME&page=N\` | data of \`/changes\` |

Without \`server\`, the first server that has the object answers. The exporter answers 404 for unknown servers and objects. It redacts secrets in all texts.

**Problems.** A problem is a probe, group, device or sensor that is disconnected, down, partially down, unknown, in warning, unusual or acknowledged. The list is sorted by this order, then probes before sensors, then by priority (5 first). On screens from 1,000 pixels, each takes one line. With JavaScript, the pointer shows the whole text of a line that is cut.
Then the newest problem comes first, because old ones are mostly known. *Unknown* means that PRTG does not measure the sensor, for example below a disconnected probe. It can be down. Unknown groups and devices are not listed, because their probe and their sensors are. If the exporter or a server needs attention, the page says so above the problems.
If a server is unreachable or failing, its counts are grey and marked *as of the last poll*. If it has never answered, the page says that nothing is known, since when and why.

**Status of a device, group or probe.** The page shows the worst status of the sensors below, with its share: *Down · 310 of 368*. Paused sensors do not count. The own status comes first only if the object is paused or disconnected. The \`status\` of \`/status.json\` is always the own one.

**Search.** All parameters are optional. An empty value means no filter.

| Parameter | Matches |
| --- | --- |
| \`q=WORDS\` | objects with all words in path, host or tags, or with that id |
| \`server=NAME\` | objects of one server |
| \`status=TOKEN,TOKEN\` | sensors in one of these statuses, such as \`down,warning\`, and probes, groups and devices if it is a problem |
| \`priority=N,N\` | objects with one of these priorities, 1 (low) to 5 (high) |
| \`tag=TAG\` | objects with this tag, own or inherited |
| \`probe=TEXT\` | objects below a probe with this text in its name |

\`sort\` is one of ${SORT_KEYS.map(code).join(", ")}, with \`-\` in front for descending. \`status\` starts with the worst. Unknown values come last.
Without \`sort\`, an object with that id comes first, then whole names, other names, and objects found by path, host or tag. In each of these, probes, groups and devices come before sensors, and problems before the rest. Children with the worst status come first, then those with the largest share of sensors in it. The others keep the order of PRTG.
The exporter answers 400 for an unknown status, priority, sort key, or server of a search or of changes. The body of \`/status.json\` is then \`{"error": "...", "known": ["..."]}\`.

**Users who see only their servers.** A user with [\`servers\`](tenants.md#users-who-see-only-their-servers) gets the same pages about these servers only. Other servers do not exist in them: no name, count, time, total or error.
The pages and \`/status.json\` have no part about the exporter (\`build\`, \`process\`, \`configuration\`, \`leadership\`, \`metrics\`, \`otlp\`), \`totals.measurements\` is null, and \`ready\` is about these servers.

**Value of a sensor.** Lists show its primary channel. The exporter knows it if the collector \`details\` is on. Otherwise lists show the first channel that has a value.

**Many servers.** The list comes first on the page. Servers without data come first in it (unreachable, failing). The others are sorted by the number of sensors that are disconnected, down, partially down or unknown, then by state (impaired, starting, working), then by warnings, then by name.
The page has words for the connection:

| \`state\` | On the page | Meaning |
| --- | --- | --- |
| \`unreachable\` | Not reachable | The server does not answer. The exporter pauses requests. |
| \`failing\` | Polls fail | A collector that reads monitored objects failed. |
| \`impaired\` | Reachable, some polls fail | Limits, details or time series failed. |
| \`starting\` | Connecting | The first runs have not finished. |
| \`working\` | Reachable | All collectors work. Its sensors can still be down. |

A page is smaller than 100 kB. \`totals\` cover all servers. To read all servers, request the pages 1 to \`page.pages\`.

**Changes.** The overview shows the last hour as counts below its headline and in at most ten lines, \`/changes\` the last four hours. A change is an object that went down, became unknown, was acknowledged, recovered, was paused or resumed, was renamed or moved, or was added or removed.
Three or more changes alike in one minute are one line with their number and the nearest device or group above all of them. A probe stands for its sensors only if at least half of them changed. Changes between up, warning and unusual are no news and have no line.
The begin of an outage is one line with all its sensors that are down within five minutes, such as *Outage: 310 of 368 sensors below Singapore Office*, and so is its end with the sensors that recovered within five minutes. Between them, changes alike name the object of the outage. An outage that begins device by device is the one of the site. An outage that continues as a larger one, or as another problem, has no end.
The time is the one that PRTG says, or the end of the poll. The first poll after a start is no change. The exporter keeps changes in memory, within [bounds](sizing.md#memory). The page says since when it knows all of them.

**Status history and charts.** The page of a server shows how many sensors were down, unknown, in warning, acknowledged or paused in the last four hours. The exporter takes one sample a minute, in memory.
The charts of a sensor come from PRTG (\`timeseries/live\`): one request, cached for a minute for all readers, at most ten requests per server and minute.
With JavaScript, the page of a sensor that is down or acknowledged requests them without a click, within the same limits. A mark shows since when it is down.
Each chart has a description and a table, and its lines differ without colour. A page shows up to 14 charts, and a sparkline for each channel.
Times are UTC without JavaScript, otherwise in the reader's time zone. The button *UTC* switches. Pointer and arrow keys show single values.

**Keys.** \`/\` focuses the search, \`j\` and \`k\` move through rows, \`Enter\` opens the page of a row, \`o\` opens it in PRTG, \`?\` lists the keys.

**Acknowledged sensors.** If the exporter saw the sensor down before, pages show since when, and the message from before the acknowledgement. It keeps both in memory until the acknowledgement ends. Otherwise, if a server sets the start of the status to the acknowledgement, the sensor is down since the last time that it was up. The page then shows both times. API v2 does not report who acknowledged it.

**Messages.** Lists show the message of each sensor that is not up, and the time in its status. The exporter replaces control characters and line breaks by blanks, escapes markup and cuts messages at \`limits.max_text_length\` (in lists at 200 characters).
Messages are not labels of metrics, because each new message would create a new series.

\`\`\`
curl -s localhost:9705/status.json | jq '.servers[] | select(.up | not) | {name, state, failed_collectors, reason}'
curl -s 'localhost:9705/status.json?server=hq' | jq '.servers[].collectors[] | select(.age_seconds > 600) | .name'
curl -s 'localhost:9705/status.json?status=down' | jq -r '.items[] | "\\(.path): down since \\(.status_since): \\(.message)"'
\`\`\`
`;

export function statusPage(): string {
  return [
    pageHead("The status page and /status.json", "src/http/pages/status/report.ts"),
    INTRODUCTION,
    section("`/status.json`", StatusReport),
    section("`/status.json?object=ID`", NodeReport),
    section("`/status.json?q=WORDS`", SearchReport),
    section("`/changes.json`", ChangesReport),
  ].join("");
}

interface Described {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Described[];
  readonly items?: Described;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly additionalProperties?: Described | boolean;
}

function section(title: string, schema: z.ZodType): string {
  const rows = members("", z.toJSONSchema(schema) as Described);
  return `\n## ${title}\n\n${table(["Member", "Type", "Meaning"], rows)}`;
}

function members(prefix: string, schema: Described): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const own = prefix === "" ? name : `${prefix}.${name}`;
    const { inner, nullable } = withoutNull(member);
    const list = inner.type === "array" ? inner.items : undefined;
    const below = list ?? inner;
    const path = list === undefined ? own : `${own}[]`;
    const type = `${typeOf(inner)}${nullable ? " or null" : ""}`;
    return [[code(path), type, member.description ?? inner.description ?? ""], ...members(path, below)];
  });
}

function withoutNull(schema: Described): { inner: Described; nullable: boolean } {
  const options = schema.anyOf?.filter(({ type }) => type !== "null");
  const [inner] = options ?? [];
  return inner === undefined ? { inner: schema, nullable: false } : { inner, nullable: true };
}

function typeOf({ type, enum: values, items, additionalProperties }: Described): string {
  if (values !== undefined) return values.map(code).join(", ");
  if (type === "array") return `list of ${items?.type === "object" ? "objects" : `${items?.type}s`}`;
  if (type === "object" && typeof additionalProperties === "object") return `${additionalProperties.type} by name`;
  return [type ?? ""].flat().join(" or ");
}
