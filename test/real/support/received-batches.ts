import { readFile } from "node:fs/promises";
import {
  decodeRequest,
  type ReceivedBatch,
  type ReceivedMetric,
  type ReceivedPoint,
} from "../../otlp/support/decode.ts";
import { decodeLogs, type ReceivedLogs } from "../../otlp/support/decode-logs.ts";

const PROTOBUF = "application/x-protobuf";

/** The metrics in a file of the collector, in the order in which they came, by the `service.name` that they are from. */
export async function receivedBatches(file: string): Promise<ReadonlyMap<string, readonly ReceivedBatch[]>> {
  const batches = (await requestsIn(file)).flatMap((request) => decodeRequest(PROTOBUF, request));
  return Map.groupBy(batches, ({ resource }) => resource["service.name"] ?? "");
}

/** Log records likewise. */
export async function receivedLogs(file: string): Promise<ReadonlyMap<string, readonly ReceivedLogs[]>> {
  const logs = (await requestsIn(file)).flatMap((request) => decodeLogs(PROTOBUF, request));
  return Map.groupBy(logs, ({ resource }) => String(resource["service.name"]));
}

/** Requests in protobuf, each after its length in four bytes; the last one may not be complete. */
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

/** What one resource has: the newest point of each series, in an order that does not depend on that of requests. */
export interface ResourcePicture extends Omit<ReceivedBatch, "metrics"> {
  readonly metrics: readonly ReceivedMetric[];
}

/** One for each `service.instance.id`. Points of the same time are those that came last. */
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

/** JSON with a line for each point, for people to compare. */
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
