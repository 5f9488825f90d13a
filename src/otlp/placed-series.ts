import type { Resource } from "@opentelemetry/resources";
import type { EndPoint, PushedFamily } from "./metric-data.ts";
import { SEMCONV_ATTRIBUTES } from "./semantic-conventions.ts";

/** A series as it is pushed. */
export interface PlacedSeries {
  readonly resource: Resource;
  readonly family: PushedFamily;
  /** Values for `family.labels`, in that order. */
  readonly labels: readonly string[];
}

export interface PlacedEnd {
  readonly resource: Resource;
  readonly point: EndPoint;
}

/** As a receiver tells series apart: by resource, metric and attributes, of which empty ones are none. */
export function seriesKey({ resource, family, labels }: PlacedSeries): string {
  const attributes = family.labels.flatMap((name, index) => (labels[index] ? [[name, labels[index]]] : []));
  return JSON.stringify([resource.attributes[SEMCONV_ATTRIBUTES.serviceInstanceId], family.name, attributes]);
}
