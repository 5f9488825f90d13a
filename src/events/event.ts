import type { EVENT_NAMES } from "../telemetry/metric-declarations.ts";

/*
 * A record is plain and complete: an output needs neither the model nor the server. Names follow OpenTelemetry: dotted,
 * in the namespace `prtg`, or standard attributes.
 */

export type EventName = (typeof EVENT_NAMES)[number];

/**
 * The least number of each range of OpenTelemetry, and its short text.
 * @see https://opentelemetry.io/docs/specs/otel/logs/data-model/#field-severitynumber
 */
export const SEVERITIES = { INFO: 9, WARN: 13, ERROR: 17 } as const;

export type SeverityText = keyof typeof SEVERITIES;

/** Well-formed texts, finite numbers. */
export type AttributeValue = string | number | boolean | readonly string[];

/** Without unknown and empty values. */
export type EventAttributes = Readonly<Record<string, AttributeValue>>;

/** One event on a monitored server, as a log record. Immutable. */
export interface EventRecord {
  /**
   * 32 hexadecimal digits, a hash of server, object, event and time: a repetition has the same, so receivers can drop
   * it (`log.record.uid`).
   */
  readonly uid: string;
  readonly eventName: EventName;
  /** A status: its begin, by the server; else the sight. Milliseconds since the epoch. */
  readonly timestamp: number;
  /** By the exporter's clock, milliseconds since the epoch. */
  readonly observedTimestamp: number;
  readonly severityText: SeverityText;
  /** See `SEVERITIES`. */
  readonly severityNumber: number;
  /** One line for people. */
  readonly body: string;
  readonly attributes: EventAttributes;
}

/** In our own namespace, for log records, metrics and resources. */
export const PRTG_ATTRIBUTES = {
  serverName: "prtg.server.name",
  serverVersion: "prtg.server.version",
  objectKind: "prtg.object.kind",
  objectId: "prtg.object.id",
  objectName: "prtg.object.name",
  objectPath: "prtg.object.path",
  /** For people, as in `Ping v2`. */
  objectType: "prtg.object.type",
  /** As the API names it, as in `ping`. */
  objectTypeId: "prtg.object.type_id",
  objectPriority: "prtg.object.priority",
  objectTags: "prtg.object.tags",
  objectFavorite: "prtg.object.favorite",
  probeName: "prtg.probe.name",
  groupName: "prtg.group.name",
  deviceId: "prtg.device.id",
  deviceName: "prtg.device.name",
  devicePath: "prtg.device.path",
  sensorId: "prtg.sensor.id",
  sensorName: "prtg.sensor.name",
  channelId: "prtg.channel.id",
  channelName: "prtg.channel.name",
  channelUnit: "prtg.channel.unit",
  channelState: "prtg.channel.state",
  channelLimit: "prtg.channel.limit_kind",
  channelMetric: "prtg.channel.metric",
  statusName: "prtg.status.name",
  statusOld: "prtg.status.old",
  statusOldCode: "prtg.status.old_code",
  statusOldDuration: "prtg.status.old_duration",
  statusNew: "prtg.status.new",
  statusNewCode: "prtg.status.new_code",
  statusMessage: "prtg.status.message",
} as const;

export type SendOutcome =
  /** The receiver has them, but for `rejected`, which it refused for good; `message`: why, else empty. */
  | { readonly kind: "accepted"; readonly rejected: number; readonly message: string }
  /** All refused for good. */
  | { readonly kind: "rejected"; readonly message: string }
  /** Some could not go now: they come again, in the same order. */
  | {
      readonly kind: "retry";
      /** The first of the batch that are done: accepted, or refused for good. */
      readonly settled: number;
      /** Of those, refused for good. */
      readonly rejected: number;
      /** Undefined: the receiver did not ask for a pause. */
      readonly retryAfterMs: number | undefined;
      readonly message: string;
    };

/**
 * One receiver. The queue sends in order, one batch at a time, and forgets what is settled: it must have arrived. A
 * sink does not retry.
 */
export interface EventSink {
  /** Events of one server, oldest first, at least one. Never rejects. After `signal` aborts it resolves soon. */
  send(batch: readonly EventRecord[], signal: AbortSignal): Promise<SendOutcome>;
  /** Never rejects. */
  close(): Promise<void>;
}

/** `server`: its configured name. */
export type OpenEventSink = (server: string) => EventSink;
