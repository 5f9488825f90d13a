import { yieldToEventLoop } from "../../../lib/yielding.ts";
import { collectorsTable } from "./collectors-table.ts";
import { bytes, counted, duration, moment, momentInFull, number, utc } from "./figures.ts";
import { type Html, html } from "./html.ts";
import { fact, nameOf, type Page } from "./layout.ts";
import { linkTo, nodeLink, webAddress } from "./links.ts";
import type { EndpointReport, NodeReport, ServerReport, StatusReport } from "./report.ts";
import { badPill, goodPill, quietPill, statusBar, statusCounts, warnPill } from "./status-marks.ts";
import { childRows } from "./tree-rows.ts";

export interface OverviewOptions {
  readonly telemetryPath: string;
}

/** `/`: how everything fares, and the top of the tree. `roots`: one for each server. */
export function overviewPage(
  report: StatusReport,
  roots: readonly NodeReport[],
  options: OverviewOptions,
  sections: readonly Html[] = report.servers.map((server, index) => serverSection(server, report, index)),
): Page {
  const content = html`<h1 class="hidden">Status of the exporter</h1>
${sections}
<section class="panel" aria-labelledby="tree-title"><h2 id="tree-title">Tree</h2>
${roots.map((root) => html`${roots.length > 1 && html`<h3><a href="${nodeLink(root.node)}">${nameOf(root.node.name)}</a></h3>`}<div class="tree-top">${childRows(root)}</div>`)}
</section>
<div class="columns">
${metricsSection(report, options)}
${otlpSection(report)}
${exporterSection(report)}
</div>`;
  return { title: "prtg-exporter", generatedAt: report.generated_at, content };
}

/** Each takes a fraction of a millisecond. */
const SECTIONS_A_TURN = 20;

/**
 * What the overview says of each server, with turns for others in between.
 * @throws the reason of the signal
 */
export async function serverSections(report: StatusReport, gone: AbortSignal): Promise<readonly Html[]> {
  const sections: Html[] = [];
  for (const [index, server] of report.servers.entries()) {
    sections.push(serverSection(server, report, index));
    if (index % SECTIONS_A_TURN !== SECTIONS_A_TURN - 1) continue;
    await yieldToEventLoop();
    gone.throwIfAborted();
  }
  return sections;
}

const KINDS = ["probe", "group", "device", "sensor", "channel"] as const;

function serverSection(server: ServerReport, { ready, generated_at }: StatusReport, index: number): Html {
  const { name, url, version, objects, sensors_by_status } = server;
  const address = webAddress(url);
  const id = `server-${index}`;
  return html`<section class="panel server" id="${id}" aria-labelledby="${id}-title" data-live>
<div class="title"><p class="kind">server</p><h2 id="${id}-title">${nameOf(name)}</h2>${serverPill(server, ready)}</div>
<p class="quiet">${address === undefined ? html`<bdi>${url}</bdi>` : html`<a href="${address}" rel="noreferrer"><bdi>${url}</bdi></a>`}${version !== null && html` · version <bdi>${version}</bdi>`} · ${KINDS.map((kind, at) => `${at > 0 ? ", " : ""}${counted(objects[kind], kind)}`)}</p>
${statusBar(sensors_by_status)}${statusCounts(name, sensors_by_status)}
<h3>Collectors</h3>
${collectorsTable(server.collectors, generated_at)}
<h3>API</h3>
${apiFacts(server)}
</section>`;
}

function serverPill({ up, api, collectors }: ServerReport, ready: boolean): Html {
  if (up) return goodPill("Working");
  if (api.breaker_open) return badPill("Unreachable");
  const failed = collectors.some(({ error }) => error !== null);
  return failed || ready ? badPill("Failing") : quietPill("Starting");
}

function apiFacts({ api, problems }: ServerReport): Html {
  const { breaker_open, in_flight, requests, failures, clock_offset_seconds, endpoints } = api;
  return html`<dl class="facts">
${fact("Breaker", breaker_open ? badPill("open: requests are held back") : goodPill("closed"))}
${fact("Requests", html`${number(requests)}${in_flight > 0 && html` <span class="quiet">and ${number(in_flight)} under way</span>`}`)}
${fact("Failures", failureCounts(failures))}
${fact("Clock of the server", clockText(clock_offset_seconds))}
${fact("Left out of answers", problemCounts(problems))}
</dl>
<details data-key="endpoints"><summary>Endpoints <span class="quiet">${endpoints.length}</span></summary>
<div class="scroll" tabindex="0" role="region" aria-label="Endpoints"><table>
<thead><tr><th scope="col">Endpoint</th><th scope="col" class="n">Requests</th><th scope="col">Failures</th><th scope="col" class="n">Retries</th><th scope="col" class="n">Mean</th><th scope="col" class="n">95 % within</th><th scope="col" class="n">Received</th></tr></thead>
<tbody>${endpoints.map(endpointRow)}</tbody></table></div></details>`;
}

function endpointRow(each: EndpointReport): Html {
  const { endpoint, requests, failures, retries, mean_seconds, p95_seconds, received_bytes } = each;
  return html`<tr><th scope="row"><code>${endpoint}</code></th><td class="n">${number(requests)}</td><td>${failureCounts(failures)}</td><td class="n">${number(retries)}</td><td class="n">${mean_seconds !== null && duration(mean_seconds)}</td><td class="n">${p95_seconds === null ? "over 25 s" : duration(p95_seconds)}</td><td class="n">${bytes(received_bytes)}</td></tr>`;
}

