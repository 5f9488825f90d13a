import { type ExportResult, ExportResultCode, type InstrumentationScope } from "@opentelemetry/core";
import { OTLPMetricExporterBase } from "@opentelemetry/exporter-metrics-otlp-http";
import type { Resource } from "@opentelemetry/resources";
import {
  type DataPoint,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
  type ResourceMetrics,
  type ScopeMetrics,
} from "@opentelemetry/sdk-metrics";
import { LogOnChange } from "../lib/log-on-change.ts";
import type { ExportOutcome } from "./export-response.ts";
import type { ExportBatch, OtlpExporter } from "./exporter.ts";
import {
  estimatePointSize,
  type MetricsRequest,
  type ResourceScope,
  SeriesPoint,
  StalenessMarker,
} from "./metric-data.ts";
import { OTEL_NAMING, PROMETHEUS_NAMING, probeRequest } from "./registry-metrics.ts";
import { type StateOptions, StateProducer } from "./state-producer.ts";

export interface StatePushOptions extends StateOptions {
  readonly exporter: Pick<OtlpExporter<MetricsRequest>, "export">;
  readonly resource: Resource;
  readonly intervalMs: number;
  /** Limit for one push with all its requests, milliseconds. */
  readonly timeoutMs: number;
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
    metricProducers: [new StateProducer(options)],
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

interface PlacedMetric {
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
  readonly metric: MetricData;
}

interface WaitingPush {
  readonly metrics: ResourceMetrics;
  readonly done: (result: ExportResult) => void;
}

/** One point of a metric. */
interface StateItem {
  readonly placed: PlacedMetric;
  readonly index: number;
}

/**
 * Sends the state for the SDK's OTLP exporter. The next push has newer state, begins with what this one did not deliver,
 * and repeats staleness markers that the receiver did not accept.
 */
class StateExportDelegate implements ExportDelegate {
  readonly #options: StatePushOptions;
  /** Number of the first item that the last push did not deliver, by content. */
  readonly #begin = new Map<Content, number>();
  /** Position of the content that the next push begins with. */
  #first = 0;
  readonly #stopped = new AbortController();
  #running: Promise<void> | undefined;
  #waiting: WaitingPush | undefined;
  readonly #trouble = new LogOnChange({ knows: "last" });

  constructor(options: StatePushOptions) {
    this.#options = options;
  }

  /**
   * One push at a time: the reader stops waiting for a slow one, but does not end it, and receivers reject points that
   * are older than others. Only the newest state waits.
   */
  export(metrics: ResourceMetrics, done: (result: ExportResult) => void): void {
    this.#waiting?.done({ code: ExportResultCode.SUCCESS });
    this.#waiting = { metrics, done };
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    for (let next = this.#waiting; next !== undefined; next = this.#waiting) {
      this.#waiting = undefined;
      const outcome = await this.#push(next.metrics);
      this.#report(outcome);
      next.done(
        outcome.kind === "accepted"
          ? { code: ExportResultCode.SUCCESS }
          : { code: ExportResultCode.FAILED, error: new Error(outcome.message) },
      );
    }
    this.#running = undefined;
  }

  async forceFlush(): Promise<void> {
    await this.#running;
  }

  /** Ends a push under way. The exporter stays open for measurements. */
  async shutdown(): Promise<void> {
    this.#stopped.abort();
    await this.forceFlush();
  }

  /** The observer counts instead of the SDK. */
  setMetrics(): void {}

