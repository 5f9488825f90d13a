import type { EVENT_NAMES } from "../telemetry/own-metrics.ts";

/*
 * What an output gets: a record is plain and complete, so that an output needs to know neither the model nor the server. Names
 * follow OpenTelemetry: dotted, in the namespace `prtg`, and a standard attribute where there is one.
 */

/** What happened. */
export type EventName = (typeof EVENT_NAMES)[number];

/**
 * The least number of each range of OpenTelemetry, and its short text.
 * @see https://opentelemetry.io/docs/specs/otel/logs/data-model/#field-severitynumber
 */
export const SEVERITIES = { INFO: 9, WARN: 13, ERROR: 17 } as const;

export type SeverityText = keyof typeof SEVERITIES;

/** Texts are one of a kind that any encoding can carry: no lone surrogates. Numbers are finite. */
export type AttributeValue = string | number | boolean | readonly string[];

/** Names and values; what is not known is left out, and so is an empty text or list. */
export type EventAttributes = Readonly<Record<string, AttributeValue>>;

/** One thing that happened on a monitored server, as a log record. Never changed once it is made. */
export interface EventRecord {
  /**
   * 32 hexadecimal digits, made of the server, the object, what happened and the time: the same when the event is told again, so
   * that a receiver can drop repeats (`log.record.uid`).
   */
  readonly uid: string;
  readonly eventName: EventName;
  /** When it happened: of a status when it began, as the server says; else when it was seen. Milliseconds since the epoch. */
  readonly timestamp: number;
  /** When the exporter saw it: its own clock, milliseconds since the epoch. */
  readonly observedTimestamp: number;
  readonly severityText: SeverityText;
  /** As `SEVERITIES` has it. */
  readonly severityNumber: number;
  /** For people: one line. */
  readonly body: string;
  readonly attributes: EventAttributes;
}
