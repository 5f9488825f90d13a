import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import { OTLPMetricExporter as JsonExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPMetricExporter as ProtobufExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import { expect, test } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { OtlpMeasurementSink } from "../../src/otlp/measurement-sink.ts";
import { gauge, metricAttributes } from "../../src/otlp/metric-data.ts";
import { never } from "../support/never-aborted.ts";
import { deliverRows, RESOURCE, recordedObserver, SCOPE, testExporter } from "./support/otlp-exporter.ts";
import { startReceiver } from "./support/otlp-http-receiver.ts";
import { channelLabels, describeAll, NOON, row } from "./support/rows.ts";

test.each([
  { protocol: "http/json" as const, Exporter: JsonExporter },
  { protocol: "http/protobuf" as const, Exporter: ProtobufExporter },
])("our requests have the same bytes as the SDK's exporter for $protocol", async ({ protocol, Exporter }) => {
  const receiver = await startReceiver();
  const sink = new OtlpMeasurementSink({
    exporter: await testExporter({ endpoint: receiver.url, protocol }),
    resource: RESOURCE,
    scope: SCOPE,
    describe: describeAll,
    observer: recordedObserver(),
  });
  await deliverRows(sink, [row("40", NOON, 3)], never);

  const metric = gauge(TREE_FAMILIES.channelValue);
  const { labels: names } = TREE_FAMILIES.channelValue;
  for (const [channelId, value] of row("40", NOON, 3).values) {
    metric.dataPoints.push({
      startTime: [0, 0],
      endTime: [Math.floor(NOON / 1_000), 123_000_000],
      attributes: metricAttributes(names, channelLabels("40", channelId)),
      value,
    });
  }
  const stock = new Exporter({ url: `${receiver.url}/v1/metrics` });
  const metrics = { resource: RESOURCE, scopeMetrics: [{ scope: SCOPE, metrics: [metric] }] };
  const result = await new Promise<ExportResult>((resolve) => stock.export(metrics, resolve));
  await stock.shutdown();
  expect(result.code).toBe(ExportResultCode.SUCCESS);

  const [ours, theirs] = receiver.requests;
  expect(ours?.body.equals(theirs?.body ?? Buffer.alloc(0))).toBe(true);
  expect(ours?.headers["content-type"]).toBe(theirs?.headers["content-type"]);
});
