/** What is known of the election in which this replica takes part. */
export interface Leadership {
  /** The Lease: `namespace/name`. */
  readonly lease: string;
  /** Of this replica in the Lease. */
  readonly identity: string;
  /** Whether this replica may ask and push at this very moment. */
  readonly isLeading: boolean;
  /** The identity of who leads, as far as is known. */
  readonly holder: string | undefined;
}

/**
 * The check before each outgoing request of a replica that takes part in an election. A paused process resumes in the
 * middle of its work, before any timer fires, when another replica may lead already. `undefined` without an election.
 */
export function permitOf(leadership: Leadership | undefined): (() => void) | undefined {
  if (leadership === undefined) return undefined;
  return () => {
    if (!leadership.isLeading) throw new Error("this replica does not lead: nothing is sent");
  };
}
