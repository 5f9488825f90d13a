/** Names of log records. The first two are sent by default, those of the structure on request. */
export const EVENT_NAMES = [
  "prtg.sensor.status_change",
  "prtg.node.status_change",
  "prtg.object.added",
  "prtg.object.removed",
  "prtg.object.renamed",
  "prtg.object.moved",
] as const;
export type EventName = (typeof EVENT_NAMES)[number];

export const EVENT_OUTPUTS = ["file", "otlp"] as const;
export type EventOutput = (typeof EVENT_OUTPUTS)[number];

/** Why events are never delivered. */
export const EVENT_DROPS = ["rejected", "full", "merged"] as const;
