import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { yieldToEventLoop } from "../lib/yielding.ts";
import type { BuildInfo } from "./build-info.ts";
import { OWN_FAMILIES, OWN_METRICS, type OwnMetric } from "./own-metrics.ts";

/** Gauges of prom-client whose names end in `_total`: promtool rightly calls that a counter's name. */
const MISNAMED_DEFAULTS = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
];

/** Of the event loop's lag, milliseconds. With the usual 10, to look at the clock was half of what an idle exporter did. */
const EVENT_LOOP_PRECISION_MS = 50;

/** Whether what is counted of requests to the API is told by server, or also by endpoint. */
export type ApiDetail = "server" | "endpoint";

export type Labels = Readonly<Record<string, string>>;

/** One line of the metrics page. */
export interface Sample {
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
  readonly value: number;
  /** Of a histogram: the name with `_bucket`, `_sum` or `_count`. */
  readonly metricName?: string;
}

type Instrument = Counter<string> | Gauge<string> | Histogram<string>;

/** Values of labels, and what is recorded. */
type Arguments = readonly (string | number | boolean)[];

type ValueOf<Metric, Name extends string> = Metric extends {
  readonly values: { readonly [Key in Name]: readonly (infer Value)[] };
}
  ? Value
  : string;

/** Values of the labels in their order, but for those that are fixed. */
type LabelValues<Metric, Names, Fixed extends string> = Names extends readonly [
  infer First extends string,
  ...infer Rest extends readonly string[],
]
  ? First extends Fixed
    ? LabelValues<Metric, Rest, Fixed>
    : [label: ValueOf<Metric, First>, ...LabelValues<Metric, Rest, Fixed>]
  : [];

/** Counts up by one unless told otherwise; sets a gauge, or adds to it, with true and false as 1 and 0; observes a value. */
type RecordMethod<Metric extends OwnMetric, Fixed extends string> = Metric["type"] extends "counter"
  ? (...args: [...LabelValues<Metric, Metric["labels"], Fixed>, by?: number]) => void
  : Metric["type"] extends "gauge"
    ? (...args: [...LabelValues<Metric, Metric["labels"], Fixed>, value: number | boolean]) => void
    : (...args: [...LabelValues<Metric, Metric["labels"], Fixed>, value: number]) => void;

/** A function for each metric of a group, some labels of which are fixed. */
export type Recorder<Group extends Readonly<Record<string, OwnMetric>>, Fixed extends string = never> = {
  readonly [Key in keyof Group]: RecordMethod<Group[Key], Fixed>;
};

/** The exporter's own metrics, as own-metrics.ts declares them, in a registry of their own. */
export class ExporterMetrics {
  readonly registry = new Registry();
  /** Since when counters count, milliseconds since the epoch. */
  readonly countingSince = Date.now();
  readonly config: Recorder<typeof OWN_METRICS.config>;
  readonly exposition: Recorder<typeof OWN_METRICS.exposition>;
  readonly web: Recorder<typeof OWN_METRICS.web>;
  readonly leadership: Recorder<typeof OWN_METRICS.leadership>;
  readonly endpoints: Recorder<typeof OWN_METRICS.endpoints>;
  readonly #process: Recorder<typeof OWN_METRICS.process>;
  readonly #instruments: ReadonlyMap<OwnMetric, Instrument>;
  #apiDetail: ApiDetail = "server";
  readonly #pendingUpdates = new Set<() => void>();
  readonly #countSeries: () => Iterable<readonly [family: string, series: number]>;

