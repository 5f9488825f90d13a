/** coordination.k8s.io/v1, as an election sees it. */
export interface Lease {
  /** `resourceVersion`: changes with each write of any client. */
  readonly version: string;
  readonly holder: string | undefined;
  /** Its holder gave it back: it is free at once. An empty Lease is not released. */
  readonly isReleased: boolean;
  /** Others wait so long after a change, milliseconds. */
  readonly durationMs: number | undefined;
  /** As the API server sent it, for the next write. */
  readonly source: unknown;
}

export interface LeaseClaim {
  /** Empty: given back. */
  readonly holder: string;
  readonly durationMs: number;
  /** It changes hands. */
  readonly isTaken: boolean;
}
