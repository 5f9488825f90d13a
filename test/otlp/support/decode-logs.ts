import { double, integer, type Message, messages, readMessage, text } from "./protobuf.ts";

/* JSON and protobuf (opentelemetry/proto/logs/v1). */

export type ReceivedValue = string | number | boolean | readonly ReceivedValue[];

export interface ReceivedLogRecord {
  /** Nanoseconds since the epoch. */
  readonly time: bigint;
  readonly observed: bigint;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly body: ReceivedValue;
  readonly eventName: string;
  readonly attributes: Readonly<Record<string, ReceivedValue>>;
}

export interface ReceivedLogs {
  readonly resource: Readonly<Record<string, ReceivedValue>>;
  readonly scope: { readonly name: string; readonly version: string };
  /** The scope's. */
  readonly schemaUrl?: string;
  readonly records: readonly ReceivedLogRecord[];
}

/** Also for the Collector's files. */
export function decodeLogs(contentType: string, body: Uint8Array): ReceivedLogs[] {
  if (contentType === "application/x-protobuf") return messages(readMessage(body), 1).map(protobufLogs);
  if (contentType !== "application/json") throw new Error(`content type ${contentType}`);
  const request: JsonRequest = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  return request.resourceLogs.map(jsonLogs);
}

function protobufLogs(resourceLogs: Message): ReceivedLogs {
  const resource = only(messages(resourceLogs, 1));
  const scopeLogs = only(messages(resourceLogs, 2));
  const scope = only(messages(scopeLogs, 1));
  return {
    resource: protobufAttributes(resource, 1),
    scope: { name: text(scope, 1), version: text(scope, 2) },
    ...(scopeLogs.has(3) && { schemaUrl: text(scopeLogs, 3) }),
    records: messages(scopeLogs, 2).map((record) => ({
      time: integer(record, 1),
      observed: integer(record, 11),
      severityNumber: Number(integer(record, 2)),
      severityText: text(record, 3),
      body: protobufValue(only(messages(record, 5))),
      eventName: text(record, 12),
      attributes: protobufAttributes(record, 6),
    })),
  };
}

function protobufAttributes(message: Message, field: number): Record<string, ReceivedValue> {
  return once(
    messages(message, field).map((pair): [string, ReceivedValue] => [
      text(pair, 1),
      protobufValue(only(messages(pair, 2))),
    ]),
  );
}

function protobufValue(value: Message): ReceivedValue {
  const [field, ...more] = value.keys();
  if (more.length > 0) throw new Error("a value of several kinds");
  switch (field) {
    case 1:
      return text(value, 1);
    case 2:
      return integer(value, 2) === 1n;
    case 3:
      return Number(BigInt.asIntN(64, integer(value, 3)));
    case 4:
      return double(value, 4);
    case 5:
      return messages(only(messages(value, 5)), 1).map(protobufValue);
    default:
      throw new Error(`a value of kind ${field}`);
  }
}

interface JsonValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values: readonly JsonValue[] };
}

type JsonAttributes = readonly { readonly key: string; readonly value: JsonValue }[];

interface JsonRequest {
  readonly resourceLogs: readonly JsonResourceLogs[];
}

interface JsonResourceLogs {
  readonly resource: { readonly attributes: JsonAttributes };
  readonly scopeLogs: readonly {
    readonly scope: { readonly name: string; readonly version: string };
    readonly schemaUrl?: string;
    readonly logRecords: readonly JsonLogRecord[];
  }[];
}

interface JsonLogRecord {
  readonly timeUnixNano: string;
  readonly observedTimeUnixNano: string;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly body: JsonValue;
  readonly eventName: string;
  readonly attributes: JsonAttributes;
}

function jsonLogs({ resource, scopeLogs }: JsonResourceLogs): ReceivedLogs {
  const { scope, schemaUrl, logRecords } = only(scopeLogs);
  return {
    resource: jsonAttributes(resource.attributes),
    scope: { name: scope.name, version: scope.version },
    ...(schemaUrl !== undefined && { schemaUrl }),
    records: logRecords.map((record) => ({
      time: BigInt(record.timeUnixNano),
      observed: BigInt(record.observedTimeUnixNano),
      severityNumber: record.severityNumber,
      severityText: record.severityText,
      body: jsonValue(record.body),
      eventName: record.eventName,
      attributes: jsonAttributes(record.attributes),
    })),
  };
}

function jsonAttributes(attributes: JsonAttributes): Record<string, ReceivedValue> {
  return once(attributes.map(({ key, value }): [string, ReceivedValue] => [key, jsonValue(value)]));
}

function jsonValue({ stringValue, boolValue, intValue, doubleValue, arrayValue }: JsonValue): ReceivedValue {
  // JSON encodes 64-bit numbers as text.
  const int = intValue === undefined ? undefined : Number(intValue);
  const value = stringValue ?? boolValue ?? int ?? doubleValue ?? arrayValue?.values.map(jsonValue);
  if (value === undefined) throw new Error("a value of no kind");
  return value;
}

function only<Item>(items: readonly Item[]): Item {
  const [item, ...more] = items;
  if (item === undefined || more.length > 0) throw new Error(`expected one, found ${items.length}`);
  return item;
}

function once<Value>(pairs: readonly (readonly [string, Value])[]): Record<string, Value> {
  const record = Object.fromEntries(pairs);
  if (Object.keys(record).length !== pairs.length) throw new Error("an attribute twice");
  return record;
}
