import { type Axis, axisOf, quantityOf } from "./axis.ts";
import { type Column, nameHtml, panel, sparkDrawing, table } from "./components.ts";
import type { ChartPart, PageChart, SensorChart } from "./courses.ts";
import { type DownTime, downTimeOf } from "./down-time.ts";
import { counted, duration, value } from "./figures.ts";
import { type Html, html } from "./html.ts";
import { limitsOf } from "./limits.ts";
import { clock, type LimitLine, lineChart, spanStart } from "./line-chart.ts";
import { coarser, type PathPoint, pathOf, runsOf, type Scale } from "./path.ts";
import type { ChannelReport, NodeSummary, SensorReport } from "./report.ts";

/** The page stays below 100 kB. The other channels have sparklines. */
const MAX_DRAWN = 14;
/** Points of all charts of a page. More channels have fewer points each. */
const MAX_POINTS = 1_000;
const MINUTE_MS = 60_000;
/** Draws a limit only if it is at most 4 times as far away as the spread of the values, or half of the largest value. */
const MAX_STRETCH = 4;

/** Chart of the last four hours, or the form that requests it. The script sends the form of a sensor that is down. */
export function chartSection(node: NodeSummary, sensor: SensorReport, outcome: PageChart | undefined): Html {
  const content =
    outcome === undefined
      ? askFor(node, sensor, "Show charts", downTimeOf(node) !== undefined)
      : outcomeView(outcome, node, sensor);
  return panel(
    { id: "chart", titleId: "chart-title", title: "Last four hours" },
    html`${content}
`,
  );
}

function askFor(
  { server, id }: NodeSummary,
  { channels_from: from }: SensorReport,
  text: string,
  isAutomatic = false,
): Html {
  const fields = Object.entries({ server, id, ...(from > 0 && { from }), chart: 1 });
  const hidden = fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
  return html`<form class="ask" action="./tree#chart" method="get"${isAutomatic && html` data-auto`}>${hidden}<button type="submit">${text}</button>
<p class="note">Sends one request to PRTG, within its request budget. The exporter caches the answer for a minute for all readers.</p></form>`;
}

function outcomeView(outcome: PageChart, node: NodeSummary, sensor: SensorReport): Html {
  switch (outcome.kind) {
    case "drawn":
      return html`<p class="note">Data is ${duration(Math.max(1, outcome.ageSeconds))} old. Live refresh does not update charts.</p>
${charts(outcome.chart, sensor, downTimeOf(node))}${askFor(node, sensor, "Refresh charts")}`;
    case "waiting":
      return html`<p>The server has not answered yet. A retry waits for the same request.</p>${askFor(node, sensor, "Retry")}`;
    case "too_many":
      return html`<p>Too many chart requests to this server. Retry in ${duration(outcome.retryAfterSeconds)}.</p>${askFor(node, sensor, "Retry")}`;
    case "failed":
      return html`<p class="error">Charts failed: <bdi>${outcome.reason}</bdi></p>${askFor(node, sensor, "Retry")}`;
  }
}

function charts(chart: SensorChart, { channels, channels_total }: SensorReport, down: DownTime | undefined): Html {
  const measured = channels.flatMap((channel) => {
    const values = chart.channels.get(channel.channel_id);
    return values === undefined ? [] : [{ channel, values }];
  });
  if (measured.length === 0)
    return html`<p class="none">The server has no values of these channels in the last four hours.</p>`;
  const drawn = measured.slice(0, MAX_DRAWN);
  const shown = `Charts of ${counted(drawn.length, "channel")} of ${channels_total}`;
  const note = `${shown}: channels of this page with values, at most ${MAX_DRAWN}. The table of channels has a sparkline for each.`;
  return html`${drawn.length < channels_total && html`<p class="note">${note}</p>`}
${drawn.map(({ channel, values }, index) => {
  return channelChart(channel, values, chart, { id: `chart-${index}`, width: widthOf(drawn.length, chart), down });
})}`;
}

/** Whole minutes, in milliseconds. */
function widthOf(channels: number, { from, to }: SensorChart): number {
  return Math.ceil(((to - from) * channels) / MAX_POINTS / MINUTE_MS) * MINUTE_MS;
}

