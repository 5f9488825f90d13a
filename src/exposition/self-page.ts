import type { Registry } from "prom-client";
import { type BodyFormat, formatEnd, formatHeader } from "./format.ts";
import { formatLabels, formatValue } from "./text.ts";

type MetricJson = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>[number];
type ValueJson = MetricJson["values"][number] & { metricName?: string };

/** Renders the exporter's own metrics and ends the page. */
export async function renderSelfPage(registry: Registry, format: BodyFormat): Promise<Buffer> {
  const metrics = await registry.getMetricsAsJSON();
  const text = metrics.map((metric) => renderMetric(metric, format)).join("");
  return Buffer.from(text + formatEnd(format));
}

function renderMetric(metric: MetricJson, format: BodyFormat): string {
  const samples = metric.values.map((value) => renderSample(metric.name, value)).join("");
  if (samples === "") return "";
  // The declared type is a numeric enum, the value at run time its lower-case name.
  const type =
    String(metric.type) === "histogram" ? "histogram" : String(metric.type) === "counter" ? "counter" : "gauge";
  return formatHeader(format, { name: metric.name, help: metric.help, type }) + samples;
}

function renderSample(family: string, sample: ValueJson): string {
  const labels = Object.entries(sample.labels).filter(([, value]) => value !== undefined);
  const names = labels.map(([name]) => name);
  const values = labels.map(([, value]) => String(value));
  return `${sample.metricName ?? family}${formatLabels(names, values)} ${formatValue(sample.value)}\n`;
}
