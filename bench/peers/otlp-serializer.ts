/** The lower bound: the SDK's serializer on points in memory. */
import { millisToHrTime } from "@opentelemetry/core";
import { ProtobufMetricsSerializer } from "@opentelemetry/otlp-transformer";
import { emptyResource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type ResourceMetrics,
} from "@opentelemetry/sdk-metrics";
import { serveCommands } from "../processes/answer.ts";
import { Stopwatch } from "../processes/stopwatch.ts";
import { attributesOf, FAMILY, POINTS, pointValue, REQUEST_POINTS } from "./otlp-points.ts";

const requests: ResourceMetrics[] = [];
const endTime = millisToHrTime(Date.now());
for (let from = 0; from < POINTS; from += REQUEST_POINTS) {
  const dataPoints: DataPoint<number>[] = [];
  for (let index = from; index < Math.min(POINTS, from + REQUEST_POINTS); index++) {
    dataPoints.push({ startTime: [0, 0], endTime, attributes: attributesOf(index), value: pointValue(index) });
  }
  const descriptor = { name: FAMILY.name, description: FAMILY.help, unit: "", valueType: 1 };
  const metric = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE, dataPoints };
  const metrics = [{ ...metric, dataPointType: DataPointType.GAUGE as const }];
  requests.push({ resource: emptyResource(), scopeMetrics: [{ scope: { name: "bench" }, metrics }] });
}
const stopwatch = new Stopwatch();

serveCommands({
  push: () =>
    stopwatch.time(async () => {
      for (const request of requests) ProtobufMetricsSerializer.serializeRequest(request);
    }),
});
