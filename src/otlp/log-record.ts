import { type InstrumentationScope, millisToHrTime } from "@opentelemetry/core";
import type { ReadableLogRecord } from "@opentelemetry/sdk-logs";
import type { EventRecord } from "../events/event.ts";
import type { PlacedEvent } from "./event-resources.ts";

/**
 * An event as a log record, as the data model of logs has it. The name of the event stands in its own field, and once more as
 * the attribute that came before that field: Loki does not keep the field.
 * @see https://opentelemetry.io/docs/specs/otel/logs/data-model/#field-eventname
 */
export function logRecord(
  event: EventRecord,
  { resource, attributes }: PlacedEvent,
  scope: InstrumentationScope,
): ReadableLogRecord {
  const { uid, eventName, timestamp, observedTimestamp, severityNumber, severityText, body } = event;
  return {
    hrTime: millisToHrTime(timestamp),
    hrTimeObserved: millisToHrTime(observedTimestamp),
    ...{ severityNumber, severityText, body, eventName, resource },
    instrumentationScope: scope,
    attributes: { "log.record.uid": uid, "event.name": eventName, ...attributes },
    droppedAttributesCount: 0,
  };
}

/** What a record has besides its texts: times, severity, framing. */
const RECORD_BYTES = 120;
/** A number, or the framing of a text. */
const VALUE_BYTES = 12;

/** Roughly the bytes that the record of an event takes on the wire; RequestSize knows how roughly. */
export function estimateRecordSize({ uid, eventName, body, attributes }: EventRecord): number {
  let bytes = RECORD_BYTES + uid.length + 2 * eventName.length + body.length;
  for (const [name, value] of Object.entries(attributes)) {
    bytes += name.length + VALUE_BYTES;
    if (typeof value === "string") bytes += value.length;
    else if (typeof value === "object") for (const item of value) bytes += item.length + VALUE_BYTES;
  }
  return bytes;
}
