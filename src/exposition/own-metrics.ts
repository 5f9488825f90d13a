import type { Registry } from "prom-client";
import type { Clock } from "../lib/clock.ts";
import { TimeSlices } from "../lib/yielding.ts";
import type { Sample } from "../telemetry/exporter-metrics.ts";
import { OWN_FAMILIES, OWN_METRICS } from "../telemetry/own-metrics.ts";
import { type ExpositionFormat, formatHeader, formatLabels, formatValue } from "./text-format.ts";

/** Lines between looks at the clock: a few milliseconds, and ten turns for those of 500 servers. */
const LINES_PER_LOOK = 4_096;

/** What a page about some servers has: of the process only which exporter it is. */
const ABOUT_SERVERS: ReadonlySet<string> = new Set([
  ...OWN_FAMILIES.filter(({ labels }) => labels.includes("server")).map(({ name }) => name),
  OWN_METRICS.process.build.name,
]);

/**
 * The exporter's own metrics, a buffer for each family; with `servers` only those about them. The text of prom-client itself has no
 * units, and headers without samples. In slices: hundreds of servers have tens of thousands of lines.
 */
export async function renderOwnMetrics(
  registry: Registry,
  format: ExpositionFormat,
  clock: Clock,
  servers?: readonly string[],
): Promise<readonly Buffer[]> {
  const slices = new TimeSlices(clock, undefined, "reader", LINES_PER_LOOK);
  const wanted = servers && new Set<unknown>(servers);
  const buffers: Buffer[] = [];
  for (const { name, help } of registry.getMetricsAsArray()) {
    if (wanted !== undefined && !ABOUT_SERVERS.has(name)) continue;
    const metric = await registry.getSingleMetric(name)?.get();
    if (metric === undefined) continue;
    let lines = "";
    for (const sample of metric.values) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      const { server } = sample.labels;
      if (wanted === undefined || server === undefined || wanted.has(server)) lines += formatSample(name, sample);
    }
    if (lines === "") continue;
    // The declared type is a numeric enum, the value at run time its lower-case name.
    const type = TYPES.find((one) => one === String(metric.type)) ?? "gauge";
    buffers.push(Buffer.from(formatHeader(format, { name, help, type }) + lines));
  }
  return buffers;
}

const TYPES = ["counter", "gauge", "histogram"] as const;

function formatSample(family: string, { metricName = family, labels, value }: Sample): string {
  return `${metricName}${formatLabels(Object.keys(labels), Object.values(labels).map(String))} ${formatValue(value)}\n`;
}
