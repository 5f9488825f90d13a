import type { Registry } from "prom-client";
import type { Clock } from "../lib/clock.ts";
import { TimeSlices } from "../lib/yielding.ts";
import type { Sample } from "../telemetry/exporter-metrics.ts";
import { EXPORTER_FAMILIES, EXPORTER_METRICS } from "../telemetry/metric-declarations.ts";
import { LineBuffer } from "./line-buffer.ts";
import { type ExpositionFormat, escapeLabelValue, formatHeader } from "./text-format.ts";

/** A few milliseconds of work. The lines of 500 servers take ten turns. */
const LINES_PER_LOOK = 4_096;

const ABOUT_SERVERS: ReadonlySet<string> = new Set([
  ...EXPORTER_FAMILIES.filter(({ labels }) => labels.includes("server")).map(({ name }) => name),
  EXPORTER_METRICS.process.build.name,
]);

/**
 * Renders the exporter's own metrics, one buffer per family. With `servers`, only the series of these servers and the
 * build info. The text of prom-client lacks units and has headers without samples.
 */
export async function renderExporterMetrics(
  registry: Registry,
  format: ExpositionFormat,
  clock: Clock,
  servers?: readonly string[],
): Promise<readonly Buffer[]> {
  const slices = new TimeSlices(clock, undefined, "reader", LINES_PER_LOOK);
  const included = servers && new Set<unknown>(servers);
  const buffers: Buffer[] = [];
  const lines = new LineBuffer();
  for (const { name, help } of registry.getMetricsAsArray()) {
    if (included !== undefined && !ABOUT_SERVERS.has(name)) continue;
    const metric = await registry.getSingleMetric(name)?.get();
    if (metric === undefined) continue;
    // prom-client declares a numeric enum, but the value is the lower-case name.
    const type = TYPES.find((one) => one === String(metric.type)) ?? "gauge";
    lines.clear();
    lines.text(formatHeader(format, { name, help, type }));
    const headerBytes = lines.length;
    for (const sample of metric.values) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      const { server } = sample.labels;
      if (included === undefined || server === undefined || included.has(server)) writeSample(lines, name, sample);
    }
    if (lines.length > headerBytes) buffers.push(Buffer.from(lines.all()));
  }
  return buffers;
}

const TYPES = ["counter", "gauge", "histogram"] as const;

function writeSample(lines: LineBuffer, family: string, { metricName = family, labels, value }: Sample): void {
  lines.text(metricName);
  let before = "{";
  for (const name in labels) {
    lines.text(before);
    lines.text(name);
    lines.text('="');
    lines.text(escapeLabelValue(String(labels[name])));
    before = '",';
  }
  lines.text(before === "{" ? " " : '"} ');
  lines.value(value);
}
