import { utc } from "./figures.ts";
import { type Html, html } from "./html.ts";

/** Units of the drawing, which the page stretches. */
const WIDTH = 1_000;
const HEIGHT = 160;
/** Keeps lines at the edge visible. */
const MARGIN = 4;

/** Dashes distinguish lines without colour (status.css). */
export type LineStyle = "measured" | "error" | "warning" | "down" | "acknowledged" | "paused";

export interface ChartLine {
  readonly style: LineStyle;
  readonly label: string;
  /** Times ascend. The line breaks between runs. */
  readonly runs: readonly (readonly (readonly [at: number, value: number])[])[];
}

export interface LineChart {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly low: number;
  readonly high: number;
  readonly format: (value: number) => string;
  readonly lines: readonly ChartLine[];
}

/** Scales and key are text next to the drawing, so they stay readable on a phone. */
export function lineChart({ id, title, description, from, to, low, high, format, lines }: LineChart): Html {
  const x = (at: number) => ((at - from) / Math.max(1, to - from)) * WIDTH;
  const y = (value: number) => HEIGHT - MARGIN - ((value - low) / (high - low || 1)) * (HEIGHT - 2 * MARGIN);
  const paths = lines.map(({ style, runs }) => {
    const path = runs.map((run) => pathOf(run.map(([at, value]) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`)));
    return html`<path class="line ${style}" d="${path.join("")}"/>`;
  });
  return html`<div class="plot"><p class="scale"><span>${format(high)}</span><span>${format(low)}</span></p>
<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-labelledby="${id}-title ${id}-text"><title id="${id}-title">${title}</title><desc id="${id}-text">${description}</desc>${paths}</svg>
<p class="times">${time(from)}${time(to)}</p></div>
<ul class="key">${lines.map(({ style, label }) => html`<li><svg class="sample" viewBox="0 0 36 8" aria-hidden="true" focusable="false"><path class="line ${style}" d="M0,4L36,4"/></svg>${label}</li>`)}</ul>`;
}

/** A single point becomes a dot, because lines have round ends. */
function pathOf([first = "", ...others]: readonly string[]): string {
  return others.length === 0 ? `M${first}h0.01` : `M${first}L${others.join(" ")}`;
}

function time(at: number): Html {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}" title="${utc(iso)}">${iso.slice(11, 16)} UTC</time>`;
}

/** The table repeats the chart as text. Milliseconds. */
const QUARTER_MS = 15 * 60_000;

/** Quarters of an hour with points, ascending. */
export function quarters<Point extends { readonly at: number }>(
  points: readonly Point[],
): readonly (readonly [at: number, points: readonly Point[]])[] {
  const groups = Map.groupBy(points, ({ at }) => Math.floor(at / QUARTER_MS) * QUARTER_MS);
  return [...groups].sort(([a], [b]) => a - b);
}

export function quarterHead(at: number): Html {
  const iso = new Date(at).toISOString();
  return html`<th scope="row"><time datetime="${iso}">${iso.slice(11, 16)}</time></th>`;
}
