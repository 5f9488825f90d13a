import type { Steps } from "../lib/yielding.ts";
import type { HistogramSeries, InstrumentState, NumberSeries } from "../telemetry/recording.ts";
import { formatLabels, formatValue } from "./text-format.ts";

/** The lines of one series, and what they were made of. */
interface Rendered {
  /** Everything up to the values, line by line. */
  readonly prefixes: readonly string[];
  values: readonly number[];
  text: string;
}

/**
 * The lines of one family of own metrics. With hundreds of servers most series are as they were at the last scrape: their
 * lines are kept, and of the others everything up to the value.
 */
export class SeriesLines {
  readonly #name: string;
  #series = new Map<string, Rendered>();

  constructor(name: string) {
    this.#name = name;
  }

  /** In the order of the series; empty where there are none. */
  async render(state: InstrumentState, slices: Steps): Promise<string> {
    const before = this.#series;
    this.#series = new Map();
    const texts: string[] = [];
    for (const [key, series] of Object.entries(state.series)) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      const values = "count" in series ? histogramValues(series, state.bounds) : [series.value];
      const rendered = before.get(key) ?? { prefixes: this.#prefixes(series, state.bounds), values: [], text: "" };
      if (!isSame(rendered.values, values)) {
        rendered.values = values;
        rendered.text = rendered.prefixes.map((prefix, at) => `${prefix}${formatValue(values[at] ?? 0)}\n`).join("");
      }
      this.#series.set(key, rendered);
      texts.push(rendered.text);
    }
    return texts.join("");
  }

  #prefixes(series: NumberSeries | HistogramSeries, bounds: readonly number[]): readonly string[] {
    const names = Object.keys(series.labels);
    const values = Object.values(series.labels);
    const labels = formatLabels(names, values);
    if (!("count" in series)) return [`${this.#name}${labels} `];
    const buckets = [...bounds.map(formatValue), "+Inf"].map(
      (bound) => `${this.#name}_bucket${formatLabels(["le", ...names], [bound, ...values])} `,
    );
    return [...buckets, `${this.#name}_sum${labels} `, `${this.#name}_count${labels} `];
  }
}

/** Of its lines: buckets are cumulative there. */
function histogramValues({ bucketValues, sum, count }: HistogramSeries, bounds: readonly number[]): number[] {
  let upTo = 0;
  const buckets = bounds.map((bound) => {
    upTo += bucketValues[bound] ?? 0;
    return upTo;
  });
  return [...buckets, count, sum, count];
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, at) => Object.is(value, b[at]));
}
