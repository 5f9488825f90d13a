import type { ChangeReport, ChangesReport } from "./changes-report.ts";
import { type Column, crumbs, nameHtml, panel, table } from "./components.ts";
import { clockTime, counted, number, pathAbove } from "./figures.ts";
import { type Html, html } from "./html.ts";
import type { Page } from "./layout.ts";
import { changesLink, nodeLink } from "./links.ts";
import { pages } from "./object-table.ts";
import { changePill, changeText } from "./status-marks.ts";

/** `/changes`: the last hours, newest first. @param server The only one, or `undefined` for all. */
export function changesPage(report: ChangesReport, server: string | undefined): Page {
  const { generated_at, total, page, items } = report;
  const content = html`${crumbs("Changes")}
<section class="panel" id="changes" aria-labelledby="changes-title" data-live><h1 class="small" id="changes-title">What changed${server !== undefined && html` on ${nameHtml(server)}`}</h1>
<p class="note">${sinceText(report)} Many changes alike in one minute are one line, and so are the begin and the end of an outage.</p>
${changesTable(report, server === undefined && report.servers !== 1)}
${pages({ from: page.from, count: items.length, total }, changesLink(server, page.number - 1), changesLink(server, page.number + 1))}
</section>`;
  return { title: "Changes – prtg-exporter", generatedAt: generated_at, content };
}

/** Section of the overview. */
export function lastHourSection(report: ChangesReport, hasServers: boolean): Html {
  const { total, items } = report;
  const rest = total - items.length;
  const more = rest > 0 ? `The newest ${items.length} of ${total} lines.` : "";
  return panel(
    { id: "last-hour", titleId: "last-hour-title", title: "Last hour", isLive: true },
    html`${items.length === 0 ? html`<p class="none">${quietHour(report)}</p>` : changesTable(report, hasServers)}
<p class="note">${more} <a href="${changesLink()}">All changes</a></p>
`,
  );
}

/** `Last hour: 233 down, 36 recovered`, for the first screen. */
export function lastHourLine(report: ChangesReport): Html {
  const { items, changed } = report;
  const counts = changed.map(({ change, count }) => `${number(count)} ${changeText(change).toLowerCase()}`);
  const what = items.length === 0 ? quietHour(report) : counts.join(", ");
  return html`<a href="#last-hour">Last hour</a>: ${what}`;
}

const HOUR_MS = 3_600_000;

function quietHour(report: ChangesReport): Html {
  const { since, generated_at } = report;
  const isShort = since === null || Date.parse(generated_at) - Date.parse(since) < HOUR_MS;
  return isShort ? sinceText(report) : html`No changes in the last hour.`;
}

function sinceText({ since, total, items, generated_at: now }: ChangesReport): Html {
  if (since === null) return html`A server has not been polled yet.`;
  const begin = html`since ${clockTime(since, now)} <span data-zone>UTC</span>`;
  if (items.length === 0) return html`No changes ${begin}.`;
  return html`${counted(total, "line")} ${begin}, from memory, newest first.`;
}

function changesTable({ items, generated_at: now }: ChangesReport, hasServers: boolean): Html {
  if (items.length === 0) return html`<p class="none">No changes.</p>`;
  return table(columns(now, hasServers), items, { className: "changes cards" });
}

/** @param now Time of the report. */
function columns(now: string, hasServers: boolean): readonly Column<ChangeReport>[] {
  return [
    { title: "Time", value: ({ at }) => clockTime(at, now) },
    { title: "Change", hasLabel: false, value: ({ change }) => changePill(change) },
    { title: "Object", hasLabel: false, value: (change) => objectCell(change, hasServers) },
  ];
}

function objectCell(change: ChangeReport, hasServers: boolean): Html {
  const { server, object, kind, before } = change;
  const name = object.exists
    ? html`<a href="${nodeLink({ server, id: object.id })}">${nameHtml(object.name)}</a>`
    : nameHtml(object.name);
  const howMany = howManyOf(change);
  const isOver = change.outage?.part === "end" && change.count === 0;
  const what = howMany === "" ? html`${isOver ? "Outage over:" : kind} ${name}` : html`${howMany} below ${name}`;
  const place = [hasServers && server, pathAbove(object)].filter((part) => part !== false && part !== "");
  const earlier = change.change === "renamed" ? "was" : "from";
  return html`${what}${before !== null && html` <span class="quiet">${earlier} <bdi>${before}</bdi></span>`}${
    place.length > 0 && html` <span class="path quiet"><bdi>${place.join(" / ")}</bdi></span>`
  }`;
}

/** Empty for a single object, and for the end of an outage without recoveries. */
function howManyOf({ outage, count, kind }: ChangeReport): Html | string {
  const objects = html`<b>${counted(count, kind)}</b>`;
  if (outage?.part === "begin") return html`Outage: <b>${number(count)} of ${counted(outage.sensors, kind)}</b>`;
  if (outage?.part === "end") return count === 0 ? "" : html`Outage over: ${objects}`;
  return outage === null && count === 1 ? "" : objects;
}
