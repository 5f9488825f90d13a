import { counted } from "./figures.ts";
import { type Html, html } from "./html.ts";
import { fact, nameOf, type Page } from "./layout.ts";
import { HOME, nodeLink } from "./links.ts";
import type { NodeReport } from "./report.ts";
import { sensorChannels, sensorFacts } from "./sensor-view.ts";
import { statusBar, statusCounts, statusPill } from "./status-marks.ts";
import { childRows } from "./tree-rows.ts";

/** `/tree`: one object, what is above and what is below it. */
export function nodePage(report: NodeReport, options: { readonly hasDebugPages: boolean }): Page {
  const { node, generated_at, sensor } = report;
  const content = html`${crumbs(report)}
<header class="title" id="title" data-live><p class="kind">${node.kind}</p><h1>${nameOf(node.name)}</h1>${node.status !== null && statusPill(node.status)}</header>
<section class="panel" aria-label="Properties" id="facts" data-live>
<dl class="facts">${fact("Id", node.id)}${report.host !== null && fact("Host", html`<bdi>${report.host}</bdi>`)}${
    sensor !== null && sensorFacts(report, sensor, options.hasDebugPages, generated_at)
  }${report.tags.length > 0 && fact("Tags", tags(report.tags))}</dl>
${statusBar(node.sensors_by_status)}${Object.keys(node.sensors_by_status).length > 0 && statusCounts(node.server, node.sensors_by_status)}
</section>
<section class="panel" aria-labelledby="below-title"><h2 id="below-title">${below(report)}</h2>
<div id="below"${sensor !== null && html` data-live`}>${sensor === null ? childRows(report) : sensorChannels(report.node, sensor, generated_at)}</div>
</section>`;
  return { title: `${node.name} – prtg-exporter`, generatedAt: generated_at, content };
}

function below({ sensor, children }: NodeReport): string {
  if (sensor !== null) return counted(sensor.channels_total, "channel");
  return `Below it: ${counted(children.total, "object")}`;
}

function crumbs({ node, ancestors }: NodeReport): Html {
  const items = ancestors.map((above) => html`<li><a href="${nodeLink(above)}">${nameOf(above.name)}</a></li>`);
  return html`<nav class="crumbs" aria-label="Place in the tree"><ol><li><a href="${HOME}">Overview</a></li>${items}<li aria-current="page">${nameOf(node.name)}</li></ol></nav>`;
}

function tags(names: readonly string[]): Html {
  return html`<ul class="tags">${names.map((tag) => html`<li><bdi>${tag}</bdi></li>`)}</ul>`;
}
