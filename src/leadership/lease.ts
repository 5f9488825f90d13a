/** A Lease (coordination.k8s.io/v1) as an election looks at it. */
export interface Lease {
  /** `resourceVersion`: another one after each change, by any client. */
  readonly version: string;
  /** Undefined where the Lease names none. */
  readonly holder: string | undefined;
  /** The one who had it gave it back: it may be taken at once. A Lease that was never written, or was emptied, says nothing. */
  readonly isReleased: boolean;
  /** For how long without a change others have to wait, milliseconds; undefined where it does not say. */
  readonly durationMs: number | undefined;
  /** The object as the API server gave it, for what is written in its place. */
  readonly source: unknown;
}

/** What an election wants to be written. */
export interface LeaseClaim {
  /** Empty: given back. */
  readonly holder: string;
  readonly durationMs: number;
  /** Until now it is another one's, or names none. */
  readonly isTaken: boolean;
}
