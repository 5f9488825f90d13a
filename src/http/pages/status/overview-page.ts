import { lastHourLine, lastHourSection } from "./changes-page.ts";
import type { ChangesReport } from "./changes-report.ts";
import { type Column, factList, panel, table } from "./components.ts";
import type { StatusCourse } from "./courses.ts";
import { exporterDetails, faultsSection, healthLine, knowledgeOf, knowledgeOfAll } from "./exporter-health.ts";
import { bytes, duration, moment, momentInFull, number, utc } from "./figures.ts";
import { type Html, html } from "./html.ts";
import type { Page } from "./layout.ts";
import { linkTo } from "./links.ts";
import { childRows } from "./object-table.ts";
import { overviewTitle, type ProblemsOptions, problemsSection } from "./problems-section.ts";
import type { AnyStatusReport, StatusReport } from "./report.ts";
import { serverList } from "./server-list.ts";
import { measurementFacts, rejectedCount, type ServerFacts, serverSection, serverWork } from "./server-section.ts";
import type { StatusQuery } from "./source.ts";
import { badPill, goodPill } from "./status-marks.ts";
import { wholeReport } from "./whole-report.ts";

export interface OverviewOptions {
  readonly telemetryPath: string;
  /** Of the last hour. */
  readonly changes: ChangesReport;
}

/** `/` for one server, with the top of its tree. */
export function singleServerPage(
  report: AnyStatusReport,
  facts: ServerFacts,
  { view }: StatusQuery,
  options: OverviewOptions,
): Page {
  const { server, root, course } = facts;
  const knowledge = knowledgeOf(server);
  const { sensors_by_status: counts, parents_by_status: parents } = server;
  const glance = knowledge === "nothing" ? undefined : glanceOf(report, options);
  const problems: ProblemsOptions = { counts, parents, hasServers: false, knowledge, view, glance };
  const content = html`<h1 class="hidden">Status of PRTG and the exporter</h1>
${faultsSection(report)}
${problemsSection(report, problems)}
${serverSection(server, report, course)}
${knowledge !== "nothing" && lastHourSection(options.changes, false)}
${
  knowledge !== "nothing" &&
  panel(
    { titleId: "tree-title", title: "Tree" },
    html`<div class="tree-top${knowledge === "outdated" && " outdated"}">${childRows(root)}</div>
`,
  )
}
${workSection(report, facts, options)}`;
  return {
    ...overviewTitle(problems),
    generatedAt: report.generated_at,
    hasDeveloperLinks: wholeReport(report) !== undefined,
    content,
  };
}

/** Answers that stand further below, for the first screen. */
function glanceOf(report: AnyStatusReport, { changes }: OverviewOptions): Html {
  const health = healthLine(report);
  return html`<p class="glance"><span>${lastHourLine(changes)}</span>${health && html` <span>${health}</span>`}</p>`;
}

/** Requests to the server. Administrators also see the exporter. */
function workSection(report: AnyStatusReport, facts: ServerFacts, options: OverviewOptions): Html {
  const whole = wholeReport(report);
  const work = html`<div id="server-work" data-live>${serverWork(facts, report.generated_at)}</div>`;
  if (whole !== undefined) return exporterDetails(whole, html`${work}${exporterSections(whole, options)}`);
  return panel({ titleId: "server-details-title", title: "Collectors and API" }, work);
}

/** `/` for many servers. */
export function overviewPage(
  report: AnyStatusReport,
  question: StatusQuery,
  courseOf: (server: string) => StatusCourse,
  options: OverviewOptions,
): Page {
  const isStandby = report.leadership?.role === "standby";
  const { sensors_by_status: counts, parents_by_status: parents } = report.totals;
  const knowledge = knowledgeOfAll(report.totals);
  const problems: ProblemsOptions = { counts, parents, hasServers: true, knowledge, view: question.view };
  const whole = wholeReport(report);
  const content = html`${isStandby && report.leadership && standbySection(report.leadership)}
${faultsSection(report)}
${!isStandby && [serverList(report, question, courseOf, glanceOf(report, options)), problemsSection(report, problems), lastHourSection(options.changes, true)]}
${whole !== undefined && exporterDetails(whole, exporterSections(whole, options))}`;
  return {
    ...overviewTitle(problems),
    generatedAt: report.generated_at,
    hasDeveloperLinks: wholeReport(report) !== undefined,
    content,
  };
}

/** A standby has no data of servers. */
function standbySection({ lease, leader }: NonNullable<StatusReport["leadership"]>): Html {
  return html`<h1 class="hidden">Status of the exporter</h1>
${panel(
  { id: "standby", titleId: "standby-title", title: "This replica is on standby", isLive: true },
  html`<p>It does not read servers or push data. Leader: ${leader === null ? html`not known yet` : html`<bdi>${leader}</bdi>`} (Lease <code>${lease}</code>). If the leader fails, this replica takes over.</p>
`,
)}`;
}

