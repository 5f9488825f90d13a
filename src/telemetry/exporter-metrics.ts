import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { yieldToEventLoop } from "../lib/yielding.ts";
import type { BuildInfo } from "./build-info.ts";
import { EXPORTER_FAMILIES, EXPORTER_METRICS, type MetricDeclaration, SERVE_FAMILIES } from "./metric-declarations.ts";

/** Gauges of prom-client with the suffix `_total`, which promtool rejects. */
const MISNAMED_DEFAULTS = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
];

/** The default of 10 ms takes half the CPU time of an idle exporter. */
const EVENT_LOOP_PRECISION_MS = 50;

/** Labels of the metrics about API requests: `server` alone, or also `endpoint`. */
export type ApiDetail = "server" | "endpoint";

export type Labels = Readonly<Record<string, string>>;

const NO_LABELS: readonly string[] = [];

export interface Sample {
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
  readonly value: number;
  /** Name with the suffix `_bucket`, `_sum` or `_count`, for histograms only. */
  readonly metricName?: string;
}

type Instrument = Counter<string> | Gauge<string> | Histogram<string>;

type ValueOf<Metric, Name extends string> = Metric extends {
  readonly values: { readonly [Key in Name]: readonly (infer Value)[] };
}
  ? Value
  : string;

/** Increments a counter (default 1), sets or increments a gauge, or observes a value. */
type Amount<Type extends MetricDeclaration["type"]> = Type extends "counter"
  ? [by?: number]
  : [value: Type extends "gauge" ? number | boolean : number];

/** Takes the labels that are not fixed, if there are any. */
type RecordMethod<Metric extends MetricDeclaration, Free extends string> = [Free] extends [never]
  ? (...amount: Amount<Metric["type"]>) => void
  : (labels: { readonly [Name in Free]: ValueOf<Metric, Name> }, ...amount: Amount<Metric["type"]>) => void;

export type Recorder<Group extends Readonly<Record<string, MetricDeclaration>>, Fixed extends string = never> = {
  readonly [Key in keyof Group]: RecordMethod<Group[Key], Exclude<Group[Key]["labels"][number], Fixed>>;
};

