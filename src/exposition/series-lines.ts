import type { Steps } from "../lib/yielding.ts";
import type { HistogramSeries, InstrumentState, NumberSeries } from "../telemetry/recording.ts";
import { formatLabels, formatValue } from "./text-format.ts";

/** The lines of one series, and what they were made of. Texts are joined, as `+` would keep every piece alive in the heap. */
interface Lines<Series> {
  /** As they are now. */
  text(series: Series): string;
  /** Number of the last rendering that had the series. */
  seenIn: number;
}

type AnyLines = Lines<NumberSeries | HistogramSeries>;

/**
 * The lines of one family of own metrics. With hundreds of servers most series are as they were at the last scrape: their
 * lines are kept, and of the others everything up to the value.
 */
export class SeriesLines {
  readonly #name: string;
  readonly #series = new Map<string, AnyLines>();
  #renderings = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** In the order of the series; empty where there are none. One at a time. */
  async render({ series: all, bounds }: InstrumentState, slices: Steps): Promise<string> {
    const rendering = ++this.#renderings;
    const texts: string[] = [];
    for (const key in all) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      const series = all[key];
      // It may have gone in a turn.
      if (series === undefined) continue;
      const lines = this.#series.get(key) ?? this.#begin(key, series, bounds);
      lines.seenIn = rendering;
      texts.push(lines.text(series));
    }
    if (texts.length < this.#series.size) this.#forgetBefore(rendering);
    return texts.join("");
  }

  #begin(key: string, series: NumberSeries | HistogramSeries, bounds: readonly number[]): AnyLines {
    const lines =
      "count" in series ? new HistogramLines(this.#name, series, bounds) : new NumberLine(this.#name, series);
    this.#series.set(key, lines);
    return lines;
  }

  #forgetBefore(rendering: number): void {
    for (const [key, { seenIn }] of this.#series) if (seenIn < rendering) this.#series.delete(key);
  }
}

class NumberLine implements Lines<NumberSeries> {
  seenIn = 0;
  #text: string;
  #value = 0;
  /** Of everything up to the value. */
  readonly #length: number;

  constructor(name: string, { labels }: NumberSeries) {
    const prefix = [name, formatLabels(Object.keys(labels), Object.values(labels)), " "].join("");
    this.#length = prefix.length;
    this.#text = [prefix, "0\n"].join("");
  }

  text({ value }: NumberSeries): string {
    if (!Object.is(value, this.#value)) {
      this.#value = value;
      this.#text = [this.#text.slice(0, this.#length), formatValue(value), "\n"].join("");
    }
    return this.#text;
  }
}

class HistogramLines implements Lines<HistogramSeries> {
  seenIn = 0;
  #text = "";
  #count = Number.NaN;
  #sum = Number.NaN;
  readonly #bounds: readonly number[];
  /** Everything up to the values, line by line. */
  readonly #prefixes: readonly string[];

  constructor(name: string, { labels }: HistogramSeries, bounds: readonly number[]) {
    const names = Object.keys(labels);
    const values = Object.values(labels);
    const own = formatLabels(names, values);
    const buckets = [...bounds.map(formatValue), "+Inf"].map((bound) =>
      [name, "_bucket", formatLabels(["le", ...names], [bound, ...values]), " "].join(""),
    );
    this.#bounds = bounds;
    this.#prefixes = [...buckets, [name, "_sum", own, " "].join(""), [name, "_count", own, " "].join("")];
  }

  /** Each observation is counted. */
  text(series: HistogramSeries): string {
    const { sum, count } = series;
    if (count === this.#count && Object.is(sum, this.#sum)) return this.#text;
    this.#count = count;
    this.#sum = sum;
    const values = [...upToEach(series, this.#bounds), count, sum, count];
    this.#text = this.#prefixes.flatMap((prefix, at) => [prefix, formatValue(values[at] ?? 0), "\n"]).join("");
    return this.#text;
  }
}

/** Observations up to each bound: buckets are cumulative on the page. */
function upToEach({ bucketValues }: HistogramSeries, bounds: readonly number[]): number[] {
  let upTo = 0;
  return bounds.map((bound) => {
    upTo += bucketValues[bound] ?? 0;
    return upTo;
  });
}