function exporterSections(report: StatusReport, options: OverviewOptions): Html {
  return html`<div class="columns">
${metricsSection(report, options)}
${otlpSection(report)}
${exporterSection(report)}
</div>`;
}

function metricsSection({ metrics }: StatusReport, { telemetryPath }: OverviewOptions): Html {
  const { series, families, pages, scrapes } = metrics;
  const counts = Object.entries(scrapes).map(
    ([format, count]) => html`<li>${number(count)} of ${mediaType(format)}</li>`,
  );
  return part(
    "metrics",
    "Metrics",
    html`
<p class="figure"><b>${number(series)}</b> series at <a href="${linkTo(telemetryPath)}">${telemetryPath}</a></p>
${table(PAGE_COLUMNS, pages, { none: "Not rendered yet." })}
${factList([["Scrapes", counts.length === 0 ? html`<span class="none">none yet</span>` : html`<ul class="plain">${counts}</ul>`]])}
<details data-key="families"><summary>Families <span class="quiet">${families.length}</span></summary>
${table(FAMILY_COLUMNS, families)}</details>
`,
  );
}

/** Column of the details of the exporter. */
function part(id: string, title: string, content: Html): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title" data-live><h3 id="${id}-title">${title}</h3>${content}</section>`;
}

const PAGE_COLUMNS: readonly Column<StatusReport["metrics"]["pages"][number]>[] = [
  { title: "Format", value: ({ format, encoding }) => html`${format}, ${encoding}` },
  { title: "Size", isNumber: true, value: ({ bytes: size }) => bytes(size) },
  { title: "Render time", isNumber: true, value: ({ render_seconds: time }) => time !== null && duration(time) },
];
const FAMILY_COLUMNS: readonly Column<StatusReport["metrics"]["families"][number]>[] = [
  { title: "Family", value: ({ family }) => html`<code>${family}</code>` },
  { title: "Series", isNumber: true, value: ({ series }) => number(series) },
];

/** Narrow columns break it at the slash instead of inside a word. */
function mediaType(format: string): Html {
  const [type = "", ...rest] = format.split("/");
  return html`${type}${rest.map((part) => html`/<wbr>${part}`)}`;
}

function otlpSection({ otlp, totals }: StatusReport): Html {
  const body = otlp === null ? html`<p class="none">No receiver is configured.</p>` : pushFacts(otlp, totals);
  return part("otlp", "OTLP", body);
}

function pushFacts(otlp: NonNullable<StatusReport["otlp"]>, { measurements }: StatusReport["totals"]): Html {
  const { endpoint, protocol, state_points: points, failed_requests: failed, refused_requests: refused } = otlp;
  return html`${factList([
    ["Receiver", html`<bdi>${endpoint}</bdi> <span class="quiet">${protocol}</span>`],
    ["Current state", html`${number(points.delivered)} points delivered, ${rejectedCount(points.rejected)}`],
    ["Requests", `${number(failed)} failed, ${number(refused)} rejected`],
  ])}
${measurements !== null && html`<h4>Measurements</h4>${factList(measurementFacts(measurements))}`}`;
}

function leaderOf({ role, lease, leader }: NonNullable<StatusReport["leadership"]>): Html {
  if (role === "leader") return html`${goodPill("this replica")} Lease <code>${lease}</code>`;
  return html`${leader === null ? html`<span class="none">none yet</span>` : html`<bdi>${leader}</bdi>`} Lease <code>${lease}</code>`;
}

function exporterSection({ build, process, configuration, leadership, generated_at }: StatusReport): Html {
  const { last_reload_successful, loaded_at, shard } = configuration;
  const { extra_held_back: isDelayed, event_loop_utilization: busy } = process;
  const facts = factList([
    ["Version", html`${build.version}${build.revision !== "" && html` <code>${build.revision}</code>`}`],
    ["Node.js", build.node],
    ["Started", momentInFull(process.started_at, generated_at)],
    ["Memory", bytes(process.resident_memory_bytes)],
    ["CPU", html`${Math.round(100 * busy)} %${isDelayed && html` ${badPill("time series are delayed")}`}`],
    [
      "Configuration",
      last_reload_successful
        ? html`${goodPill("loaded")} since ${moment(loaded_at, generated_at)}`
        : badPill(`reload failed: running the configuration of ${utc(loaded_at)}`),
    ],
    ["Shard", shard !== null && shard],
    ["Leader", leadership !== null && leaderOf(leadership)],
  ]);
  return html`<section id="exporter" aria-labelledby="exporter-title" data-live><h3 id="exporter-title">Process</h3>
${facts}</section>`;
}
