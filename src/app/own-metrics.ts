import type { Registry } from "prom-client";
import type { Steps } from "../lib/yielding.ts";
import type { MetricFamily } from "../mapping/metric-table.ts";

type Labels = Readonly<Record<string, string>>;

interface Sample {
  /** Name of the series; differs from that of the family in histograms. */
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

/** Samples of a family, also by server: with hundreds of servers each would else look through those of all. */
interface FamilySamples {
  readonly all: readonly Sample[];
  readonly byServer: ReadonlyMap<string | undefined, readonly Sample[]>;
}

/** The exporter's own metrics as of one moment, for a page that shows some of them. */
export class OwnMetrics {
  readonly #samples: ReadonlyMap<string, FamilySamples>;

  private constructor(samples: ReadonlyMap<string, FamilySamples>) {
    this.#samples = samples;
  }

  /** Reads metrics one after the other. */
  static async read(registry: Registry, slices?: Steps): Promise<OwnMetrics> {
    const samples = new Map<string, FamilySamples>();
    for (const { name } of registry.getMetricsAsArray()) {
      const metric = registry.getSingleMetric(name);
      if (metric === undefined) continue;
      const { values } = await metric.get();
      const all: Sample[] = [];
      const byServer = new Map<string | undefined, Sample[]>();
      for (const each of values) {
        const turn = slices?.step();
        if (turn !== undefined) await turn;
        const sample = sampleOf(name, each);
        const { server } = sample.labels;
        const known = byServer.get(server);
        if (known === undefined) byServer.set(server, [sample]);
        else known.push(sample);
        all.push(sample);
      }
      samples.set(name, { all, byServer });
    }
    return new OwnMetrics(samples);
  }

  /** Samples whose labels have these values. */
  samples(family: Pick<MetricFamily, "name">, wanted: Labels = {}): readonly Sample[] {
    const entries = Object.entries(wanted);
    const { all = [], byServer } = this.#samples.get(family.name) ?? {};
    const candidates = wanted.server === undefined ? all : (byServer?.get(wanted.server) ?? []);
    return candidates.filter(({ labels }) => entries.every(([name, value]) => labels[name] === value));
  }

  sum(family: Pick<MetricFamily, "name">, wanted: Labels = {}): number {
    return this.samples(family, wanted).reduce((sum, { value }) => sum + value, 0);
  }

  most(family: Pick<MetricFamily, "name">, wanted: Labels = {}): number {
    return this.samples(family, wanted).reduce((most, { value }) => Math.max(most, value), 0);
  }

  /** Sums by the values of one label, in falling order. */
  by(label: string, family: Pick<MetricFamily, "name">, wanted: Labels = {}): Map<string, number> {
    const sums = new Map<string, number>();
    for (const { labels, value } of this.samples(family, wanted)) {
      const key = labels[label] ?? "";
      sums.set(key, (sums.get(key) ?? 0) + value);
    }
    return new Map([...sums].sort(([, a], [, b]) => b - a));
  }

  /** Mean and 95th percentile of a histogram; the latter is the bound of the bucket in which it lies. */
  distribution(family: Pick<MetricFamily, "name">, wanted: Labels): { mean: number; p95: number } | undefined {
    const samples = this.samples(family, wanted);
    const total = (suffix: string) =>
      samples.filter(({ name }) => name === `${family.name}_${suffix}`).reduce((sum, { value }) => sum + value, 0);
    const count = total("count");
    if (count === 0) return undefined;
    const buckets = samples
      .filter(({ name }) => name === `${family.name}_bucket`)
      .map(({ labels, value }) => ({
        bound: labels.le === "+Inf" ? Number.POSITIVE_INFINITY : Number(labels.le),
        value,
      }))
      .sort((a, b) => a.bound - b.bound);
    const reached = buckets.find(({ value }) => value >= 0.95 * count);
    return { mean: total("sum") / count, p95: reached?.bound ?? Number.POSITIVE_INFINITY };
  }
}

type MetricValue = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>[number]["values"][number];

function sampleOf(family: string, each: MetricValue): Sample {
  return {
    name: "metricName" in each && typeof each.metricName === "string" ? each.metricName : family,
    labels: Object.fromEntries(Object.entries(each.labels).map(([label, value]) => [label, String(value)])),
    value: each.value,
  };
}
