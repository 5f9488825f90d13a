import type { EventRecord } from "../../../src/events/event.ts";
import { NOON } from "./rows.ts";

export function statusChange(number: number, given: Partial<EventRecord> = {}): EventRecord {
  return {
    uid: number.toString(16).padStart(32, "0"),
    eventName: "prtg.sensor.status_change",
    timestamp: NOON + number * 1_000,
    observedTimestamp: NOON + number * 1_000 + 29_877,
    severityText: "ERROR",
    severityNumber: 17,
    body: `Ping on switch is down: Timeout (code: PE018) \u{1f600} ${number}`,
    attributes: {
      "prtg.server": "hq",
      "prtg.sensor.id": String(number),
      "prtg.sensor.priority": 5,
      "prtg.status.seconds": 12.5,
      "prtg.acknowledged": false,
      "prtg.tags": ["snmp", "\u00fc\u00df"],
    },
    ...given,
  };
}

export function statusChanges(count: number, given: Partial<EventRecord> = {}): EventRecord[] {
  return Array.from({ length: count }, (_, number) => statusChange(number, given));
}
