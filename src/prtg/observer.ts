import type { DecodeProblem } from "./decode/problems.ts";

/** What the client reports about its work, for metrics. Calls must be cheap and must not throw. */
export interface ApiObserver {
  /** A request leaves now. `endpoint` is a template without ids, such as `/experimental/channels`. */
  requestStarted(endpoint: string): void;
  requestFinished(request: FinishedRequest): void;
  /** A request is about to be sent again after a failure. */
  retried(endpoint: string): void;
  /** Requests are held back because the server is unreachable or unavailable, or no longer are. */
  breakerChanged(open: boolean): void;
  /** A list changed while its pages were read, and is read again. */
  listMoved(endpoint: string): void;
  /** At each complete list: objects announced in X-Total-Count minus those that the pages held. */
  totalMismatch(endpoint: string, difference: number): void;
  decodeProblem(problem: DecodeProblem, count: number): void;
}

export interface FinishedRequest {
  readonly endpoint: string;
  /** HTTP status, or the kind of failure where none came. */
  readonly code: string;
  /** From sending the request to the last byte; waiting for the budget is not included. */
  readonly durationMs: number;
  /** Bytes of the body that arrived. */
  readonly bytes: number;
}
