import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";

/** What the exporter knows of itself. */
export interface Identity {
  readonly version: string;
  /** The same after a restart, another for each replica: receivers make `instance` of it. */
  readonly instanceId: string;
}

/** Whom metrics and log records are from. What was given (configuration, OTEL_RESOURCE_ATTRIBUTES, OTEL_SERVICE_NAME) wins. */
export function otlpResource(given: Readonly<Record<string, string>>, { version, instanceId }: Identity): Resource {
  return resourceFromAttributes({
    "service.name": "prtg-exporter",
    "service.instance.id": instanceId,
    "service.version": version,
    ...given,
  });
}
