import type { Steps } from "../lib/yielding.ts";
import type { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import { OWN_FAMILIES, type OwnMetric } from "../telemetry/own-metrics.ts";
import type { HistogramSeries, Labels, NumberSeries } from "../telemetry/recording.ts";

/** Series of a family, also by server: with hundreds of servers each would else look through those of all. */
class SeriesByServer<Series extends { readonly labels: Labels }> {
  readonly #all: Series[] = [];
  readonly #byServer = new Map<string | undefined, Series[]>();

  add(series: Series): void {
    const { server } = series.labels;
    const known = this.#byServer.get(server);
    if (known === undefined) this.#byServer.set(server, [series]);
    else known.push(series);
    this.#all.push(series);
  }

  /** Those whose labels have these values. */
  matching(wanted: Labels): readonly Series[] {
    const entries = Object.entries(wanted);
    const candidates = wanted.server === undefined ? this.#all : (this.#byServer.get(wanted.server) ?? []);
    return candidates.filter(({ labels }) => entries.every(([name, value]) => labels[name] === value));
  }
}

/** What the recorders of the exporter's own metrics hold, for a page that shows some of it. */
export class RecordedMetrics {
  readonly #numbers = new Map<OwnMetric, SeriesByServer<NumberSeries>>();
  readonly #histograms = new Map<OwnMetric, SeriesByServer<HistogramSeries>>();

  private constructor() {}

  static async read(
    metrics: Pick<ExporterMetrics, "update" | "numbers" | "histograms">,
    slices?: Steps,
  ): Promise<RecordedMetrics> {
    const own = new RecordedMetrics();
    metrics.update();
    for (const family of OWN_FAMILIES) {
      own.#numbers.set(family, await gather(metrics.numbers(family), slices));
      own.#histograms.set(family, await gather(metrics.histograms(family), slices));
    }
    return own;
  }

  /** Series whose labels have these values. */
  samples(family: OwnMetric, wanted: Labels = {}): readonly NumberSeries[] {
    return this.#numbers.get(family)?.matching(wanted) ?? [];
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
    const histograms = this.#histograms.get(family)?.matching(wanted) ?? [];
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

async function gather<Series extends { readonly labels: Labels }>(
  all: Iterable<Series>,
  slices: Steps | undefined,
): Promise<SeriesByServer<Series>> {
  const gathered = new SeriesByServer<Series>();
  for (const series of all) {
    const turn = slices?.step();
    if (turn !== undefined) await turn;
    gathered.add(series);
  }
  return gathered;
}
