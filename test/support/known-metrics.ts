import { familiesOf } from "../../scripts/generate/preset-families.ts";
import { PRESET_NAMES } from "../../src/config/mapping-schema.ts";
import type { MetricFamily } from "../../src/mapping/families/family.ts";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { ExporterMetrics } from "../../src/telemetry/exporter-metrics.ts";
import { EXPORTER_FAMILIES } from "../../src/telemetry/metric-declarations.ts";
import { promqlLabels } from "./promql-labels.ts";
import { RECORDS } from "./rule-files.ts";

/** Added by a scrape job. */
export const TARGET_LABELS = ["job", "instance"];

/** A histogram has three kinds of series. */
function seriesOf({ name, type, labels }: MetricFamily): [name: string, labels: readonly string[]][] {
  const all = [...TARGET_LABELS, ...labels];
  if (type !== "histogram") return [[name, all]];
  return [
    [`${name}_bucket`, [...all, "le"]],
    [`${name}_sum`, all],
    [`${name}_count`, all],
  ];
}

/** Metrics of all commands, including process and Node. */
function registeredFamilies(): MetricFamily[] {
  const metrics = new ExporterMetrics({ version: "", revision: "" }, () => [], EXPORTER_FAMILIES);
  metrics.collectProcessMetrics();
  return metrics.registry.getMetricsAsArray().map((metric) => {
    const labels = "labelNames" in metric && Array.isArray(metric.labelNames) ? metric.labelNames.map(String) : [];
    const type = String(metric.type) === "histogram" ? "histogram" : "gauge";
    return { name: metric.name, help: metric.help, type, labels };
  });
}

function recorded(known: ReadonlyMap<string, readonly string[]>): Map<string, readonly string[]> {
  const labels = new Map(known);
  for (const { record, expr } of RECORDS) labels.set(record, [...promqlLabels(expr, labels).labels]);
  return labels;
}

/** Labels by metric of the exporter and the recording rules. */
export const KNOWN_METRICS: ReadonlyMap<string, readonly string[]> = recorded(
  new Map([...Object.values(TREE_FAMILIES), ...registeredFamilies()].flatMap(seriesOf)),
);

/** Metrics of presets, including limits. */
export async function presetFamilies(): Promise<readonly MetricFamily[]> {
  const families = (await Promise.all(PRESET_NAMES.map((name) => familiesOf(name)))).flat();
  return families.flatMap((family) => [family, family.limits]);
}

/** Adds those of presets, which recording rules use, too. */
export async function metricsWithPresets(): Promise<ReadonlyMap<string, readonly string[]>> {
  return recorded(new Map([...KNOWN_METRICS, ...(await presetFamilies()).flatMap(seriesOf)]));
}
