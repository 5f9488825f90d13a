/** Peer of the OTLP bench: an observable gauge of the SDK, without its limit of 2,000 attribute sets, and its exporter. */
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { answerCommands } from "../processes/answer.ts";
import { Stopwatch } from "../processes/stopwatch.ts";
import { attributesOf, POINTS, pointValue, RECEIVER } from "./otlp-points.ts";
import { FAMILY } from "./series.ts";

const attributes = Array.from({ length: POINTS }, (_, index) => attributesOf(index));
const exporter = new OTLPMetricExporter({ url: `${RECEIVER}/v1/metrics`, timeoutMillis: 600_000 });
const reader = new PeriodicExportingMetricReader({
  exporter,
  exportIntervalMillis: 86_400_000,
  exportTimeoutMillis: 600_000,
});
const unlimited = { instrumentName: "*", aggregationCardinalityLimit: Number.MAX_SAFE_INTEGER };
const provider = new MeterProvider({ readers: [reader], views: [unlimited] });
provider
  .getMeter("bench")
  .createObservableGauge(FAMILY.name, { description: FAMILY.help })
  .addCallback((result) => {
    for (const [index, each] of attributes.entries()) result.observe(pointValue(index), each);
  });
const stopwatch = new Stopwatch();

answerCommands({ push: () => stopwatch.time(() => provider.forceFlush()) });
console.log("ready");
// Nothing else keeps the process from ending.
setInterval(() => undefined, 60_000);
