import { type Axis, timeMarks } from "./axis.ts";
import { utc, value } from "./figures.ts";
import { type Html, html } from "./html.ts";
import { type PathPoint, pathOf, pointsText, type Scale } from "./path.ts";

/** Units of the drawing, which the page stretches. Whole numbers keep paths short. */
const WIDTH = 1_200;
const HEIGHT = 400;

/** Dashes distinguish limits without colour (charts.css). */
export interface LimitLine {
  readonly style: "error" | "warning";
  readonly text: string;
  readonly at: number;
}

export interface LineChart {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly from: number;
  readonly to: number;
  readonly axis: Axis;
  readonly unit: string;
  readonly style: "measured" | "bad" | "blind" | "known" | "warn" | "still";
  /** Filled down to 0. Each point is valid until the next. */
  readonly isArea?: boolean;
  /** Times ascend. The line breaks between runs. */
  readonly runs: readonly (readonly PathPoint[])[];
  readonly limits?: readonly LimitLine[];
  /** Start of the time that the sensor is down. The rest of the chart gets a mark. */
  readonly downFrom?: number;
  /** Default: yes. One of several charts below each other is enough. */
  readonly hasTimes?: boolean;
}

/** Longer units appear in headings only. */
const MAX_UNIT_LENGTH = 8;

/** Texts are outside the stretched drawing, so they stay readable on a phone. The script reads the data attributes. */
export function lineChart(chart: LineChart): Html {
  const { id, title, description, from, to, axis, unit, style, isArea = false, runs } = chart;
  const { limits = [], hasTimes = true, downFrom } = chart;
  const { low, high, ticks } = axis;
  const scale: Scale = {
    x: (at) => Math.round(fraction(at, from, to) * WIDTH),
    y: (height) => Math.round((1 - fraction(height, low, high)) * HEIGHT),
  };
  const pathsOf = (form: "area" | "steps" | "line") => runs.map((run) => pathOf(run, scale, form, HEIGHT)).join("");
  const across = (height: number) => `M0,${scale.y(height)}H${WIDTH}`;
  const depths = limits.map(({ at }) => 1 - fraction(at, low, high));
  const shown = unit.length > MAX_UNIT_LENGTH ? "" : unit;
  const x = (at: number) => fraction(at, from, to);
  const area = isArea && html`<path class="area ${style}" d="${pathsOf("area")}"/>`;
  const lines = html`<path class="grid" d="${ticks.map(across).join("")}"/>${area}<path class="line ${style}" d="${pathsOf(isArea ? "steps" : "line")}"/>${limits.map((limit) => html`<path class="line ${limit.style}" d="${across(limit.at)}"/>`)}`;
  const gaps = gapsOf(runs, from, to).map(([start, end]) => {
    return html`<rect class="gap" x="${percent(x(start))}" width="${percent(x(end) - x(start))}" height="100%"/>`;
  });
  const downTime =
    downFrom !== undefined &&
    html`<rect class="down" x="${percent(x(downFrom))}" width="${percent(1 - x(downFrom))}" height="100%"/>`;
  const data = html`data-from="${Math.round(from)}" data-to="${Math.round(to)}" data-low="${low}" data-high="${high}" data-unit="${unit}" data-points="${pointsText(runs.flat(), from)}"`;
  const labels = limits.map((limit, index) => limitLabel(limit, depths[index] ?? 0, depths));
  const times = html`<span class="zone" data-zone>UTC</span><svg class="times" aria-hidden="true">${timeMarks(from, to).map((at) => timeMark(at, x(at)))}</svg>`;
  return html`<div class="plot"><p class="scale">${ticks.toReversed().map((tick) => html`<span>${`${value(tick)} ${shown}`.trim()}</span>`)}</p>
<div class="field" ${data}><svg class="chart" role="img" aria-labelledby="${id}-title ${id}-text"><title id="${id}-title">${title}</title><desc id="${id}-text">${description}</desc>${gaps}${downTime}<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none">${lines}</svg>${labels}</svg></div>${hasTimes && times}</div>`;
}

/** 0 to 1. */
function fraction(value: number, low: number, high: number): number {
  return Math.min(1, Math.max(0, (value - low) / (high - low || 1)));
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(2))}%`;
}

/** Room for a label above a line. */
const TOP = 0.2;
/** Labels of closer lines would overlap. */
const CLOSE = 0.14;
const EDGE = 0.06;

/** Labels of errors are at the right, of warnings at the left. No label is between close lines. */
function limitLabel({ style, text }: LimitLine, depth: number, depths: readonly number[]): Html {
  const isBelow = depth < TOP;
  const close = depths.filter((each) => Math.abs(each - depth) < CLOSE && each < TOP === isBelow);
  const labelY = percent(isBelow ? Math.max(...close) : Math.min(...close));
  const [x, anchor] = style === "error" ? ["99.5%", "end"] : ["0.5%", "start"];
  return html`<text class="limit ${style}" x="${x}" y="${labelY}" dy="${isBelow ? "1em" : "-0.3em"}" text-anchor="${anchor}">${text}</text>`;
}

function timeMark(at: number, share: number): Html {
  const anchor = share < EDGE ? "start" : share > 1 - EDGE ? "end" : "middle";
  const iso = new Date(at).toISOString();
  return html`<text x="${percent(share)}" y="1em" text-anchor="${anchor}" data-clock="${iso}">${iso.slice(11, 16)}</text>`;
}

/** Spans between runs, and those before and after that are longer than a tenth of the chart. */
function gapsOf(runs: readonly (readonly PathPoint[])[], from: number, to: number): [from: number, to: number][] {
  const edges = runs.flatMap((run) => [run[0]?.at ?? from, run.at(-1)?.at ?? to]);
  const spans = [from, ...edges, to];
  const least = (to - from) / 10;
  return spans.flatMap((start, index): [number, number][] => {
    const end = spans[index + 1];
    const isOutside = index === 0 || index === spans.length - 2;
    return index % 2 === 1 || end === undefined || (isOutside && end - start < least) ? [] : [[start, end]];
  });
}

export function clock(at: number): Html {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}" title="${utc(iso)}" data-clock>${iso.slice(11, 16)}</time>`;
}

/** Start of the span of `ms` milliseconds around `at`, for the table that repeats the chart as text. */
export function spanStart(at: number, ms: number): Html {
  const iso = `${new Date(Math.floor(at / ms) * ms).toISOString().slice(0, 16)}Z`;
  return html`<time datetime="${iso}" data-clock>${iso.slice(11, 16)}</time>`;
}
