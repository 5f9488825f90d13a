import { channelSparkline, chartSection } from "./chart-view.ts";
import {
  type Column,
  crumbs,
  type Fact,
  factList,
  nameHtml,
  panel,
  prtgLink,
  tableHead,
  tableRow,
} from "./components.ts";
import type { PageChart, SensorChart } from "./courses.ts";
import { downTimeOf } from "./down-time.ts";
import { clockTime, duration, moment, momentAndClock, number, value } from "./figures.ts";
import { type Html, html } from "./html.ts";
import type { Page } from "./layout.ts";
import { levelBar, limitsOf } from "./limits.ts";
import { explainLink, nodeLink, webAddress } from "./links.ts";
import { channelPages, childRows, objectPill } from "./object-table.ts";
import type { ChannelReport, NodeReport, NodeSummary, SensorReport } from "./report.ts";
import type { Sort } from "./source.ts";
import { badPill, statusBar, statusCounts, statusText, warnPill } from "./status-marks.ts";

const STATES: Readonly<Record<ChannelReport["state"], string>> = {
  served: "served",
  dropped: "dropped by a rule",
  paused: "sensor is paused",
  never_measured: "never measured",
  stale: "stale",
  no_value: "not a number",
};

export function sensorFacts(
  { node, generated_at: now }: NodeReport,
  sensor: SensorReport,
  { hasDebugPages }: { readonly hasDebugPages: boolean },
): Fact[] {
  const { kind, kind_name, interval_seconds, stale_after_seconds, status_since, last_measurement_at } = sensor;
  const { last_up_at, last_down_at, series } = sensor;
  return [
    ["Kind", html`<bdi>${kind_name || kind}</bdi>`],
    ["Status since", status_since !== null && momentAndClock(status_since, now)],
    ["Last up", last_up_at !== null && momentAndClock(last_up_at, now)],
    ["Last down", last_down_at !== null && momentAndClock(last_down_at, now)],
    ["Last measurement", moment(last_measurement_at, now)],
    ["Scanned every", interval_seconds !== null && duration(interval_seconds)],
    ["Stale after", stale_after_seconds !== null && duration(stale_after_seconds)],
    ["Selector", series[0] !== undefined && copied(selectorOf(series[0]), "selector")],
    ["Debug", hasDebugPages && html`<a href="${explainLink(node.id)}">how the series are made</a>`],
  ];
}

/** The script adds a button that copies the text. */
export function copied(text: string, what: string): Html {
  return html`<code data-copy="${what}">${text}</code>`;
}

/** Nothing without the script. */
function copiedQuery(line: string, name: string): Html {
  return html`<span data-copy="PromQL" data-of="${name}" data-text="${queryOf(line)}"></span>`;
}

/** Links to the neighbours on the same device. */
export function siblingLinks({ server }: NodeSummary, { siblings }: SensorReport): Html | false {
  const { position, total, previous, next } = siblings;
  const link = (rel: string, text: string, sibling: typeof previous) =>
    sibling === null
      ? html`<span></span>`
      : html`<a rel="${rel}" href="${nodeLink({ server, id: sibling.id })}">${text}: ${nameHtml(sibling.name)}</a>`;
  if (total <= 1) return false;
  const place = html`<span class="quiet">Sensor ${number(position)} of ${number(total)}</span>`;
  const links = [link("prev", "Previous", previous), place, link("next", "Next", next)];
  return html`<nav class="siblings" aria-label="Sensors of the device">${links}</nav>`;
}

