import type { StatusCourse } from "./courses.ts";
import { exporterDetails, faultsSection, knowledgeOf, knowledgeOfAll } from "./exporter-health.ts";
import { bytes, duration, moment, momentInFull, number, utc } from "./figures.ts";
import { type Html, html } from "./html.ts";
import { fact, type Page } from "./layout.ts";
import { linkTo } from "./links.ts";
import { problemsSection } from "./problems-view.ts";
import type { StatusReport } from "./report.ts";
import { serverList } from "./server-list.ts";
import type { ServerFacts } from "./server-section.ts";
import { measurementFacts, rejectedCount, serverSection, serverWork } from "./server-section.ts";
import type { StatusQuery } from "./source.ts";
import { badPill, goodPill } from "./status-marks.ts";
import { childRows } from "./tree-rows.ts";

export interface OverviewOptions {
  readonly telemetryPath: string;
}

/** `/` for one server, with the top of its tree. */
export function singleServerPage(
  report: StatusReport,
  { server, root, course, hasDebugPages }: ServerFacts,
  options: OverviewOptions,
): Page {
  const knowledge = knowledgeOf(server);
  const content = html`<h1 class="hidden">Status of PRTG and the exporter</h1>
${faultsSection(report)}
${problemsSection(report, { counts: server.sensors_by_status, parents: server.parents_by_status, hasServers: false, knowledge })}
${serverSection(server, report, course)}
${
  knowledge !== "nothing" &&
  html`<section class="panel" aria-labelledby="tree-title"><h2 id="tree-title">Tree</h2>
<div class="tree-top">${childRows(root)}</div>
</section>`
}
${exporterDetails(report, html`<div id="server-work" data-live>${serverWork(server, report.generated_at, hasDebugPages)}</div>${exporterSections(report, options)}`)}`;
  return { title: "prtg-exporter", generatedAt: report.generated_at, content };
}

/** `/` for many servers. */
export function overviewPage(
  report: StatusReport,
  question: StatusQuery,
  courseOf: (server: string) => StatusCourse,
  options: OverviewOptions,
): Page {
  const isStandby = report.leadership?.role === "standby";
  const knowledge = knowledgeOfAll(report.totals);
  const content = html`${isStandby && report.leadership !== null && standbySection(report.leadership)}
${faultsSection(report)}
${!isStandby && html`${problemsSection(report, { counts: report.totals.sensors_by_status, parents: report.totals.parents_by_status, hasServers: true, knowledge })}${serverList(report, question, courseOf)}`}
${exporterDetails(report, exporterSections(report, options))}`;
  return { title: "prtg-exporter", generatedAt: report.generated_at, content };
}

/** A standby has no data of servers. */
function standbySection({ lease, leader }: NonNullable<StatusReport["leadership"]>): Html {
  return html`<h1 class="hidden">Status of the exporter</h1>
<section class="panel" id="standby" aria-labelledby="standby-title" data-live><h2 id="standby-title">This replica is on standby</h2>
<p>It does not read servers or push data. Leader: ${leader === null ? html`not known yet` : html`<bdi>${leader}</bdi>`} (Lease <code>${lease}</code>). If the leader fails, this replica takes over.</p>
</section>`;
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
  return html`<section id="metrics" aria-labelledby="metrics-title" data-live><h3 id="metrics-title">Metrics</h3>
<p class="figure"><b>${number(series)}</b> series at <a href="${linkTo(telemetryPath)}">${telemetryPath}</a></p>
<table class="cards"><thead><tr><th scope="col">Format</th><th scope="col" class="n">Size</th><th scope="col" class="n">Render time</th></tr></thead>
<tbody>${pages.map(({ format, encoding, bytes: size, render_seconds }) => html`<tr><th scope="row">${format}, ${encoding}</th><td class="n" data-label="Size">${bytes(size)}</td><td class="n" data-label="Render time">${render_seconds !== null && duration(render_seconds)}</td></tr>`)}
${pages.length === 0 && html`<tr><td colspan="3" class="none">Not rendered yet.</td></tr>`}</tbody></table>
<dl class="facts">${fact(
    "Scrapes",
    Object.keys(scrapes).length === 0
      ? html`<span class="none">none yet</span>`
      : html`<ul class="plain">${Object.entries(scrapes).map(([format, count]) => html`<li>${number(count)} of ${mediaType(format)}</li>`)}</ul>`,
  )}</dl>
<details data-key="families"><summary>Families <span class="quiet">${families.length}</span></summary>
<table class="cards"><thead><tr><th scope="col">Family</th><th scope="col" class="n">Series</th></tr></thead>
<tbody>${families.map(({ family, series: size }) => html`<tr><th scope="row"><code>${family}</code></th><td class="n" data-label="Series">${number(size)}</td></tr>`)}</tbody></table></details>
</section>`;
}

/** Narrow columns break it at the slash instead of inside a word. */
function mediaType(format: string): Html {
  const [type = "", ...rest] = format.split("/");
  return html`${type}${rest.map((part) => html`/<wbr>${part}`)}`;
}

function otlpSection({ otlp, totals }: StatusReport): Html {
  const body =
    otlp === null
      ? html`<p class="none">No receiver is configured.</p>`
      : html`<dl class="facts">
${fact("Receiver", html`<bdi>${otlp.endpoint}</bdi> <span class="quiet">${otlp.protocol}</span>`)}
${fact("Current state", html`${number(otlp.state_points.delivered)} points delivered, ${rejectedCount(otlp.state_points.rejected)}`)}
${fact("Requests", html`${number(otlp.failed_requests)} failed, ${number(otlp.refused_requests)} rejected`)}
</dl>
${totals.measurements !== null && html`<h4>Measurements</h4><dl class="facts">${measurementFacts(totals.measurements)}</dl>`}`;
  return html`<section id="otlp" aria-labelledby="otlp-title" data-live><h3 id="otlp-title">OTLP</h3>${body}</section>`;
}

function leaderOf({ role, lease, leader }: NonNullable<StatusReport["leadership"]>): Html {
  if (role === "leader") return html`${goodPill("this replica")} Lease <code>${lease}</code>`;
  return html`${leader === null ? html`<span class="none">none yet</span>` : html`<bdi>${leader}</bdi>`} Lease <code>${lease}</code>`;
}

function exporterSection({ build, process, configuration, leadership, generated_at }: StatusReport): Html {
  const { last_reload_successful, loaded_at, shard } = configuration;
  return html`<section id="exporter" aria-labelledby="exporter-title" data-live><h3 id="exporter-title">Process</h3>
<dl class="facts">
${fact("Version", html`${build.version}${build.revision !== "" && html` <code>${build.revision}</code>`}`)}
${fact("Node.js", build.node)}
${fact("Started", momentInFull(process.started_at, generated_at))}
${fact("Memory", bytes(process.resident_memory_bytes))}
${fact("CPU", html`${Math.round(100 * process.event_loop_utilization)} %${process.extra_held_back && html` ${badPill("time series are delayed")}`}`)}
${fact("Configuration", last_reload_successful ? html`${goodPill("loaded")} since ${moment(loaded_at, generated_at)}` : badPill(`reload failed: running the configuration of ${utc(loaded_at)}`))}
${shard !== null && fact("Shard", shard)}
${leadership !== null && fact("Leader", leaderOf(leadership))}
</dl></section>`;
}
