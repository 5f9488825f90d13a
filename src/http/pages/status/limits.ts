import { quantityOf } from "./axis.ts";
import { silentDrawing } from "./components.ts";
import { type Html, html } from "./html.ts";
import type { ChannelReport } from "./report.ts";

interface Kind {
  readonly text: string;
  readonly tone: "bad" | "warn";
  /** 1: values above the limit are beyond it. */
  readonly side: 1 | -1;
}

/** Limits of PRTG, the most urgent last. */
const KINDS: Readonly<Record<string, Kind>> = {
  max_warning: { text: "warning above", tone: "warn", side: 1 },
  min_warning: { text: "warning below", tone: "warn", side: -1 },
  max_error: { text: "error above", tone: "bad", side: 1 },
  min_error: { text: "error below", tone: "bad", side: -1 },
};

export interface Limit extends Partial<Kind> {
  readonly text: string;
  readonly at: number;
  readonly isExceeded: boolean;
}

/** A newer server may have other limits. */
export function limitsOf({ limits, value }: Pick<ChannelReport, "limits" | "value">): Limit[] {
  const names = [...Object.keys(KINDS), ...Object.keys(limits)];
  return [...new Set(names)].flatMap((name) => {
    const at = limits[name];
    const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
    if (at === undefined) return [];
    return {
      text: name,
      ...kind,
      at,
      isExceeded: value !== null && kind !== undefined && kind.side * (value - at) > 0,
    };
  });
}

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
  const bar = html`<rect class="value ${tone}" y="3" width="${x(value)}" height="4"/>`;
  return silentDrawing("level", WIDTH, HEIGHT, [...zones, bar]);
}
