import type { EventRecord } from "./event.ts";

/** An event as one line of JSON, named as the data model of OpenTelemetry's logs; ends with a line feed. */
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

/** Servers may tell any time; what no calendar has stays a number of milliseconds. */
function isoTime(at: number): string | number {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : date.toISOString();
}