function channelChart(
  channel: ChannelReport,
  values: readonly ChartPart[],
  { from, to }: SensorChart,
  { id, width, down }: { readonly id: string; readonly width: number; readonly down: DownTime | undefined },
): Html {
  const parts = coarser(values, from, width);
  const rowMs = (width > MINUTE_MS ? 60 : 15) * MINUTE_MS;
  const last = values.at(-1)?.high ?? 0;
  const { name, unit, limits } = channel;
  const low = Math.min(...parts.map((part) => part.low));
  const high = Math.max(...parts.map((part) => part.high));
  // The sign says nothing next to a number.
  const shownUnit = unit === "#" ? "" : unit;
  const withUnit = (number: number) => `${value(number)} ${shownUnit}`.trim();
  const near = Object.values(limits).filter(isNear(low, high));
  const axis = axisOf(Math.min(low, ...near), Math.max(high, ...near), quantityOf(unit));
  const limitLines = limitsOf(channel).map(({ text, tone, at }): LimitLine => {
    return { style: tone === "bad" ? "error" : "warning", text: `${text} ${withUnit(at)}`, at };
  });
  const [inside, outside] = [limitLines.filter(isInside(axis)), limitLines.filter((line) => !isInside(axis)(line))];
  const runs = runsOf(parts);
  const downFrom = down && Date.parse(down.since);
  const lastAt = values.at(-1)?.at;
  const words = [
    `Last ${withUnit(last)}, lowest ${withUnit(low)}, highest ${withUnit(high)}`,
    ...inside.map(({ text }) => text),
    ...outside.map(({ text }) => `${text}, outside the chart`),
    ...(runs.length > 1 ? [counted(runs.length - 1, "gap")] : []),
  ];
  return html`<div class="drawing"><h3 class="plain">${nameHtml(name)} <span class="quiet"><bdi>${unit}</bdi></span></h3>
${lineChart({
  id,
  from,
  to,
  axis,
  unit: shownUnit,
  style: "measured",
  runs,
  limits: inside,
  title: `${name}: the last four hours`,
  ...(downFrom !== undefined && { downFrom }),
  description: `${[...words, ...(downFrom === undefined ? [] : [`down since ${utcTime(downFrom)}`])].join("; ")}. The table below has the numbers.`,
})}
<ul class="key">${words.filter((text) => !inside.some((line) => line.text === text)).map((text) => html`<li>${text}</li>`)}${downFrom !== undefined && html`<li class="down">Down since ${clock(downFrom)}</li>${lastAt !== undefined && html`<li>Last value at ${clock(lastAt)}</li>`}`}</ul>
<details data-key="${id}"><summary>${name || "Channel"}, as a table</summary>
<p class="note">Per ${rowMs / MINUTE_MS} minutes (<span data-zone>UTC</span>), in <bdi>${unit || "no unit"}</bdi>.</p>
${table(partColumns(rowMs), coarser(parts, 0, rowMs), { className: false })}</details></div>`;
}

/** `15:18 UTC` */
function utcTime(at: number): string {
  return `${new Date(at).toISOString().slice(11, 16)} UTC`;
}

function partColumns(ms: number): readonly Column<PathPoint>[] {
  return [
    { title: "From", value: ({ at }) => spanStart(at, ms) },
    { title: "Lowest", isNumber: true, hasLabel: false, value: ({ low }) => value(low) },
    { title: "Highest", isNumber: true, hasLabel: false, value: ({ high }) => value(high) },
  ];
}

function isNear(low: number, high: number): (limit: number) => boolean {
  const stretch = MAX_STRETCH * Math.max(high - low, Math.max(Math.abs(low), Math.abs(high)) / 2);
  return (limit) => limit >= low - stretch && limit <= high + stretch;
}

function isInside({ low, high }: Axis): (line: LimitLine) => boolean {
  return ({ at }) => at >= low && at <= high;
}

/** Five minutes are two units wide. */
const SPARK_WIDTH = 96;
const SPARK_HEIGHT = 40;
const SPARK_PARTS = 48;

/** Small chart of a channel, on the same axis as the large one, which has the numbers. */
export function channelSparkline(parts: readonly ChartPart[], { from, to }: SensorChart, unit: string): Html {
  const low = Math.min(...parts.map((part) => part.low));
  const high = Math.max(...parts.map((part) => part.high));
  const axis = axisOf(low, high, quantityOf(unit));
  const middles = coarser(parts, from, (to - from) / SPARK_PARTS).map((part) => {
    const middle = part.low / 2 + part.high / 2;
    return { at: part.at, low: middle, high: middle };
  });
  const scale: Scale = {
    x: (at) => Math.round(((at - from) / (to - from)) * SPARK_WIDTH),
    y: (at) => Math.round(((axis.high - at) / (axis.high - axis.low)) * SPARK_HEIGHT),
  };
  const path = runsOf(middles).map((run) => pathOf(run, scale, "line", SPARK_HEIGHT));
  const text = `Last four hours: lowest ${value(low)}, highest ${value(high)}`;
  return sparkDrawing("spark", [-2, SPARK_WIDTH, SPARK_HEIGHT + 4], text, path.join(""));
}
