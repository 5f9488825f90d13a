import { axisOf, quantityOf } from "./axis.ts";
import type { ChartPart, SensorChart } from "./courses.ts";
import { value } from "./figures.ts";
import { type Html, html } from "./html.ts";
import { coarser, pathOf, runsOf, type Scale } from "./path.ts";

/** Five minutes are two units wide. */
const WIDTH = 96;
const HEIGHT = 40;
const PARTS = 48;

/** On the same axis as the chart, which has the numbers. */
export function partsSparkline(parts: readonly ChartPart[], { from, to }: SensorChart, unit: string): Html {
  const low = Math.min(...parts.map((part) => part.low));
  const high = Math.max(...parts.map((part) => part.high));
  const axis = axisOf(low, high, quantityOf(unit));
  const middles = coarser(parts, from, (to - from) / PARTS).map((part) => {
    const middle = part.low / 2 + part.high / 2;
    return { at: part.at, low: middle, high: middle };
  });
  const scale: Scale = {
    x: (at) => Math.round(((at - from) / (to - from)) * WIDTH),
    y: (at) => Math.round(((axis.high - at) / (axis.high - axis.low)) * HEIGHT),
  };
  const path = runsOf(middles).map((run) => pathOf(run, scale, "line", HEIGHT));
  const text = `Last four hours: lowest ${value(low)}, highest ${value(high)}`;
  return html`<svg class="spark" viewBox="0 -2 ${WIDTH} ${HEIGHT + 4}" preserveAspectRatio="none" role="img"><title>${text}</title><path d="${path.join("")}"/></svg>`;
}
