import { chartSection } from "./chart-view.ts";
import { crumbs, factList, nameHtml, prtgLink } from "./components.ts";
import type { PageChart } from "./courses.ts";
import { moment, number } from "./figures.ts";
import { type Html, html } from "./html.ts";
import type { Page } from "./layout.ts";
import { nodeLink } from "./links.ts";
import { childRows } from "./object-table.ts";
import type { NodeReport } from "./report.ts";
import { copied, sensorChannels, sensorFacts, siblingLinks } from "./sensor-view.ts";
import type { Sort } from "./source.ts";
import { statusBar, statusCounts, statusPill } from "./status-marks.ts";

export interface NodePageOptions {
  readonly hasDebugPages: boolean;
  /** `undefined`: not requested. */
  readonly chart?: PageChart | undefined;
  /** Order of the children. */
  readonly sort?: Sort | undefined;
}

/** `/tree`: one object with its path and children. */
export function nodePage(report: NodeReport, options: NodePageOptions): Page {
  const { node, generated_at, sensor, ancestors } = report;
  const drawn = options.chart?.kind === "drawn" ? options.chart.chart : undefined;
  const content = html`${crumbs(nameHtml(node.name), ancestors.map(ancestorLink))}
<header class="title" id="title" data-live><p class="kind">${node.kind}</p><h1>${nameHtml(node.name)}</h1>${node.status !== null && statusPill(node.status)}${prtgLink(node, "Open in PRTG")}</header>
${sensor !== null && siblingLinks(node, sensor)}
<section class="panel" aria-label="Properties" id="facts" data-live>
${node.message !== null && html`<p class="message"><span class="hidden">Message: </span><bdi>${node.message}</bdi></p>`}
${factList([
  ["Id", copied(node.id, "id")],
  ["Host", report.host !== null && html`<bdi>${report.host}</bdi>`],
  ["Status since", sensor === null && node.status_since !== null && moment(node.status_since, generated_at)],
  ["Depends on", report.depends_on !== null && dependency(node.server, report.depends_on)],
  ...(sensor === null ? [] : sensorFacts(report, sensor, options)),
  ["Tags", report.tags.length > 0 && tags(report.tags)],
])}
${statusBar(node.sensors_by_status)}${Object.keys(node.sensors_by_status).length > 0 && statusCounts(node.sensors_by_status, node.server)}
</section>
${sensor !== null && chartSection(node, sensor, options.chart)}
<section class="panel" aria-labelledby="below-title"><h2 id="below-title">${below(report)}</h2>
<div id="below"${sensor !== null && html` data-live`}>${sensor === null ? childRows(report, options.sort) : sensorChannels(node, sensor, generated_at, drawn)}</div>
</section>`;
  const isFresh = options.chart !== undefined;
  return { title: `${node.name} – prtg-exporter`, generatedAt: generated_at, isFresh, content };
}

function below({ sensor, children }: NodeReport): string {
  return sensor === null ? `Children (${number(children.total)})` : `Channels (${number(sensor.channels_total)})`;
}

function ancestorLink(above: NodeReport["node"]): Html {
  return html`<a href="${nodeLink(above)}">${nameHtml(above.name)}</a>`;
}

function dependency(server: string, { id, path }: NonNullable<NodeReport["depends_on"]>): Html {
  return path === null ? html`${id}` : html`<a href="${nodeLink({ server, id })}"><bdi>${path}</bdi></a>`;
}

function tags(names: readonly string[]): Html {
  return html`<ul class="tags">${names.map((tag) => html`<li><bdi>${tag}</bdi></li>`)}</ul>`;
}
