import type { EventName } from "./event-names.ts";

/* Outputs need neither model nor server, because records are complete. Names follow OpenTelemetry. */

/**
 * Least number per range.
 * @see https://opentelemetry.io/docs/specs/otel/logs/data-model/#field-severitynumber
 */
export const SEVERITIES = { INFO: 9, WARN: 13, ERROR: 17 } as const;

export type SeverityText = keyof typeof SEVERITIES;

export type AttributeValue = string | number | boolean | readonly string[];

/** Attributes without unknown and empty values. */
export type EventAttributes = Readonly<Record<string, AttributeValue>>;

/** One event on a monitored server, as a log record. Immutable. */
export interface EventRecord {
  /** 32 hexadecimal digits. A repeated event has the same, so receivers can drop it (`log.record.uid`). */
  readonly uid: string;
  readonly eventName: EventName;
  /** Begin of the status by the server's clock, or when the poll saw the change. Milliseconds since the epoch. */
  readonly timestamp: number;
  /** Exporter's clock, milliseconds since the epoch. */
  readonly observedTimestamp: number;
  readonly severityText: SeverityText;
  readonly severityNumber: number;
  /** One line. */
  readonly body: string;
  readonly attributes: EventAttributes;
}

/** Attributes of our namespace, for log records, metrics and resources. */
export const PRTG_ATTRIBUTES = {
  serverName: "prtg.server.name",
  serverVersion: "prtg.server.version",
  objectKind: "prtg.object.kind",
  objectId: "prtg.object.id",
  objectName: "prtg.object.name",
  objectPath: "prtg.object.path",
  /** For people, as in `Ping v2`. */
  objectType: "prtg.object.type",
  objectTypeId: "prtg.object.type_id",
  objectPriority: "prtg.object.priority",
  objectTags: "prtg.object.tags",
  objectFavorite: "prtg.object.favorite",
  objectDependsOnId: "prtg.object.depends_on_id",
  /** Degrees. */
  objectLatitude: "prtg.object.latitude",
  objectLongitude: "prtg.object.longitude",
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
  /** Accepted, except `rejected` events. */
  | { readonly kind: "accepted"; readonly rejected: number; readonly message: string }
  /** Some failed and will be sent again. */
  | {
      readonly kind: "retry";
      /** The first events that are accepted or rejected. */
      readonly settled: number;
      /** How many of these were rejected. */
      readonly rejected: number;
      readonly retryAfterMs: number | undefined;
      readonly message: string;
    };

/** One receiver. Gets one batch at a time, in order. Does not retry. The queue forgets settled events. */
export interface EventSink {
  /** Gets at least one event, oldest first. Never rejects. Resolves soon after an abort. */
  send(batch: readonly EventRecord[], signal: AbortSignal): Promise<SendOutcome>;
}

export type OpenEventSink = (server: string) => EventSink;
