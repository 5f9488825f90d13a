import type { Steps } from "../../lib/yielding.ts";
import type { ExporterMetrics, Labels, Sample } from "../../telemetry/exporter-metrics.ts";
import type { MetricDeclaration } from "../../telemetry/metric-declarations.ts";

export interface SampleQuery {
  readonly families: readonly MetricDeclaration[];
  /** Only this server, and series without the label `server`. */
  readonly server?: string | undefined;
}

/** Samples of the exporter's own metrics, for the status page. */
export class MetricSamples {
  readonly #samples: ReadonlyMap<MetricDeclaration, readonly Sample[]>;

  private constructor(samples: ReadonlyMap<MetricDeclaration, readonly Sample[]>) {
    this.#samples = samples;
  }

  static async read(
    metrics: Pick<ExporterMetrics, "samples">,
    { families, server }: SampleQuery,
    slices?: Steps,
  ): Promise<MetricSamples> {
    const read = new Map<MetricDeclaration, readonly Sample[]>();
    for (const family of families) {
      const samples: Sample[] = [];
      for (const sample of await metrics.samples(family)) {
        const turn = slices?.step();
        if (turn !== undefined) await turn;
        const of = sample.labels.server;
        if (server === undefined || of === undefined || of === server) samples.push(sample);
      }
      read.set(family, samples);
    }
    return new MetricSamples(read);
  }

  /**
   * Samples with these labels.
   * @throws RangeError if the family was not read
   */
  samples(family: MetricDeclaration, having: Labels = {}): readonly Sample[] {
    const samples = this.#samples.get(family);
    if (samples === undefined) throw new RangeError(`${family.name} was not read`);
    const entries = Object.entries(having);
    return samples.filter(({ labels }) => entries.every(([name, value]) => labels[name] === value));
  }

  sum(family: MetricDeclaration, having: Labels = {}): number {
    return sumOf(this.samples(family, having));
  }

  most(family: MetricDeclaration, having: Labels = {}): number {
    return this.samples(family, having).reduce((most, { value }) => Math.max(most, value), 0);
  }

  /** Sums per value of a label, in descending order. */
  by(label: string, family: MetricDeclaration, having: Labels = {}): Map<string, number> {
    const sums = new Map<string, number>();
    for (const { labels, value } of this.samples(family, having)) {
      const key = String(labels[label] ?? "");
      sums.set(key, (sums.get(key) ?? 0) + value);
    }
    return new Map([...sums].sort(([, a], [, b]) => b - a));
  }

  /** Mean of a histogram, and the upper bound of the bucket that holds the 95th percentile. */
  distribution(family: MetricDeclaration, having: Labels): { mean: number; p95: number } | undefined {
    const samples = this.samples(family, having);
    const sumOfAll = (metricName: string) => sumOf(samples.filter((sample) => sample.metricName === metricName));
    const count = sumOfAll(`${family.name}_count`);
    if (count === 0) return undefined;
    const bounds = family.buckets ?? [];
    const p95 = bounds.find((bound) => sumOf(samples.filter(({ labels }) => labels.le === bound)) >= 0.95 * count);
    return { mean: sumOfAll(`${family.name}_sum`) / count, p95: p95 ?? Number.POSITIVE_INFINITY };
  }
}

function sumOf(samples: readonly Sample[]): number {
  return samples.reduce((sum, { value }) => sum + value, 0);
}
