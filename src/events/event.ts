import type { EVENT_NAMES } from "../telemetry/own-metrics.ts";

/*
 * A record is plain and complete: an output needs neither the model nor the server. Names follow OpenTelemetry: dotted,
 * in the namespace `prtg`, or standard attributes.
 */

export type EventName = (typeof EVENT_NAMES)[number];

/**
 * The least number of each range of OpenTelemetry, and its short text.
 * @see https://opentelemetry.io/docs/specs/otel/logs/data-model/#field-severitynumber
 */
export const SEVERITIES = { INFO: 9, WARN: 13, ERROR: 17 } as const;

export type SeverityText = keyof typeof SEVERITIES;

/** Well-formed texts, finite numbers. */
export type AttributeValue = string | number | boolean | readonly string[];

/** Without unknown and empty values. */
export type EventAttributes = Readonly<Record<string, AttributeValue>>;

/** One event on a monitored server, as a log record. Immutable. */
export interface EventRecord {
  /**
   * 32 hexadecimal digits, a hash of server, object, event and time: a repetition has the same, so receivers can drop
   * it (`log.record.uid`).
   */
  readonly uid: string;
  readonly eventName: EventName;
  /** A status: its begin, by the server; else the sight. Milliseconds since the epoch. */
  readonly timestamp: number;
  /** By the exporter's clock, milliseconds since the epoch. */
  readonly observedTimestamp: number;
  readonly severityText: SeverityText;
  /** See `SEVERITIES`. */
  readonly severityNumber: number;
  /** One line for people. */
  readonly body: string;
  readonly attributes: EventAttributes;
}
