import { type ExportResult, ExportResultCode, type InstrumentationScope } from "@opentelemetry/core";
import { OTLPMetricExporterBase } from "@opentelemetry/exporter-metrics-otlp-http";
import type { Resource } from "@opentelemetry/resources";
import {
  type DataPoint,
  DataPointType,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
  type ResourceMetrics,
  type ScopeMetrics,
} from "@opentelemetry/sdk-metrics";
import type { Logger } from "pino";
import type { Clock } from "../lib/clock.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import type { OtlpRecorder } from "../telemetry/recorders.ts";
import type { ExportOutcome } from "./export-response.ts";
import type { ExportBatch, OtlpExporter } from "./exporter.ts";
import { estimatePointSize, type MetricsRequest, ResourceScope, SeriesPoint, StalenessMarker } from "./metric-data.ts";
import { type StateOptions, StateProducer } from "./state-producer.ts";

export interface StatePushOptions extends StateOptions, StateExportOptions {
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
  readonly intervalMs: number;
}

export interface StatePush {
  flush(): Promise<void>;
  /** Pushes once more within `graceMs`, and stops. Never rejects. */
  stop(graceMs: number): Promise<void>;
}

/** Pushes the state at a regular interval, first after one interval. */
export function startStatePush(options: StatePushOptions): StatePush {
  // Temporality preferences only matter for instruments of the SDK. Our data is cumulative.
  const exporter = new OTLPMetricExporterBase(new StateExportDelegate(options));
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: options.intervalMs,
    exportTimeoutMillis: Math.min(options.timeoutMs, options.intervalMs),
    metricProducers: [new StateProducer(options, options.scope)],
  });
  const provider = new MeterProvider({ resource: options.resource, readers: [reader] });
  return {
    flush: () => provider.forceFlush(),
    stop: async (graceMs) => {
      // The SDK gives up with an error, but does not end the push.
      await provider.shutdown({ timeoutMillis: graceMs }).catch(() => exporter.shutdown());
    },
  };
}

type ExportDelegate = ConstructorParameters<typeof OTLPMetricExporterBase>[0];

export interface StateExportOptions {
  readonly exporter: Pick<OtlpExporter<MetricsRequest>, "export">;
  readonly observer: OtlpRecorder;
  /** Of one push with all its requests, milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

interface StateItem {
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
  readonly metric: MetricData;
  readonly index: number;
}

/**
 * Sends the state for the SDK's OTLP exporter. Does not retry: the next push has newer state and repeats the staleness
 * markers.
 */
class StateExportDelegate implements ExportDelegate {
  readonly #options: StateExportOptions;
  readonly #stopped = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #trouble = new LogOnChange({ knows: "last" });

  constructor(options: StateExportOptions) {
    this.#options = options;
  }

  export(metrics: ResourceMetrics, done: (result: ExportResult) => void): void {
    const push = this.#push(metrics).then((outcome) => {
      this.#report(outcome);
      done(
        outcome.kind === "accepted"
          ? { code: ExportResultCode.SUCCESS }
          : { code: ExportResultCode.FAILED, error: new Error(outcome.message) },
      );
    });
    this.#underWay.add(push);
    void push.finally(() => this.#underWay.delete(push));
  }