  /** `countSeries` gives the series served per family; it is asked at each scrape. */
  constructor(build: BuildInfo, countSeries: () => Iterable<readonly [family: string, series: number]>) {
    this.#countSeries = countSeries;
    const collects = new Map<OwnMetric, () => void>([
      [OWN_METRICS.sync.pending, () => this.#updatePending()],
      [OWN_METRICS.process.series, () => this.#updateSeries()],
    ]);
    this.#instruments = new Map(
      OWN_FAMILIES.map((metric) => [metric, createInstrument(metric, this.registry, collects.get(metric))]),
    );
    this.config = this.recorder(OWN_METRICS.config);
    this.exposition = this.recorder(OWN_METRICS.exposition);
    this.web = this.recorder(OWN_METRICS.web);
    this.leadership = this.recorder(OWN_METRICS.leadership);
    this.endpoints = this.recorder(OWN_METRICS.endpoints);
    this.#process = this.recorder(OWN_METRICS.process);
    this.#process.build(build.version, build.revision, process.version, 1);
  }

  /** What records the metrics of a group with some labels fixed. What can start at 0 does so where `begins` says so. */
  recorder<const Group extends Readonly<Record<string, OwnMetric>>, Fixed extends string = never>(
    group: Group,
    fixed?: Readonly<Record<Fixed, string>>,
    begins = true,
  ): Recorder<Group, Fixed> {
    const labels: Labels = fixed ?? {};
    if (begins) for (const metric of Object.values(group)) this.#begin(metric, labels);
    const functions: object = Object.fromEntries(
      Object.entries(group).map(([key, metric]) => [key, (...given: Arguments) => this.#record(metric, labels, given)]),
    );
    return functions as Recorder<Group, Fixed>;
  }

  /** Has the counters of a group that start by endpoint, or by list, start at 0 for one. */
  start(group: Readonly<Record<string, OwnMetric>>, by: OwnMetric["startsBy"], fixed: Labels, endpoint: string): void {
    for (const metric of Object.values(group)) if (metric.startsBy === by) this.#record(metric, fixed, [endpoint, 0]);
  }

  /** From now on the API is told of in this detail; what was counted in another begins anew. */
  setApiDetail(detail: ApiDetail): void {
    if (detail === this.#apiDetail) return;
    this.#apiDetail = detail;
    for (const metric of OWN_FAMILIES) if (metric.detailLabels !== undefined) this.clear(metric);
  }

  /** The lines of a metric as a page would have them now. */
  async samples(metric: OwnMetric): Promise<readonly Sample[]> {
    const { values } = await this.#instrument(metric).get();
    return values;
  }

  /**
   * Shows what `update` sets whenever the metrics are read: what waits to be delivered changes with every delivery. Returns
   * what ends that.
   */
  followPending(update: () => void): () => void {
    this.#pendingUpdates.add(update);
    return () => this.#pendingUpdates.delete(update);
  }

  /** Drops all series of a metric. */
  clear(metric: OwnMetric): void {
    this.#instrument(metric).reset();
  }

  /** Drops every series that has these labels: what they stand for is gone. Until then nobody may record with them. */
  async forget(wanted: Labels): Promise<void> {
    const entries = Object.entries(wanted);
    for (const [metric, instrument] of this.#instruments) {
      if (!entries.every(([name]) => metric.labels.includes(name))) continue;
      for (const { labels } of await this.samples(metric)) {
        if (!entries.every(([name, value]) => labels[name] === value)) continue;
        const { le: _bound, ...own } = labels;
        instrument.remove(own);
      }
      // Hundreds of servers may go at a time.
      await yieldToEventLoop();
    }
  }

  /** Adds the metrics of the process and of Node. */
  collectProcessMetrics(): void {
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
    for (const name of MISNAMED_DEFAULTS) this.registry.removeSingleMetric(name);
  }

  #instrument(metric: OwnMetric): Instrument {
    const instrument = this.#instruments.get(metric);
    if (instrument === undefined) throw new RangeError(`${metric.name} is not declared`);
    return instrument;
  }

  /** `given`: values of the labels that are not fixed, in their order, and what is recorded. */
  #record(metric: OwnMetric, fixed: Labels, given: Arguments): void {
    const { labels: names, adds = false, detailLabels = [] } = metric;
    const labels: { [name: string]: string } = {};
    let next = 0;
    for (const name of names) {
      const value = fixed[name] ?? String(given[next++]);
      if (this.#apiDetail === "endpoint" || !detailLabels.includes(name)) labels[name] = value;
    }
    const value = Number(given[next] ?? 1);
    const instrument = this.#instrument(metric);
    if (instrument instanceof Histogram) instrument.observe(labels, value);
    else if (instrument instanceof Counter) instrument.inc(labels, value);
    else if (adds) instrument.inc(labels, value);
    else instrument.set(labels, value);
  }

  /** Shows what is known from the start: a series that says 0 is what alerts and `rate` need. */
  #begin(metric: OwnMetric, fixed: Labels): void {
    const { type, labels, values = {}, initial } = metric;
    const free = labels.filter((name) => !Object.hasOwn(fixed, name));
    if (type === "gauge" && initial !== undefined && free.length === 0) this.#record(metric, fixed, [initial]);
    if (type !== "counter") return;
    let known: (readonly string[])[] = [[]];
    for (const name of free) known = known.flatMap((before) => (values[name] ?? []).map((value) => [...before, value]));
    for (const given of known) this.#record(metric, fixed, [...given, 0]);
  }

  #updatePending(): void {
    for (const update of this.#pendingUpdates) update();
  }

  #updateSeries(): void {
    // Another configuration may serve other families.
    this.clear(OWN_METRICS.process.series);
    for (const [family, series] of this.#countSeries()) this.#process.series(family, series);
  }
}

/** `collect` is called whenever the values are asked for. */
function createInstrument(
  { name, help, labels, type, buckets = [] }: OwnMetric,
  registry: Registry,
  collect: (() => void) | undefined,
): Instrument {
  const common = { name, help, labelNames: labels, registers: [registry], ...(collect && { collect }) };
  if (type === "counter") return new Counter(common);
  return type === "gauge" ? new Gauge(common) : new Histogram({ ...common, buckets: [...buckets] });
}
