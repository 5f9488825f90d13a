import type { Lease, LeaseClaim } from "./lease.ts";

/** Milliseconds, by the names that Kubernetes' own programs have for them. */
export interface ElectionTimes {
  /** Others wait for so long after the last change that they saw before they take the Lease. */
  readonly leaseDurationMs: number;
  /** A leader that could not renew for so long leads no more. Shorter than the lease, by more than clocks may differ. */
  readonly renewDeadlineMs: number;
  /** Between two attempts to renew, or to take the Lease. */
  readonly retryPeriodMs: number;
}

/** What is to be done now. Times are of the monotonic clock of this process. */
export type ElectionStep =
  | { readonly kind: "wait"; readonly until: number }
  | { readonly kind: "read" }
  /** There is no Lease: make one that says nothing. */
  | { readonly kind: "create" }
  /** Only over this version of the Lease. */
  | { readonly kind: "write"; readonly over: Lease; readonly claim: LeaseClaim }
  /** It led and does not any more: for good. */
  | { readonly kind: "lost" };

interface Observed {
  /** Undefined: there is none. */
  readonly lease: Lease | undefined;
  /** When it was first seen like this. */
  readonly since: number;
}

/** Of the pause of those who wait, so that they do not ask at the same moment. */
const JITTER = 0.2;
/** In a row, after which even a leader pauses before it tries again. */
const MAX_QUICK_CONFLICTS = 3;

/**
 * Who leads, as client-go decides it: the Lease is taken over a version that was read, and only when it has not changed for its
 * whole duration by the clock of the one who takes it. Times of another machine are never looked at, so that clocks may show anything;
 * they only must not run faster or slower by as much as the renew deadline is shorter than the lease. A leader counts from the moment
 * in which it sent what was then acknowledged, the others from a later one: its time is over first.
 *
 * No input, no output, no timer: it is asked for the next step, and told what came of it.
 */
export class Election {
  readonly #identity: string;
  readonly #times: ElectionTimes;
  readonly #random: () => number;
  #observed: Observed | undefined;
  /** What is known may be out of date. */
  #mustRead = true;
  #nextAt = Number.NEGATIVE_INFINITY;
  #leadsUntil: number | undefined;
  #isLost = false;
  #conflicts = 0;

  /** `identity`: of this process and no other that may be alive. */
  constructor(identity: string, times: ElectionTimes, random: () => number) {
    this.#identity = identity;
    this.#times = times;
    this.#random = random;
  }

  /** Whether this process may act as the leader at this moment. */
  isLeading(now: number): boolean {
    return !this.#isLost && this.#leadsUntil !== undefined && now < this.#leadsUntil;
  }

  /** Until when it may do so without another renewal; undefined where it does not lead. */
  get leadsUntil(): number | undefined {
    return this.#isLost ? undefined : this.#leadsUntil;
  }

  /** Who has the Lease, as far as is known. */
  get holder(): string | undefined {
    return this.#observed?.lease?.holder;
  }

  next(now: number): ElectionStep {
    this.#notice(now);
    if (this.#isLost) return { kind: "lost" };
    if (now < this.#nextAt) return { kind: "wait", until: Math.min(this.#nextAt, this.#leadsUntil ?? this.#nextAt) };
    const observed = this.#observed;
    if (this.#mustRead || observed === undefined || now < this.#freeAt(observed)) return { kind: "read" };
    const { lease } = observed;
    // Not with a holder: only what has a version can be seen to be unchanged, and who led may still do so.
    if (lease === undefined) return { kind: "create" };
    const isTaken = lease.holder !== this.#identity;
    const claim = { holder: this.#identity, durationMs: this.#times.leaseDurationMs, isTaken };
    return { kind: "write", over: lease, claim };
  }

  /** The Lease was read, or created; undefined: there is none. */
  found(lease: Lease | undefined, now: number): void {
    this.#notice(now);
    const isLeading = this.isLeading(now);
    this.#observe(lease, now);
    const holder = lease?.holder;
    // Taken in spite of all: by hand, or by a program that counts in another way.
    if (isLeading && holder !== undefined && holder !== this.#identity) this.#isLost = true;
    const freeAt = this.#observed === undefined ? now : this.#freeAt(this.#observed);
    this.#mustRead = freeAt > now;
    this.#nextAt = freeAt > now ? Math.min(freeAt, this.#afterPause(now)) : now;
  }

  /** What was sent at `sentAt` was written. */
  written(lease: Lease, sentAt: number, now: number): void {
    this.#notice(now);
    this.#observe(lease, now);
    this.#conflicts = 0;
    this.#mustRead = false;
    const until = sentAt + this.#times.renewDeadlineMs;
    if (now < until) this.#leadsUntil = until;
    this.#nextAt = now < until ? sentAt + this.#times.retryPeriodMs : now;
  }

  /** Another one wrote first, or created it, or removed it. */
  conflicted(now: number): void {
    this.#notice(now);
    this.#mustRead = true;
    this.#conflicts++;
    const isUrgent = this.isLeading(now) && this.#conflicts <= MAX_QUICK_CONFLICTS;
    this.#nextAt = isUrgent ? now : this.#afterPause(now);
  }

  /** It is not known what came of the step that began at `startedAt`; what was sent may still be written later. */
  failed(startedAt: number, now: number): void {
    this.#notice(now);
    // A leader writes again over the version that it knows: where what was sent was written after all, it learns of that.
    if (!this.isLeading(now)) this.#mustRead = true;
    this.#nextAt = Math.max(now, this.#afterPause(startedAt));
  }

  #notice(now: number): void {
    if (this.#leadsUntil !== undefined && now >= this.#leadsUntil) this.#isLost = true;
  }

  #observe(lease: Lease | undefined, now: number): void {
    const isSame = this.#observed !== undefined && this.#observed.lease?.version === lease?.version;
    this.#observed = { lease, since: isSame ? (this.#observed?.since ?? now) : now };
  }

  /** From when on it may be written. */
  #freeAt({ lease, since }: Observed): number {
    if (lease === undefined || lease.isReleased || lease.holder === this.#identity) return since;
    // Also where it names none: one that was removed or emptied may have a leader all the same, who will notice.
    const { leaseDurationMs } = this.#times;
    return this.#leadsUntil !== undefined ? since : since + Math.max(lease.durationMs ?? 0, leaseDurationMs);
  }

  #afterPause(from: number): number {
    const jitter = this.#leadsUntil === undefined ? 1 + JITTER * this.#random() : 1;
    return from + this.#times.retryPeriodMs * jitter;
  }
}