/** Channels with values, and the sensor's lines of the metrics page. @param chart If the reader requested it. */
export function sensorChannels(node: NodeSummary, sensor: SensorReport, now: string, chart?: SensorChart): Html {
  const { channels, channels_from: from, channels_total: total, series } = sensor;
  const columns = channelColumns(now, chart);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Channels"><table class="channels cards">
${tableHead(columns)}
${channels.map((channel) => channelRows(channel, columns))}
</table></div>${channelPages(node, { from, count: channels.length, total })}
${channels.length === 0 && html`<p class="none">No channels.</p>`}
<h3>Sensor series</h3>
${seriesOf(series, "own", null)}`;
}

function channelColumns(now: string, chart: SensorChart | undefined): readonly Column<ChannelReport>[] {
  return [
    {
      title: "Channel",
      value: ({ name, channel_id }) => html`${nameHtml(name)} <span class="id">${channel_id}</span>`,
    },
    { title: "Value", isNumber: true, hasLabel: false, value: (channel) => channelValue(channel, chart) },
    { title: "Unit", hasLabel: false, value: ({ unit }) => html`<bdi>${unit}</bdi>` },
    { title: "Measured", value: ({ measured_at }) => moment(measured_at, now) },
    { title: "Limits", hasLabel: false, value: limitTexts },
  ];
}

function channelRows(channel: ChannelReport, columns: readonly Column<ChannelReport>[]): Html {
  const { channel_id, name, rule, series } = channel;
  return html`<tbody>
${tableRow(columns, channel)}
<tr class="more"><td colspan="${columns.length}">${series[0] !== undefined && copiedQuery(series[0], name)}${seriesOf(series, channel_id, rule)}</td></tr>
</tbody>`;
}

function channelValue(channel: ChannelReport, chart: SensorChart | undefined): Html {
  const { channel_id, unit, state, value: last } = channel;
  const parts = chart?.channels.get(channel_id);
  const shown =
    last === null
      ? html`<span class="none">${STATES[state]}</span>`
      : html`<data value="${last}" title="${last}">${value(last)}</data>`;
  return html`${shown}${levelBar(channel)}<span data-spark="${channel_id}">${chart !== undefined && parts !== undefined && channelSparkline(parts, chart, unit)}</span>`;
}

function seriesOf(series: readonly string[], key: string, rule: string | null): Html {
  const why = rule !== null && html` <span class="quiet">${rule}</span>`;
  if (series.length === 0) return html`<p class="lines none">no series${why}</p>`;
  const families = new Map<string, number>();
  for (const line of series) families.set(familyOf(line), (families.get(familyOf(line)) ?? 0) + 1);
  const names = [...families].map(
    ([family, count]) => html`<code>${family}</code>${count > 1 && html` <span class="quiet">× ${count}</span>`} `,
  );
  return html`<details class="lines" data-key="${key}"><summary>${names}</summary>${why}<ul class="series">${series.map((line) => html`<li><code>${line}</code></li>`)}</ul></details>`;
}

function limitTexts(channel: ChannelReport): Html | undefined {
  const limits = limitsOf(channel);
  if (limits.length === 0) return undefined;
  return html`<ul class="plain">${limits.map(({ text, at, tone, isExceeded }) => {
    const whole = `${text} ${value(at)} ${channel.unit}`.trim();
    return html`<li>${isExceeded ? (tone === "bad" ? badPill(whole) : warnPill(whole)) : whole}</li>`;
  })}</ul>`;
}

/** Labels that name one object. */
const KEYS = /\b(?:server|sensor_id|channel_id)="(?:[^"\\]|\\.)*"/g;

/** `{server="hq", sensor_id="2490"}`, from a line of the metrics page. PromQL escapes labels in the same way. */
export function selectorOf(line: string): string {
  const labels = line.slice(line.indexOf("{")).match(KEYS) ?? [];
  return `{${labels.join(", ")}}`;
}

/** PromQL that returns the series of a line, and keeps doing so if the object gets a new name. */
export function queryOf(line: string): string {
  return `${familyOf(line)}${selectorOf(line)}`;
}

export function familyOf(line: string): string {
  return line.split(/[{ ]/, 1)[0] ?? "";
}

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
<header class="title" id="title" data-live><p class="kind">${node.kind}</p><h1>${nameHtml(node.name)}</h1>${objectPill(node)}${prtgLink(node, "Open in PRTG")}</header>
${sensor !== null && siblingLinks(node, sensor)}
<section class="panel" aria-label="Properties" id="facts" data-live>
${messageLine(report)}
${factList([
  ["Id", copied(node.id, "id")],
  ["Host", report.host !== null && html`<bdi>${report.host}</bdi>`],
  ["Own status", sensor === null && node.status !== null && ownStatus(node, generated_at)],
  ["Depends on", report.depends_on !== null && dependency(node.server, report.depends_on)],
  ...(sensor === null ? [] : sensorFacts(report, sensor, options)),
  ["Tags", report.tags.length > 0 && tags(report.tags)],
  ["Links", outLinks(report.links)],
])}
${statusBar(node.sensors_by_status)}${Object.keys(node.sensors_by_status).length > 0 && statusCounts(node.sensors_by_status, node.server)}
</section>
${sensor !== null && chartSection(node, sensor, options.chart)}
${panel(
  { titleId: "below-title", title: below(report) },
  html`<div id="below"${sensor !== null && html` data-live`}>${sensor === null ? childRows(report, options.sort) : sensorChannels(node, sensor, generated_at, drawn)}</div>
`,
)}`;
  const isFresh = options.chart !== undefined || (sensor !== null && downTimeOf(node) !== undefined);
  return { title: `${node.name} – prtg-exporter`, generatedAt: generated_at, isFresh, content };
}

/** `Down since 15:18, acknowledged 15:20: On it` */
function messageLine({ node, sensor, generated_at: now }: NodeReport): Html | false {
  const { message } = node;
  const down = sensor === null ? undefined : downTimeOf(node);
  if (down?.isAcknowledged !== true) {
    return message !== null && html`<p class="message"><span class="hidden">Message: </span><bdi>${message}</bdi></p>`;
  }
  const when = down.acknowledgedAt !== null && html` ${clockTime(down.acknowledgedAt, now)}`;
  const before = node.acknowledgement?.message_before ?? null;
  return html`<p class="message"><b>Down since ${clockTime(down.since, now)}, acknowledged${when}</b>${message !== null && html`: <bdi>${message}</bdi>`}${
    before !== null && html`<br>Message before: <bdi>${before}</bdi>`
  }</p>`;
}

/** Without the sensors below, which the title shows. */
function ownStatus({ status, status_since: since }: NodeSummary, now: string): Html {
  return html`${statusText(status ?? "")}${since !== null && html`, ${momentAndClock(since, now)}`}`;
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

/** To other tools. Leaves out what is not safe to follow. */
function outLinks(links: NodeReport["links"]): Html | false {
  const shown = links.flatMap(({ name, url }) => {
    const address = webAddress(url);
    return address === undefined
      ? []
      : [html`<li><a href="${address}" target="_blank" rel="noreferrer"><bdi>${name}</bdi></a></li>`];
  });
  return shown.length > 0 && html`<ul class="tags">${shown}</ul>`;
}

function tags(names: readonly string[]): Html {
  return html`<ul class="tags">${names.map((tag) => html`<li><bdi>${tag}</bdi></li>`)}</ul>`;
}
