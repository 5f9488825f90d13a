import type { StatusCourse } from "./courses.ts";
import { counted } from "./figures.ts";
import { html } from "./html.ts";
import { nameOf, type Page } from "./layout.ts";
import { HOME } from "./links.ts";
import type { NodeReport, StatusReport, WholeServerReport } from "./report.ts";
import { measurementFacts, serverFacts } from "./server-section.ts";
import { statePill } from "./status-marks.ts";
import { childRows } from "./tree-rows.ts";

export interface ServerFacts {
  readonly server: WholeServerReport;
  readonly root: NodeReport;
  readonly course: StatusCourse;
}

/** `/tree?server=NAME` */
export function serverPage({ generated_at }: StatusReport, { server, root, course }: ServerFacts): Page {
  const { name, state, measurements } = server;
  const content = html`<nav class="crumbs" aria-label="Place in the tree"><ol><li><a href="${HOME}">Overview</a></li><li aria-current="page">${nameOf(name)}</li></ol></nav>
<header class="title" id="title" data-live><p class="kind">server</p><h1>${nameOf(name)}</h1>${statePill(state)}</header>
<section class="panel server" id="server-0" aria-labelledby="server-0-title" data-live><h2 class="hidden" id="server-0-title">Status</h2>
${serverFacts(server, generated_at, course)}
${measurements !== null && html`<h3>Measurements pushed</h3><dl class="facts">${measurementFacts(measurements)}</dl>`}
</section>
<section class="panel" aria-labelledby="below-title"><h2 id="below-title">Below it: ${counted(root.children.total, "object")}</h2>
<div id="below">${childRows(root)}</div>
</section>`;
  return { title: `${name} – prtg-exporter`, generatedAt: generated_at, content };
}

/** For a report about one server. */
export function theServerOf({ servers }: Pick<StatusReport, "servers">): WholeServerReport | undefined {
  const [server] = servers;
  if (server === undefined) return undefined;
  const { collectors, api, problems, measurements } = server;
  if (collectors === undefined || api === undefined || problems === undefined || measurements === undefined) {
    return undefined;
  }
  return { ...server, collectors, api, problems, measurements };
}
