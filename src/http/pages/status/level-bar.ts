import { quantityOf } from "./axis.ts";
import { type Html, html } from "./html.ts";
import { limitsOf } from "./limits.ts";
import type { ChannelReport } from "./report.ts";

const WIDTH = 100;
const HEIGHT = 10;
/** Room behind the largest limit. */
const ROOM = 1.1;

/** The value between its limits, and zones beyond them. The text next to it says the same. `undefined` without a scale. */
export function levelBar({ value, unit, limits }: ChannelReport): Html | undefined {
  const known = limitsOf({ limits, value });
  const isShare = quantityOf(unit) === "ratio";
  if (value === null || (known.length === 0 && !isShare)) return undefined;
  const all = [0, value, ...known.map(({ at }) => at)];
  const low = Math.min(...all);
  const high = Math.max(isShare ? 100 : ROOM * Math.max(...all), ...all);
  const x = (at: number) => Number((((at - low) / (high - low || 1)) * WIDTH).toFixed(1));
  const zones = known.map(({ at, tone = "warn", side = 1 }) => {
    const from = side === 1 ? x(at) : 0;
    return html`<g class="${tone}"><rect class="beyond" x="${from}" width="${side === 1 ? WIDTH - from : x(at)}" height="${HEIGHT}"/><path class="limit-at" d="M${x(at)},0V${HEIGHT}"/></g>`;
  });
  const tone = known.findLast(({ isExceeded }) => isExceeded)?.tone ?? (known.length > 0 ? "good" : "still");
  return html`<svg class="level" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true" focusable="false">${zones}<rect class="value ${tone}" y="3" width="${x(value)}" height="4"/></svg>`;
}
