import type { EventRecord } from "../../../src/events/event.ts";

/** The smallest valid event. */
export function buildEvent(given: Partial<EventRecord> = {}): EventRecord {
  return {
    uid: "0".repeat(32),
    eventName: "prtg.sensor.status_change",
    timestamp: 1,
    observedTimestamp: 2,
    severityText: "INFO",
    severityNumber: 9,
    body: "body",
    attributes: {},
    ...given,
  };
}
