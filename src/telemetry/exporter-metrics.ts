import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { EXPORTER_FAMILIES, type MetricFamily } from "../mapping/metric-table.ts";
import type { BuildInfo } from "./build-info.ts";

/** Gauges of prom-client whose names end in `_total`: promtool rightly calls that a counter's name. */
const MISNAMED_DEFAULTS = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
];

/** What is needed to drop series of a metric. */
interface Labelled {
  get(): Promise<{ readonly values: readonly { readonly labels: Partial<Record<string, string | number>> }[] }>;
  remove(labels: Partial<Record<string, string | number>>): void;
}

/** From a quick answer on the same network to the 25 s at which the monitoring server gives up. */
const REQUEST_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];

/** The exporter's own metrics, as EXPORTER_FAMILIES states them, in a registry of their own. */
export class ExporterMetrics {
  readonly registry = new Registry();
  /** Since when counters count, milliseconds since the epoch. */
  readonly countingSince = Date.now();
  readonly #pendingUpdates = new Set<() => void>();
  readonly #labelled: Labelled[] = [];

  readonly up = this.#gauge(EXPORTER_FAMILIES.up);
  readonly apiRequests = this.#counter(EXPORTER_FAMILIES.apiRequests);
  readonly apiRequestDuration = new Histogram({
    name: EXPORTER_FAMILIES.apiRequestDuration.name,
    help: EXPORTER_FAMILIES.apiRequestDuration.help,
    labelNames: EXPORTER_FAMILIES.apiRequestDuration.labels,
    buckets: REQUEST_BUCKETS,
    registers: [this.registry],
  });
  readonly apiResponseBytes = this.#counter(EXPORTER_FAMILIES.apiResponseBytes);
  readonly apiRetries = this.#counter(EXPORTER_FAMILIES.apiRetries);
  readonly apiInFlight = this.#gauge(EXPORTER_FAMILIES.apiInFlight);
  readonly apiBreakerOpen = this.#gauge(EXPORTER_FAMILIES.apiBreakerOpen);
  readonly apiUnverified = this.#gauge(EXPORTER_FAMILIES.apiUnverified);
  readonly apiListsMoved = this.#counter(EXPORTER_FAMILIES.apiListsMoved);
  readonly apiTotalMismatch = this.#gauge(EXPORTER_FAMILIES.apiTotalMismatch);
  readonly clockOffset = this.#gauge(EXPORTER_FAMILIES.clockOffset);
  readonly collectorEnabled = this.#gauge(EXPORTER_FAMILIES.collectorEnabled);
  readonly collectorSuccess = this.#gauge(EXPORTER_FAMILIES.collectorSuccess);
  readonly collectorComplete = this.#gauge(EXPORTER_FAMILIES.collectorComplete);
  readonly collectorDuration = this.#gauge(EXPORTER_FAMILIES.collectorDuration);
  readonly collectorLastSuccess = this.#gauge(EXPORTER_FAMILIES.collectorLastSuccess);
  readonly collectorSkippedRuns = this.#counter(EXPORTER_FAMILIES.collectorSkippedRuns);
  readonly decodeProblems = this.#counter(EXPORTER_FAMILIES.decodeProblems);
  readonly waitingChannels = this.#gauge(EXPORTER_FAMILIES.waitingChannels);
  readonly unmappedChannels = this.#gauge(EXPORTER_FAMILIES.unmappedChannels);
  readonly orphans = this.#gauge(EXPORTER_FAMILIES.orphans);
  readonly syncDelivered = this.#counter(EXPORTER_FAMILIES.syncDelivered);
  readonly syncRejected = this.#counter(EXPORTER_FAMILIES.syncRejected);
  readonly syncFailedDeliveries = this.#counter(EXPORTER_FAMILIES.syncFailedDeliveries);
  readonly syncPending = new Gauge({
    name: EXPORTER_FAMILIES.syncPending.name,
    help: EXPORTER_FAMILIES.syncPending.help,
    labelNames: EXPORTER_FAMILIES.syncPending.labels,
    registers: [this.registry],
    collect: () => {
      for (const update of this.#pendingUpdates) update();
    },
  });
  readonly syncOldestPending = this.#gauge(EXPORTER_FAMILIES.syncOldestPending);
  readonly syncDropped = this.#counter(EXPORTER_FAMILIES.syncDropped);
  readonly syncWatermarkFailures = this.#counter(EXPORTER_FAMILIES.syncWatermarkFailures);
  readonly otlpStatePoints = this.#counter(EXPORTER_FAMILIES.otlpStatePoints);
  readonly otlpFailedRequests = this.#counter(EXPORTER_FAMILIES.otlpFailedRequests);
  readonly otlpRefusedRequests = this.#counter(EXPORTER_FAMILIES.otlpRefusedRequests);
  readonly otlpSkippedPoints = this.#counter(EXPORTER_FAMILIES.otlpSkippedPoints);
  readonly configReloadSuccessful = this.#gauge(EXPORTER_FAMILIES.configReloadSuccessful);
  readonly configReloadTime = this.#gauge(EXPORTER_FAMILIES.configReloadTime);
  readonly configHash = this.#gauge(EXPORTER_FAMILIES.configHash);
  readonly droppedSeries = this.#gauge(EXPORTER_FAMILIES.droppedSeries);
  readonly expositionBytes = this.#gauge(EXPORTER_FAMILIES.expositionBytes);
  readonly renderDuration = this.#gauge(EXPORTER_FAMILIES.renderDuration);
  readonly scrapes = this.#counter(EXPORTER_FAMILIES.scrapes);
  readonly httpConnections = this.#gauge(EXPORTER_FAMILIES.httpConnections);
  readonly httpRejected = this.#counter(EXPORTER_FAMILIES.httpRejected);
  readonly webConfigReloadSuccessful = this.#gauge(EXPORTER_FAMILIES.webConfigReloadSuccessful);

  /** `countSeries` gives the series served per family; it is asked at each scrape. */
  constructor(build: BuildInfo, countSeries: () => Iterable<readonly [family: string, series: number]>) {
    this.#labelled.push(this.apiRequestDuration, this.syncPending);
    const buildInfo = this.#gauge(EXPORTER_FAMILIES.buildInfo);
    buildInfo.set({ ...build, node_version: process.version }, 1);
    this.webConfigReloadSuccessful.set(1);
    new Gauge({
      name: EXPORTER_FAMILIES.series.name,
      help: EXPORTER_FAMILIES.series.help,
      labelNames: EXPORTER_FAMILIES.series.labels,
      registers: [this.registry],
      collect() {
        // Another configuration may serve other families.
        this.reset();
        for (const [family, series] of countSeries()) this.set({ family }, series);
      },
    });
  }

  /**
   * Has `update` set what waits to be delivered whenever the metrics are read: it changes with every delivery. Returns the
   * way to end that.
   */
  followPending(update: () => void): () => void {
    this.#pendingUpdates.add(update);
    return () => this.#pendingUpdates.delete(update);
  }

  /** Drops every series that has these labels: what they stand for is gone. */
  async forget(wanted: Readonly<Record<string, string>>): Promise<void> {
    for (const metric of this.#labelled) {
      const { values } = await metric.get();
      for (const { labels } of values) {
        // The buckets of a histogram are one series to it.
        const { le: _, ...own } = labels;
        if (Object.entries(wanted).every(([name, value]) => own[name] === value)) metric.remove(own);
      }
    }
  }

  /** Adds the metrics of the process and of Node. */
  collectProcessMetrics(): void {
    collectDefaultMetrics({ register: this.registry });
    for (const name of MISNAMED_DEFAULTS) this.registry.removeSingleMetric(name);
  }

  #gauge<Label extends string>(family: MetricFamily & { readonly labels: readonly Label[] }): Gauge<Label> {
    const gauge = new Gauge({
      name: family.name,
      help: family.help,
      labelNames: family.labels,
      registers: [this.registry],
    });
    this.#labelled.push(gauge);
    return gauge;
  }

  #counter<Label extends string>(family: MetricFamily & { readonly labels: readonly Label[] }): Counter<Label> {
    const counter = new Counter({
      name: family.name,
      help: family.help,
      labelNames: family.labels,
      registers: [this.registry],
    });
    this.#labelled.push(counter);
    return counter;
  }
}
