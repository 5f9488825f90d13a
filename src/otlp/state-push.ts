import type { InstrumentationScope } from "@opentelemetry/core";
import { OTLPMetricExporterBase } from "@opentelemetry/exporter-metrics-otlp-http";
import type { Resource } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { StateExportDelegate, type StateExportOptions } from "./state-export-delegate.ts";
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
