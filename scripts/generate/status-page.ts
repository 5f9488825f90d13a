import { z } from "zod";
import { NodeReport, SearchReport, StatusReport } from "../../src/http/pages/status/report.ts";
import { code, pageHead, table } from "./markdown.ts";

const INTRODUCTION = `
\`/\` shows how the exporter fares and the tree of each server; it needs no script, and asks the monitoring server nothing but
for a chart, where a reader wants one. The same facts for programs are at \`/status.json\`: members are added, never renamed or removed without a note in the change log.
Times are UTC (ISO 8601), durations seconds, sizes bytes. Counts begin with the process, and again when another configuration
is read.

| Address | What it gives |
| --- | --- |
| \`/\` | with one server: how it fares, its collectors, its API, and the top of its tree; with many: sums, and one line a server, the worst first, 40 a page. Below that series and bytes, OTLP, the exporter itself |
| \`/?find=WORDS&page=N\` | the N-th page of the servers in whose name all words occur |
| \`/tree?server=NAME\` | one server: what \`/\` shows where there is no other |
| \`/tree?server=NAME&id=ID&from=N\` | one object (\`0\`: the root), what is above and below it, from the N-th child on, 200 at a time; of a sensor its channels with values, units, limits and the lines of the metrics page |
| \`/tree?server=NAME&id=ID&chart=1\` | of a sensor also a drawing of each channel's last four hours, with its limits |
| \`/search?q=WORDS&server=NAME&status=TOKEN\` | up to 100 objects in whose path, host or tags all words occur, or whose id is the word; with \`status\`, sensors in that status |
| \`/status.json?find=WORDS&page=N\` | the facts of \`/\` without the tree |
| \`/status.json?server=NAME\` | the same with the details of one server |
| \`/status.json?server=NAME&object=ID&from=N\` | those of \`/tree\` |
| \`/status.json?q=WORDS&server=NAME&status=TOKEN\` | those of \`/search\` |

Without \`server\` the first server that has the object answers. An unknown object is 404. Names are shown as the server sent
them; secrets are taken out of everything.

With many servers \`/\` and \`/status.json\` have 40 of them a page: by state (unreachable, failing, impaired, starting, working), then by how many sensors are down,
partly down or disconnected, then by warnings and unusual, then by name. \`totals\` are over all servers, whichever are shown. A page costs what is on it, and stays
below 100 kB. A program that wants all servers asks for pages up to \`page.pages\`.

The page of a server draws how many of its sensors were down, warning, acknowledged or paused: a sample a minute for four hours, from memory,
since the process began. The chart of a sensor is what the server keeps (\`timeseries/live\`): one request, within the server's limits, kept for a minute and
shared by all who look; a server gets at most ten of them a minute. Drawings need no colour (lines have dashes of their own) and no eye (each has a
description and a table).

Lists say of each sensor that is not up for how long, and why: its message, as the last poll had it. In a message control
characters and line breaks are a blank, and markup is text like any other; it is cut at \`limits.max_text_length\`, in rows of the pages at 200 characters.
Messages are no labels of metrics: they change, and each would be a series of its own.

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
