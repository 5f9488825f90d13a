import type { InstrumentationScope } from "@opentelemetry/core";
import type { Resource } from "@opentelemetry/resources";
import type { GaugeMetricData, MetricData, ScopeMetrics } from "@opentelemetry/sdk-metrics";
import { mapEntry } from "../lib/map-entry.ts";
import { gauge, type PushedFamily, type SeriesPoint } from "./metric-data.ts";

/** Metrics of a scope that belong to a resource of their own, and not to that of the metric reader, which knows only one. */
export class ResourceScope implements ScopeMetrics {
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
  readonly metrics: MetricData[];

  constructor(resource: Resource, scope: InstrumentationScope, metrics: MetricData[]) {
    this.resource = resource;
    this.scope = scope;
    this.metrics = metrics;
  }
}

/** Puts points together, resource by resource, and metric by metric: what differs in its unit is another metric. */
export class MetricsByResource {
  readonly #resources = new Map<Resource, Map<string, GaugeMetricData>>();
  /** A text is put together once, for hundreds of thousands of points. */
  readonly #keys = new Map<PushedFamily, string>();

  add(resource: Resource, family: PushedFamily, point: SeriesPoint): void {
    const metrics = mapEntry(this.#resources, resource, () => new Map<string, GaugeMetricData>());
    const key = mapEntry(this.#keys, family, () => `${family.name} ${family.unit ?? ""}`);
    mapEntry(metrics, key, () => gauge(family)).dataPoints.push(point);
  }

  /** In the order in which they came. */
  scopes(scope: InstrumentationScope): ResourceScope[] {
    return [...this.#resources].map(([resource, metrics]) => new ResourceScope(resource, scope, [...metrics.values()]));
  }
}
