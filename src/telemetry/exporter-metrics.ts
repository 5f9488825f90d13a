import { collectDefaultMetrics, Histogram, Registry } from "prom-client";
import { mapEntry } from "../lib/map-entry.ts";
import type { BuildInfo } from "./build-info.ts";
import { OWN_FAMILIES, OWN_METRICS, type OwnMetric } from "./own-metrics.ts";
import {
  begin,
  clearSeries,
  createInstrument,
  forgetSeries,
  type HistogramSeries,
  type Instrument,
  type Labels,
  type NumberSeries,
  type Recorder,
  type RecordSeries,
  recorderClass,
  recordingOf,
} from "./recording.ts";

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
  readonly #recordings = new Map<OwnMetric, RecordSeries>();
  /** By the group of metrics. */
  readonly #recorders = new Map<object, new (fixed: Labels) => object>();
  /** For metrics with labels that only full detail has. */
  readonly #isLeftOut: ReadonlyMap<OwnMetric, (label: string) => boolean>;
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
      OWN_FAMILIES.map((family) => [family, createInstrument(family, this.registry, collects.get(family))]),
    );
    this.#isLeftOut = new Map(
      OWN_FAMILIES.flatMap((family) => {
        const { detailLabels } = family;
        if (detailLabels === undefined) return [];
        return [[family, (label: string) => this.#apiDetail === "server" && detailLabels.includes(label)] as const];
      }),
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
    if (begins) for (const metric of Object.values(group)) begin(metric, labels, this.#recordingOf(metric));
    const GroupRecorder = mapEntry(this.#recorders, group, () => {
      const recordings = Object.entries(group).map(([key, metric]) => [key, this.#recordingOf(metric)] as const);
      return recorderClass(Object.fromEntries(recordings));
    });
    // It has just the methods that the metrics of the group say.
    return new GroupRecorder(labels) as Recorder<Group, Fixed>;
  }

  /** Has the counters of a group that start by endpoint, or by list, start at 0 for one. */
  start(group: Readonly<Record<string, OwnMetric>>, by: OwnMetric["startsBy"], fixed: Labels, endpoint: string): void {
    for (const metric of Object.values(group)) {
      if (metric.startsBy === by) this.#recordingOf(metric)(fixed, [endpoint, 0]);
    }
  }

  /** From now on the API is told of in this detail; what was counted in another begins anew. */
  setApiDetail(detail: ApiDetail): void {
    if (detail === this.#apiDetail) return;
    this.#apiDetail = detail;
    for (const metric of OWN_FAMILIES) if (metric.detailLabels !== undefined) this.clear(metric);
  }

  /** The series of a counter or gauge. */
  *numbers(metric: OwnMetric): Iterable<NumberSeries> {
    const instrument = this.#instrument(metric);
    if (!(instrument instanceof Histogram)) yield* Object.values(instrument.hashMap);
  }

  *histograms(metric: OwnMetric): Iterable<HistogramSeries> {
    const instrument = this.#instrument(metric);
    if (instrument instanceof Histogram) yield* Object.values(instrument.hashMap);
  }

  /** Brings those up to date that are asked for only when the metrics are read. */
  update(): void {
    this.#updatePending();
    this.#updateSeries();
  }

  /**
   * Has `update` set what waits to be delivered whenever the metrics are read: it changes with every delivery. Returns the
   * way to end that.
   */
  followPending(update: () => void): () => void {
    this.#pendingUpdates.add(update);
    return () => this.#pendingUpdates.delete(update);
  }

  /** Drops all series of a metric. */
  clear(metric: OwnMetric): void {
    clearSeries(this.#instrument(metric));
  }

  /** Drops every series that has these labels: what they stand for is gone. */
  forget(wanted: Labels): void {
    for (const instrument of this.#instruments.values()) forgetSeries(instrument, wanted);
  }

  /** Adds the metrics of the process and of Node. */
  collectProcessMetrics(): void {
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
    for (const name of MISNAMED_DEFAULTS) this.registry.removeSingleMetric(name);
  }

  #recordingOf(metric: OwnMetric): RecordSeries {
    return mapEntry(this.#recordings, metric, () =>
      recordingOf(metric, this.#instrument(metric), this.#isLeftOut.get(metric)),
    );
  }

  #instrument(metric: OwnMetric): Instrument {
    const instrument = this.#instruments.get(metric);
    if (instrument === undefined) throw new RangeError(`${metric.name} is not declared`);
    return instrument;
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
