import type { ChartPart, PageChart, SensorChart } from "./courses.ts";
import { counted, duration, value } from "./figures.ts";
import { type Html, html } from "./html.ts";
import { nameOf } from "./layout.ts";
import { type ChartLine, lineChart, quarterHead, quarters } from "./line-chart.ts";
import type { ChannelReport, NodeSummary, SensorReport } from "./report.ts";

const MAX_DRAWN = 50;
/** Draws a limit only if it is at most 4 times as far away as the spread of the values, or half of the largest value. */
const MAX_STRETCH = 4;
/** Share of the largest value, so that small changes look small. */
const MIN_SPAN = 0.02;

const LIMITS: Readonly<Record<string, readonly [text: string, style: "error" | "warning"]>> = {
  max_error: ["error above", "error"],
  max_warning: ["warning above", "warning"],
  min_warning: ["warning below", "warning"],
  min_error: ["error below", "error"],
};

/** Chart of the last four hours, or the link that requests it. */
export function chartSection(node: NodeSummary, sensor: SensorReport, outcome: PageChart | undefined): Html {
  return html`<section class="panel" id="chart" aria-labelledby="chart-title"><h2 id="chart-title">Last four hours</h2>
${outcome === undefined ? askFor(node, sensor, "Show charts") : outcomeView(outcome, node, sensor)}
</section>`;
}

function askFor({ server, id }: NodeSummary, { channels_from: from }: SensorReport, text: string): Html {
  return html`<form class="ask" action="./tree#chart" method="get"><input type="hidden" name="server" value="${server}"><input type="hidden" name="id" value="${id}">${from > 0 && html`<input type="hidden" name="from" value="${from}">`}<input type="hidden" name="chart" value="1"><button type="submit">${text}</button>
<p class="note">Sends one request to PRTG, within its request budget. The exporter caches the answer for a minute for all readers.</p></form>`;
}

function outcomeView(outcome: PageChart, node: NodeSummary, sensor: SensorReport): Html {
  switch (outcome.kind) {
    case "drawn":
      return html`<p class="note">Data is ${duration(Math.max(1, outcome.ageSeconds))} old. Live refresh does not update charts.</p>
${charts(outcome.chart, sensor)}${askFor(node, sensor, "Refresh charts")}`;
    case "waiting":
      return html`<p>The server has not answered yet. A retry waits for the same request.</p>${askFor(node, sensor, "Retry")}`;
    case "too_many":
      return html`<p>Too many chart requests to this server. Retry in ${duration(outcome.retryAfterSeconds)}.</p>${askFor(node, sensor, "Retry")}`;
    case "failed":
      return html`<p class="error">Charts failed: <bdi>${outcome.reason}</bdi></p>${askFor(node, sensor, "Retry")}`;
  }
}

function charts(chart: SensorChart, { channels, channels_total }: SensorReport): Html {
  const measured = channels.filter(({ channel_id }) => chart.channels.has(channel_id));
  if (measured.length === 0)
    return html`<p class="none">The server has no values of these channels in the last four hours.</p>`;
  const drawn = measured.slice(0, MAX_DRAWN);
  const less = drawn.length < channels_total;
  return html`${less && html`<p class="note">Charts of ${counted(drawn.length, "channel")} of ${channels_total}: channels of this page with values, at most ${MAX_DRAWN}.</p>`}
${drawn.map((channel, index) => channelChart(channel, chart.channels.get(channel.channel_id) ?? [], chart, index))}`;
}

function channelChart(
  channel: ChannelReport,
  parts: readonly ChartPart[],
  { from, to }: SensorChart,
  index: number,
): Html {
  const { name, unit, limits } = channel;
  const low = Math.min(...parts.map((part) => part.low));
  const high = Math.max(...parts.map((part) => part.high));
  const last = parts.at(-1)?.high ?? high;
  const withUnit = (number: number) => `${value(number)} ${unit}`.trim();
  const scale = scaleOf(low, high, Object.values(limits));
  const runs = runsOf(parts);
  const lines: ChartLine[] = [
    { style: "measured", label: `measured: last ${withUnit(last)}, from ${value(low)} to ${withUnit(high)}`, runs },
    ...Object.entries(limits).map(([limit, at]) => limitLine(limit, at, withUnit(at), scale, [from, to])),
  ];
  const gaps = runs.length > 1 ? ` ${counted(runs.length - 1, "gap")}.` : "";
  const id = `chart-${index}`;
  return html`<div class="drawing"><h3 class="plain">${nameOf(name)} <span class="quiet"><bdi>${unit}</bdi></span></h3>
${lineChart({
  ...{ id, from, to, ...scale, lines, format: value },
  title: `${name}: the last four hours`,
  description: `${lines.map(({ label }) => label).join("; ")}.${gaps} The table below has the numbers.`,
})}
<details data-key="${id}"><summary>${name || "Channel"}, as a table</summary>
<p class="note">Per 15 minutes (UTC), in <bdi>${unit || "no unit"}</bdi>.</p>
<table><thead><tr><th scope="col">From</th><th scope="col" class="n">Lowest</th><th scope="col" class="n">Highest</th></tr></thead>
<tbody>${quarters(parts).map(([at, of]) => html`<tr>${quarterHead(at)}<td class="n">${value(Math.min(...of.map((part) => part.low)))}</td><td class="n">${value(Math.max(...of.map((part) => part.high)))}</td></tr>`)}</tbody></table></details></div>`;
}

interface Scale {
  readonly low: number;
  readonly high: number;
}

/** Includes the values and near limits. */
function scaleOf(low: number, high: number, limits: readonly number[]): Scale {
  const size = Math.max(Math.abs(low), Math.abs(high));
  const near = MAX_STRETCH * Math.max(high - low, size / 2);
  const drawn = limits.filter((limit) => limit >= low - near && limit <= high + near);
  const all = { low: Math.min(low, ...drawn), high: Math.max(high, ...drawn) };
  const missing = (MIN_SPAN * size || 1) - (all.high - all.low);
  return missing > 0 ? { low: all.low - missing / 2, high: all.high + missing / 2 } : all;
}

function limitLine(
  limit: string,
  at: number,
  figure: string,
  { low, high }: Scale,
  [from, to]: readonly [number, number],
): ChartLine {
  const [text, style] = (Object.hasOwn(LIMITS, limit) ? LIMITS[limit] : undefined) ?? [limit, "warning" as const];
  const isInside = at >= low && at <= high;
  return {
    style,
    label: `${text} ${figure}${isInside ? "" : ", outside the chart"}`,
    runs: isInside
      ? [
          [
            [from, at],
            [to, at],
          ],
        ]
      : [],
  };
}

/** Breaks a line at a gap of more than twice the usual distance. */
function runsOf(parts: readonly ChartPart[]): [number, number][][] {
  const distances = parts.slice(1).map(({ at }, index) => at - (parts[index]?.at ?? at));
  const usual = distances.toSorted((a, b) => a - b)[Math.floor(distances.length / 2)] ?? 0;
  const runs: [number, number][][] = [];
  let before = Number.NEGATIVE_INFINITY;
  for (const { at, low, high } of parts) {
    if (at - before > 2.5 * usual) runs.push([]);
    runs.at(-1)?.push([at, low], ...(high === low ? [] : [[at, high] as [number, number]]));
    before = at;
  }
  return runs;
}
