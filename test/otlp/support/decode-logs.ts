import {
  attributesOf,
  attributeValue,
  type JsonAttributes,
  type JsonResource,
  type JsonScope,
  type JsonValue,
  only,
  originOf,
  parseRequest,
  type ReceivedValue,
} from "./decode-request.ts";

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
  const { resourceLogs } = parseRequest("logs", contentType, body) as JsonRequest;
  return resourceLogs.map(({ resource, scopeLogs }) => {
    const scope = only(scopeLogs);
    return { ...originOf(resource, scope), records: scope.logRecords.map(recordOf) };
  });
}

interface JsonRequest {
  readonly resourceLogs: readonly {
    readonly resource: JsonResource;
    readonly scopeLogs: readonly (JsonScope & { readonly logRecords: readonly JsonLogRecord[] })[];
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

function recordOf(record: JsonLogRecord): ReceivedLogRecord {
  return {
    time: BigInt(record.timeUnixNano),
    observed: BigInt(record.observedTimeUnixNano),
    severityNumber: record.severityNumber,
    severityText: record.severityText,
    body: attributeValue(record.body),
    eventName: record.eventName,
    attributes: attributesOf(record.attributes),
  };
}
