import type { EventRecord } from "./event.ts";

/** What became of events that were sent. */
export type SendOutcome =
  /** The receiver has them, but for `rejected` of them, which it refused for good; `message` says why, else empty. */
  | { readonly kind: "accepted"; readonly rejected: number; readonly message: string }
  /** The receiver refuses all of them for good: sending them again is of no use. */
  | { readonly kind: "rejected"; readonly message: string }
  /** They could not be delivered now, but for the first ones. What is not settled comes again, in the same order. */
  | {
      readonly kind: "retry";
      /** How many of the batch, from its start, need not come again: the receiver has them or refused them for good. */
      readonly settled: number;
      /** How many of those the receiver refused for good. */
      readonly rejected: number;
      /** Undefined where the receiver did not ask for a pause. */
      readonly retryAfterMs: number | undefined;
      readonly message: string;
    };

/**
 * Where events go. The queue sends in order, one batch at a time, and drops what is settled from its memory: what a sink says
 * it has must have reached the receiver. A sink does not try again by itself.
 */
export interface EventSink {
  /**
   * Sends events of one server, oldest first, at least one. Never rejects. When `signal` aborts no time is left: it resolves
   * soon, with what is known.
   */
  send(batch: readonly EventRecord[], signal: AbortSignal): Promise<SendOutcome>;
  /** Nothing is sent any more. Never rejects. */
  close(): Promise<void>;
}

/** Opens the way of one server's events to a receiver. `server`: its configured name. */
export type OpenEventSink = (server: string) => EventSink;
