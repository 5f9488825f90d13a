/** Milliseconds. The names are those of Kubernetes. */
export interface ElectionTimes {
  /** Followers take the Lease this long after the last change that they saw. */
  readonly leaseDurationMs: number;
  /** A leader steps down this long after its last renewal. The difference to the lease duration must exceed the clock drift. */
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** Times use the monotonic clock of this process. */
export type ElectionStep =
  | { readonly kind: "wait"; readonly end: number }
  | { readonly kind: "read" }
  | { readonly kind: "create" }
  /** Write only over this version. */
  | { readonly kind: "write"; readonly over: Lease; readonly claim: LeaseClaim }
  /** The process has lost leadership permanently. */
  | { readonly kind: "lost" };

interface Observed {
  /** `undefined`: none. */
  readonly lease: Lease | undefined;
  /** Time when this process first saw this version. */
  readonly since: number;
}

/** Spreads the requests of followers. */
const JITTER = 0.2;
/** After this many conflicts in a row, even a leader pauses. */
const MAX_QUICK_CONFLICTS = 3;

/**
 * Decides like client-go. A Lease changes only over the version read. A follower takes it only after it has seen no change for the whole
 * duration by its own clock. Wall clocks do not matter, but the drift must stay below the difference between lease duration and renew
 * deadline. A leader counts from when it sent a renewal, followers from later, so the leader stops first. No timer, no IO: the caller
 * requests the next step and reports its outcome.
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

  /** @param identity Unique to this process. */
  constructor(identity: string, times: ElectionTimes, random: () => number) {
    this.#identity = identity;
    this.#times = times;
    this.#random = random;
  }

  isLeading(now: number): boolean {
    return !this.#isLost && this.#leadershipEnd !== undefined && now < this.#leadershipEnd;
  }

  /** End without another renewal. `undefined` for a follower. */
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
    // Creates it without a holder: a former leader may still act, and only a version can prove that nothing changes.
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
    // A user or another program changed the Lease.
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
    // A leader writes over the version it knows, which reveals whether its write arrived.
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
    // Also if the Lease has no holder: its leader will notice that.
    const { leaseDurationMs } = this.#times;
    return this.#leadershipEnd !== undefined ? since : since + Math.max(lease.durationMs ?? 0, leaseDurationMs);
  }

  #afterPause(from: number): number {
    const jitter = this.#leadershipEnd === undefined ? 1 + JITTER * this.#random() : 1;
    return from + this.#times.retryPeriodMs * jitter;
  }
}

/** coordination.k8s.io/v1 */
export interface Lease {
  /** `resourceVersion`, which changes with each write. */
  readonly version: string;
  readonly holder: string | undefined;
  /** The holder released it, so it is free at once. An empty Lease is not released. */
  readonly isReleased: boolean;
  /** Followers wait this long after a change, milliseconds. */
  readonly durationMs: number | undefined;
  /** The API server's JSON, for the next write. */
  readonly source: unknown;
}

export interface LeaseClaim {
  /** Empty: released. */
  readonly holder: string;
  readonly durationMs: number;
  /** The holder changes. */
  readonly isTaken: boolean;
}