/** Registry of the metrics in metric-declarations.ts. */
export class ExporterMetrics {
  readonly registry = new Registry();
  /** Start of all counters, milliseconds since the epoch. */
  readonly countingSince = Date.now();
  readonly #collects = new Map<MetricDeclaration, () => void>([
    [EXPORTER_METRICS.measurements.pending, () => this.#updatePending()],
    [EXPORTER_METRICS.process.series, () => this.#updateSeries()],
  ]);
  readonly #instruments: ReadonlyMap<MetricDeclaration, Instrument> = new Map(
    EXPORTER_FAMILIES.map((metric) => [metric, createInstrument(metric, this.#collects.get(metric))]),
  );
  #apiDetail: ApiDetail = "server";
  readonly #pendingUpdates = new Set<() => void>();
  readonly #countSeries: () => Iterable<readonly [family: string, series: number]>;
  readonly config = this.recorder(EXPORTER_METRICS.config);
  readonly exposition = this.recorder(EXPORTER_METRICS.exposition);
  readonly web = this.recorder(EXPORTER_METRICS.web);
  /** Without series until `beginMcp` or the first call. */
  readonly mcp = this.recorder(EXPORTER_METRICS.mcp, {}, false);
  readonly leadership = this.recorder(EXPORTER_METRICS.leadership);
  readonly endpoints = this.recorder(EXPORTER_METRICS.endpoints);
  readonly #process = this.recorder(EXPORTER_METRICS.process);

  /**
   * @param countSeries Series per family, called at each scrape.
   * @param shown Families in the registry. Without labels, one that nobody sets would be 0 there.
   */
  constructor(
    build: BuildInfo,
    countSeries: () => Iterable<readonly [family: string, series: number]>,
    shown: readonly MetricDeclaration[] = SERVE_FAMILIES,
  ) {
    this.#countSeries = countSeries;
    for (const metric of shown) this.registry.registerMetric(this.#instrument(metric));
    this.#process.build({ ...build, node_version: process.version }, 1);
  }

  /** @param begins Starts the series at 0 whose labels are known. */
  recorder<const Group extends Readonly<Record<string, MetricDeclaration>>, Fixed extends string = never>(
    group: Group,
    fixed?: Readonly<Record<Fixed, string>>,
    begins = true,
  ): Recorder<Group, Fixed> {
    const labels: Labels = fixed ?? {};
    if (begins) for (const metric of Object.values(group)) this.#begin(metric, labels);
    const functions: object = Object.fromEntries(
      Object.entries(group).map(([key, metric]) => {
        const record = (first?: Labels | number | boolean, amount?: number | boolean): void =>
          typeof first === "object"
            ? this.#record(metric, { ...labels, ...first }, amount)
            : this.#record(metric, labels, first);
        return [key, record];
      }),
    );
    return functions as Recorder<Group, Fixed>;
  }

  /** Starts the counters of the MCP server at 0. */
  beginMcp(): void {
    this.recorder(EXPORTER_METRICS.mcp);
  }

  /** Starts the counters of a group with this `startsBy` at 0 for an endpoint. */
  start(
    group: Readonly<Record<string, MetricDeclaration>>,
    by: MetricDeclaration["startsBy"],
    fixed: Labels,
    endpoint: string,
  ): void {
    for (const metric of Object.values(group))
      if (metric.startsBy === by) this.#record(metric, { ...fixed, endpoint }, 0);
  }

  /** Changes the labels of the metrics about API requests, and resets these metrics. */
  setApiDetail(detail: ApiDetail): void {
    if (detail === this.#apiDetail) return;
    this.#apiDetail = detail;
    for (const metric of EXPORTER_FAMILIES) if (metric.detailLabels !== undefined) this.clear(metric);
  }

  async samples(metric: MetricDeclaration): Promise<readonly Sample[]> {
    const { values } = await this.#instrument(metric).get();
    return values;
  }

  /** Calls `update`, which sets the metrics of the backlog, before each reading. Returns a function that stops this. */
  followPending(update: () => void): () => void {
    this.#pendingUpdates.add(update);
    return () => this.#pendingUpdates.delete(update);
  }

  clear(metric: MetricDeclaration): void {
    this.#instrument(metric).reset();
  }

  /** Removes all series with these labels. Do not record with them before this resolves. */
  async forget(labels: Labels): Promise<void> {
    const entries = Object.entries(labels);
    for (const [metric, instrument] of this.#instruments) {
      if (!entries.every(([name]) => metric.labels.includes(name))) continue;
      for (const { labels } of await this.samples(metric)) {
        if (!entries.every(([name, value]) => labels[name] === value)) continue;
        const { le: _bound, ...own } = labels;
        instrument.remove(own);
      }
      // A reload can remove hundreds of servers.
      await yieldToEventLoop();
    }
  }

  collectProcessMetrics(): void {
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
    for (const name of MISNAMED_DEFAULTS) this.registry.removeSingleMetric(name);
  }

  #instrument(metric: MetricDeclaration): Instrument {
    const instrument = this.#instruments.get(metric);
    if (instrument === undefined) throw new RangeError(`${metric.name} is not declared`);
    return instrument;
  }

  #record(metric: MetricDeclaration, given: Labels, amount: number | boolean = 1): void {
    const { labels: names, adds = false, detailLabels = NO_LABELS } = metric;
    const instrument = this.#instrument(metric);
    const labels: Record<string, string> = {};
    for (const name of names) {
      if (this.#apiDetail === "endpoint" || !detailLabels.includes(name)) labels[name] = given[name] ?? "";
    }
    if (instrument instanceof Histogram) instrument.observe(labels, Number(amount));
    else if (instrument instanceof Counter || adds) instrument.inc(labels, Number(amount));
    else instrument.set(labels, Number(amount));
  }

  /** Alerts and `rate` need a series that starts at 0. */
  #begin(metric: MetricDeclaration, fixed: Labels): void {
    const { type, labels, values = {}, initial } = metric;
    const free = labels.filter((name) => !Object.hasOwn(fixed, name));
    if (type === "gauge" && initial !== undefined && free.length === 0) this.#record(metric, fixed, initial);
    if (type !== "counter") return;
    let known = [fixed];
    for (const name of free)
      known = known.flatMap((before) => (values[name] ?? []).map((value) => ({ ...before, [name]: value })));
    for (const given of known) this.#record(metric, given, 0);
  }

  #updatePending(): void {
    for (const update of this.#pendingUpdates) update();
  }

  #updateSeries(): void {
    // A reload can remove families.
    this.clear(EXPORTER_METRICS.process.series);
    for (const [family, series] of this.#countSeries()) this.#process.series({ family }, series);
  }
}

/** prom-client calls `collect` before each reading. */
function createInstrument(
  { name, help, labels, type, buckets = [] }: MetricDeclaration,
  collect: (() => void) | undefined,
): Instrument {
  const common = { name, help, labelNames: labels, registers: [], ...(collect && { collect }) };
  if (type === "counter") return new Counter(common);
  return type === "gauge" ? new Gauge(common) : new Histogram({ ...common, buckets: [...buckets] });
}
