import { readFile } from "node:fs/promises";
import { decodeLogs, type ReceivedLogs } from "../../otlp/support/decode-logs.ts";
import {
  decodeMetrics,
  type ReceivedBatch,
  type ReceivedMetric,
  type ReceivedPoint,
} from "../../otlp/support/decode-metrics.ts";

const PROTOBUF = "application/x-protobuf";

/** Metrics from the collector's file in order, by `service.name`. */
export async function receivedBatches(file: string): Promise<ReadonlyMap<string, readonly ReceivedBatch[]>> {
  const batches = (await requestsIn(file)).flatMap((request) => decodeMetrics(PROTOBUF, request));
  return Map.groupBy(batches, ({ resource }) => resource["service.name"] ?? "");
}

/** Same for logs. */
export async function receivedLogs(file: string): Promise<ReadonlyMap<string, readonly ReceivedLogs[]>> {
  const logs = (await requestsIn(file)).flatMap((request) => decodeLogs(PROTOBUF, request));
  return Map.groupBy(logs, ({ resource }) => String(resource["service.name"]));
}

/** Protobuf requests after their four-byte lengths. The last may be incomplete. */
async function requestsIn(file: string): Promise<readonly Buffer[]> {
  const bytes = await readFile(file);
  const requests: Buffer[] = [];
  for (let offset = 0; offset + 4 <= bytes.length; ) {
    const end = offset + 4 + bytes.readUInt32BE(offset);
    if (end > bytes.length) break;
    requests.push(bytes.subarray(offset + 4, end));
    offset = end;
  }
  return requests;
}

/** The newest point per series, in an order independent of requests. */
interface ResourcePicture extends Omit<ReceivedBatch, "metrics"> {
  readonly metrics: readonly ReceivedMetric[];
}

/** One per `service.instance.id`. For equal times, the last received point counts. */
export function picturesOf(batches: readonly ReceivedBatch[]): ResourcePicture[] {
  const resources = Map.groupBy(batches, ({ resource }) => resource["service.instance.id"] ?? "");
  return [...resources].sort(byKey).map(([, [first, ...more]]) => {
    if (first === undefined) throw new Error("no batches");
    const metrics = [first, ...more].flatMap((batch) => batch.metrics);
    const named = Map.groupBy(metrics, ({ name, unit }) => `${name} ${unit}`);
    return { ...first, metrics: [...named].sort(byKey).map(([, same]) => newestPoints(same)) };
  });
}

function newestPoints(metrics: readonly ReceivedMetric[]): ReceivedMetric {
  const [first] = metrics;
  if (first === undefined) throw new Error("no metrics");
  const newest = new Map<string, ReceivedPoint>();
  for (const point of metrics.flatMap(({ points }) => points)) {
    const series = JSON.stringify(Object.entries(point.attributes).sort(byKey));
    if (point.time >= (newest.get(series)?.time ?? 0n)) newest.set(series, point);
  }
  return { ...first, points: [...newest].sort(byKey).map(([, point]) => point) };
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : Number(a > b);
}

/** One line per point, for readable diffs. */
export function printPictures(pictures: readonly ResourcePicture[]): string {
  const lines = pictures.map(({ metrics, ...resource }) => {
    const printed = metrics.map(({ points, ...metric }) => withList(metric, "points", points.map(print), "  "));
    return withList(resource, "metrics", printed, "");
  });
  return `[\n${lines.join(",\n")}\n]\n`;
}

function withList(facts: object, name: string, items: readonly string[], indent: string): string {
  const inner = items.map((item) => `${indent}  ${item}`).join(",\n");
  return `${print(facts).slice(0, -1)},"${name}":[\n${inner}\n${indent}]}`;
}

function print(value: unknown): string {
  return JSON.stringify(value, (_, each) => (typeof each === "bigint" ? String(each) : each));
}
