/**
 * Peer of the scrape bench: the same series as observable gauges, served by the Prometheus exporter of OpenTelemetry JS,
 * without the limit of 2,000 attribute sets that the SDK has by default. It does not compress.
 */
import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { PrometheusExporter } from "@opentelemetry/exporter-prometheus";
import { MeterProvider } from "@opentelemetry/sdk-metrics";

const [file] = process.argv.slice(2);

const families = [];
for await (const line of createInterface({ input: createReadStream(file) })) {
  const read = JSON.parse(line);
  if (Array.isArray(read)) {
    const { labels, series } = families.at(-1);
    const [values, value] = read;
    const attributes = Object.fromEntries(labels.map((label, position) => [label, values[position]]));
    series.push({ attributes, value: Number(value.replace("Inf", "Infinity")) });
  } else families.push({ ...read, series: [] });
}

const exporter = new PrometheusExporter({
  preventServerStart: true,
  // So that it serves the same series as the others.
  withoutScopeInfo: true,
  withoutTargetInfo: true,
});
const unlimited = { instrumentName: "*", aggregationCardinalityLimit: Number.MAX_SAFE_INTEGER };
const meter = new MeterProvider({ readers: [exporter], views: [unlimited] }).getMeter("bench");
for (const { name, help, series } of families) {
  meter.createObservableGauge(name, { description: help }).addCallback((result) => {
    for (const { attributes, value } of series) result.observe(value, attributes);
  });
}
// Its own server takes no free port, nor does it keep a process from ending.
const server = createServer((request, response) => exporter.getMetricsRequestHandler(request, response));
server.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