function failureCounts(failures: Readonly<Record<string, number>>): Html {
  const entries = Object.entries(failures);
  if (entries.length === 0) return html`<span class="none">none</span>`;
  return html`<ul class="plain">${entries.map(([code, count]) => html`<li>${warnPill(`${code} × ${number(count)}`)}</li>`)}</ul>`;
}

/** From the Date header, which has whole seconds. */
function clockText(seconds: number): Html | string {
  if (Math.abs(seconds) <= 2) return "in step";
  const text = `${duration(Math.abs(seconds))} ${seconds > 0 ? "ahead" : "behind"}`;
  return Math.abs(seconds) > 60 ? warnPill(text) : text;
}

function problemCounts({ decode, waiting_channels, orphans }: ServerReport["problems"]): Html {
  const counts = [
    ...Object.entries(decode).map(([problem, count]) => [`bad ${problem}`, count] as const),
    ["channels waiting for their sensor", waiting_channels] as const,
    ["objects below a parent out of sight", orphans] as const,
  ].filter(([, count]) => count > 0);
  if (counts.length === 0) return html`<span class="none">nothing</span>`;
  return html`${counts.map(([what, count], index) => `${index > 0 ? ", " : ""}${number(count)} ${what}`)}`;
}

function metricsSection({ metrics }: StatusReport, { telemetryPath }: OverviewOptions): Html {
  const { series, families, pages, scrapes } = metrics;
  return html`<section class="panel" id="metrics" aria-labelledby="metrics-title" data-live><h2 id="metrics-title">Metrics</h2>
<p class="figure"><b>${number(series)}</b> series at <a href="${linkTo(telemetryPath)}">${telemetryPath}</a></p>
<table><thead><tr><th scope="col">Form of the page</th><th scope="col" class="n">Size</th><th scope="col" class="n">Made in</th></tr></thead>
<tbody>${pages.map(({ format, encoding, bytes: size, render_seconds }) => html`<tr><th scope="row">${format}, ${encoding}</th><td class="n">${bytes(size)}</td><td class="n">${render_seconds !== null && duration(render_seconds)}</td></tr>`)}
${pages.length === 0 && html`<tr><td colspan="3" class="none">Not made yet.</td></tr>`}</tbody></table>
<dl class="facts">${fact(
    "Pages served",
    Object.keys(scrapes).length === 0
      ? html`<span class="none">none yet</span>`
      : html`${Object.entries(scrapes).map(([format, count], index) => `${index > 0 ? ", " : ""}${number(count)} of ${format}`)}`,
  )}</dl>
<details data-key="families"><summary>Families <span class="quiet">${families.length}</span></summary>
<table><thead><tr><th scope="col">Family</th><th scope="col" class="n">Series</th></tr></thead>
<tbody>${families.map(({ family, series: size }) => html`<tr><th scope="row"><code>${family}</code></th><td class="n">${number(size)}</td></tr>`)}</tbody></table></details>
</section>`;
}

function otlpSection({ otlp, servers }: StatusReport): Html {
  const body =
    otlp === null
      ? html`<p class="none">Nothing is pushed: no receiver is configured.</p>`
      : html`<dl class="facts">
${fact("Receiver", html`<bdi>${otlp.endpoint}</bdi> <span class="quiet">${otlp.protocol}</span>`)}
${fact("Current state", html`${number(otlp.state_points.delivered)} points delivered, ${rejected(otlp.state_points.rejected)}`)}
${fact("Requests", html`${number(otlp.failed_requests)} failed, ${number(otlp.refused_requests)} refused`)}
</dl>
<table><thead><tr><th scope="col">Measurements of</th><th scope="col" class="n">Delivered</th><th scope="col" class="n">Rejected</th><th scope="col" class="n">Pending</th><th scope="col" class="n">Oldest</th></tr></thead>
<tbody>${servers.map(({ name, measurements }) => measurements && html`<tr><th scope="row">${nameOf(name)}</th><td class="n">${number(measurements.delivered)}</td><td class="n">${number(measurements.rejected)}</td><td class="n">${number(measurements.pending)}</td><td class="n">${measurements.pending === 0 ? "–" : duration(measurements.oldest_pending_seconds)}</td></tr>`)}</tbody></table>`;
  return html`<section class="panel" id="otlp" aria-labelledby="otlp-title" data-live><h2 id="otlp-title">OTLP</h2>${body}</section>`;
}

function rejected(points: number): Html | string {
  return points === 0 ? "none rejected" : warnPill(`${number(points)} rejected`);
}

function exporterSection({ build, process, configuration, generated_at }: StatusReport): Html {
  const { last_reload_successful, loaded_at, shard } = configuration;
  return html`<section class="panel" id="exporter" aria-labelledby="exporter-title" data-live><h2 id="exporter-title">Exporter</h2>
<dl class="facts">
${fact("Version", html`${build.version}${build.revision !== "" && html` <code>${build.revision}</code>`}`)}
${fact("Node", build.node)}
${fact("Started", momentInFull(process.started_at, generated_at))}
${fact("Memory", bytes(process.resident_memory_bytes))}
${fact("Configuration", last_reload_successful ? html`${goodPill("in force")} since ${moment(loaded_at, generated_at)}` : badPill(`the one read last is wrong; the one of ${utc(loaded_at)} still runs`))}
${shard !== null && fact("Shard", shard)}
</dl></section>`;
}
