import { WireFields } from "./wire-fields.ts";

type Kind = "text" | "boolean" | "integer" | "double" | "fixed64" | "packed fixed64" | "packed double" | Schema;

/** Field name and kind by field number. The value of a repeated field is an array. */
interface Schema {
  readonly [number: number]: readonly [name: string, kind: Kind | (() => Schema), repeated?: "repeated"];
}

/* opentelemetry/proto/common/v1, resource/v1, metrics/v1 and logs/v1: the fields that the exporter sends. */
const VALUE: Schema = {
  1: ["stringValue", "text"],
  2: ["boolValue", "boolean"],
  3: ["intValue", "integer"],
  4: ["doubleValue", "double"],
  5: ["arrayValue", () => ({ 1: ["values", VALUE, "repeated"] })],
};
const ATTRIBUTE: Schema = { 1: ["key", "text"], 2: ["value", VALUE] };
const RESOURCE: Schema = { 1: ["attributes", ATTRIBUTE, "repeated"] };
const SCOPE: Schema = { 1: ["name", "text"], 2: ["version", "text"] };
const TIMES: Schema = { 2: ["startTimeUnixNano", "fixed64"], 3: ["timeUnixNano", "fixed64"] };
const NUMBER_POINT: Schema = {
  ...TIMES,
  4: ["asDouble", "double"],
  7: ["attributes", ATTRIBUTE, "repeated"],
  8: ["flags", "integer"],
};
const HISTOGRAM_POINT: Schema = {
  ...TIMES,
  4: ["count", "fixed64"],
  5: ["sum", "double"],
  6: ["bucketCounts", "packed fixed64"],
  7: ["explicitBounds", "packed double"],
  9: ["attributes", ATTRIBUTE, "repeated"],
};
const KIND_OF_SUM: Schema = { 2: ["aggregationTemporality", "integer"], 3: ["isMonotonic", "boolean"] };
const METRIC: Schema = {
  1: ["name", "text"],
  2: ["description", "text"],
  3: ["unit", "text"],
  5: ["gauge", { 1: ["dataPoints", NUMBER_POINT, "repeated"] }],
  7: ["sum", { 1: ["dataPoints", NUMBER_POINT, "repeated"], ...KIND_OF_SUM }],
  9: ["histogram", { 1: ["dataPoints", HISTOGRAM_POINT, "repeated"], ...KIND_OF_SUM }],
};
const LOG_RECORD: Schema = {
  1: ["timeUnixNano", "fixed64"],
  2: ["severityNumber", "integer"],
  3: ["severityText", "text"],
  5: ["body", VALUE],
  6: ["attributes", ATTRIBUTE, "repeated"],
  11: ["observedTimeUnixNano", "fixed64"],
  12: ["eventName", "text"],
};

function request(resources: string, scopes: string, records: string, record: Schema): Schema {
  const scope: Schema = { 1: ["scope", SCOPE], 2: [records, record, "repeated"], 3: ["schemaUrl", "text"] };
  return { 1: [resources, { 1: ["resource", RESOURCE], 2: [scopes, scope, "repeated"] }, "repeated"] };
}

const REQUESTS = {
  metrics: request("resourceMetrics", "scopeMetrics", "metrics", METRIC),
  logs: request("resourceLogs", "scopeLogs", "logRecords", LOG_RECORD),
};

/** The OTLP request in the form of its JSON encoding, without other fields. Rejects truncated input. */
export function protobufToJson(signal: keyof typeof REQUESTS, bytes: Uint8Array): unknown {
  return readMessage(new WireFields(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)), REQUESTS[signal]);
}

function readMessage(fields: WireFields, schema: Schema): Record<string, unknown> {
  const message: Record<string, unknown> = {};
  while (fields.next()) {
    const [name, kind, repeated] = schema[fields.number] ?? [];
    if (name === undefined || kind === undefined) continue;
    const value = readValue(fields, typeof kind === "function" ? kind() : kind);
    const known = message[name];
    if (repeated === undefined) message[name] = value;
    else if (Array.isArray(known)) known.push(value);
    else message[name] = [value];
  }
  return message;
}

function readValue(fields: WireFields, kind: Kind): unknown {
  switch (kind) {
    case "text":
      return new TextDecoder("utf-8", { fatal: true }).decode(fields.bytes());
    case "boolean":
      return fields.integer() === 1n;
    case "integer":
      return Number(BigInt.asIntN(64, fields.integer()));
    case "double":
      return fields.double();
    case "fixed64":
      return String(fields.bytes().readBigUInt64LE());
    case "packed fixed64":
      return eights(fields.bytes()).map((eight) => Number(eight.readBigUInt64LE()));
    case "packed double":
      return eights(fields.bytes()).map((eight) => eight.readDoubleLE());
    default:
      return readMessage(fields.inner(), kind);
  }
}

function eights(bytes: Buffer): Buffer[] {
  return Array.from({ length: bytes.length / 8 }, (_, index) => bytes.subarray(index * 8, index * 8 + 8));
}
