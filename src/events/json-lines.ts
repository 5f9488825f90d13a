import type { EventRecord } from "./event.ts";

/** With the names of OpenTelemetry's data model; ends with a line feed. */
export function jsonLine(event: EventRecord): string {
  const { uid, eventName, timestamp, observedTimestamp, severityText, severityNumber, body, attributes } = event;
  return `${JSON.stringify({
    timestamp: isoTime(timestamp),
    observed_timestamp: isoTime(observedTimestamp),
    severity_text: severityText,
    severity_number: severityNumber,
    event_name: eventName,
    body,
    attributes,
    uid,
  })}\n`;
}

/** Beyond the calendar: milliseconds. */
function isoTime(at: number): string | number {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : date.toISOString();
}
