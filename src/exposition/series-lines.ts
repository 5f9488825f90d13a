import type { Steps } from "../lib/yielding.ts";
import type { HistogramSeries, InstrumentState, NumberSeries } from "../telemetry/recording.ts";
import type { LineBuffer } from "./line-buffer.ts";
import { formatLabels, formatValue } from "./text-format.ts";

/** The lines of one series: what they say, and where they are in the bytes of their family. */
interface Lines<Series> {
  /** Number of the last rendering that had the series. */
  seenIn: number;
  /**
   * Writes them as they are now. `before`: the bytes of the family that they were written to last.
   * @returns whether they say what they said, at the place where they were
   */
  write(series: Series, lines: LineBuffer, before: Buffer): boolean;
}

type AnySeries = NumberSeries | HistogramSeries;
type AnyLines = Lines<AnySeries>;

const NO_BYTES = Buffer.alloc(0);

/** Writes the lines of each series, once. */
export async function writeSeries(
  name: string,
  { series: all, bounds }: Pick<InstrumentState, "series" | "bounds">,
  lines: LineBuffer,
  slices: Steps,
): Promise<void> {
  for (const series of Object.values<AnySeries>(all)) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    beginLines(name, series, bounds, lines);
  }
}

/**
 * The lines of one family of own metrics. With hundreds of servers most series are as they were at the last scrape: their bytes
 * are copied from there, and of the others everything up to the value.
 */
export class SeriesLines {
  readonly #name: string;
  readonly #lines: LineBuffer;
  readonly #series = new Map<string, AnyLines>();
  #renderings = 0;
  /** What `#bytes` shows; undefined before the first rendering. */
  #changes: number | undefined;
  /** Of the last rendering. Readers may have them: they are not written to again. */
  #bytes: Buffer = NO_BYTES;

  /** `lines` may be shared with families that are rendered before and after. */
  constructor(name: string, lines: LineBuffer) {
    this.#name = name;
    this.#lines = lines;
  }

  /** In the order of the series; empty where there are none, and the same buffer for as long as nothing changes. One at a time. */
  async render(state: InstrumentState, slices: Steps): Promise<Buffer> {
    // Of before the first series is looked at: what changes in a turn is looked at next time.
    const { changes } = state;
    if (changes === this.#changes) return this.#bytes;
    try {
      if (!(await this.#write(state, slices))) this.#bytes = this.#lines.take();
    } catch (error) {
      // The series know where they would have been.
      this.#series.clear();
      this.#bytes = NO_BYTES;
      throw error;
    }
    this.#changes = changes;
    return this.#bytes;
  }

  /** False where the bytes are others than before. */
  async #write({ series: all, bounds }: InstrumentState, slices: Steps): Promise<boolean> {
    const rendering = ++this.#renderings;
    const lines = this.#lines;
    lines.clear();
    let isSame = true;
    let count = 0;
    for (const key in all) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      const series = all[key];
      // It may have gone in a turn.
      if (series === undefined) continue;
      count++;
      let known = this.#series.get(key);
      if (known === undefined) {
        known = beginLines(this.#name, series, bounds, lines);
        this.#series.set(key, known);
        isSame = false;
      } else if (!known.write(series, lines, this.#bytes)) isSame = false;
      known.seenIn = rendering;
    }
    if (count === this.#series.size) return isSame;
    this.#forgetBefore(rendering);
    return false;
  }

  #forgetBefore(rendering: number): void {
    for (const [key, { seenIn }] of this.#series) if (seenIn < rendering) this.#series.delete(key);
  }
}

/** Writes the lines of a series for the first time. */
function beginLines(name: string, series: AnySeries, bounds: readonly number[], lines: LineBuffer): AnyLines {
  return "count" in series ? new HistogramLines(name, series, bounds, lines) : new NumberLine(name, series, lines);
}

class NumberLine implements Lines<NumberSeries> {
  seenIn = 0;
  #value: number;
  #start: number;
  #end: number;
  /** Bytes of everything up to the value. */
  readonly #length: number;

  constructor(name: string, { labels, value }: NumberSeries, lines: LineBuffer) {
    this.#start = lines.length;
    lines.text([name, formatLabels(Object.keys(labels), Object.values(labels)), " "].join(""));
    this.#length = lines.length - this.#start;
    lines.value(value);
    this.#value = value;
    this.#end = lines.length;
  }

  write({ value }: NumberSeries, lines: LineBuffer, before: Buffer): boolean {
    const start = lines.length;
    const isSame = Object.is(value, this.#value);
    if (isSame) lines.copy(before, this.#start, this.#end);
    else {
      lines.copy(before, this.#start, this.#start + this.#length);
      lines.value(value);
      this.#value = value;
    }
    const isInPlace = start === this.#start;
    this.#start = start;
    this.#end = lines.length;
    return isSame && isInPlace;
  }
}

class HistogramLines implements Lines<HistogramSeries> {
  seenIn = 0;
  /** A series that began anew is another object: it may have the same sum and count in other buckets. */
  #series: HistogramSeries;
  #count: number;
  #sum: number;
  #start: number;
  #end: number;
  readonly #bounds: readonly number[];
  /** Everything up to the values, line by line. */
  readonly #prefixes: readonly string[];

  constructor(name: string, series: HistogramSeries, bounds: readonly number[], lines: LineBuffer) {
    const names = Object.keys(series.labels);
    const values = Object.values(series.labels);
    const own = formatLabels(names, values);
    const buckets = [...bounds.map(formatValue), "+Inf"].map((bound) =>
      [name, "_bucket", formatLabels(["le", ...names], [bound, ...values]), " "].join(""),
    );
    this.#bounds = bounds;
    this.#prefixes = [...buckets, [name, "_sum", own, " "].join(""), [name, "_count", own, " "].join("")];
    this.#series = series;
    this.#count = series.count;
    this.#sum = series.sum;
    this.#start = lines.length;
    this.#writeAnew(series, lines);
    this.#end = lines.length;
  }

  /** Each observation is counted. */
  write(series: HistogramSeries, lines: LineBuffer, before: Buffer): boolean {
    const start = lines.length;
    const isSame = series === this.#series && series.count === this.#count && Object.is(series.sum, this.#sum);
    if (isSame) lines.copy(before, this.#start, this.#end);
    else {
      this.#series = series;
      this.#count = series.count;
      this.#sum = series.sum;
      this.#writeAnew(series, lines);
    }
    const isInPlace = start === this.#start;
    this.#start = start;
    this.#end = lines.length;
    return isSame && isInPlace;
  }

  #writeAnew(series: HistogramSeries, lines: LineBuffer): void {
    const { sum, count } = series;
    const values = [...upToEach(series, this.#bounds), count, sum, count];
    for (const [at, prefix] of this.#prefixes.entries()) {
      lines.text(prefix);
      lines.value(values[at] ?? 0);
    }
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
