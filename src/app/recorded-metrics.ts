import type { Steps } from "../lib/yielding.ts";
import type { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import type { OwnMetric } from "../telemetry/own-metrics.ts";
import type { HistogramSeries, Labels, NumberSeries } from "../telemetry/recording.ts";

export interface WantedMetrics {
  readonly families: readonly OwnMetric[];
  /** Of the families by server only its series; undefined: those of all servers. */
  readonly server?: string | undefined;
}

/** What the recorders of the exporter's own metrics hold, for a page that shows some of it. */
export class RecordedMetrics {
  readonly #numbers = new Map<OwnMetric, readonly NumberSeries[]>();
  readonly #histograms = new Map<OwnMetric, readonly HistogramSeries[]>();

  private constructor() {}

  static async read(
    metrics: Pick<ExporterMetrics, "numbers" | "histograms">,
    { families, server }: WantedMetrics,
    slices?: Steps,
  ): Promise<RecordedMetrics> {
    const own = new RecordedMetrics();
    for (const family of families) {
      own.#numbers.set(family, await gather(metrics.numbers(family), server, slices));
      own.#histograms.set(family, await gather(metrics.histograms(family), server, slices));
    }
    return own;
  }

  /**
   * Series whose labels have these values.
   * @throws RangeError where the family was not read
   */
  samples(family: OwnMetric, wanted: Labels = {}): readonly NumberSeries[] {
    return matching(this.#numbers, family, wanted);
  }

  sum(family: OwnMetric, wanted: Labels = {}): number {
    return this.samples(family, wanted).reduce((sum, { value }) => sum + value, 0);
  }

  most(family: OwnMetric, wanted: Labels = {}): number {
    return this.samples(family, wanted).reduce((most, { value }) => Math.max(most, value), 0);
  }

  /** Sums by the values of one label, in falling order. */
  by(label: string, family: OwnMetric, wanted: Labels = {}): Map<string, number> {
    const sums = new Map<string, number>();
    for (const { labels, value } of this.samples(family, wanted)) {
      const key = labels[label] ?? "";
      sums.set(key, (sums.get(key) ?? 0) + value);
    }
    return new Map([...sums].sort(([, a], [, b]) => b - a));
  }

  /** Mean and 95th percentile of a histogram; the latter is the bound of the bucket in which it lies. */
  distribution(family: OwnMetric, wanted: Labels): { mean: number; p95: number } | undefined {
    const histograms = matching(this.#histograms, family, wanted);
    const count = histograms.reduce((total, histogram) => total + histogram.count, 0);
    if (count === 0) return undefined;
    const sum = histograms.reduce((total, histogram) => total + histogram.sum, 0);
    let upTo = 0;
    for (const bound of family.buckets ?? []) {
      for (const { bucketValues } of histograms) upTo += bucketValues[bound] ?? 0;
      if (upTo >= 0.95 * count) return { mean: sum / count, p95: bound };
    }
    return { mean: sum / count, p95: Number.POSITIVE_INFINITY };
  }
}

function matching<Series extends { readonly labels: Labels }>(
  read: ReadonlyMap<OwnMetric, readonly Series[]>,
  family: OwnMetric,
  wanted: Labels,
): readonly Series[] {
  const series = read.get(family);
  if (series === undefined) throw new RangeError(`${family.name} was not read`);
  const entries = Object.entries(wanted);
  return series.filter(({ labels }) => entries.every(([name, value]) => labels[name] === value));
}

async function gather<Series extends { readonly labels: Labels }>(
  all: Iterable<Series>,
  server: string | undefined,
  slices: Steps | undefined,
): Promise<readonly Series[]> {
  const gathered: Series[] = [];
  for (const series of all) {
    const turn = slices?.step();
    if (turn !== undefined) await turn;
    const of = series.labels.server;
    if (server === undefined || of === undefined || of === server) gathered.push(series);
  }
  return gathered;
}
