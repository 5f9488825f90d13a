import { bytes, duration, moment, momentInFull, number, utc } from "./figures.ts";
import { type Html, html } from "./html.ts";
import { fact, nameOf, type Page } from "./layout.ts";
import { linkTo, nodeLink } from "./links.ts";
import type { NodeReport, StatusReport } from "./report.ts";
import { serverSection } from "./server-section.ts";
import { badPill, goodPill, warnPill } from "./status-marks.ts";
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
