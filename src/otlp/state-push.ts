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
import { EndPoint, estimatePointSize, type MetricsRequest, ResourceScope } from "./metric-data.ts";
import { type StateOptions, StateProducer } from "./state-producer.ts";

export interface StatePushOptions extends StateOptions, StateExportOptions {
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
  /** Time between two pushes, milliseconds; not shorter than `timeoutMs`. */
  readonly intervalMs: number;
}

export interface StatePush {
  /** Pushes at once; never rejects. */
  flush(): Promise<void>;
  /** Pushes once more, for as long as `graceMs`, and stops. Never rejects. */
  stop(graceMs: number): Promise<void>;
}

/** Pushes the current state at a regular interval, first after one interval. */
export function startStatePush(options: StatePushOptions): StatePush {
  // For instruments of the SDK it goes by the preferences of the standard variables; what our producer hands over is cumulative.
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
      // The SDK gives up waiting with an error; the push itself has to be ended by us.
      await provider.shutdown({ timeoutMillis: graceMs }).catch(() => exporter.shutdown());
    },
  };
}

/** `IOtlpExportDelegate` of the SDK, whose package is for the SDK's own use. */
type ExportDelegate = ConstructorParameters<typeof OTLPMetricExporterBase>[0];

export interface StateExportOptions {
  readonly exporter: Pick<OtlpExporter<MetricsRequest>, "export">;
  readonly observer: OtlpRecorder;
  /** For all requests of one push together, milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** One point of a metric of a scope of a resource. */
interface StateItem {
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
  readonly metric: MetricData;
  readonly index: number;
}

/**
 * How the SDK's OTLP exporter sends the current state. A push that fails is not repeated: the next one shows newer state, and
 * tells once more of the series that have ended.
 */
export class StateExportDelegate implements ExportDelegate {
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

  /** Ends a push under way; the exporter below stays open, as measurements may still be on their way. */
  async shutdown(): Promise<void> {
    this.#stopped.abort();
    await this.forceFlush();
  }

  /** The SDK's own metrics of its exporters are not used: the observer counts. */
  setMetrics(): void {}

  async #push(metrics: ResourceMetrics): Promise<ExportOutcome> {
    const { exporter, clock, timeoutMs } = this.#options;
    const finished = new AbortController();
    const deadline = new AbortController();
    // The reader stops waiting when its time is over, but not the export: two would be under way at once.
    clock.sleep(timeoutMs, finished.signal).then(
      () => deadline.abort(new Error(`the push took longer than ${timeoutMs / 1_000} s`)),
      () => undefined,
    );
    const signal = AbortSignal.any([this.#stopped.signal, deadline.signal]);
    try {
      let all: ExportOutcome = { kind: "accepted", rejected: 0, message: "" };
      for (const content of CONTENTS) {
        const scopes = scopesWith(content, metrics.scopeMetrics);
        if (scopes.length === 0) continue;
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
          if (point instanceof EndPoint) point.settled();
        }
      },
      failed: () => {
        if (!this.#stopped.signal.aborted) observer.attemptFailed("state");
      },
    };
  }

  /** Says when trouble begins or changes, and when it is over; a push a minute would fill the log otherwise. */
  #report(outcome: ExportOutcome): void {
    const { log, observer } = this.#options;
    if (outcome.kind === "failed" && outcome.isHeld === true) {
      observer.stateHeld();
      // The failure that came with the pause was reported, unless other requests met it.
      if (this.#trouble.record() !== undefined) log.warn(`push of the current state over OTLP: ${outcome.message}`);
      return;
    }
    if (isFine(outcome)) {
      if (this.#trouble.over() > 0) log.info("push of the current state over OTLP works again");
      return;
    }
    const trouble = outcome.message || "the receiver rejected points";
    if (this.#trouble.record(trouble)) log.warn(`push of the current state over OTLP: ${trouble}`);
  }
}

function isFine(outcome: ExportOutcome): boolean {
  return outcome.kind === "accepted" && outcome.rejected === 0;
}

type Content = "values" | "ends" | "ends of measurements";

/**
 * Each in requests of its own. An end of measurements is as old as the last of them, and a receiver that finds one point too old may
 * refuse the whole request.
 */
const CONTENTS: readonly Content[] = ["values", "ends", "ends of measurements"];

function contentOf({ dataPoints: [point] }: MetricData): Content {
  if (!(point instanceof EndPoint)) return "values";
  return point.isMeasured ? "ends of measurements" : "ends";
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

/** Items come in the order of resources, scopes and metrics, so what belongs together stands together. */
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
