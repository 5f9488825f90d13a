import { type Column, crumbs, type Fact, factList, nameHtml, panel, table, tableHead, tableRow } from "./components.ts";
import { courseView } from "./course-view.ts";
import type { StatusCourse } from "./courses.ts";
import { asOf, clockText, isOutdated, knowledgeOf, MAX_CLOCK_OFFSET_SECONDS, serverFault } from "./exporter-health.ts";
import { bytes, duration, moment, number, objectCounts } from "./figures.ts";
import { type Html, html } from "./html.ts";
import type { Page } from "./layout.ts";
import { runsLink } from "./links.ts";
import { childRows } from "./object-table.ts";
import { problemsSection } from "./problems-section.ts";
import type { AnyStatusReport, NodeReport, StatusReport } from "./report.ts";
import type {
  CollectorReport,
  EndpointReport,
  Measurements,
  ServerDetails,
  WholeServerReport,
} from "./server-report.ts";
import type { Sort } from "./source.ts";
import { badPill, goodPill, quietPill, statePill, statusBar, statusCounts, warnPill } from "./status-marks.ts";

export interface ServerFacts {
  readonly server: WholeServerReport;
  readonly root: NodeReport;
  readonly course: StatusCourse;
  readonly hasDebugPages: boolean;
}

export function serverPage(report: AnyStatusReport, facts: ServerFacts, sort?: Sort): Page {
  const { server, root, course } = facts;
  const { generated_at } = report;
  const { name, state, measurements } = server;
  const knowledge = knowledgeOf(server);
  const content = html`${crumbs(nameHtml(name))}
<header class="title" id="title" data-live><p class="kind">server</p><h1>${nameHtml(name)}</h1>${statePill(state)}</header>
${state !== "working" && html`<p class="message" id="server-fault" data-live>${serverFault(server, generated_at)}</p>`}
${problemsSection(report, { counts: server.sensors_by_status, parents: server.parents_by_status, server: name, hasServers: false, knowledge })}
<section class="panel server" id="server-0" aria-labelledby="server-0-title" data-live><h2 class="hidden" id="server-0-title">Status</h2>
${serverCounts(server, generated_at, course)}
</section>
${
  knowledge !== "nothing" &&
  panel(
    { titleId: "below-title", title: `Children (${number(root.children.total)})` },
    html`<div id="below"${isOutdated(server) && html` class="outdated"`}>${childRows(root, sort)}</div>
`,
  )
}
${panel(
  { id: "server-details", titleId: "server-details-title", title: "Collectors and API", isLive: true },
  html`${serverWork(facts, generated_at)}
${measurements !== null && html`<h3>Measurements pushed</h3>${factList(measurementFacts(measurements))}`}
`,
)}`;
  return { title: `${name} – prtg-exporter`, generatedAt: generated_at, content };
}

export function theServerOf({ servers }: Pick<StatusReport, "servers">): WholeServerReport | undefined {
  const [server] = servers;
  if (server === undefined) return undefined;
  const { collectors, api, problems, measurements } = server;
  if (collectors === undefined || api === undefined || problems === undefined || measurements === undefined) {
    return undefined;
  }
  return { ...server, collectors, api, problems, measurements };
}

export function serverSection(
  server: WholeServerReport,
  { generated_at }: Pick<StatusReport, "generated_at">,
  course: StatusCourse,
): Html {
  return html`<section class="panel server" id="server-0" aria-labelledby="server-0-title" data-live>
<div class="title"><p class="kind">server</p><h2 id="server-0-title">${nameHtml(server.name)}</h2>${statePill(server.state)}</div>
${serverCounts(server, generated_at, course)}
</section>`;
}

/** @param now Time of the report. */
function serverCounts(server: WholeServerReport, now: string, course: StatusCourse): Html {
  const { name, url, version, objects, sensors_by_status } = server;
  if (knowledgeOf(server) === "nothing") return html`<p class="quiet"><bdi>${url}</bdi></p>`;
  const isOld = isOutdated(server);
  return html`<p class="quiet"><bdi>${url}</bdi>${version !== null && html` · version <bdi>${version}</bdi>`} · ${objectCounts(objects)}</p>
${isOld && html`<p class="old">Sensors ${asOf(server, now)}</p>`}
<div${isOld && html` class="outdated"`}>${statusBar(sensors_by_status)}${statusCounts(sensors_by_status, name)}</div>
${courseView(course, name, "server-0")}`;
}

/** Collectors and requests. @param now Time of the report. */
export function serverWork({ server, hasDebugPages }: Omit<ServerFacts, "root" | "course">, now: string): Html {
  return html`<h3>Collectors</h3>
${collectorsTable(server, now)}
${hasDebugPages && html`<p><a href="${runsLink(server.name)}">Steps and log lines of the last runs</a></p>`}
<h3>API</h3>
${apiFacts(server)}`;
}

function apiFacts({ api, problems }: ServerDetails): Html {
  const { breaker_open, in_flight, requests, failures, clock_offset_seconds, endpoints } = api;
  return html`${factList([
    ["Circuit breaker", breaker_open ? badPill("open: requests are paused") : goodPill("closed")],
    [
      "Requests",
      html`${number(requests)}${in_flight > 0 && html` <span class="quiet">and ${number(in_flight)} in flight</span>`}`,
    ],
    ["Failures", failureCounts(failures)],
    ["Clock", clockFact(clock_offset_seconds)],
    ["Data problems", dataProblems(problems)],
  ])}
<details data-key="endpoints"><summary>Endpoints <span class="quiet">${endpoints.length}</span></summary>
${table(ENDPOINT_COLUMNS, endpoints)}</details>`;
}

