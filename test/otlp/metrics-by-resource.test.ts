import { resourceFromAttributes } from "@opentelemetry/resources";
import { expect, test } from "vitest";
import { MetricsByResource, NO_START, SeriesPoint } from "../../src/otlp/metric-data.ts";
import { otelFamily } from "../../src/otlp/otel-family.ts";
import { mapped } from "./support/otel-push.ts";
import { SCOPE } from "./support/otlp-exporter.ts";

/** `name unit: values` per metric and resource. */
function described(metrics: MetricsByResource): string[][] {
  return metrics
    .scopes(SCOPE)
    .map((scope) =>
      scope.metrics.map(
        ({ descriptor: { name, unit }, dataPoints }) =>
          `${name} ${unit}: ${dataPoints.map(({ value }) => value).join(" ")}`,
      ),
    );
}

test("families with the same name and unit are one metric in each resource", () => {
  const [one, another] = ["1", "2"].map((device) => resourceFromAttributes({ device }));
  if (one === undefined || another === undefined) throw new Error("no resources");
  // They may differ only in the unit, which `otel` removes.
  const families = [
    "prtg_backup_bytes",
    "prtg_backup_seconds",
    "prtg_memory_used_ratio",
    "prtg_memory_available_ratio",
  ];
  const metrics = new MetricsByResource();
  for (const resource of [one, another, one]) {
    for (const [value, name] of families.entries()) {
      const { family } = otelFamily(mapped(name)).onDevice;
      metrics.add(resource, family, new SeriesPoint(family, [], value, NO_START));
    }
  }
  expect(described(metrics)).toEqual([
    ["prtg.backup By: 0 0", "prtg.backup s: 1 1", "system.memory.utilization 1: 2 3 2 3"],
    ["prtg.backup By: 0", "prtg.backup s: 1", "system.memory.utilization 1: 2 3"],
  ]);
});