  async #push(metrics: ResourceMetrics): Promise<ExportOutcome> {
    const { clock, timeoutMs } = this.#options;
    const deadline = new AbortController();
    const cancel = clock.after(timeoutMs, () =>
      deadline.abort(new Error(`the push took longer than ${timeoutMs / 1_000} s`)),
    );
    const signal = AbortSignal.any([this.#stopped.signal, deadline.signal]);
    try {
      let all: ExportOutcome = { kind: "accepted", rejected: 0, message: "" };
      for (const content of [...CONTENTS.slice(this.#first), ...CONTENTS.slice(0, this.#first)]) {
        const outcome = await this.#deliver(content, metrics, signal);
        if (outcome.kind === "failed") {
          // A slow receiver must not keep the others from ever being sent.
          this.#first = (CONTENTS.indexOf(content) + 1) % CONTENTS.length;
          return outcome;
        }
        if (!isFine(outcome)) all = outcome;
      }
      this.#first = 0;
      return all;
    } finally {
      cancel();
    }
  }

  async #deliver(content: Content, metrics: ResourceMetrics, signal: AbortSignal): Promise<ExportOutcome> {
    const placed = metricsWith(content, metrics);
    const total = placed.reduce((sum, { metric }) => sum + metric.dataPoints.length, 0);
    const begin = Math.min(this.#begin.get(content) ?? 0, total);
    let settled = 0;
    const batch = this.#batch(itemsFrom(begin, placed), (count) => {
      settled += count;
    });
    const outcome = await this.#options.exporter.export(batch, signal);
    this.#begin.set(content, settled === total ? 0 : (begin + settled) % total);
    return outcome;
  }

  #batch(items: Iterable<StateItem>, onSettled: (count: number) => void): ExportBatch<StateItem, MetricsRequest> {
    const { observer, placement } = this.#options;
    const naming = placement === undefined ? PROMETHEUS_NAMING : OTEL_NAMING;
    return {
      items,
      probe: (nowMs) => probeRequest({ ...this.#options, naming }, nowMs),
      estimateSize: (item) => estimatePointSize(pointOf(item)),
      count: () => 1,
      toRequest: requestOf,
      settled: (items, outcome) => {
        const refused = outcome.kind === "refused";
        const rejected = refused ? items.length : outcome.rejected;
        if (refused) observer.requestRefused({ stream: "state" });
        if (rejected > 0) observer.rejected("state", rejected);
        if (items.length > rejected) observer.delivered("state", items.length - rejected);
        for (const item of items) {
          const point = pointOf(item);
          if (point instanceof StalenessMarker) point.settled();
        }
        onSettled(items.length);
      },
      failed: () => {
        if (!this.#stopped.signal.aborted) observer.attemptFailed({ stream: "state" });
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

function metricsWith(content: Content, { resource: common, scopeMetrics }: ResourceMetrics): readonly PlacedMetric[] {
  return scopeMetrics.flatMap((scoped) => {
    const { resource = common, scope, metrics }: ScopeMetrics & Partial<ResourceScope> = scoped;
    return metrics.flatMap((metric) => (contentOf(metric) === content ? [{ resource, scope, metric }] : []));
  });
}

/** All items, from number `begin` on, and then those before it. */
function* itemsFrom(begin: number, metrics: readonly PlacedMetric[]): Generator<StateItem> {
  for (const isTail of begin > 0 ? [true, false] : [true]) {
    let number = 0;
    for (const placed of metrics) {
      for (let index = 0; index < placed.metric.dataPoints.length; index++) {
        if (number++ >= begin === isTail) yield { placed, index };
      }
    }
  }
}

function pointOf({ placed: { metric }, index }: StateItem): DataPoint<unknown> {
  const point = metric.dataPoints[index];
  if (point === undefined) throw new RangeError(`${metric.descriptor.name} has no point ${index}`);
  return point;
}

/** Items are sorted by resource, scope and metric, in runs of points: a push may begin in the middle of a metric. */
function requestOf(items: readonly StateItem[]): MetricsRequest {
  const request: { readonly resource: Resource; readonly scopeMetrics: ScopeMetrics[] }[] = [];
  for (let from = 0; from < items.length; ) {
    const first = items[from];
    if (first === undefined) break;
    let to = from + 1;
    while (items[to]?.placed === first.placed && items[to]?.index === first.index + to - from) to++;
    const { resource, scope, metric: whole } = first.placed;
    const metric = withPoints(whole, first.index, first.index + to - from);
    let batch = request.at(-1);
    if (batch?.resource !== resource) {
      batch = { resource, scopeMetrics: [] };
      request.push(batch);
    }
    const last = batch.scopeMetrics.at(-1);
    if (last?.scope === scope) last.metrics.push(metric);
    else batch.scopeMetrics.push({ scope, metrics: [metric] });
    from = to;
  }
  return request;
}

function withPoints(metric: MetricData, from: number, to: number): MetricData {
  const dataPoints: readonly DataPoint<unknown>[] = metric.dataPoints.slice(from, to);
  return { ...metric, dataPoints } as MetricData;
}