const ENDPOINT_COLUMNS: readonly Column<EndpointReport>[] = [
  { title: "Endpoint", value: ({ endpoint }) => html`<code>${endpoint}</code>` },
  { title: "Requests", isNumber: true, value: ({ requests }) => number(requests) },
  { title: "Failures", value: ({ failures }) => failureCounts(failures) },
  { title: "Retries", isNumber: true, value: ({ retries }) => number(retries) },
  { title: "Mean", isNumber: true, value: ({ mean_seconds: mean }) => mean !== null && duration(mean) },
  {
    title: "95th percentile",
    isNumber: true,
    value: ({ p95_seconds: p95 }) => (p95 === null ? "over 25 s" : duration(p95)),
  },
  { title: "Received", isNumber: true, value: ({ received_bytes }) => bytes(received_bytes) },
];

function failureCounts(failures: Readonly<Record<string, number>>): Html {
  const entries = Object.entries(failures);
  if (entries.length === 0) return html`<span class="none">none</span>`;
  return html`<ul class="plain">${entries.map(([code, count]) => html`<li>${warnPill(`${code} × ${number(count)}`)}</li>`)}</ul>`;
}

/** The Date header has whole seconds. */
function clockFact(seconds: number): Html | string {
  if (Math.abs(seconds) <= 2) return "in sync";
  const text = clockText(seconds);
  return Math.abs(seconds) > MAX_CLOCK_OFFSET_SECONDS ? warnPill(text) : text;
}

function dataProblems({ decode, waiting_channels, orphans }: ServerDetails["problems"]): Html {
  const counts = [
    ...Object.entries(decode).map(([problem, count]) => {
      return [
        problem === "value" ? "values that are not numbers in their unit" : `${problem} problems`,
        count,
      ] as const;
    }),
    ["channels waiting for their sensor", waiting_channels] as const,
    ["objects with a hidden parent", orphans] as const,
  ].filter(([, count]) => count > 0);
  if (counts.length === 0) return html`<span class="none">none</span>`;
  return html`${counts.map(([what, count], index) => `${index > 0 ? ", " : ""}${number(count)} ${what}`)}`;
}

/** Shows each error once: if a server does not answer, all collectors have the same. */
function collectorsTable({ collectors, reason }: WholeServerReport, now: string): Html {
  // The page has the reason above.
  const shown = new Set(reason === null ? [] : [causeOf(reason)]);
  const columns = collectorColumns(now);
  const rows = collectors.map((collector) => {
    const { error } = collector;
    const isNew = error !== null && !shown.has(causeOf(error));
    if (isNew) shown.add(causeOf(error));
    return html`${tableRow(columns, collector)}
${isNew && html`<tr class="more"><td colspan="${columns.length}" class="error"><bdi>${error}</bdi></td></tr>`}`;
  });
  return html`<table class="cards">
${tableHead(columns)}
<tbody>${rows}</tbody></table>`;
}

/** Error without the endpoint. */
function causeOf(error: string): string {
  return error.replace(/^\/\S*: /, "");
}

function collectorColumns(now: string): readonly Column<CollectorReport>[] {
  return [
    { title: "Collector", value: ({ name }) => name },
    { title: "Last run", hasLabel: false, value: lastRun },
    { title: "Last success", value: ({ last_success_at }) => moment(last_success_at, now) },
    {
      title: "Duration",
      isNumber: true,
      value: ({ last_duration_seconds: last }) => last !== null && duration(last),
    },
    { title: "Next run", value: (collector) => nextRun(collector, now) },
    { title: "Failed", isNumber: true, value: ({ failed_runs }) => number(failed_runs) },
    { title: "Skipped", isNumber: true, value: ({ skipped_runs }) => number(skipped_runs) },
  ];
}

function lastRun({ state, error, complete, last_duration_seconds }: CollectorReport): Html {
  if (state === "off") return quietPill("Off: endpoint missing", "–");
  if (error !== null) return badPill("Failed");
  if (last_duration_seconds === null) return quietPill(state === "running" ? "First run" : "Pending");
  return complete === false ? warnPill("Incomplete") : goodPill("Complete");
}

function nextRun({ state, next_run_at: at }: CollectorReport, now: string): Html {
  if (state === "running") return html`<span class="quiet">running</span>`;
  return at === null ? html`<span class="none">–</span>` : moment(at, now);
}

export function measurementFacts({ delivered, rejected, pending, oldest_pending_seconds }: Measurements): Fact[] {
  return [
    ["Delivered", number(delivered)],
    ["Rejected", rejectedCount(rejected)],
    ["Pending", pending === 0 ? "none" : `${number(pending)}, oldest ${duration(oldest_pending_seconds)}`],
  ];
}

/** Points that receivers rejected permanently. */
export function rejectedCount(points: number): Html | string {
  return points === 0 ? "none rejected" : warnPill(`${number(points)} rejected`);
}