  async forceFlush(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /** Ends a push under way. The exporter stays open for measurements. */
  async shutdown(): Promise<void> {
    this.#stopped.abort();
    await this.forceFlush();
  }

  /** The observer counts instead of the SDK. */
  setMetrics(): void {}

  async #push(metrics: ResourceMetrics): Promise<ExportOutcome> {
    const { exporter, clock, timeoutMs } = this.#options;
    const finished = new AbortController();
    const deadline = new AbortController();
    // The reader stops waiting, but does not end the push: two could run at once.
    clock.sleep(timeoutMs, finished.signal).then(
      () => deadline.abort(new Error(`the push took longer than ${timeoutMs / 1_000} s`)),
      () => undefined,
    );
    const signal = AbortSignal.any([this.#stopped.signal, deadline.signal]);
    try {
      let all: ExportOutcome = { kind: "accepted", rejected: 0, message: "" };
      for (const content of CONTENTS) {
        const scopes = scopesWith(content, metrics.scopeMetrics);
        const outcome = await exporter.export(this.#batch(metrics.resource, scopes), signal);
        if (outcome.kind === "failed") return outcome;
        if (!isFine(outcome)) all = outcome;
      }
      return all;
    } finally {
      finished.abort();
    }
  }

  #batch(resource: Resource, scopes: readonly ScopeMetrics[]): ExportBatch<StateItem, MetricsRequest> {
    const { observer } = this.#options;
    return {
      items: itemsOf(resource, scopes),
      estimateSize: ({ metric, index }) => estimatePointSize(pointOf(metric, index)),
      count: () => 1,
      toRequest: requestOf,
      settled: (items, outcome) => {
        const refused = outcome.kind === "refused";
        const rejected = refused ? items.length : outcome.rejected;
        if (refused) observer.requestRefused("state");
        if (rejected > 0) observer.rejected("state", rejected);
        if (items.length > rejected) observer.delivered("state", items.length - rejected);
        for (const { metric, index } of items) {
          const point = pointOf(metric, index);
          if (point instanceof StalenessMarker) point.settled();
        }
      },
      failed: () => {
        if (!this.#stopped.signal.aborted) observer.attemptFailed("state");
      },
    };
  }

  /** Logs only changes, because pushes run every minute. */
  #report(outcome: ExportOutcome): void {
    const { log, observer } = this.#options;
    if (outcome.kind === "failed" && outcome.isHeld === true) {
      observer.stateHeld();
      // The failure that caused the pause was logged, unless other requests had it.
      if (this.#trouble.record() !== undefined)
        log.warn(`push of the current state over OTLP failed: ${outcome.message}`);
      return;
    }
    if (isFine(outcome)) {
      if (this.#trouble.over() > 0) log.info("push of the current state over OTLP works again");
      return;
    }
    const trouble = outcome.message || "the receiver rejected points";
    if (this.#trouble.record(trouble)) log.warn(`push of the current state over OTLP failed: ${trouble}`);
  }
}

function isFine(outcome: ExportOutcome): boolean {
  return outcome.kind === "accepted" && outcome.rejected === 0;
}

type Content = "series" | "exporter" | "ends" | "ends of measurements";

/**
 * Separate requests. A receiver may refuse a whole request for one old point, and markers of measurements can be old.
 * Only the SDK encodes the exporter's own metrics. With 500 kB of series in the same request that took 40 to 70 ms.
 */
const CONTENTS: readonly Content[] = ["series", "exporter", "ends", "ends of measurements"];

function contentOf({ dataPoints: [point] }: MetricData): Content {
  if (point instanceof StalenessMarker) return point.isMeasured ? "ends of measurements" : "ends";
  return point instanceof SeriesPoint ? "series" : "exporter";
}

function scopesWith(content: Content, scopes: readonly ScopeMetrics[]): readonly ScopeMetrics[] {
  return scopes
    .map((scoped) =>
      withMetrics(
        scoped,
        scoped.metrics.filter((metric) => contentOf(metric) === content),
      ),
    )
    .filter(({ metrics }) => metrics.length > 0);
}

function withMetrics(scoped: ScopeMetrics, metrics: MetricData[]): ScopeMetrics {
  const { scope } = scoped;
  return scoped instanceof ResourceScope ? new ResourceScope(scoped.resource, scope, metrics) : { scope, metrics };
}

function* itemsOf(common: Resource, scopes: readonly ScopeMetrics[]): Generator<StateItem> {
  for (const scoped of scopes) {
    const { scope, metrics } = scoped;
    const resource = scoped instanceof ResourceScope ? scoped.resource : common;
    for (const metric of metrics) {
      for (let index = 0; index < metric.dataPoints.length; index++) yield { resource, scope, metric, index };
    }
  }
}

function pointOf(metric: MetricData, index: number): DataPoint<unknown> {
  const point = metric.dataPoints[index];
  if (point === undefined) throw new RangeError(`${metric.descriptor.name} has no point ${index}`);
  return point;
}

/** Items are sorted by resource, scope and metric. */
function requestOf(items: readonly StateItem[]): MetricsRequest {
  const request: { readonly resource: Resource; readonly scopeMetrics: ScopeMetrics[] }[] = [];
  for (let from = 0; from < items.length; ) {
    const first = items[from];
    if (first === undefined) break;
    let to = from + 1;
    while (items[to]?.metric === first.metric) to++;
    const metric = withPoints(first.metric, first.index, first.index + to - from);
    let batch = request.at(-1);
    if (batch?.resource !== first.resource) {
      batch = { resource: first.resource, scopeMetrics: [] };
      request.push(batch);
    }
    const last = batch.scopeMetrics.at(-1);
    if (last?.scope === first.scope) last.metrics.push(metric);
    else batch.scopeMetrics.push({ scope: first.scope, metrics: [metric] });
    from = to;
  }
  return request;
}

function withPoints(metric: MetricData, from: number, to: number): MetricData {
  switch (metric.dataPointType) {
    case DataPointType.HISTOGRAM:
      return { ...metric, dataPoints: metric.dataPoints.slice(from, to) };
    case DataPointType.EXPONENTIAL_HISTOGRAM:
      return { ...metric, dataPoints: metric.dataPoints.slice(from, to) };
    default:
      return { ...metric, dataPoints: metric.dataPoints.slice(from, to) };
  }
}
