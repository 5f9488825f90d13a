import { z } from "zod";
import type { AnyStatusReport, OutageReport } from "../pages/status/report.ts";
import type { ServerReport } from "../pages/status/server-report.ts";
import { FIRST_PAGE, type StatusQuery } from "../pages/status/source.ts";
import { fitted, messageText, nameText, nextFrom, pathText, positionText } from "./bounds.ts";
import { refuseUnknownServer } from "./lookup.ts";
import type { PageLinks } from "./page-links.ts";
import {
  ageParts,
  argument,
  count,
  counts,
  fromArgument,
  listParts,
  ObjectItem,
  objectItem,
  pageUrl,
  prtgUrl,
  serverArgument,
  time,
  UNTRUSTED_NOTE,
} from "./schemas.ts";
import { defineTool, type ToolCall, ToolError } from "./tool.ts";

/** Servers in one report: see `SERVERS_A_PAGE`. */
const SERVERS_A_PAGE = 25;

const ServerItem = z.strictObject({
  name: z.string().describe("name of the server"),
  state: z
    .string()
    .describe("`working`, `impaired` (some reads fail), `starting`, `failing` or `unreachable` (its data is old)"),
  up: z.boolean().describe("the last polls succeeded"),
  ...ageParts,
  sensors: count(),
  sensors_by_status: counts().describe("sensors by status"),
  page_url: pageUrl(),
  untrusted: z.strictObject({
    version: z.string().nullable().describe("version of PRTG"),
    error: z.string().nullable().describe("error of a failed poll"),
  }),
});

export const listServers = defineTool({
  name: "list_servers",
  title: "PRTG servers",
  description: `Lists the monitored PRTG servers, the worst first, with their sensors by status and the age of their data. ${UNTRUSTED_NOTE}`,
  input: z.strictObject({
    find: argument().default("").describe("Words in the name of the server. Default: all servers."),
    from: fromArgument(),
  }),
  output: z.strictObject({
    ...ageParts,
    ...listParts,
    sensors_by_status: counts().describe("sensors of all servers by status"),
    servers: z.array(ServerItem),
  }),
  run: async ({ find, from }, call) => {
    const page = Math.floor(from / SERVERS_A_PAGE) + 1;
    const report = await statusOf(call, { ...FIRST_PAGE, find, page });
    const { matching: total, from: first } = report.page;
    const servers = report.servers.slice(Math.max(0, from - first));
    const data = fitted(from < total ? servers : [], (shown) => ({
      ...call.source.age(),
      total,
      next_from: nextFrom({ total, from, shown: shown.length }),
      sensors_by_status: report.totals.sensors_by_status,
      servers: shown.map((server) => serverItem(server, call)),
    }));
    const position = { total, from, shown: data.servers.length };
    return { summary: positionText("servers", position, "give words of a name in find"), data };
  },
});

function serverItem(server: ServerReport, { source, links }: ToolCall): z.input<typeof ServerItem> {
  const { name, state, up, objects, sensors_by_status, version, reason } = server;
  return {
    ...{ name, state, up, ...source.age([name]), sensors: objects.sensor, sensors_by_status },
    page_url: links.server(name),
    untrusted: { version: version === null ? null : nameText(version), error: messageText(reason) },
  };
}

const ReferenceItem = z
  .strictObject({ id: z.string(), untrusted: z.strictObject({ name: z.string(), path: z.string() }) })
  .nullable();

const OutageItem = z.strictObject({
  server: z.string(),
  id: z.string().describe("ID of the highest object below which nearly all sensors have the problem"),
  kind: z.string(),
  problem: z.enum(["down", "unknown"]),
  since: time().nullable(),
  affected: count().describe("sensors with the problem"),
  sensors: count().describe("sensors below the object that are not paused"),
  devices: count().describe("devices with an affected sensor"),
  acknowledged: count().describe("acknowledged sensors"),
  first: ReferenceItem.describe("sensor that was affected first"),
  cause: ReferenceItem.describe("sensor that is down and on which most of the affected objects depend"),
  page_url: pageUrl(),
  prtg_url: prtgUrl(),
  untrusted: z.strictObject({
    name: z.string(),
    path: z.string(),
    message: z.string().nullable().describe("most common message of the affected sensors"),
    acknowledgement: z.string().nullable().describe("most common message of acknowledged sensors"),
  }),
});

export const listOutages = defineTool({
  name: "list_outages",
  title: "Outages and problems",
  description: `Says what is wrong now: outages (a probe, group or device below which nearly all sensors are down or unknown), and the worst single problems beside them, at most 20 of each. ${UNTRUSTED_NOTE}`,
  input: z.strictObject({ server: serverArgument() }),
  output: z.strictObject({
    ...ageParts,
    sensors_by_status: counts().describe("sensors by status, of the server or of all servers"),
    outages_total: count(),
    outages: z.array(OutageItem).describe("the worst first"),
    problems_total: count().describe("objects that are not well, those of outages included"),
    problems: z.array(ObjectItem).describe("problems that belong to no outage, the worst first"),
    page_url: pageUrl(),
  }),
  run: async ({ server }, call) => {
    const { links } = call;
    const report = await statusOf(call, { ...FIRST_PAGE, server });
    const { outages, problems } = report;
    const sensors = server === undefined ? report.totals : report.servers[0];
    const items = [...outages.items, ...problems.items];
    const data = fitted(items, (shown) => ({
      ...call.source.age(server === undefined ? undefined : [server]),
      sensors_by_status: sensors?.sensors_by_status ?? {},
      outages_total: outages.total,
      outages: outages.items.slice(0, shown.length).map((outage) => outageItem(outage, links)),
      problems_total: problems.total,
      problems: problems.items
        .slice(0, Math.max(0, shown.length - outages.items.length))
        .map((node) => objectItem(node, links)),
      page_url: server === undefined ? links.overview() : links.server(server),
    }));
    const { outages: shownOutages, problems: shownProblems } = data;
    const summary = `${shownOutages.length} of ${outages.total} outages, and ${shownProblems.length} single problems. ${problems.total} objects are not well in total. For others use find_objects with status.`;
    return { summary, data };
  },
});

/** @throws QueryError for an unknown server */
async function statusOf(call: ToolCall, question: StatusQuery): Promise<AnyStatusReport> {
  const { source, signal } = call;
  const report = await call.turn(() => source.status(question, signal));
  if (report !== undefined) return report;
  await refuseUnknownServer(call, question.server);
  throw new ToolError("This replica of the exporter does not read the server. Ask the leader.");
}

function outageItem(outage: OutageReport, links: PageLinks): z.input<typeof OutageItem> {
  const { server, id, kind, problem, since, affected, sensors, devices, acknowledged } = outage;
  return {
    ...{ server, id, kind, problem, since, affected, sensors, devices, acknowledged },
    first: reference(outage.first),
    cause: reference(outage.cause),
    page_url: links.node(outage),
    prtg_url: outage.prtg_url,
    untrusted: {
      name: nameText(outage.name),
      path: pathText(outage.path),
      message: messageText(outage.message?.text ?? null),
      acknowledgement: messageText(outage.acknowledgement),
    },
  };
}

function reference(object: OutageReport["first"]): z.input<typeof ReferenceItem> {
  if (object === null) return null;
  const { id, name, path } = object;
  return { id, untrusted: { name: nameText(name), path: pathText(path) } };
}
