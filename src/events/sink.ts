import type { EventRecord } from "./event.ts";

export type SendOutcome =
  /** The receiver has them, but for `rejected`, which it refused for good; `message`: why, else empty. */
  | { readonly kind: "accepted"; readonly rejected: number; readonly message: string }
  /** All refused for good. */
  | { readonly kind: "rejected"; readonly message: string }
  /** Some could not go now: they come again, in the same order. */
  | {
      readonly kind: "retry";
      /** The first of the batch that are done: accepted, or refused for good. */
      readonly settled: number;
      /** Of those, refused for good. */
      readonly rejected: number;
      /** Undefined: the receiver did not ask for a pause. */
      readonly retryAfterMs: number | undefined;
      readonly message: string;
    };

/**
 * One receiver. The queue sends in order, one batch at a time, and forgets what is settled: it must have arrived. A
 * sink does not retry.
 */
export interface EventSink {
  /** Events of one server, oldest first, at least one. Never rejects. After `signal` aborts it resolves soon. */
  send(batch: readonly EventRecord[], signal: AbortSignal): Promise<SendOutcome>;
  /** Never rejects. */
  close(): Promise<void>;
}

/** `server`: its configured name. */
export type OpenEventSink = (server: string) => EventSink;
