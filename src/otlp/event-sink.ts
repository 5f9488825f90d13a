import { type InstrumentationScope, millisToHrTime } from "@opentelemetry/core";
import type { Resource } from "@opentelemetry/resources";
import type { ReadableLogRecord } from "@opentelemetry/sdk-logs";
import { type EventAttributes, type EventRecord, type EventSink, PRTG_ATTRIBUTES as PRTG } from "../events/event.ts";
import { mapEntry } from "../lib/map-entry.ts";
import type { ExportBatch, OtlpExporter } from "./exporter.ts";
import { deviceResource } from "./resources.ts";
import { SEMCONV_ATTRIBUTES } from "./semantic-conventions.ts";

export interface EventSinkOptions {
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
  /** Whether events have the resource of their device instead of the exporter's. */
  readonly isFromDevice?: boolean;
  readonly exporter: Pick<OtlpExporter<ReadableLogRecord[]>, "export">;
}

/** Sends events as log records, in order. Servers share the exporter. */
export function createEventSink(options: EventSinkOptions): EventSink {
  return {
    async send(events, signal) {
      let settled = 0;
      let rejected = 0;
      const batch: ExportBatch<EventRecord, ReadableLogRecord[]> = {
        items: events,
        estimateSize: estimateRecordSize,
        count: () => 1,
        toRequest: (items) => requestOf(items, options),
        probe: (nowMs) => [probeRecord(options, nowMs)],
        settled: (items, outcome) => {
          settled += items.length;
          rejected += outcome.kind === "refused" ? items.length : outcome.rejected;
        },
        failed: () => undefined,
      };
      const outcome = await options.exporter.export(batch, signal);
      const { kind, message } = outcome;
      if (kind === "accepted") return { kind, rejected, message };
      return { kind: "retry", settled, rejected, retryAfterMs: outcome.retryAfterMs, message };
    },
  };
}

/** Records of one device share one object as their resource. */
function requestOf(
  events: readonly EventRecord[],
  { resource, scope, isFromDevice = false }: EventSinkOptions,
): ReadableLogRecord[] {
  const devices = new Map<string, Resource>();
  return events.map((event) =>
    logRecord(event, isFromDevice ? placeEvent(event, resource, devices) : { ...event, resource }, scope),
  );
}

/**
 * The record repeats the event name as an attribute, because Loki drops the field.
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

/** Sent after a rejected request, to find out whether the receiver accepts anything. */
export const PROBE_EVENT = "prtg.exporter.probe";

function probeRecord({ resource, scope }: EventSinkOptions, nowMs: number): ReadableLogRecord {
  const time = millisToHrTime(nowMs);
  return {
    ...{ hrTime: time, hrTimeObserved: time, severityNumber: 5, severityText: "DEBUG", resource },
    body: "The receiver rejected events. This record shows whether it accepts anything.",
    eventName: PROBE_EVENT,
    instrumentationScope: scope,
    attributes: { "event.name": PROBE_EVENT },
    droppedAttributesCount: 0,
  };
}

const RECORD_BYTES = 120;
const VALUE_BYTES = 12;

/** Estimates the bytes of a record on the wire. */
export function estimateRecordSize({ uid, eventName, body, attributes }: EventRecord): number {
  let bytes = RECORD_BYTES + uid.length + 2 * eventName.length + body.length;
  for (const [name, value] of Object.entries(attributes)) {
    bytes += name.length + VALUE_BYTES;
    if (typeof value === "string") bytes += value.length;
    else if (typeof value === "object") for (const item of value) bytes += item.length + VALUE_BYTES;
  }
  return bytes;
}

const DEVICE_ATTRIBUTES: ReadonlySet<string> = new Set([
  ...[PRTG.serverName, PRTG.probeName, PRTG.groupName],
  ...[PRTG.deviceId, PRTG.deviceName, PRTG.devicePath, SEMCONV_ATTRIBUTES.serverAddress],
]);

interface PlacedEvent {
  readonly resource: Resource;
  readonly attributes: EventAttributes;
}

/** Uses the device as it was at the time of the event. Without a known device: the exporter's resource. */
function placeEvent({ attributes }: EventRecord, exporter: Resource, devices: Map<string, Resource>): PlacedEvent {
  const textOf = (name: string): string => String(attributes[name] ?? "");
  const path = textOf(PRTG.devicePath);
  // Only devices that the exporter has seen have a path.
  if (path === "") return { resource: exporter, attributes };
  const key = JSON.stringify([...DEVICE_ATTRIBUTES].map(textOf));
  const resource = mapEntry(devices, key, () =>
    deviceResource(exporter, textOf(PRTG.serverName), {
      path,
      id: textOf(PRTG.deviceId),
      name: textOf(PRTG.deviceName),
      host: textOf(SEMCONV_ATTRIBUTES.serverAddress),
      probe: textOf(PRTG.probeName),
      group: textOf(PRTG.groupName),
    }),
  );
  const rest = Object.entries(attributes).filter(([name]) => !DEVICE_ATTRIBUTES.has(name));
  return { resource, attributes: Object.fromEntries(rest) };
}
