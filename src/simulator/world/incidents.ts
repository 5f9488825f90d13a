import type { SimStatus } from "./model.ts";

/** A status that shows while it lasts: of a node itself, or of all sensors below it. */
export interface StatusEffect {
  readonly kind: "status";
  readonly status: SimStatus;
  /** What shows as the message; by default what the status itself says. */
  readonly message: string | undefined;
}

/** A channel that measures what the incident says; the sensor's status follows from the channel's limits. */
export interface ValueEffect {
  readonly kind: "reading";
  /** Number of the channel, the part after the dot of its id. */
  readonly channel: number;
  /** Display value that it goes to. */
  readonly to: number;
  /** How long it takes to get there, in a straight line from what it would have measured; 0: at once. Milliseconds. */
  readonly overMs: number;
}

/** Something that is arranged to befall a node, once or again and again. Times are milliseconds (since the epoch). */
export interface Incident {
  /** When it first begins. */
  readonly start: number;
  /** How long it lasts each time; Infinity: for good. */
  readonly lengthMs: number;
  /** From one beginning to the next; not shorter than `lengthMs`. */
  readonly everyMs: number;
  /** How often it happens; Infinity: no end. */
  readonly times: number;
  readonly effect: StatusEffect | ValueEffect;
}

/** One time that an incident happens: `start` belongs to it, `end` does not. */
export interface Occurrence {
  readonly start: number;
  readonly end: number;
}

/** The last time that began at or before a moment; undefined before the first. */
export function lastOccurrence({ start, lengthMs, everyMs, times }: Incident, at: number): Occurrence | undefined {
  if (at < start) return undefined;
  const number = times === 1 ? 0 : Math.min(times - 1, Math.floor((at - start) / everyMs));
  const begin = number === 0 ? start : start + number * everyMs;
  return { start: begin, end: begin + lengthMs };
}

/** When it begins for the first time after a moment; Infinity when it does not. */
export function nextOccurrence({ start, everyMs, times }: Incident, at: number): number {
  if (at < start) return start;
  if (times === 1) return Infinity;
  const number = Math.floor((at - start) / everyMs) + 1;
  return number < times ? start + number * everyMs : Infinity;
}
