/** Milliseconds; the names are Kubernetes' own. */
export interface ElectionTimes {
  /** Others take the Lease so long after the last change they saw. */
  readonly leaseDurationMs: number;
  /** A leader steps down after so long without renewal. Shorter than the lease, by more than clocks drift. */
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** Times are of this process's monotonic clock. */
export type ElectionStep =
  | { readonly kind: "wait"; readonly end: number }
  | { readonly kind: "read" }
  | { readonly kind: "create" }
  /** Only over this version. */
  | { readonly kind: "write"; readonly over: Lease; readonly claim: LeaseClaim }
  /** Led, and leads no more: for good. */
  | { readonly kind: "lost" };

interface Observed {
  /** Undefined: none. */
  readonly lease: Lease | undefined;
  /** First seen at. */
  readonly since: number;
}

/** Followers must not ask at the same moment. */
const JITTER = 0.2;
/** In a row; then even a leader pauses. */
const MAX_QUICK_CONFLICTS = 3;

/**
 * Who leads, as client-go decides: the Lease changes only over the version read, and has a new holder only after its
 * whole duration without change, by the new holder's clock. Wall clocks do not matter; they must not drift by more than
 * the renew deadline is shorter than the lease. A leader counts from when it sent, others from later: its time ends
 * first. Has no timer and no IO: the caller asks for the next step and reports its outcome.
 */
export class Election {
  readonly #identity: string;
  readonly #times: ElectionTimes;
  readonly #random: () => number;
  #observed: Observed | undefined;
  #mustRead = true;
  #nextAt = Number.NEGATIVE_INFINITY;
  #leadershipEnd: number | undefined;
  #isLost = false;
  #conflicts = 0;

  /** `identity`: of this process alone. */
  constructor(identity: string, times: ElectionTimes, random: () => number) {
    this.#identity = identity;
    this.#times = times;
    this.#random = random;
  }

  isLeading(now: number): boolean {
    return !this.#isLost && this.#leadershipEnd !== undefined && now < this.#leadershipEnd;
  }

  /** Without another renewal; undefined for a follower. */
  get leadershipEnd(): number | undefined {
    return this.#isLost ? undefined : this.#leadershipEnd;
  }

  get holder(): string | undefined {
    return this.#observed?.lease?.holder;
  }

  next(now: number): ElectionStep {
    this.#notice(now);
    if (this.#isLost) return { kind: "lost" };
    if (now < this.#nextAt) return { kind: "wait", end: Math.min(this.#nextAt, this.#leadershipEnd ?? this.#nextAt) };
    const observed = this.#observed;
    if (this.#mustRead || observed === undefined || now < this.#freeAt(observed)) return { kind: "read" };
    const { lease } = observed;
    // Without a holder: only a version can prove to be unchanged, and a former leader may still act.
    if (lease === undefined) return { kind: "create" };
    const isTaken = lease.holder !== this.#identity;
    const claim = { holder: this.#identity, durationMs: this.#times.leaseDurationMs, isTaken };
    return { kind: "write", over: lease, claim };
  }

  /** After a read or a creation. */
  found(lease: Lease | undefined, now: number): void {
    this.#notice(now);
    const isLeading = this.isLeading(now);
    this.#observe(lease, now);
    const holder = lease?.holder;
    // By hand, or by a program with other rules.
    if (isLeading && holder !== undefined && holder !== this.#identity) this.#isLost = true;
    const freeAt = this.#observed === undefined ? now : this.#freeAt(this.#observed);
    this.#mustRead = freeAt > now;
    this.#nextAt = freeAt > now ? Math.min(freeAt, this.#afterPause(now)) : now;
  }

  written(lease: Lease, sentAt: number, now: number): void {
    this.#notice(now);
    this.#observe(lease, now);
    this.#conflicts = 0;
    this.#mustRead = false;
    const end = sentAt + this.#times.renewDeadlineMs;
    if (now < end) this.#leadershipEnd = end;
    this.#nextAt = now < end ? sentAt + this.#times.retryPeriodMs : now;
  }

  /** Another client wrote, created or removed it. */
  conflicted(now: number): void {
    this.#notice(now);
    this.#mustRead = true;
    this.#conflicts++;
    const isUrgent = this.isLeading(now) && this.#conflicts <= MAX_QUICK_CONFLICTS;
    this.#nextAt = isUrgent ? now : this.#afterPause(now);
  }

  /** The outcome is unknown: the write may still arrive. */
  failed(startedAt: number, now: number): void {
    this.#notice(now);
    // A leader writes over the version it knows, and so learns whether its write arrived.
    if (!this.isLeading(now)) this.#mustRead = true;
    this.#nextAt = Math.max(now, this.#afterPause(startedAt));
  }

  #notice(now: number): void {
    if (this.#leadershipEnd !== undefined && now >= this.#leadershipEnd) this.#isLost = true;
  }

  #observe(lease: Lease | undefined, now: number): void {
    const isSame = this.#observed !== undefined && this.#observed.lease?.version === lease?.version;
    this.#observed = { lease, since: isSame ? (this.#observed?.since ?? now) : now };
  }

  #freeAt({ lease, since }: Observed): number {
    if (lease === undefined || lease.isReleased || lease.holder === this.#identity) return since;
    // Also for one that names none: someone emptied it, and its leader will notice.
    const { leaseDurationMs } = this.#times;
    return this.#leadershipEnd !== undefined ? since : since + Math.max(lease.durationMs ?? 0, leaseDurationMs);
  }

  #afterPause(from: number): number {
    const jitter = this.#leadershipEnd === undefined ? 1 + JITTER * this.#random() : 1;
    return from + this.#times.retryPeriodMs * jitter;
  }
}

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
